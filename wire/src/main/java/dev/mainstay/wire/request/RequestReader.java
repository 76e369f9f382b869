package dev.mainstay.wire.request;

import dev.mainstay.wire.Operation;
import dev.mainstay.wire.json.ByteSpan;
import dev.mainstay.wire.json.JsonWalk;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/** Reads a request's top-level fields, once, and skips over everything else. */
public final class RequestReader {
  private static final long GOLDEN = 0x9E3779B97F4A7C15L;

  private final byte[] body;
  private @Nullable String model;
  private @Nullable ByteSpan modelSpan;
  private final List<ByteSpan> modelAgain = new ArrayList<>(0);
  private boolean stream;
  private @Nullable ByteSpan streamOptions;
  private @Nullable Boolean includeUsage;
  private @Nullable ByteSpan includeUsageSpan;
  private boolean anyField;
  private boolean tools;
  private boolean formatted;
  private final AnswerLimit limit = new AnswerLimit();
  private @Nullable ByteSpan messages;
  private long conversation;
  private boolean cacheKeyed;
  private boolean named;
  private boolean naming;

  /** Whether the answer is to be kept; null where the request does not say. */
  private @Nullable Boolean store;

  private RequestReader(byte[] body) {
    this.body = body;
  }

  /**
   * Reads {@code body}, which must be one JSON object.
   *
   * @throws MalformedRequest where it is not, or names its model twice or not as text
   */
  public static RequestHead read(Operation operation, byte[] body) throws MalformedRequest {
    var reader = new RequestReader(body);
    int firstField;
    try {
      var walk = new JsonWalk(body, ObjectTable.WATCHED);
      if (walk.kind() != JsonWalk.Kind.OBJECT) {
        throw new MalformedRequest("the body is not a JSON object");
      }
      firstField = walk.start() + 1;
      for (walk.object(); walk.field(); ) {
        reader.field(operation, walk);
      }
      walk.end();
      reader.naming = walk.met();
    } catch (JsonWalk.Malformed e) {
      throw new MalformedRequest(
          "the body is not valid JSON at line " + e.line() + ", column " + e.column());
    }
    return new RequestHead(
        new RequestHead.Naming(reader.model, reader.modelSpan, List.copyOf(reader.modelAgain)),
        new RequestHead.Streaming(
            reader.stream, reader.streamOptions, reader.includeUsage, reader.includeUsageSpan),
        firstField,
        !reader.anyField,
        new RequestHead.Expected(
            reader.limit.choices(),
            reader.tools,
            reader.formatted,
            reader.limit.tokens(),
            reader.limit.unreadable()),
        reader.messages,
        // What names an object of unknown origin goes where pass-through made it: to the first key.
        reader.named ? 0 : reader.conversation,
        new RequestHead.Objects(reader.named, reader.naming, reader.isMade(operation)));
  }

  /** OpenAI keeps responses unless it is told not to, and chat completions where it is told to. */
  private boolean isMade(Operation operation) {
    return switch (operation) {
      case RESPONSES -> store == null || store;
      case CHAT -> store != null && store;
      default -> false;
    };
  }

  private void field(Operation operation, JsonWalk walk) throws MalformedRequest {
    anyField = true;
    switch (walk.name()) {
      case "model" -> model(operation, walk);
      case "requests", "generateContentRequest", "generate_content_request" ->
          requests(operation, walk);
      case "stream" -> stream = walk.isTrue();
      case "stream_options" -> streamOptions(walk);
      // The servers that know best_of write so many answers and hand over n.
      case "n", "best_of" -> limit.choices(walk, walk.name());
      case "tools", "functions" -> tools |= walk.kind() == JsonWalk.Kind.ARRAY && walk.says();
      case "response_format", "text", "output_format", "output_config" ->
          formatted |= walk.kind() == JsonWalk.Kind.OBJECT;
      case "max_tokens" -> {
        if (operation != Operation.RESPONSES) {
          limit.tokens(walk, "max_tokens");
        }
      }
      case "max_completion_tokens" -> {
        if (operation == Operation.CHAT) {
          limit.tokens(walk, "max_completion_tokens");
        }
      }
      case "max_output_tokens" -> {
        if (operation == Operation.RESPONSES) {
          limit.tokens(walk, "max_output_tokens");
        }
      }
      case "generationConfig", "generation_config" -> generation(walk);
      case "messages", "input", "contents" -> messages(walk);
      case "prompt_cache_key" -> cacheKey(walk);
      case "previous_response_id", "conversation", "cachedContent", "cached_content", "container" ->
          named |= walk.kind() != JsonWalk.Kind.NULL;
      case "store" -> {
        if (walk.kind() != JsonWalk.Kind.NULL) {
          store = walk.isTrue();
        }
      }
      default -> {}
    }
  }

