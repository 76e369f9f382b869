package dev.mainstay.call.simulation;

import dev.mainstay.wire.Dialect;
import dev.mainstay.wire.Operation;
import java.util.ArrayList;
import java.util.List;
import java.util.random.RandomGenerator;

/** OpenAI Chat, and Mistral's variant of it. */
record ChatWire(Dialect dialect) implements Wire {
  private static final String DONE = "data: [DONE]\n\n";
  private static final String CHUNK =
      "data: {\"id\":\"c1\",\"object\":\"chat.completion.chunk\",\"created\":1,\"model\":\"m\",";

  @Override
  public Operation operation() {
    return Operation.CHAT;
  }

  private boolean isMistral() {
    return dialect == Dialect.MISTRAL;
  }

  @Override
  public String path(boolean stream) {
    return "/v1/chat/completions";
  }

  @Override
  public String request(boolean stream, boolean tools, String prompt) {
    return "{\"model\":\"any\",\"stream\":"
        + stream
        + (tools
            ? ",\"tools\":[{\"type\":\"function\",\"function\":{\"name\":\""
                + TOOL
                + "\",\"parameters\":{\"type\":\"object\"}}}]"
            : "")
        + ",\"messages\":[{\"role\":\"user\",\"content\":\""
        + prompt
        + "\"}]}";
  }

  @Override
  public List<String> stream(Answer answer, boolean usage, RandomGenerator random) {
    var events = new ArrayList<String>();
    events.add(chunk("{\"role\":\"assistant\",\"content\":\"\"}", "null", ""));
    for (var piece : Wire.pieces(answer.text(), random)) {
      events.add(chunk("{\"content\":\"" + piece + "\"}", "null", ""));
    }
    if (answer.callsTool() && isMistral()) {
      // Mistral writes a call in one piece.
      events.add(chunk("{\"content\":\"\"," + call(answer) + "}", "null", ""));
    } else if (answer.callsTool()) {
      events.add(
          chunk(
              "{\"tool_calls\":[{\"index\":0,\"id\":\"call_1\",\"type\":\"function\",\"function\":"
                  + "{\"name\":\""
                  + TOOL
                  + "\",\"arguments\":\"\"}}]}",
              "null",
              ""));
      for (var piece : Wire.pieces(answer.arguments(), random)) {
        events.add(
            chunk(
                "{\"tool_calls\":[{\"index\":0,\"function\":{\"arguments\":\""
                    + Wire.escaped(piece)
                    + "\"}}]}",
                "null",
                ""));
      }
    }
    var finish = "\"" + finish(answer) + "\"";
    if (isMistral()) {
      events.add(chunk("{\"content\":\"\"}", finish, "," + usage(answer)));
    } else {
      events.add(chunk("{}", finish, ""));
      if (usage) {
        events.add(CHUNK + "\"choices\":[]," + usage(answer) + "}\n\n");
      }
    }
    events.add(DONE);
    return events;
  }

  private static String chunk(String delta, String finish, String more) {
    return CHUNK
        + "\"choices\":[{\"index\":0,\"delta\":"
        + delta
        + ",\"finish_reason\":"
        + finish
        + "}]"
        + more
        + "}\n\n";
  }

  private static String usage(Answer answer) {
    return "\"usage\":{\"prompt_tokens\":10,\"completion_tokens\":"
        + answer.tokens()
        + ",\"total_tokens\":"
        + (10 + answer.tokens())
        + "}";
  }

  private static String call(Answer answer) {
    return "\"tool_calls\":[{\"index\":0,\"id\":\"call_1\",\"type\":\"function\",\"function\":{"
        + "\"name\":\""
        + TOOL
        + "\",\"arguments\":\""
        + Wire.escaped(answer.arguments())
        + "\"}}]";
  }

  @Override
  public String whole(Answer answer) {
    return "{\"id\":\"c1\",\"object\":\"chat.completion\",\"created\":1,\"model\":\"m\",\"choices\":[{"
        + "\"index\":0,\"message\":{\"role\":\"assistant\",\"content\":\""
        + answer.text()
        + "\""
        + (answer.callsTool() ? "," + call(answer) : "")
        + "},\"finish_reason\":\""
        + finish(answer)
        + "\"}],"
        + usage(answer)
        + "}";
  }

  @Override
  public String error(Refusal refusal, int status, String key) {
    if (isMistral()) {
      return switch (refusal) {
        case KEY -> "{\"message\":\"Unauthorized\",\"request_id\":\"r1\"}";
        case MODEL -> mistral("Invalid model: m", "invalid_model", "1500");
        case CONTEXT ->
            mistral(
                "Prompt contains 9000 tokens and 0 draft tokens, too large for model with 8192"
                    + " maximum context length",
                "invalid_request_error",
                "3051");
        case VALUE -> mistral("Invalid value for messages", "invalid_request_error", "3000");
        case LIMIT -> mistral("Requests rate limit exceeded", "rate_limited", "1300");
        case FAULT -> mistral("Internal server error", "internal_server_error", "1000");
      };
    }
    return openAi(refusal, key);
  }

  private static String mistral(String message, String type, String code) {
    return "{\"object\":\"error\",\"message\":\""
        + message
        + "\",\"type\":\""
        + type
        + "\",\"param\":null,\"code\":\""
        + code
        + "\"}";
  }

  static String openAi(Refusal refusal, String key) {
    return switch (refusal) {
      case KEY ->
          openAi("Incorrect API key provided: " + key, "invalid_request_error", "invalid_api_key");
      case MODEL ->
          openAi("The model `m` does not exist", "invalid_request_error", "model_not_found");
      case CONTEXT ->
          openAi(
              "This model's maximum context length is 8192 tokens. However, your messages"
                  + " resulted in 9000 tokens.",
              "invalid_request_error",
              "context_length_exceeded");
      case VALUE ->
          openAi("Invalid value for 'messages'", "invalid_request_error", "invalid_value");
      case LIMIT -> openAi("Rate limit reached for requests", "requests", "rate_limit_exceeded");
      case FAULT -> openAi("The server had an error", "api_error", "server_error");
    };
  }

  private static String openAi(String message, String type, String code) {
    return "{\"error\":{\"message\":\""
        + message
        + "\",\"type\":\""
        + type
        + "\",\"param\":null,\"code\":\""
        + code
        + "\"}}";
  }

  @Override
  public String errorEvent() {
    return "data: " + openAi("The server is overloaded", "overloaded_error", "overloaded") + "\n\n";
  }

  @Override
  public void event(String data, Reader into) {
    if (data.equals("[DONE]")) {
      into.done++;
      return;
    }
    into.error |= data.startsWith("{\"error\"");
    if (beginsCall(data)) {
      into.calls += Wire.field(data, "id").isEmpty() || !data.contains("\"name\":") ? 0 : 1;
      into.arguments.append(Wire.field(data, "arguments"));
    } else {
      into.text.append(Wire.field(data, "content"));
    }
    var reason = Wire.field(data, "finish_reason");
    into.finished = reason.isEmpty() ? into.finished : reason;
  }

  @Override
  public Read readWhole(String body) {
    return Wire.whole(
        body,
        Wire.field(body, "content"),
        Wire.field(body, "arguments"),
        beginsCall(body),
        Wire.field(body, "finish_reason"));
  }

  @Override
  public String finish(Answer answer) {
    return answer.callsTool() ? "tool_calls" : "stop";
  }

  @Override
  public boolean beginsCall(String piece) {
    return piece.contains("\"tool_calls\":[{");
  }

  @Override
  public boolean isError(String piece) {
    return piece.startsWith("data: {\"error\"");
  }
}
