package dev.mainstay.simulator;

import dev.mainstay.http.Exchange;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** OpenAI Responses. */
final class Responses implements OpenAiErrors, Format.Checked {
  @Override
  public String label() {
    return "openai-responses";
  }

  @Override
  public SimulatedRequest read(
      long id, long created, String provider, Exchange exchange, JsonNode body) {
    var tools = new ArrayList<String>();
    for (JsonNode tool : body.path("tools")) {
      if (tool.has("name")) tools.add(tool.path("name").asString(""));
    }
    JsonNode input = body.path("input");
    var items = new AnswerPrefix.Reading();
    if (input.isString()) items.user(input.asString());
    for (JsonNode item : input) {
      String text = OpenAiChat.text(item.path("content"));
      switch (item.path("role").asString("")) {
        case "user" -> items.user(text);
        case "assistant" -> items.assistant(text);
        default -> items.other();
      }
    }
    return SimulatedRequest.of(
        id, created, provider, exchange, body, items.conversation(tools, false));
  }

  @Override
  public void check(SimulatedRequest ask) {
    ResponsesRules.check(ask.body());
  }

  @Override
  public Fault.Reply refused(RequestRefused why) {
    return OpenAiRules.reply(why);
  }

  @Override
  public int mostTokens(SimulatedRequest ask) {
    return ask.body().path("max_output_tokens").asInt(0);
  }

  @Override
  public Reply answer(SimulatedRequest ask, Answer answer) {
    var output = items(ask, answer);
    return ask.stream() ? stream(ask, answer, output) : Reply.whole(finished(ask, answer, output));
  }

  private static String id(String prefix, SimulatedRequest ask, int index) {
    return prefix + "_sim" + ask.mark() + (index < 0 ? "" : Integer.toString(index));
  }

  private static ObjectNode response(SimulatedRequest ask, String status) {
    var response =
        Json.object()
            .put("id", id("resp", ask, -1))
            .put("object", "response")
            .put("created_at", ask.created())
            .put("status", status)
            .put("background", false)
            .putNull("error")
            .putNull("incomplete_details")
            .putNull("instructions");
    response.set("max_output_tokens", ask.body().get("max_output_tokens"));
    response.put("model", ask.model());
    response.putArray("output");
    response.put("parallel_tool_calls", true).putNull("previous_response_id");
    response.putObject("reasoning").putNull("effort").putNull("summary");
    response.put("store", true).put("temperature", 1.0);
    response.putObject("text").putObject("format").put("type", "text");
    response.put("tool_choice", "auto");
    ArrayNode tools = response.putArray("tools");
    for (JsonNode tool : ask.body().path("tools")) tools.add(tool);
    response.put("top_p", 1.0).put("truncation", "disabled").putNull("usage").putNull("user");
    response.putObject("metadata");
    return response;
  }

  private static ObjectNode finished(SimulatedRequest ask, Answer answer, List<ObjectNode> output) {
    String reason = incomplete(answer);
    var response = response(ask, reason.isEmpty() ? "completed" : "incomplete");
    if (!reason.isEmpty()) response.putObject("incomplete_details").put("reason", reason);
    output.forEach(response.putArray("output")::add);
    int tokens = answer.outputTokens();
    var usage = response.putObject("usage").put("input_tokens", ask.inputTokens());
    usage.putObject("input_tokens_details").put("cached_tokens", 0).put("cache_write_tokens", 0);
    usage.put("output_tokens", tokens);
    usage.putObject("output_tokens_details").put("reasoning_tokens", answer.reasoningTokens());
    usage.put("total_tokens", ask.inputTokens() + tokens);
    return response;
  }

  /** Why the answer is not complete; empty where it is. */
  private static String incomplete(Answer answer) {
    return switch (answer.finished()) {
      case "length" -> "max_output_tokens";
      case "content_filter" -> "content_filter";
      default -> "";
    };
  }

