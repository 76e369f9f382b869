package dev.mainstay.call.simulation;

import dev.mainstay.wire.Dialect;
import dev.mainstay.wire.Operation;
import java.util.ArrayList;
import java.util.List;
import java.util.random.RandomGenerator;

/** Gemini. */
record GeminiWire() implements Wire {
  private static final String END = "\r\n\r\n";

  @Override
  public Dialect dialect() {
    return Dialect.GEMINI;
  }

  @Override
  public Operation operation() {
    return Operation.GENERATE;
  }

  @Override
  public String path(boolean stream) {
    return "/v1beta/models/any:" + (stream ? "streamGenerateContent" : "generateContent");
  }

  @Override
  public String request(boolean stream, boolean tools, String prompt) {
    return "{\"contents\":[{\"role\":\"user\",\"parts\":[{\"text\":\""
        + prompt
        + "\"}]}]"
        + (tools
            ? ",\"tools\":[{\"functionDeclarations\":[{\"name\":\""
                + TOOL
                + "\",\"parameters\":{\"type\":\"object\"}}]}]"
            : "")
        + "}";
  }

  @Override
  public List<String> stream(Answer answer, boolean usage, RandomGenerator random) {
    var events = new ArrayList<String>();
    for (var piece : Wire.pieces(answer.text(), random)) {
      events.add("data: {" + candidate(text(piece), "") + ",\"modelVersion\":\"m\"}" + END);
    }
    if (answer.callsTool()) {
      events.add("data: {" + candidate(call(answer), "") + ",\"modelVersion\":\"m\"}" + END);
    }
    events.add("data: {" + candidate(text(""), "STOP") + usage(answer) + "}" + END);
    return events;
  }

  private static String candidate(String part, String finish) {
    return "\"candidates\":[{\"content\":{\"parts\":["
        + part
        + "],\"role\":\"model\"}"
        + (finish.isEmpty() ? "" : ",\"finishReason\":\"" + finish + "\"")
        + ",\"index\":0}]";
  }

  private static String text(String text) {
    return "{\"text\":\"" + text + "\"}";
  }

  private static String call(Answer answer) {
    return "{\"functionCall\":{\"name\":\"" + TOOL + "\",\"args\":" + answer.arguments() + "}}";
  }

  private static String usage(Answer answer) {
    return ",\"usageMetadata\":{\"promptTokenCount\":10,\"candidatesTokenCount\":"
        + answer.tokens()
        + ",\"totalTokenCount\":"
        + (10 + answer.tokens())
        + "},\"modelVersion\":\"m\"";
  }

  @Override
  public String whole(Answer answer) {
    var parts = new ArrayList<String>();
    if (!answer.text().isEmpty()) {
      parts.add(text(answer.text()));
    }
    if (answer.callsTool()) {
      parts.add(call(answer));
    }
    return "{" + candidate(String.join(",", parts), "STOP") + usage(answer) + "}";
  }

  @Override
  public String error(Refusal refusal, int status, String key) {
    return switch (refusal) {
      case KEY -> error(401, "API key not valid: " + key, "UNAUTHENTICATED");
      case MODEL ->
          error(
              404,
              "models/m is not found for API version v1beta, or is not supported for"
                  + " generateContent.",
              "NOT_FOUND");
      case CONTEXT ->
          error(
              400,
              "The input token count (9000) exceeds the maximum number of tokens allowed (8192).",
              "INVALID_ARGUMENT");
      case VALUE -> error(400, "Invalid value at 'contents'", "INVALID_ARGUMENT");
      case LIMIT -> error(429, "Too many requests, please slow down.", "RESOURCE_EXHAUSTED");
      case FAULT ->
          error(
              status,
              status == 503
                  ? "The model is overloaded. Please try again later."
                  : "An internal error has occurred.",
              status == 503 ? "UNAVAILABLE" : "INTERNAL");
    };
  }

  private static String error(int status, String message, String name) {
    return "{\"error\":{\"code\":"
        + status
        + ",\"message\":\""
        + message
        + "\",\"status\":\""
        + name
        + "\"}}";
  }

  @Override
  public String errorEvent() {
    return "data: "
        + error(503, "The model is overloaded. Please try again later.", "UNAVAILABLE")
        + END;
  }

  @Override
  public void event(String data, Reader into) {
    into.error |= data.startsWith("{\"error\"");
    into.text.append(Wire.field(data, "text"));
    if (beginsCall(data)) {
      into.calls++;
      into.arguments.append(Wire.object(data, "args"));
    }
    var reason = Wire.field(data, "finishReason");
    if (!reason.isEmpty()) {
      into.finished = reason;
      into.done++;
    }
  }

  @Override
  public String endOfEvent() {
    return END;
  }

  @Override
  public Read readWhole(String body) {
    return Wire.whole(
        body,
        Wire.field(body, "text"),
        Wire.object(body, "args"),
        beginsCall(body),
        Wire.field(body, "finishReason"));
  }

  @Override
  public String finish(Answer answer) {
    return "STOP";
  }

  @Override
  public boolean beginsCall(String piece) {
    return piece.contains("\"functionCall\":");
  }

  @Override
  public boolean isError(String piece) {
    return piece.startsWith("data: {\"error\"");
  }
}