  private void model(Operation operation, JsonWalk walk) throws MalformedRequest {
    if (operation.modelInPath()) {
      again(walk);
      return;
    }
    if (modelSpan != null) {
      throw new MalformedRequest("the field model is given twice");
    }
    int start = walk.start();
    model = walk.oftenString();
    if (model == null) {
      throw new MalformedRequest("the field model is not a string");
    }
    modelSpan = new ByteSpan(start, walk.stop());
  }

  private void again(JsonWalk walk) {
    if (walk.kind() == JsonWalk.Kind.STRING) {
      modelAgain.add(new ByteSpan(walk.start(), walk.stop()));
    }
  }

  /** The requests inside a request of Gemini's, each of which names the model. */
  private void requests(Operation operation, JsonWalk walk) {
    if (!operation.modelInPath()) {
      return;
    }
    if (walk.kind() == JsonWalk.Kind.ARRAY) {
      for (walk.array(); walk.element(); ) {
        modelsOf(walk);
      }
    } else {
      modelsOf(walk);
    }
  }

  private void modelsOf(JsonWalk walk) {
    for (walk.object(); walk.field(); ) {
      if (walk.name().equals("model")) {
        again(walk);
      }
    }
  }

  private void streamOptions(JsonWalk walk) {
    int start = walk.start();
    includeUsage = null;
    includeUsageSpan = null;
    for (walk.object(); walk.field(); ) {
      if (walk.name().equals("include_usage")) {
        includeUsage =
            switch (walk.kind()) {
              case TRUE -> Boolean.TRUE;
              case FALSE -> Boolean.FALSE;
              default -> null;
            };
        includeUsageSpan = new ByteSpan(walk.start(), walk.stop());
      }
    }
    streamOptions = new ByteSpan(start, walk.stop());
  }

  private void generation(JsonWalk walk) {
    boolean limited = false;
    for (walk.object(); walk.field(); ) {
      switch (walk.name()) {
        case "maxOutputTokens", "max_output_tokens" -> {
          limited = true;
          limit.tokens(walk, "maxOutputTokens");
        }
        case "responseMimeType", "response_mime_type" -> formatted |= !walk.is("text/plain");
        case "candidateCount", "candidate_count" -> limit.choices(walk, "candidateCount");
        default -> {}
      }
    }
    if (!limited) {
      limit.none();
    }
  }

  /** The conversation's mark is a hash up to the end of its first turn that is not the system's. */
  private void messages(JsonWalk walk) {
    int start = walk.start();
    if (walk.kind() == JsonWalk.Kind.ARRAY) {
      boolean settled = false;
      for (walk.array(); walk.element(); ) {
        if (!settled) {
          settled = !isSystemTurn(walk);
          hash(start, walk.stop());
        }
      }
    } else {
      hash(start, walk.stop());
    }
    messages = new ByteSpan(start, walk.stop());
  }

  private static boolean isSystemTurn(JsonWalk walk) {
    boolean system = false;
    for (walk.object(); walk.field(); ) {
      if (walk.name().equals("role")) {
        var role = walk.oftenString();
        system = "system".equals(role) || "developer".equals(role);
      }
    }
    return system;
  }

  private void hash(int start, int end) {
    if (!cacheKeyed) {
      // The one hash that the JVM leaves to the processor: a long prompt costs next to nothing.
      var crc = new CRC32C();
      crc.update(body, start, end - start);
      conversation = crc.getValue() * GOLDEN;
    }
  }

  private void cacheKey(JsonWalk walk) {
    var key = walk.string();
    if (key != null) {
      cacheKeyed = true;
      conversation = key.hashCode() * GOLDEN;
    }
  }
}
