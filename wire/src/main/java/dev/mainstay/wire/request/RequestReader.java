package dev.mainstay.wire.request;

import dev.mainstay.wire.Operation;
import dev.mainstay.wire.json.Json;
import dev.mainstay.wire.json.Span;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;

/** Reads a request's top-level fields, once, and skips over everything else. */
public final class RequestReader {
  private static final long GOLDEN = 0x9E3779B97F4A7C15L;

  private final byte[] body;
  private @Nullable String model;
  private @Nullable Span modelSpan;
  private final List<Span> modelAgain = new ArrayList<>(0);
  private boolean stream;
  private @Nullable Span streamOptions;
  private @Nullable Boolean includeUsage;
  private @Nullable Span includeUsageSpan;
  private boolean anyField;
  private int choices = 1;
  private boolean tools;
  private boolean formatted;
  private @Nullable Long maxTokens;
  private @Nullable Span messages;
  private long conversation;
  private boolean cacheKeyed;
  private boolean bound;

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
    try (var p = Json.parser(body)) {
      if (p.nextToken() != JsonToken.START_OBJECT) {
        throw new MalformedRequest("the body is not a JSON object");
      }
      firstField = Json.start(p) + 1;
      for (String name = p.nextName(); name != null; name = p.nextName()) {
        p.nextToken();
        reader.field(operation, name, p);
        p.skipChildren();
      }
      if (p.nextToken() != null) {
        throw new MalformedRequest("something follows the JSON object at byte " + Json.start(p));
      }
    } catch (JacksonException e) {
      throw new MalformedRequest("the body is not valid JSON" + place(e));
    }
    return new RequestHead(
        reader.model,
        reader.modelSpan,
        List.copyOf(reader.modelAgain),
        reader.stream,
        reader.streamOptions,
        reader.includeUsage,
        reader.includeUsageSpan,
        firstField,
        !reader.anyField,
        reader.choices,
        reader.tools,
        reader.formatted,
        reader.maxTokens,
        reader.messages,
        // What a Responses call makes is kept for the key that made it, and referred to later.
        operation == Operation.RESPONSES ? 0 : reader.conversation,
        reader.bound);
  }

  private static String place(JacksonException e) {
    var at = e.getLocation();
    return at == null || at.getLineNr() < 1
        ? ""
        : " at line " + at.getLineNr() + ", column " + at.getColumnNr();
  }

  private void field(Operation operation, String name, JsonParser p) throws MalformedRequest {
    anyField = true;
    switch (name) {
      case "model" -> model(operation, p);
      case "requests", "generateContentRequest", "generate_content_request" ->
          requests(operation, p);
      case "stream" -> stream = p.currentToken() == JsonToken.VALUE_TRUE;
      case "stream_options" -> streamOptions(p);
      case "n" -> choices = Math.clamp(Json.count(p), 1, Integer.MAX_VALUE);
      case "tools", "functions" ->
          tools |= p.currentToken() == JsonToken.START_ARRAY && Json.says(p);
      case "response_format", "text", "output_format", "output_config" ->
          formatted |= p.currentToken() == JsonToken.START_OBJECT;
      case "max_tokens", "max_completion_tokens", "max_output_tokens" -> maxTokens(p);
      case "generationConfig", "generation_config" -> Json.fields(p, this::generationField);
      case "messages", "input", "contents" -> messages(p);
      case "prompt_cache_key" -> cacheKey(p);
      case "previous_response_id", "conversation", "cachedContent", "cached_content", "container" ->
          bound |= p.currentToken() != JsonToken.VALUE_NULL;
      default -> {}
    }
  }

  private void model(Operation operation, JsonParser p) throws MalformedRequest {
    if (operation.modelInPath()) {
      again(p);
      return;
    }
    if (modelSpan != null) {
      throw new MalformedRequest("the field model is given twice");
    }
    if (p.currentToken() != JsonToken.VALUE_STRING) {
      throw new MalformedRequest("the field model is not a string");
    }
    int start = Json.start(p);
    model = p.getString();
    modelSpan = new Span(start, Json.end(p));
  }

  private void again(JsonParser p) {
    if (p.currentToken() == JsonToken.VALUE_STRING) {
      int start = Json.start(p);
      modelAgain.add(new Span(start, Json.end(p)));
    }
  }

  /** The requests inside a request of Gemini's, each of which names the model. */
  private void requests(Operation operation, JsonParser p) {
    if (!operation.modelInPath()) {
      return;
    }
    Json.Field model =
        (name, value) -> {
          if (name.equals("model")) {
            again(value);
          }
        };
    if (p.currentToken() == JsonToken.START_ARRAY) {
      Json.elements(p, request -> Json.fields(request, model));
    } else {
      Json.fields(p, model);
    }
  }

  private void streamOptions(JsonParser p) {
    int start = Json.start(p);
    includeUsage = null;
    includeUsageSpan = null;
    Json.fields(
        p,
        (name, value) -> {
          if (name.equals("include_usage")) {
            int from = Json.start(value);
            includeUsage =
                switch (value.currentToken()) {
                  case VALUE_TRUE -> Boolean.TRUE;
                  case VALUE_FALSE -> Boolean.FALSE;
                  default -> null;
                };
            includeUsageSpan = new Span(from, Json.end(value));
          }
        });
    streamOptions = new Span(start, Json.end(p));
  }

  private void maxTokens(JsonParser p) {
    if (p.currentToken() == JsonToken.VALUE_NUMBER_INT) {
      maxTokens = Json.count(p);
    }
  }

  private void generationField(String name, JsonParser p) {
    switch (name) {
      case "maxOutputTokens", "max_output_tokens" -> maxTokens(p);
      case "responseMimeType", "response_mime_type" ->
          formatted |= !"text/plain".equals(Json.string(p));
      case "candidateCount", "candidate_count" -> choices = Math.clamp(Json.count(p), 1, 64);
      default -> {}
    }
  }

  /** The conversation's mark is a hash up to the end of its first turn that is not the system's. */
  private void messages(JsonParser p) {
    int start = Json.start(p);
    if (p.currentToken() == JsonToken.START_ARRAY) {
      boolean settled = false;
      for (var t = p.nextToken(); t != JsonToken.END_ARRAY && t != null; t = p.nextToken()) {
        if (settled) {
          p.skipChildren();
        } else {
          settled = !isSystemTurn(p);
          hash(start, Json.end(p));
        }
      }
    } else {
      hash(start, Json.end(p));
    }
    messages = new Span(start, Json.end(p));
  }

  private static boolean isSystemTurn(JsonParser p) {
    var system = new boolean[1];
    Json.fields(
        p,
        (name, value) -> {
          if (name.equals("role")) {
            var role = Json.string(value);
            system[0] = "system".equals(role) || "developer".equals(role);
          }
        });
    return system[0];
  }

  private void hash(int start, int end) {
    if (!cacheKeyed) {
      // The one hash that the JVM leaves to the processor: a long prompt costs next to nothing.
      var crc = new CRC32C();
      crc.update(body, start, end - start);
      conversation = crc.getValue() * GOLDEN;
    }
  }

  private void cacheKey(JsonParser p) {
    var key = Json.string(p);
    if (key != null) {
      cacheKeyed = true;
      conversation = key.hashCode() * GOLDEN;
    }
  }
}