  private static List<ObjectNode> items(SimulatedRequest ask, Answer answer) {
    var items = new ArrayList<ObjectNode>();
    if (answer.reasoning() != null) {
      var item = Json.object().put("id", id("rs", ask, -1)).put("type", "reasoning");
      item.putArray("summary")
          .addObject()
          .put("type", "summary_text")
          .put("text", answer.reasoning());
      items.add(item);
    }
    if (answer.text() != null || answer.refusal() != null) {
      var item =
          Json.object()
              .put("id", id("msg", ask, -1))
              .put("type", "message")
              .put("status", "completed");
      item.putArray("content").add(part(answer, true));
      items.add(item.put("role", "assistant"));
    }
    for (int i = 0; i < answer.toolCalls().size(); i++) {
      var call = answer.toolCalls().get(i);
      items.add(
          Json.object()
              .put("id", id("fc", ask, i))
              .put("type", "function_call")
              .put("status", "completed")
              .put("arguments", call.arguments())
              .put("call_id", id("call", ask, i))
              .put("name", call.name()));
    }
    if (!incomplete(answer).isEmpty() && !items.isEmpty() && items.getLast().has("status")) {
      items.getLast().put("status", "incomplete");
    }
    return items;
  }

  private static ObjectNode part(Answer answer, boolean whole) {
    if (answer.text() == null) {
      return Json.object().put("type", "refusal").put("refusal", whole ? answer.refusal() : "");
    }
    var part = Json.object().put("type", "output_text");
    part.putArray("annotations");
    part.putArray("logprobs");
    return part.put("text", whole ? answer.text() : "");
  }

  /**
   * A stream being put together; every event has the next number. What opens an item leaves with
   * its first delta.
   */
  private static final class Events {
    private final List<byte[]> deltas = new ArrayList<>();
    private final List<byte[]> ahead = new ArrayList<>();
    private int number;

    byte[] event(ObjectNode body) {
      String type = body.path("type").asString();
      return Reply.event(type, body.put("sequence_number", number++));
    }

    void ahead(ObjectNode body) {
      ahead.add(event(body));
    }

    void delta(ObjectNode body) {
      ahead.add(event(body));
      deltas.add(rest());
    }

    byte[] rest() {
      int size = ahead.stream().mapToInt(e -> e.length).sum();
      var all = ByteBuffer.allocate(size);
      ahead.forEach(all::put);
      ahead.clear();
      return all.array();
    }
  }

  private static Reply stream(SimulatedRequest ask, Answer answer, List<ObjectNode> output) {
    var events = new Events();
    var preamble = new ArrayList<byte[]>();
    for (String type : List.of("response.created", "response.in_progress")) {
      var body = Json.object().put("type", type);
      body.set("response", response(ask, "in_progress"));
      preamble.add(events.event(body));
    }
    for (int i = 0; i < output.size(); i++) item(events, answer, output.get(i), i);
    var finished = finished(ask, answer, output);
    var last = Json.object().put("type", "response." + finished.path("status").asString());
    last.set("response", finished);
    events.ahead(last);
    return new Reply(true, preamble, events.deltas, List.of(events.rest()));
  }

