package dev.mainstay.wire.translate.gemini;

import dev.mainstay.wire.Dialect;
import dev.mainstay.wire.json.Tree;
import dev.mainstay.wire.translate.AnswerFeature;
import dev.mainstay.wire.translate.CitedLink;
import dev.mainstay.wire.translate.Delta;
import dev.mainstay.wire.translate.JsonEnd;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * A candidate that is being written. A call is a part as soon as its arguments are whole; what is
 * said of the candidate, and why it finished, waits for the end.
 */
final class GeminiCandidate {
  private final int index;
  private final Consumer<AnswerFeature> drop;
  private final StringBuilder text = new StringBuilder();
  private final List<CitedLink> links = new ArrayList<>();
  private final ObjectNode notes = Tree.object();
  private boolean thinking;
  private boolean malformed;
  private int cited;

  private Delta.@Nullable ToolCall call;
  private StringBuilder arguments = new StringBuilder();
  private JsonEnd whole = new JsonEnd();

  private Delta.@Nullable Finished finished;

  /** The finish has been delivered: nothing can follow. */
  boolean closed;

  GeminiCandidate(int index, Consumer<AnswerFeature> drop) {
    this.index = index;
    this.drop = drop;
  }

  /** Hands the part that {@code delta} comes to, if any, to {@code part}. */
  void add(Delta delta, Consumer<JsonNode> part) {
    if (!(delta instanceof Delta.Arguments)) {
      callEnds(part);
    }
    switch (delta) {
      case Delta.Text more -> words(more.text(), part);
      case Delta.Refusal more -> words(more.text(), part);
      case Delta.Reasoning more -> {
        if (!more.text().isEmpty()) {
          thinking = true;
          part.accept(GeminiParts.thought(more.text()));
        }
      }
      case Delta.ReasoningSeal seal -> part.accept(GeminiParts.seal(seal, thinking));
      case Delta.ToolCall begins -> {
        call = begins;
        arguments = new StringBuilder();
        whole = new JsonEnd();
      }
      case Delta.Arguments more -> {
        arguments.append(more.json());
        whole.feed(more.json());
        if (whole.ended()) {
          callEnds(part);
        }
      }
      case Delta.Citation citation -> cite(citation);
      case Delta.Media media -> part.accept(GeminiParts.media(media));
      case Delta.Native own -> {
        if (own.of() != Dialect.GEMINI) {
          drop.accept(AnswerFeature.PROVIDER_TOOLS);
        } else if (GeminiParts.note(own) && own.value() instanceof ObjectNode fields) {
          notes.setAll(fields);
        } else {
          part.accept(own.value());
        }
      }
      case Delta.Finished ends -> {
        finished = ends;
        if (ends.stopSequence() != null) {
          drop.accept(AnswerFeature.STOP_SEQUENCE);
        }
      }
      default -> throw new IllegalStateException("no piece of a candidate: " + delta);
    }
  }

  private void words(String more, Consumer<JsonNode> part) {
    if (!more.isEmpty()) {
      thinking = false;
      text.append(more);
      part.accept(GeminiParts.text(more));
    }
  }

  private void callEnds(Consumer<JsonNode> part) {
    var begun = call;
    if (begun == null) {
      return;
    }
    call = null;
    var json = GeminiParts.call(begun, arguments.toString());
    if (json == null) {
      malformed = true;
      drop.accept(AnswerFeature.INVALID_ARGUMENTS);
    } else {
      part.accept(json);
    }
  }

  private void cite(Delta.Citation citation) {
    var link = CitedLink.of(citation);
    if (link == null) {
      drop.accept(AnswerFeature.CITATIONS);
      return;
    }
    boolean said = link.end() >= 0;
    links.add(
        said ? link : new CitedLink(link.url(), link.title(), cited, text.length(), link.cited()));
    cited = text.length();
  }

  boolean finished() {
    return finished != null;
  }

  /** Adds to {@code candidate} why it finished and what is said of it. */
  void close(ObjectNode candidate) {
    if (finished != null) {
      candidate.put(
          "finishReason", malformed ? "MALFORMED_FUNCTION_CALL" : GeminiEndings.word(finished));
    }
    // Gemini's own notes hold what they cite.
    if (!links.isEmpty() && notes.isEmpty()) {
      notes.set("groundingMetadata", GeminiParts.grounding(links, text));
    }
    candidate.setAll(notes);
  }

  /** A candidate of an answer that was delivered. */
  void delivered(JsonNode candidate) {
    closed |= candidate.path("finishReason").isString();
    for (var part : candidate.path("content").path("parts")) {
      thinking = part.path("thought").asBoolean(false);
      if (!thinking) {
        text.append(Tree.text(part, "text"));
      }
    }
  }

  int index() {
    return index;
  }
}
