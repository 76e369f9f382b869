package dev.mainstay.wire.openai;

import dev.mainstay.wire.json.Json;
import dev.mainstay.wire.money.Usage;
import dev.mainstay.wire.sse.SseEvent;
import dev.mainstay.wire.stream.Finish;
import dev.mainstay.wire.stream.Part;
import dev.mainstay.wire.stream.StreamReader;
import java.util.BitSet;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;

/**
 * A stream of OpenAI Chat chunks, also Mistral's and those of the many who copy the format. It has
 * ended when every choice that was begun has a {@code finish_reason} and {@code [DONE]} has come: a
 * relay that lost its upstream may well send {@code [DONE]} alone.
 */
public final class ChatStreamReader extends StreamReader {
  private final BitSet begun = new BitSet(1);
  private final BitSet finished = new BitSet(1);
  private boolean done;
  private @Nullable Usage usage;

  // Of the choice that is being read.
  private int index;
  private @Nullable String reason;
  private boolean delta;

  @Override
  protected boolean beforeJson(SseEvent event) {
    if (event.dataIs("[DONE]")) {
      done = true;
      brings(Part.ENDING);
      return true;
    }
    if (event.name().equals("error")) {
      brings(Part.ERROR);
      return true;
    }
    return false;
  }

  @Override
  protected void object(SseEvent event, JsonParser p) {
    Json.fields(p, this::field);
  }

  private void field(String name, JsonParser p) {
    switch (name) {
      case "error" -> {
        if (Json.says(p)) {
          brings(Part.ERROR);
        }
      }
      case "object" -> {
        if ("error".equals(Json.string(p))) {
          brings(Part.ERROR);
        }
      }
      case "id" -> responseId(Json.string(p));
      case "model" -> model(Json.string(p));
      case "choices" -> Json.elements(p, this::choice);
      case "usage" -> {
        if (p.currentToken() == JsonToken.START_OBJECT) {
          usage = OpenAiUsage.read(p);
          brings(Part.USAGE);
        }
      }
      default -> {}
    }
  }

  private void choice(JsonParser p) {
    index = 0;
    reason = null;
    delta = false;
    brings(Part.PREAMBLE);
    Json.fields(p, this::choiceField);
    if (reason != null) {
      finished.set(index);
      finish(reason);
      if (Finish.failed(reason)) {
        brings(Part.ERROR);
      }
    }
    if (delta || reason != null) {
      begun.set(index);
    }
  }

  private void choiceField(String name, JsonParser p) {
    switch (name) {
      case "index" -> index = (int) Math.min(Json.count(p), 1 << 16);
      case "finish_reason" -> reason = Json.string(p);
      case "delta", "message" -> {
        delta = true;
        Json.fields(p, this::deltaField);
      }
      case "text" -> content(Part.CONTENT, p);
      default -> {}
    }
  }

  private void deltaField(String name, JsonParser p) {
    switch (name) {
      case "content" -> {
        if (p.currentToken() == JsonToken.START_ARRAY) {
          Json.elements(p, this::block);
        } else {
          content(Part.CONTENT, p);
        }
      }
      case "reasoning_content", "reasoning", "reasoning_details", "thinking" ->
          content(Part.REASONING, p);
      case "refusal", "audio", "images" -> content(Part.CONTENT, p);
      case "tool_calls" -> Json.elements(p, this::toolCall);
      case "function_call" -> content(Part.TOOL_CALL, p);
      default -> {}
    }
  }

  /** Mistral sends content as a list of blocks where there is thinking in it. */
  private void block(JsonParser p) {
    var type = new String[] {""};
    var says = new boolean[1];
    Json.fields(
        p,
        (name, value) -> {
          if (name.equals("type")) {
            type[0] = String.valueOf(Json.string(value));
          } else if (value.currentToken() == JsonToken.VALUE_STRING) {
            counts(value.getStringLength());
            says[0] |= value.getStringLength() > 0;
          } else {
            says[0] |= Json.says(value);
          }
        });
    if (says[0]) {
      brings(type[0].equals("thinking") ? Part.REASONING : Part.CONTENT);
    }
  }

  private void toolCall(JsonParser p) {
    brings(Part.TOOL_CALL);
    Json.fields(
        p,
        (name, value) -> {
          if (name.equals("function") || name.equals("custom")) {
            Json.fields(value, (field, text) -> content(Part.TOOL_CALL, text));
          }
        });
  }

  @Override
  public @Nullable Usage usage() {
    return usage;
  }

  @Override
  public boolean ended() {
    return done && !finished.isEmpty() && finished.cardinality() >= begun.cardinality();
  }
}
