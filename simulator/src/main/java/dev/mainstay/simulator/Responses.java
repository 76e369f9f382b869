package dev.mainstay.simulator;

import dev.mainstay.http.Exchange;
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
    return ask.stream()
        ? ResponsesStream.of(ask, answer, output)
        : Reply.whole(finished(ask, answer, output));
  }

  private static String id(String prefix, SimulatedRequest ask, int index) {
    return prefix + "_sim" + ask.mark() + (index < 0 ? "" : Integer.toString(index));
  }

  /** A response as far as the request tells it. */
  static ObjectNode response(SimulatedRequest ask, String status) {
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

  /** The whole response. */
  static ObjectNode finished(SimulatedRequest ask, Answer answer, List<ObjectNode> output) {
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

  /** The content of a message, or of one that begins. */
  static ObjectNode part(Answer answer, boolean whole) {
    if (answer.text() == null) {
      return Json.object().put("type", "refusal").put("refusal", whole ? answer.refusal() : "");
    }
    var part = Json.object().put("type", "output_text");
    part.putArray("annotations");
    part.putArray("logprobs");
    return part.put("text", whole ? answer.text() : "");
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
