package dev.mainstay.simulator;

import dev.mainstay.http.Exchange;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Gemini's generateContent and streamGenerateContent. Events end in CR LF twice, as Google's do. A
 * stream without {@code alt=sse} is a JSON array.
 *
 * @param model from the path
 * @param stream whether the method is the streaming one
 * @param events whether a stream is asked for as events
 */
record Gemini(String model, boolean stream, boolean events)
    implements Format.Checked, Format.Prefilled {
  @Override
  public String label() {
    return "gemini";
  }

  @Override
  public SimulatedRequest read(
      long id, long created, String provider, Exchange exchange, JsonNode body) {
    var tools = new ArrayList<String>();
    for (JsonNode tool : body.path("tools")) {
      for (JsonNode function : tool.path("functionDeclarations"))
        tools.add(function.path("name").asString(""));
    }
    var contents = new AnswerPrefix.Reading();
    for (JsonNode content : body.path("contents")) {
      String text = OpenAiChat.text(content.path("parts"));
      if (content.path("role").asString("user").equals("model")) contents.assistant(text);
      else contents.user(text);
    }
    return new SimulatedRequest(
        id,
        created,
        provider,
        model,
        stream,
        contents.conversation(tools, true),
        SimulatedRequest.tokens(exchange),
        body);
  }

  @Override
  public void check(SimulatedRequest ask) {
    GeminiRules.check(model, ask.body());
  }

  @Override
  public Fault.Reply refused(RequestRefused why) {
    return GeminiRules.reply(why);
  }

  @Override
  public int mostTokens(SimulatedRequest ask) {
    return ask.body().path("generationConfig").path("maxOutputTokens").asInt(0);
  }

  @Override
  public Reply answer(SimulatedRequest ask, Answer answer) {
    if (!ask.stream())
      return Reply.whole(chunk(ask, parts(answer), finish(answer), answer.outputTokens()));
    var chunks = new ArrayList<ObjectNode>();
    int sent = 0;
    if (answer.reasoning() != null) {
      for (String word : Reply.words(answer.reasoning())) {
        chunks.add(
            chunk(ask, one(Json.object().put("text", word).put("thought", true)), null, ++sent));
      }
    }
    String text = answer.said();
    if (text != null) {
      for (String word : Reply.words(text))
        chunks.add(chunk(ask, one(Json.object().put("text", word)), null, ++sent));
    }
    for (Answer.ToolCall call : answer.toolCalls()) {
      ObjectNode part = call(call);
      if (part != null) chunks.add(chunk(ask, one(part), null, ++sent));
    }
    var last =
        chunk(ask, one(Json.object().put("text", "")), finish(answer), answer.outputTokens());
    return events ? events(chunks, last) : array(chunks, last);
  }

  private static Reply events(List<ObjectNode> chunks, ObjectNode last) {
    return new Reply(
        true, List.of(), chunks.stream().map(Gemini::event).toList(), List.of(event(last)));
  }

  private static byte[] event(JsonNode data) {
    return ("data: " + Json.write(data) + "\r\n\r\n").getBytes(StandardCharsets.UTF_8);
  }

  private static Reply array(List<ObjectNode> chunks, ObjectNode last) {
    var deltas = new ArrayList<byte[]>();
    for (ObjectNode chunk : chunks) {
      deltas.add(
          ((deltas.isEmpty() ? "[" : ",\r\n") + Json.write(chunk))
              .getBytes(StandardCharsets.UTF_8));
    }
    String ending = (deltas.isEmpty() ? "[" : ",\r\n") + Json.write(last) + "]";
    return new Reply(true, List.of(), deltas, List.of(ending.getBytes(StandardCharsets.UTF_8)));
  }

  private static ArrayNode one(ObjectNode part) {
    return Json.object().putArray("parts").add(part);
  }

  private static ArrayNode parts(Answer answer) {
    var parts = Json.object().putArray("parts");
    if (answer.reasoning() != null)
      parts.addObject().put("text", answer.reasoning()).put("thought", true);
    String text = answer.said();
    if (text != null) parts.addObject().put("text", text);
    for (Answer.ToolCall call : answer.toolCalls()) {
      ObjectNode part = call(call);
      if (part != null) parts.add(part);
    }
    return parts;
  }

  /**
   * Arguments are a tree here: where they are no JSON, Gemini sends no call but a finish reason
   * that says so.
   */
  private static @Nullable ObjectNode call(Answer.ToolCall call) {
    try {
      var part = Json.object();
      part.putObject("functionCall")
          .put("name", call.name())
          .set("args", Json.read(call.arguments()));
      return part;
    } catch (JacksonException | ClassCastException e) {
      return null;
    }
  }

  private static String finish(Answer answer) {
    boolean broken = answer.toolCalls().stream().anyMatch(call -> call(call) == null);
    if (broken && !answer.finished().equals("length")) return "MALFORMED_FUNCTION_CALL";
    return switch (answer.finished()) {
      case "stop", "tool_calls" -> answer.refusal() == null ? "STOP" : "SAFETY";
      case "length" -> "MAX_TOKENS";
      case "content_filter" -> "SAFETY";
      default -> answer.finished();
    };
  }

  private static ObjectNode chunk(
      SimulatedRequest ask, ArrayNode parts, @Nullable String finish, int tokens) {
    var chunk = Json.object();
    var candidate = chunk.putArray("candidates").addObject();
    candidate.putObject("content").set("parts", parts).put("role", "model");
    if (finish != null) candidate.put("finishReason", finish);
    candidate.put("index", 0);
    var usage =
        chunk
            .putObject("usageMetadata")
            .put("promptTokenCount", ask.inputTokens())
            .put("candidatesTokenCount", tokens)
            .put("totalTokenCount", ask.inputTokens() + tokens);
    usage
        .putArray("promptTokensDetails")
        .addObject()
        .put("modality", "TEXT")
        .put("tokenCount", ask.inputTokens());
    return chunk.put("modelVersion", ask.model()).put("responseId", "sim" + ask.mark());
  }

  static String error(int code, String status, String message, @Nullable ObjectNode detail) {
    var body = Json.object();
    var error =
        body.putObject("error").put("code", code).put("message", message).put("status", status);
    if (detail != null) error.putArray("details").add(detail);
    return Json.write(body);
  }

  @Override
  public byte[] errorEvent(String body) {
    return ("data: " + body + "\r\n\r\n").getBytes(StandardCharsets.UTF_8);
  }

  @Override
  public byte[] malformedEvent() {
    return "data: {\"candidates\": [{\"content\": {\r\n\r\n".getBytes(StandardCharsets.UTF_8);
  }

  @Override
  public Fault.Reply unknownModel(String name) {
    String message =
        "models/"
            + name
            + " is not found for API version v1beta, or is not supported for generateContent. Call"
            + " ModelService.ListModels to see the list of available models and their supported"
            + " methods.";
    return new Fault.Reply(404, Map.of(), error(404, "NOT_FOUND", message, null));
  }

  @Override
  public Fault.Reply rateLimited(String name, boolean tokens, int limit, long waitMillis) {
    var detail =
        Json.object()
            .put("@type", "type.googleapis.com/google.rpc.RetryInfo")
            .put("retryDelay", waitMillis / 1000.0 + "s");
    return new Fault.Reply(
        429,
        Map.of(),
        error(
            429, "RESOURCE_EXHAUSTED", "Resource has been exhausted (e.g. check quota).", detail));
  }

  /** As seen in Vali-98/ChatterUI#620. */
  @Override
  public Fault.Reply prefillRefused() {
    String message = "Requests ending with a model turn are not supported.";
    return new Fault.Reply(400, Map.of(), error(400, "INVALID_ARGUMENT", message, null));
  }

  @Override
  public Fault.Reply unreadable() {
    return new Fault.Reply(
        400,
        Map.of(),
        error(400, "INVALID_ARGUMENT", "Invalid JSON payload received. Parsing error.", null));
  }
}
