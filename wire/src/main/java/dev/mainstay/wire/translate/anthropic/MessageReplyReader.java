package dev.mainstay.wire.translate.anthropic;

import dev.mainstay.wire.Dialect;
import dev.mainstay.wire.anthropic.AnthropicUsage;
import dev.mainstay.wire.json.Tree;
import dev.mainstay.wire.translate.Delta;
import dev.mainstay.wire.translate.DeltaReader;
import dev.mainstay.wire.translate.MalformedReplyException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Reads Anthropic Messages. */
public final class MessageReplyReader extends DeltaReader {
  private final AnthropicUsage usage = new AnthropicUsage();
  private final Map<Integer, Block> blocks = new HashMap<>();
  private int calls;

  /** A block that is open. */
  private static final class Block {
    final JsonNode start;
    final String type;
    final int call;

    /** What came as {@code input_json_delta}. */
    final StringBuilder input = new StringBuilder();

    /** Told once the block's text is, which they are about. */
    final List<JsonNode> citations = new ArrayList<>();

    Block(JsonNode start, int call) {
      this.start = start;
      this.call = call;
      type = Tree.text(start, "type");
    }
  }

  @Override
  protected void event(String name, JsonNode data) {
    var type = Tree.text(data, "type");
    switch (type.isEmpty() ? name : type) {
      case "message_start" -> {
        var message = data.path("message");
        say(new Delta.Start(message.path("id").stringValue(null), model(message)));
        used(message);
      }
      case "content_block_start" ->
          blocks.put(data.path("index").asInt(0), begin(data.path("content_block")));
      case "content_block_delta" -> {
        var block = blocks.get(data.path("index").asInt(0));
        if (block != null) {
          more(block, data.path("delta"));
        }
      }
      case "content_block_stop" -> {
        var block = blocks.remove(data.path("index").asInt(0));
        if (block != null) {
          end(block);
        }
      }
      case "message_delta" -> {
        finish(data.path("delta"));
        used(data);
      }
      case "message_stop" -> say(new Delta.End());
      default -> {}
    }
  }

  @Override
  protected void answer(JsonNode body) {
    if (!body.path("content").isArray()) {
      throw new MalformedReplyException("the answer has no content");
    }
    say(new Delta.Start(body.path("id").stringValue(null), model(body)));
    body.get("content").forEach(block -> end(begin(block)));
    finish(body);
    used(body);
    say(new Delta.End());
  }

  private static @Nullable String model(JsonNode message) {
    return message.path("model").stringValue(null);
  }

  private void used(JsonNode holder) {
    if (holder.path("usage").isObject()) {
      usage.read(Tree.walk(holder.get("usage")));
      var so = usage.usage();
      if (so != null) {
        say(new Delta.Used(so));
      }
    }
  }

  private void finish(JsonNode holder) {
    var word = Tree.text(holder, "stop_reason");
    if (!word.isEmpty()) {
      var met = holder.path("stop_sequence").stringValue(null);
      say(new Delta.Finished(0, MessageEndings.ending(word, calls > 0), word, met));
    }
  }

  private Block begin(JsonNode start) {
    boolean call = Tree.text(start, "type").equals("tool_use");
    var block = new Block(start, call ? calls++ : -1);
    switch (block.type) {
      case "text" -> {
        sayText(0, Tree.text(start, "text"));
        start.path("citations").forEach(block.citations::add);
      }
      case "thinking" -> {
        sayReasoning(0, Tree.text(start, "thinking"));
        signature(Tree.text(start, "signature"), start.path("signature"));
      }
      case "redacted_thinking" -> signature(Tree.text(start, "data"), start);
      case "tool_use" -> {
        var id = start.path("id").stringValue(null);
        say(new Delta.ToolCall(0, block.call, id, Tree.text(start, "name"), callSeal()));
      }
      default -> {}
    }
    return block;
  }

  private void signature(String text, JsonNode own) {
    if (text.isEmpty()) {
      return;
    }
    saySeal(text, Dialect.ANTHROPIC, own);
  }

  private void more(Block block, JsonNode delta) {
    switch (Tree.text(delta, "type")) {
      case "text_delta" -> sayText(0, Tree.text(delta, "text"));
      case "thinking_delta" -> sayReasoning(0, Tree.text(delta, "thinking"));
      case "signature_delta" -> signature(Tree.text(delta, "signature"), delta.path("signature"));
      case "citations_delta" -> block.citations.add(delta.path("citation"));
      case "input_json_delta" -> {
        var json = Tree.text(delta, "partial_json");
        block.input.append(json);
        if (block.call >= 0) {
          sayArguments(0, block.call, json);
        }
      }
      default -> {}
    }
  }

  private void end(Block block) {
    switch (block.type) {
      case "text" ->
          block.citations.forEach(
              citation -> say(new Delta.Citation(0, Dialect.ANTHROPIC, citation)));
      case "tool_use" -> {
        // Whole answers, and some who copy the format, have all of it in the block itself.
        var input = block.start.path("input");
        if (block.input.isEmpty()) {
          sayArguments(0, block.call, input.isObject() ? Tree.write(input) : "{}");
        }
      }
      case "thinking", "redacted_thinking" -> {}
      default -> say(new Delta.Native(0, Dialect.ANTHROPIC, whole(block)));
    }
  }

  /** A block of a server's own tool: its input comes in pieces as well. */
  private static JsonNode whole(Block block) {
    if (block.input.isEmpty() || !(block.start instanceof ObjectNode start)) {
      return block.start;
    }
    try {
      return start.deepCopy().set("input", Tree.read(block.input.toString()));
    } catch (JacksonException e) {
      return start;
    }
  }
}
