package dev.mainstay.simulator;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * A stream of OpenAI Responses being put together; every event has the next number. What opens an
 * item leaves with its first delta.
 */
final class ResponsesStream {
  private final Answer answer;
  private final List<byte[]> deltas = new ArrayList<>();
  private final List<byte[]> ahead = new ArrayList<>();
  private int number;

  private ResponsesStream(Answer answer) {
    this.answer = answer;
  }

  /** The stream of {@code answer}, whose whole items are {@code output}. */
  static Reply of(SimulatedRequest ask, Answer answer, List<ObjectNode> output) {
    return new ResponsesStream(answer).all(ask, output);
  }

  private byte[] event(ObjectNode body) {
    String type = body.path("type").asString();
    return Reply.event(type, body.put("sequence_number", number++));
  }

  private void ahead(ObjectNode body) {
    ahead.add(event(body));
  }

  private void delta(ObjectNode body) {
    ahead.add(event(body));
    deltas.add(rest());
  }

  private byte[] rest() {
    int size = ahead.stream().mapToInt(e -> e.length).sum();
    var all = ByteBuffer.allocate(size);
    ahead.forEach(all::put);
    ahead.clear();
    return all.array();
  }

  private Reply all(SimulatedRequest ask, List<ObjectNode> output) {
    var preamble = new ArrayList<byte[]>();
    for (String type : List.of("response.created", "response.in_progress")) {
      var body = Json.object().put("type", type);
      body.set("response", Responses.response(ask, "in_progress"));
      preamble.add(event(body));
    }
    for (int i = 0; i < output.size(); i++) item(output.get(i), i);
    var finished = Responses.finished(ask, answer, output);
    var last = Json.object().put("type", "response." + finished.path("status").asString());
    last.set("response", finished);
    ahead(last);
    return new Reply(true, preamble, deltas, List.of(rest()));
  }

  private void item(ObjectNode item, int index) {
    String id = item.path("id").asString();
    switch (item.path("type").asString()) {
      case "reasoning" -> {
        opened(
            Json.object()
                .put("id", id)
                .put("type", "reasoning")
                .set("summary", Json.object().putArray("summary")),
            index);
        JsonNode part = item.path("summary").path(0);
        part(
            "response.reasoning_summary_part.added",
            id,
            index,
            "summary_index",
            Json.object().put("type", "summary_text").put("text", ""));
        words(
            "response.reasoning_summary_text",
            "text",
            id,
            index,
            "summary_index",
            part.path("text").asString());
        part("response.reasoning_summary_part.done", id, index, "summary_index", part);
      }
      case "message" -> {
        var opening =
            Json.object().put("id", id).put("type", "message").put("status", "in_progress");
        opening.putArray("content");
        opened(opening.put("role", "assistant"), index);
        part(
            "response.content_part.added",
            id,
            index,
            "content_index",
            Responses.part(answer, false));
        String text = answer.text();
        String refusal = answer.refusal();
        if (text != null) words("response.output_text", "text", id, index, "content_index", text);
        else if (refusal != null)
          words("response.refusal", "refusal", id, index, "content_index", refusal);
        part(
            "response.content_part.done", id, index, "content_index", Responses.part(answer, true));
      }
      default -> call(item, id, index);
    }
    var done = Json.object().put("type", "response.output_item.done").put("output_index", index);
    done.set("item", item);
    ahead(done);
  }

  private void call(ObjectNode item, String id, int index) {
    opened(item.deepCopy().put("status", "in_progress").put("arguments", ""), index);
    String arguments = item.path("arguments").asString();
    for (String piece : Answer.pieces(arguments)) {
      delta(
          Json.object()
              .put("type", "response.function_call_arguments.delta")
              .put("item_id", id)
              .put("output_index", index)
              .put("delta", piece));
    }
    ahead(
        Json.object()
            .put("type", "response.function_call_arguments.done")
            .put("item_id", id)
            .put("output_index", index)
            .put("arguments", arguments)
            .put("name", item.path("name").asString()));
  }

  private void opened(JsonNode item, int index) {
    var added = Json.object().put("type", "response.output_item.added").put("output_index", index);
    added.set("item", item);
    ahead(added);
  }

  private void part(String type, String id, int index, String place, JsonNode part) {
    var body =
        Json.object().put("type", type).put("item_id", id).put("output_index", index).put(place, 0);
    body.set("part", part);
    ahead(body);
  }

  private void words(String type, String field, String id, int index, String place, String text) {
    for (String word : Reply.words(text)) {
      var delta =
          Json.object()
              .put("type", type + ".delta")
              .put("item_id", id)
              .put("output_index", index)
              .put(place, 0)
              .put("delta", word);
      if (type.equals("response.output_text")) delta.putArray("logprobs");
      delta(delta);
    }
    var done =
        Json.object()
            .put("type", type + ".done")
            .put("item_id", id)
            .put("output_index", index)
            .put(place, 0)
            .put(field, text);
    if (type.equals("response.output_text")) done.putArray("logprobs");
    ahead(done);
  }
}
