package dev.mainstay.wire.translate.responses;

import dev.mainstay.wire.json.JsonStrings;
import dev.mainstay.wire.json.Tree;
import dev.mainstay.wire.translate.Seals;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * The output items of a stream, one open at a time, with at most one part of it open; every event
 * has the next number. A stream that was delivered in part may have stopped at any of the steps by
 * which a part and an item are closed, so each is taken only where it was not.
 */
final class ResponsesOutput {
  private final ArrayNode output = Tree.array();
  private long number;
  private @Nullable ObjectNode item;
  private @Nullable PartKind kind;
  private ArrayNode annotations = Tree.array();
  private ArrayNode logprobs = Tree.array();
  private final StringBuilder text = new StringBuilder();

  /** Whether the event that says the open part's, or call's, words as a whole is out. */
  private boolean said;

  /** Items that are done. */
  ArrayNode output() {
    return output;
  }

  /** Whether an item of {@code type} is open. */
  boolean is(String type) {
    return item != null && Tree.text(item, "type").equals(type);
  }

  boolean isText() {
    return kind == PartKind.OUTPUT_TEXT && !said;
  }

  /** Whether the open item is sealed, which ends it. */
  boolean sealed() {
    return item != null && item.path("encrypted_content").isString();
  }

  boolean none() {
    return item == null;
  }

  /** As what more reasoning goes on: a summary, unless the full text is open. */
  PartKind reasoningKind() {
    return kind == PartKind.REASONING ? PartKind.REASONING : PartKind.SUMMARY;
  }

  int length() {
    return text.length();
  }

  void open(ObjectNode begins, ByteArrayOutputStream to) {
    close("completed", to);
    item = begins;
    send(
        "response.output_item.added",
        place(false).append(",\"item\":").append(Tree.write(begins)),
        to);
  }

  /** More of the words of a part of {@code of}; opens one where none is. */
  void words(PartKind of, String more, ByteArrayOutputStream to) {
    if (kind != of || said) {
      closePart(to);
      kind = of;
      send(of.added(), place(true).append(",\"part\":").append(Tree.write(of.part(""))), to);
    }
    text.append(more);
    delta(of, more, "[]", to);
  }

  private void delta(PartKind of, String more, String probabilities, ByteArrayOutputStream to) {
    var data = JsonStrings.append(place(true).append(",\"delta\":"), more);
    if (of == PartKind.OUTPUT_TEXT) {
      data.append(",\"logprobs\":").append(probabilities);
    }
    send(of.delta(), data, to);
  }

  /** Log probabilities of the open text. */
  void logprobs(JsonNode entries, ByteArrayOutputStream to) {
    entries.forEach(logprobs::add);
    delta(PartKind.OUTPUT_TEXT, "", Tree.write(entries), to);
  }

  void annotate(JsonNode annotation, ByteArrayOutputStream to) {
    send(
        "response.output_text.annotation.added",
        place(true)
            .append(",\"annotation_index\":")
            .append(annotations.size())
            .append(",\"annotation\":")
            .append(Tree.write(annotation)),
        to);
    annotations.add(annotation);
  }

  /** More of the open call's arguments, or of its input where it is a custom one. */
  void callGoesOn(String more, ByteArrayOutputStream to) {
    if (!more.isEmpty()) {
      text.append(more);
      var what = is("custom_tool_call") ? "custom_tool_call_input" : "function_call_arguments";
      send(
          "response." + what + ".delta",
          JsonStrings.append(place(true).append(",\"delta\":"), more),
          to);
    }
  }

  /** Seals the open reasoning. */
  void seal(String sealed) {
    if (item != null) {
      item.put("encrypted_content", sealed);
    }
  }

  /** An item that comes whole; a resumed stream may have its beginning. */
  void whole(JsonNode value, ByteArrayOutputStream to) {
    var open = item;
    boolean same =
        open != null
            && open.path("type").equals(value.path("type"))
            && (open.path("id").equals(value.path("id"))
                || (value.has("result") && open.path("result").equals(value.path("result"))));
    if (open != null && same) {
      var done = value.isObject() ? value.deepCopy().asObject() : open;
      done.set("id", open.path("id"));
      finish(done, to);
    } else {
      open(value.isObject() ? value.deepCopy().asObject() : Tree.object(), to);
      finish(value, to);
    }
  }