  private static void item(Events events, Answer answer, ObjectNode item, int index) {
    String id = item.path("id").asString();
    switch (item.path("type").asString()) {
      case "reasoning" -> {
        opened(
            events,
            Json.object()
                .put("id", id)
                .put("type", "reasoning")
                .set("summary", Json.object().putArray("summary")),
            index);
        JsonNode part = item.path("summary").path(0);
        part(
            events,
            "response.reasoning_summary_part.added",
            id,
            index,
            "summary_index",
            Json.object().put("type", "summary_text").put("text", ""));
        words(
            events,
            "response.reasoning_summary_text",
            "text",
            id,
            index,
            "summary_index",
            part.path("text").asString());
        part(events, "response.reasoning_summary_part.done", id, index, "summary_index", part);
      }
      case "message" -> {
        var opening =
            Json.object().put("id", id).put("type", "message").put("status", "in_progress");
        opening.putArray("content");
        opened(events, opening.put("role", "assistant"), index);
        part(
            events, "response.content_part.added", id, index, "content_index", part(answer, false));
        String text = answer.text();
        String refusal = answer.refusal();
        if (text != null)
          words(events, "response.output_text", "text", id, index, "content_index", text);
        else if (refusal != null)
          words(events, "response.refusal", "refusal", id, index, "content_index", refusal);
        part(events, "response.content_part.done", id, index, "content_index", part(answer, true));
      }
      default -> call(events, item, id, index);
    }
    var done = Json.object().put("type", "response.output_item.done").put("output_index", index);
    done.set("item", item);
    events.ahead(done);
  }

  private static void call(Events events, ObjectNode item, String id, int index) {
    opened(events, item.deepCopy().put("status", "in_progress").put("arguments", ""), index);
    String arguments = item.path("arguments").asString();
    for (String piece : Answer.pieces(arguments)) {
      events.delta(
          Json.object()
              .put("type", "response.function_call_arguments.delta")
              .put("item_id", id)
              .put("output_index", index)
              .put("delta", piece));
    }
    events.ahead(
        Json.object()
            .put("type", "response.function_call_arguments.done")
            .put("item_id", id)
            .put("output_index", index)
            .put("arguments", arguments)
            .put("name", item.path("name").asString()));
  }

  private static void opened(Events events, JsonNode item, int index) {
    var added = Json.object().put("type", "response.output_item.added").put("output_index", index);
    added.set("item", item);
    events.ahead(added);
  }

  private static void part(
      Events events, String type, String id, int index, String place, JsonNode part) {
    var body =
        Json.object().put("type", type).put("item_id", id).put("output_index", index).put(place, 0);
    body.set("part", part);
    events.ahead(body);
  }

  private static void words(
      Events events, String type, String field, String id, int index, String place, String text) {
    for (String word : Reply.words(text)) {
      var delta =
          Json.object()
              .put("type", type + ".delta")
              .put("item_id", id)
              .put("output_index", index)
              .put(place, 0)
              .put("delta", word);
      if (type.equals("response.output_text")) delta.putArray("logprobs");
      events.delta(delta);
    }
    var done =
        Json.object()
            .put("type", type + ".done")
            .put("item_id", id)
            .put("output_index", index)
            .put(place, 0)
            .put(field, text);
    if (type.equals("response.output_text")) done.putArray("logprobs");
    events.ahead(done);
  }

  /** What Chat sends as {@code {"error": …}} is an event of type {@code error} here. */
  @Override
  public byte[] errorEvent(String body) {
    JsonNode given = Json.read(body.getBytes(StandardCharsets.UTF_8));
    if (!given.isObject() || given.has("type")) {
      return ("event: " + given.path("type").asString("error") + "\ndata: " + body + "\n\n")
          .getBytes(StandardCharsets.UTF_8);
    }
    JsonNode error = given.path("error");
    var event = Json.object().put("type", "error");
    event.set("code", error.path("code"));
    event.set("message", error.path("message"));
    event.set("param", error.path("param"));
    return Reply.event("error", event.put("sequence_number", 999));
  }

  @Override
  public byte[] malformedEvent() {
    return "event: response.output_text.delta\ndata: {\"type\":\"response.output_text.delta\",\n\n"
        .getBytes(StandardCharsets.UTF_8);
  }

  /** 400, where Chat answers 404. */
  @Override
  public Fault.Reply unknownModel(String model) {
    return new Fault.Reply(
        400,
        Map.of(),
        OpenAiErrors.body(
            "The requested model '" + model + "' does not exist.",
            "invalid_request_error",
            "model",
            "model_not_found"));
  }
}
