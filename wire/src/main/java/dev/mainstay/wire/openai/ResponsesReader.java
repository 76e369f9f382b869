package dev.mainstay.wire.openai;

import dev.mainstay.wire.json.Json;
import dev.mainstay.wire.money.Usage;
import dev.mainstay.wire.sse.SseEvent;
import dev.mainstay.wire.stream.Answer;
import dev.mainstay.wire.stream.Answer.Outcome;
import dev.mainstay.wire.stream.Part;
import dev.mainstay.wire.stream.StreamReader;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;

/**
 * OpenAI Responses, whole or as a stream: that has ended with {@code response.completed} or {@code
 * response.incomplete}.
 */
public final class ResponsesReader extends StreamReader {
  private @Nullable Usage usage;
  private @Nullable String status;
  private boolean error;
  private boolean says;
  private String type = "";
  private String item = "";

  /** Reads a whole answer. */
  public static Answer read(byte[] body) {
    var reader = new ResponsesReader();
    try (var p = Json.parser(body)) {
      if (p.nextToken() != JsonToken.START_OBJECT) {
        return Answer.malformed();
      }
      Json.fields(p, reader::responseField);
    } catch (JacksonException e) {
      return Answer.malformed();
    }
    boolean empty = !reader.says && "completed".equals(reader.status);
    boolean failed = reader.error || "failed".equals(reader.status);
    var outcome = failed ? Outcome.ERROR : empty ? Outcome.EMPTY : Outcome.ANSWERED;
    return new Answer(outcome, reader.usage, reader.status, reader.responseId(), reader.model());
  }

  @Override
  protected void object(SseEvent event, JsonParser p) {
    type = event.name();
    item = "";
    Json.fields(p, this::field);
    brings(partOf(type));
    if (type.equals("response.completed") || type.equals("response.incomplete")) {
      finish(status == null ? type.substring("response.".length()) : status);
      end();
    }
  }

  private Part partOf(String event) {
    return switch (event) {
      case "error", "response.failed" -> Part.ERROR;
      case "response.completed", "response.incomplete" -> Part.ENDING;
      case "response.output_item.added", "response.output_item.done" ->
          switch (item) {
            case "message", "reasoning", "" -> Part.PREAMBLE;
            default -> item.endsWith("_call") ? Part.TOOL_CALL : Part.CONTENT;
          };
      case "response.content_part.added",
          "response.content_part.done",
          "response.reasoning_summary_part.added",
          "response.reasoning_summary_part.done" ->
          Part.PREAMBLE;
      case "response.created", "response.in_progress", "response.queued", "keepalive", "" ->
          Part.PREAMBLE;
      default -> {
        if (event.contains("reasoning")) {
          yield Part.REASONING;
        }
        yield event.contains("_call") ? Part.TOOL_CALL : Part.CONTENT;
      }
    };
  }

  private void field(String name, JsonParser p) {
    switch (name) {
      case "type" -> {
        var said = Json.string(p);
        type = said == null ? type : said;
      }
      case "error" -> {
        if (Json.says(p)) {
          brings(Part.ERROR);
        }
      }
      case "delta" -> {
        if (p.currentToken() == JsonToken.VALUE_STRING) {
          counts(p.getStringLength());
        }
      }
      case "item" ->
          Json.fields(
              p,
              (field, value) -> {
                if (field.equals("type")) {
                  item = String.valueOf(Json.string(value));
                }
              });
      case "response" -> Json.fields(p, this::responseField);
      default -> {}
    }
  }

  private void responseField(String name, JsonParser p) {
    switch (name) {
      case "id" -> responseId(Json.string(p));
      case "model" -> model(Json.string(p));
      case "status" -> status = Json.string(p);
      case "error" -> error |= Json.says(p);
      case "output" -> says |= Json.says(p);
      case "usage" -> {
        if (p.currentToken() == JsonToken.START_OBJECT) {
          usage = OpenAiUsage.read(p);
        }
      }
      default -> {}
    }
  }

  @Override
  public @Nullable Usage usage() {
    return usage;
  }
}
