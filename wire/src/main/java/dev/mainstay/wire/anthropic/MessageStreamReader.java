package dev.mainstay.wire.anthropic;

import dev.mainstay.wire.json.JsonWalk;
import dev.mainstay.wire.money.Usage;
import dev.mainstay.wire.sse.SseEvent;
import dev.mainstay.wire.stream.Part;
import dev.mainstay.wire.stream.StreamReader;
import org.jspecify.annotations.Nullable;

/** A stream of Anthropic Messages events: ended with {@code message_stop} after a stop reason. */
public final class MessageStreamReader extends StreamReader {
  private final AnthropicUsage usage = new AnthropicUsage();
  private String type = "";
  private String block = "";
  private boolean says;

  /** Of the block that is open: whether it is a call that Anthropic runs. */
  private boolean own;

  private @Nullable String id;
  private @Nullable String resultOf;

  @Override
  protected void object(SseEvent event, JsonWalk walk) {
    type = event.name();
    block = "";
    says = false;
    for (walk.object(); walk.field(); ) {
      field(walk);
    }
    switch (type) {
      case "message_start" -> brings(Part.PREAMBLE);
      case "content_block_start" -> brings(opened());
      case "content_block_delta" -> brings(delta());
      case "content_block_stop" -> brings(closed());
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
    own = block.equals("server_tool_use") || block.equals("mcp_tool_use");
    if (own) {
      runs(id);
    } else if (block.equals("text")) {
      ranAll();
    }
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

  private Part closed() {
    if (resultOf != null) {
      ran(resultOf);
      resultOf = null;
    }
    own = false;
    return Part.PREAMBLE;
  }

  private Part delta() {
    return switch (block) {
      case "text_delta", "citations_delta" -> says ? Part.CONTENT : Part.PREAMBLE;
      case "thinking_delta", "signature_delta" -> says ? Part.REASONING : Part.PREAMBLE;
      case "input_json_delta" -> own ? Part.CONTENT : Part.TOOL_CALL;
      default -> Part.CONTENT;
    };
  }

  private void field(JsonWalk walk) {
    switch (walk.name()) {
      case "type" -> {
        var said = walk.oftenString();
        type = said == null ? type : said;
      }
      case "message" -> {
        countsEachTime();
        message(walk);
      }
      case "content_block" -> block(walk);
      case "delta" -> delta(walk);
      case "usage" -> {
        countsEachTime();
        usage.read(walk);
      }
      default -> free(walk);
    }
  }

  private void message(JsonWalk walk) {
    for (walk.object(); walk.field(); ) {
      switch (walk.name()) {
        case "id" -> responseId(walk);
        case "model" -> model(walk);
        case "usage" -> usage.read(walk);
        default -> {}
      }
    }
  }

  private void block(JsonWalk walk) {
    resultOf = null;
    for (walk.object(); walk.field(); ) {
      switch (walk.name()) {
        case "type" -> block = String.valueOf(walk.oftenString());
        case "text", "thinking" -> says |= walk.says();
        case "id" -> id = walk.string();
        case "tool_use_id" -> resultOf = walk.string();
        default -> {}
      }
    }
  }

  private void delta(JsonWalk walk) {
    for (walk.object(); walk.field(); ) {
      switch (walk.name()) {
        case "type" -> block = String.valueOf(walk.oftenString());
        case "text", "thinking", "signature", "partial_json" -> says |= text(walk);
        case "citation" -> says |= walk.says();
        case "stop_reason" -> {
          var reason = walk.oftenString();
          if (reason != null) {
            finish(reason);
          }
        }
        default -> {}
      }
    }
  }

  @Override
  public @Nullable Usage usage() {
    return usage.usage();
  }
}