  /** Closes what is open, with {@code status} where an item has one. */
  void close(String status, ByteArrayOutputStream to) {
    var open = item;
    if (open == null) {
      return;
    }
    closePart(to);
    switch (Tree.text(open, "type")) {
      case "function_call" -> {
        var arguments = text.isEmpty() ? "{}" : text.toString();
        if (text.isEmpty() && !said) {
          callGoesOn("{}", to);
        }
        if (!said) {
          var data = JsonStrings.append(place(true).append(",\"arguments\":"), arguments);
          JsonStrings.append(data.append(",\"name\":"), Tree.text(open, "name"));
          send("response.function_call_arguments.done", data, to);
        }
        open.put("arguments", arguments);
      }
      case "custom_tool_call" -> {
        if (!said) {
          send(
              "response.custom_tool_call_input.done",
              JsonStrings.append(place(true).append(",\"input\":"), text),
              to);
        }
        open.put("input", text.toString());
      }
      case "reasoning" -> {
        if (!sealed()) {
          open.put("encrypted_content", Seals.none());
        }
      }
      default -> {}
    }
    if (open.has("status")) {
      open.put("status", status);
    }
    finish(open, to);
  }

  private void finish(JsonNode done, ByteArrayOutputStream to) {
    send(
        "response.output_item.done",
        place(false).append(",\"item\":").append(Tree.write(done)),
        to);
    settle(done);
  }

  private void settle(JsonNode done) {
    output.add(done);
    item = null;
    partSettles();
  }

  private void partSettles() {
    kind = null;
    said = false;
    text.setLength(0);
    annotations = Tree.array();
    logprobs = Tree.array();
  }

  private void closePart(ByteArrayOutputStream to) {
    var of = kind;
    if (of == null) {
      return;
    }
    if (!said) {
      var data =
          JsonStrings.append(place(true).append(",\"").append(of.field()).append("\":"), text);
      if (of == PartKind.OUTPUT_TEXT) {
        data.append(",\"logprobs\":").append(Tree.write(logprobs));
      }
      send(of.said(), data, to);
    }
    var part = of.part(text.toString());
    if (of == PartKind.OUTPUT_TEXT) {
      part.set("annotations", annotations);
      part.set("logprobs", logprobs);
    }
    send(of.done(), place(true).append(",\"part\":").append(Tree.write(part)), to);
    partDone(of, part);
  }

  private void partDone(PartKind of, JsonNode part) {
    if (item != null) {
      item.withArray(of.list()).add(part);
    }
    partSettles();
  }

  /** Which item, and which part of it, an event is about. */
  private StringBuilder place(boolean within) {
    var out = new StringBuilder(160);
    if (within && item != null) {
      JsonStrings.append(out.append("\"item_id\":"), Tree.text(item, "id")).append(',');
    }
    out.append("\"output_index\":").append(output.size());
    if (within && kind != null && item != null) {
      int index = item.path(kind.list()).size();
      out.append(",\"").append(kind.index()).append("\":").append(index);
    }
    return out;
  }

  void send(String type, CharSequence fields, ByteArrayOutputStream to) {
    var out = new StringBuilder(fields.length() + 128);
    out.append("event: ").append(type).append("\ndata: {\"type\":\"").append(type);
    out.append("\",\"sequence_number\":").append(number++).append(',').append(fields);
    to.writeBytes(out.append("}\n\n").toString().getBytes(StandardCharsets.UTF_8));
  }

  /** An event that was delivered. */
  void delivered(String type, JsonNode data) {
    number = Math.max(number, data.path("sequence_number").asLong(number) + 1);
    switch (type) {
      case "response.output_item.added" -> {
        if (data.path("item") instanceof ObjectNode begun) {
          item = begun.deepCopy();
          partSettles();
        }
      }
      case "response.output_item.done" -> settle(data.path("item"));
      case "response.content_part.added", "response.reasoning_summary_part.added" -> {
        partSettles();
        kind = PartKind.of(Tree.text(data.path("part"), "type"));
      }
      case "response.content_part.done", "response.reasoning_summary_part.done" -> {
        var of = PartKind.of(Tree.text(data.path("part"), "type"));
        if (of != null) {
          partDone(of, data.path("part"));
        }
      }
      case "response.output_text.annotation.added" -> annotations.add(data.path("annotation"));
      case "response.function_call_arguments.delta", "response.custom_tool_call_input.delta" ->
          text.append(Tree.text(data, "delta"));
      case "response.function_call_arguments.done", "response.custom_tool_call_input.done" ->
          said = true;
      default -> {
        if (kind != null && type.equals(kind.delta())) {
          text.append(Tree.text(data, "delta"));
          data.path("logprobs").forEach(logprobs::add);
        } else if (kind != null && type.equals(kind.said())) {
          said = true;
        }
      }
    }
  }
}
