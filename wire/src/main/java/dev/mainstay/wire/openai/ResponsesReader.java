package dev.mainstay.wire.openai;

import dev.mainstay.wire.json.JsonWalk;
import dev.mainstay.wire.money.Usage;
import dev.mainstay.wire.sse.SseEvent;
import dev.mainstay.wire.stream.Answer;
import dev.mainstay.wire.stream.Answer.Outcome;
import dev.mainstay.wire.stream.Part;
import dev.mainstay.wire.stream.StreamReader;
import org.jspecify.annotations.Nullable;

/**
 * OpenAI Responses, whole or as a stream: that has ended with {@code response.completed} or {@code
 * response.incomplete}.
 */
public final class ResponsesReader extends StreamReader {
  private final ResponsesToolUses tools = new ResponsesToolUses();
  private @Nullable Usage usage;
  private @Nullable String status;
  private boolean error;
  private boolean says;
  private String type = "";
  private String item = "";

  /** Reads a whole answer. */
  public static Answer read(byte[] body) {
    var reader = new ResponsesReader();
    try {
      var walk = new JsonWalk(body);
      if (walk.kind() != JsonWalk.Kind.OBJECT) {
        return Answer.malformed();
      }
      reader.response(walk);
    } catch (JsonWalk.Malformed e) {
      return Answer.malformed();
    }
    boolean empty = !reader.says && "completed".equals(reader.status);
    boolean failed = reader.error || "failed".equals(reader.status);
    var outcome = failed ? Outcome.ERROR : empty ? Outcome.EMPTY : Outcome.ANSWERED;
    return new Answer(outcome, reader.usage(), reader.status, reader.responseId(), reader.model());
  }

  @Override
  protected void object(SseEvent event, JsonWalk walk) {
    type = event.name();
    item = "";
    for (walk.object(); walk.field(); ) {
      field(walk);
    }
    brings(partOf(type));
    if (ResponsesToolUses.own(item)) {
      switch (type) {
        case "response.output_item.added" -> runs(tools.id());
        case "response.output_item.done" -> ran(tools.id());
        default -> {}
      }
    }
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
            default ->
                item.endsWith("_call") && !ResponsesToolUses.own(item)
                    ? Part.TOOL_CALL
                    : Part.CONTENT;
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
        yield event.contains("_call") && !ResponsesToolUses.tellsOfOwn(event)
            ? Part.TOOL_CALL
            : Part.CONTENT;
      }
    };
  }

  private void field(JsonWalk walk) {
    switch (walk.name()) {
      case "type" -> {
        var said = walk.oftenString();
        type = said == null ? type : said;
      }
      case "error" -> {
        if (walk.says()) {
          brings(Part.ERROR);
        }
      }
      case "delta" -> text(walk);
      case "item" -> {
        countsEachTime();
        // The type stands first in every event of OpenAI's.
        item = tools.item(walk, type.equals("response.output_item.done"));
      }
      case "response" -> {
        countsEachTime();
        response(walk);
      }
      default -> free(walk);
    }
  }

  private void response(JsonWalk walk) {
    for (walk.object(); walk.field(); ) {
      switch (walk.name()) {
        case "id" -> responseId(walk);
        case "model" -> model(walk);
        case "status" -> status = walk.oftenString();
        case "error" -> error |= walk.says();
        case "output" -> {
          for (walk.array(); walk.element(); ) {
            says = true;
            tools.item(walk, true);
          }
        }
        case "tools" -> tools.offered(walk);
        case "usage" -> {
          if (walk.kind() == JsonWalk.Kind.OBJECT) {
            usage = OpenAiUsage.read(walk);
          }
        }
        default -> {}
      }
    }
  }

  @Override
  public @Nullable Usage usage() {
    return usage == null ? null : usage.with(tools.uses());
  }
}
