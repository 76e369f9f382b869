package dev.mainstay.wire.gemini;

import dev.mainstay.wire.json.JsonWalk;
import dev.mainstay.wire.money.ToolUses;
import dev.mainstay.wire.money.Unit;
import dev.mainstay.wire.money.Usage;
import dev.mainstay.wire.sse.SseEvent;
import dev.mainstay.wire.stream.Answer;
import dev.mainstay.wire.stream.Answer.Outcome;
import dev.mainstay.wire.stream.Finish;
import dev.mainstay.wire.stream.Part;
import dev.mainstay.wire.stream.StreamReader;
import java.util.BitSet;
import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Gemini's answers: a stream is a row of whole answers, so both are read alike. It has ended when
 * every candidate has a {@code finishReason}, or the prompt was blocked; nothing else marks the
 * end.
 */
public final class GeminiReader extends StreamReader {
  private final BitSet begun = new BitSet(1);
  private final BitSet finished = new BitSet(1);
  private boolean blocked;
  private boolean error;
  private boolean says;
  private @Nullable Usage usage;

  /** What was searched for, each once, as it is paid; empty where nothing was. */
  private final Set<String> searches = new HashSet<>(0);

  /**
   * Reads a whole answer.
   *
   * @param generates whether there must be something in it
   */
  public static Answer read(byte[] body, boolean generates) {
    var reader = new GeminiReader();
    try {
      var walk = new JsonWalk(body);
      if (walk.kind() != JsonWalk.Kind.OBJECT) {
        return Answer.malformed();
      }
      reader.answer(walk);
    } catch (JsonWalk.Malformed e) {
      return Answer.malformed();
    }
    boolean empty = generates && !reader.says && !reader.emptyIsMeant();
    var outcome = reader.error ? Outcome.ERROR : empty ? Outcome.EMPTY : Outcome.ANSWERED;
    return new Answer(
        outcome, reader.usage(), reader.finish(), reader.responseId(), reader.model());
  }

  @Override
  protected void object(SseEvent event, JsonWalk walk) {
    answer(walk);
    if (event.name().equals("error")) {
      brings(Part.ERROR);
    }
  }

  private void answer(JsonWalk walk) {
    for (walk.object(); walk.field(); ) {
      switch (walk.name()) {
        case "error" -> {
          if (walk.says()) {
            error = true;
            brings(Part.ERROR);
          }
        }
        case "candidates" -> {
          for (walk.array(); walk.element(); ) {
            candidate(walk);
          }
        }
        case "promptFeedback" -> feedback(walk);
        case "usageMetadata" -> {
          usage = GeminiUsage.read(walk);
          countsEachTime();
          brings(Part.USAGE);
        }
        case "responseId" -> responseId(walk);
        case "modelVersion" -> model(walk);
        default -> free(walk);
      }
    }
  }

  private void feedback(JsonWalk walk) {
    for (walk.object(); walk.field(); ) {
      var why = walk.name().equals("blockReason") ? walk.oftenString() : null;
      if (why != null) {
        blocked = true;
        finish(why);
      }
    }
  }

  private void candidate(JsonWalk walk) {
    int index = 0;
    String reason = null;
    brings(Part.PREAMBLE);
    for (walk.object(); walk.field(); ) {
      switch (walk.name()) {
        case "index" -> index = (int) Math.min(walk.count(), 1 << 16);
        case "finishReason" -> reason = walk.oftenString();
        case "content" -> content(walk);
        case "groundingMetadata" -> grounding(walk);
        default -> {}
      }
    }
    begun.set(index);
    if (reason != null) {
      finished.set(index);
      finish(reason);
      if (Finish.failed(reason)) {
        error = true;
        brings(Part.ERROR);
      }
    }
  }

  private void grounding(JsonWalk walk) {
    for (walk.object(); walk.field(); ) {
      if (walk.name().equals("webSearchQueries")) {
        for (walk.array(); walk.element(); ) {
          var query = walk.string();
          if (query != null && !query.isEmpty()) {
            searches.add(query);
          }
        }
        countsEachTime();
      }
    }
  }

  private void content(JsonWalk walk) {
    for (walk.object(); walk.field(); ) {
      if (walk.name().equals("parts")) {
        for (walk.array(); walk.element(); ) {
          part(walk);
        }
      }
    }
  }

  private void part(JsonWalk walk) {
    var kind = Part.CONTENT;
    boolean filled = false;
    for (walk.object(); walk.field(); ) {
      switch (walk.name()) {
        case "text" -> filled |= text(walk);
        case "thought" -> kind = walk.isTrue() ? Part.REASONING : kind;
        case "functionCall" -> {
          kind = Part.TOOL_CALL;
          filled = true;
        }
        case "executableCode" -> {
          runs("code");
          filled |= walk.says();
        }
        case "codeExecutionResult" -> {
          ran("code");
          filled |= walk.says();
        }
        case "toolCall" -> {
          runs(ofCall(walk));
          filled = true;
        }
        case "toolResponse" -> {
          ran(ofCall(walk));
          filled = true;
        }
        case "thoughtSignature" -> {}
        default -> filled |= walk.says();
      }
    }
    if (filled) {
      brings(kind);
      says |= kind != Part.REASONING;
    }
  }

  /** The id of a call of Google's own tools, or null. */
  private static @Nullable String ofCall(JsonWalk walk) {
    String id = null;
    for (walk.object(); walk.field(); ) {
      if (walk.name().equals("id")) {
        id = walk.string();
      }
    }
    return id;
  }

  @Override
  public @Nullable Usage usage() {
    return usage == null || searches.isEmpty()
        ? usage
        : usage.with(
            ToolUses.of(Unit.WEB_SEARCH, searches.size())
                .plus(ToolUses.of(Unit.GROUNDED_ANSWER, 1)));
  }

  @Override
  public boolean ended() {
    return blocked || (!finished.isEmpty() && finished.cardinality() >= begun.cardinality());
  }
}
