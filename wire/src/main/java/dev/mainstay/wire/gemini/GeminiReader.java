package dev.mainstay.wire.gemini;

import dev.mainstay.wire.json.Json;
import dev.mainstay.wire.money.Usage;
import dev.mainstay.wire.sse.SseEvent;
import dev.mainstay.wire.stream.Answer;
import dev.mainstay.wire.stream.Answer.Outcome;
import dev.mainstay.wire.stream.Finish;
import dev.mainstay.wire.stream.Part;
import dev.mainstay.wire.stream.StreamReader;
import java.util.BitSet;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;

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

  // Of the candidate, and the part, that is being read.
  private int index;
  private @Nullable String reason;
  private Part kind = Part.CONTENT;
  private boolean filled;

  /**
   * Reads a whole answer.
   *
   * @param generates whether there must be something in it
   */
  public static Answer read(byte[] body, boolean generates) {
    var reader = new GeminiReader();
    try (var p = Json.parser(body)) {
      if (p.nextToken() != JsonToken.START_OBJECT) {
        return Answer.malformed();
      }
      Json.fields(p, reader::field);
    } catch (JacksonException e) {
      return Answer.malformed();
    }
    boolean empty = generates && !reader.says && !reader.emptyIsMeant();
    var outcome = reader.error ? Outcome.ERROR : empty ? Outcome.EMPTY : Outcome.ANSWERED;
    return new Answer(outcome, reader.usage, reader.finish(), reader.responseId(), reader.model());
  }

  @Override
  protected void object(SseEvent event, JsonParser p) {
    Json.fields(p, this::field);
    if (event.name().equals("error")) {
      brings(Part.ERROR);
    }
  }

  private void field(String name, JsonParser p) {
    switch (name) {
      case "error" -> {
        if (Json.says(p)) {
          error = true;
          brings(Part.ERROR);
        }
      }
      case "candidates" -> Json.elements(p, this::candidate);
      case "promptFeedback" -> Json.fields(p, this::feedback);
      case "usageMetadata" -> {
        usage = GeminiUsage.read(p);
        brings(Part.USAGE);
      }
      case "responseId" -> responseId(Json.string(p));
      case "modelVersion" -> model(Json.string(p));
      default -> {}
    }
  }

  private void feedback(String name, JsonParser p) {
    var why = name.equals("blockReason") ? Json.string(p) : null;
    if (why != null) {
      blocked = true;
      finish(why);
    }
  }

  private void candidate(JsonParser p) {
    index = 0;
    reason = null;
    brings(Part.PREAMBLE);
    Json.fields(p, this::candidateField);
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

  private void candidateField(String name, JsonParser p) {
    switch (name) {
      case "index" -> index = (int) Math.min(Json.count(p), 1 << 16);
      case "finishReason" -> reason = Json.string(p);
      case "content" ->
          Json.fields(
              p,
              (field, value) -> {
                if (field.equals("parts")) {
                  Json.elements(value, this::part);
                }
              });
      default -> {}
    }
  }

  private void part(JsonParser p) {
    kind = Part.CONTENT;
    filled = false;
    Json.fields(p, this::partField);
    if (filled) {
      brings(kind);
      says |= kind != Part.REASONING;
    }
  }

  private void partField(String name, JsonParser p) {
    switch (name) {
      case "text" -> {
        if (p.currentToken() == JsonToken.VALUE_STRING) {
          counts(p.getStringLength());
          filled |= p.getStringLength() > 0;
        }
      }
      case "thought" -> {
        if (p.currentToken() == JsonToken.VALUE_TRUE) {
          kind = Part.REASONING;
        }
      }
      case "functionCall" -> {
        kind = Part.TOOL_CALL;
        filled = true;
      }
      case "thoughtSignature" -> {}
      default -> filled |= Json.says(p);
    }
  }

  @Override
  public @Nullable Usage usage() {
    return usage;
  }

  @Override
  public boolean ended() {
    return blocked || (!finished.isEmpty() && finished.cardinality() >= begun.cardinality());
  }
}
