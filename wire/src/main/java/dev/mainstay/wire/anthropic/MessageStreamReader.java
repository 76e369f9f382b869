package dev.mainstay.wire.anthropic;

import dev.mainstay.wire.json.Json;
import dev.mainstay.wire.money.Usage;
import dev.mainstay.wire.sse.SseEvent;
import dev.mainstay.wire.stream.Part;
import dev.mainstay.wire.stream.StreamReader;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;

/** A stream of Anthropic Messages events: ended with {@code message_stop} after a stop reason. */
public final class MessageStreamReader extends StreamReader {
  private final AnthropicUsage usage = new AnthropicUsage();
  private String type = "";
  private String block = "";
  private boolean says;

  @Override
  protected void object(SseEvent event, JsonParser p) {
    type = event.name();
    block = "";
    says = false;
    Json.fields(p, this::field);
    switch (type) {
      case "message_start" -> brings(Part.PREAMBLE);
      case "content_block_start" -> brings(opened());
      case "content_block_delta" -> brings(delta());
      case "content_block_stop" -> brings(Part.PREAMBLE);
      case "message_delta" -> brings(Part.USAGE);
      case "message_stop" -> {
        if (finish() != null) {
          end();
        }
        brings(Part.ENDING);
      }
      case "error" -> brings(Part.ERROR);
      default -> {}
    }
  }

  private Part opened() {
    return switch (block) {
      case "text" -> says ? Part.CONTENT : Part.PREAMBLE;
      case "thinking" -> says ? Part.REASONING : Part.PREAMBLE;
      // Its content comes whole, in the opening.
      case "redacted_thinking" -> Part.REASONING;
      case "tool_use" -> Part.TOOL_CALL;
      case "" -> Part.PREAMBLE;
      // Server-side tools, their results, and whatever comes next.
      default -> Part.CONTENT;
    };
  }

  private Part delta() {
    return switch (block) {
      case "text_delta", "citations_delta" -> says ? Part.CONTENT : Part.PREAMBLE;
      case "thinking_delta", "signature_delta" -> says ? Part.REASONING : Part.PREAMBLE;
      case "input_json_delta" -> Part.TOOL_CALL;
      default -> Part.CONTENT;
    };
  }

  private void field(String name, JsonParser p) {
    switch (name) {
      case "type" -> {
        var said = Json.string(p);
        type = said == null ? type : said;
      }
      case "message" -> Json.fields(p, this::messageField);
      case "content_block" -> Json.fields(p, this::blockField);
      case "delta" -> Json.fields(p, this::deltaField);
      case "usage" -> usage.read(p);
      default -> {}
    }
  }

  private void messageField(String name, JsonParser p) {
    switch (name) {
      case "id" -> responseId(Json.string(p));
      case "model" -> model(Json.string(p));
      case "usage" -> usage.read(p);
      default -> {}
    }
  }

  private void blockField(String name, JsonParser p) {
    switch (name) {
      case "type" -> block = String.valueOf(Json.string(p));
      case "text", "thinking" -> says |= Json.says(p);
      default -> {}
    }
  }

  private void deltaField(String name, JsonParser p) {
    switch (name) {
      case "type" -> block = String.valueOf(Json.string(p));
      case "text", "thinking", "signature", "partial_json" -> {
        if (p.currentToken() == JsonToken.VALUE_STRING) {
          counts(p.getStringLength());
          says |= p.getStringLength() > 0;
        }
      }
      case "citation" -> says |= Json.says(p);
      case "stop_reason" -> {
        var reason = Json.string(p);
        if (reason != null) {
          finish(reason);
        }
      }
      default -> {}
    }
  }

  @Override
  public @Nullable Usage usage() {
    return usage.usage();
  }
}
