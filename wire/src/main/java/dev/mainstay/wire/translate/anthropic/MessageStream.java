package dev.mainstay.wire.translate.anthropic;

import dev.mainstay.wire.json.JsonStrings;
import dev.mainstay.wire.json.Tree;
import dev.mainstay.wire.translate.Seals;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import tools.jackson.databind.JsonNode;

/** The blocks of a stream: one is open at a time, and each has the next index. */
final class MessageStream {
  private Open open = Open.NONE;
  private int index;
  private boolean signed;
  private JsonNode block = Tree.object();
  private String input = "";
  private final List<JsonNode> citations = new ArrayList<>();

  enum Open {
    NONE,
    TEXT,
    THINKING,
    CALL,
    OTHER
  }

  boolean is(Open what) {
    return open == what;
  }

  /** Whether thinking is open that has no signature yet. */
  boolean unsigned() {
    return open == Open.THINKING && !signed;
  }

  /** What the open block cites. */
  List<JsonNode> citations() {
    return citations;
  }

  /** Opens a block; the one before is closed. */
  void open(Open what, JsonNode start, ByteArrayOutputStream to) {
    close(to);
    begin(what, start);
    event(
        "content_block_start",
        new StringBuilder("{\"type\":\"content_block_start\",\"index\":")
            .append(index)
            .append(",\"content_block\":")
            .append(Tree.write(start))
            .append('}'),
        to);
  }

  private void begin(Open what, JsonNode start) {
    settle();
    open = what;
    block = start;
  }

  void openThinking(ByteArrayOutputStream to) {
    open(
        Open.THINKING,
        Tree.object().put("type", "thinking").put("thinking", "").put("signature", ""),
        to);
  }

  void sign(String signature, ByteArrayOutputStream to) {
    signed = true;
    piece("signature_delta", "signature", signature, to);
  }

  void cite(JsonNode citation, ByteArrayOutputStream to) {
    if (!citations.contains(citation)) {
      citations.add(citation);
      delta("{\"type\":\"citations_delta\",\"citation\":" + Tree.write(citation) + '}', to);
    }
  }

  /**
   * A block that comes whole, with its input, where it has any, in pieces; a resumed stream may
   * have the beginning of the very same.
   */
  void whole(JsonNode value, ByteArrayOutputStream to) {
    var json = value.path("input").isEmpty() ? "" : Tree.write(value.get("input"));
    boolean begun =
        open == Open.OTHER
            && block.path("type").equals(value.path("type"))
            && block.path("id").equals(value.path("id"))
            && json.startsWith(input);
    if (!begun) {
      open(Open.OTHER, json.isEmpty() ? value : AnswerBlocks.withoutInput(value), to);
    }
    if (json.length() > input.length()) {
      piece("input_json_delta", "partial_json", json.substring(input.length()), to);
    }
    close(to);
  }

  void close(ByteArrayOutputStream to) {
    if (open == Open.NONE) {
      return;
    }
    if (unsigned()) {
      sign(Seals.none(), to);
    }
    event("content_block_stop", "{\"type\":\"content_block_stop\",\"index\":" + index + "}", to);
    index++;
    settle();
  }

  private void settle() {
    open = Open.NONE;
    signed = false;
    input = "";
    citations.clear();
  }

  void piece(String type, String field, String text, ByteArrayOutputStream to) {
    var delta =
        new StringBuilder(text.length() + 64)
            .append("{\"type\":\"")
            .append(type)
            .append("\",\"")
            .append(field)
            .append("\":");
    delta(JsonStrings.append(delta, text).append('}'), to);
  }

  private void delta(CharSequence delta, ByteArrayOutputStream to) {
    event(
        "content_block_delta",
        new StringBuilder(delta.length() + 64)
            .append("{\"type\":\"content_block_delta\",\"index\":")
            .append(index)
            .append(",\"delta\":")
            .append(delta)
            .append('}'),
        to);
  }

  static void event(String name, CharSequence data, ByteArrayOutputStream to) {
    to.writeBytes(("event: " + name + "\ndata: " + data + "\n\n").getBytes(StandardCharsets.UTF_8));
  }

  /** A block's beginning was delivered. */
  Open begun(JsonNode data) {
    var start = data.path("content_block");
    var what =
        switch (Tree.text(start, "type")) {
          case "text" -> Open.TEXT;
          case "thinking" -> Open.THINKING;
          case "tool_use" -> Open.CALL;
          default -> Open.OTHER;
        };
    begin(what, start);
    index = data.path("index").asInt(index);
    signed = !Tree.text(start, "signature").isEmpty();
    start.path("citations").forEach(citations::add);
    return what;
  }

  /** A piece of the open block was delivered. */
  void went(JsonNode delta) {
    switch (Tree.text(delta, "type")) {
      case "signature_delta" -> signed = true;
      case "citations_delta" -> citations.add(delta.path("citation"));
      case "input_json_delta" -> input += Tree.text(delta, "partial_json");
      default -> {}
    }
  }

  /** The end of the open block was delivered. */
  void ended() {
    index++;
    settle();
  }
}
