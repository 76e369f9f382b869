package dev.mainstay.call.simulation;

import dev.mainstay.wire.Dialect;
import dev.mainstay.wire.Operation;
import java.util.ArrayList;
import java.util.List;
import java.util.random.RandomGenerator;

/** Anthropic Messages. */
record AnthropicWire() implements Wire {
  @Override
  public Dialect dialect() {
    return Dialect.ANTHROPIC;
  }

  @Override
  public Operation operation() {
    return Operation.MESSAGES;
  }

  @Override
  public String path(boolean stream) {
    return "/v1/messages";
  }

  @Override
  public String request(boolean stream, boolean tools, String prompt) {
    return "{\"model\":\"any\",\"max_tokens\":1000,\"stream\":"
        + stream
        + (tools
            ? ",\"tools\":[{\"name\":\"" + TOOL + "\",\"input_schema\":{\"type\":\"object\"}}]"
            : "")
        + ",\"messages\":[{\"role\":\"user\",\"content\":\""
        + prompt
        + "\"}]}";
  }

  @Override
  public List<String> stream(Answer answer, boolean usage, RandomGenerator random) {
    var events = new ArrayList<String>();
    events.add(
        Wire.named(
            "message_start",
            "\"message\":{\"id\":\"msg_1\",\"type\":\"message\",\"role\":\"assistant\",\"model\":\"m\","
                + "\"content\":[],\"stop_reason\":null,\"stop_sequence\":null,"
                + "\"usage\":{\"input_tokens\":10,\"output_tokens\":1}}"));
    int index = 0;
    if (!answer.text().isEmpty() || !answer.callsTool()) {
      events.add(
          Wire.named(
              "content_block_start",
              "\"index\":0,\"content_block\":{\"type\":\"text\",\"text\":\"\"}"));
      for (var piece : Wire.pieces(answer.text(), random)) {
        events.add(
            Wire.named(
                "content_block_delta",
                "\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\"" + piece + "\"}"));
      }
      events.add(Wire.named("content_block_stop", "\"index\":0"));
      index++;
    }
    if (answer.callsTool()) {
      events.add(
          Wire.named(
              "content_block_start",
              "\"index\":"
                  + index
                  + ",\"content_block\":{\"type\":\"tool_use\",\"id\":\"toolu_1\",\"name\":\""
                  + TOOL
                  + "\",\"input\":{}}"));
      for (var piece : Wire.pieces(answer.arguments(), random)) {
        events.add(
            Wire.named(
                "content_block_delta",
                "\"index\":"
                    + index
                    + ",\"delta\":{\"type\":\"input_json_delta\",\"partial_json\":\""
                    + Wire.escaped(piece)
                    + "\"}"));
      }
      events.add(Wire.named("content_block_stop", "\"index\":" + index));
    }
    events.add(
        Wire.named(
            "message_delta",
            "\"delta\":{\"stop_reason\":\""
                + finish(answer)
                + "\",\"stop_sequence\":null},\"usage\":{\"output_tokens\":"
                + answer.tokens()
                + "}"));
    events.add(Wire.named("message_stop", ""));
    return events;
  }

  @Override
  public String whole(Answer answer) {
    return "{\"id\":\"msg_1\",\"type\":\"message\",\"role\":\"assistant\",\"model\":\"m\",\"content\":["
        + "{\"type\":\"text\",\"text\":\""
        + answer.text()
        + "\"}"
        + (answer.callsTool()
            ? ",{\"type\":\"tool_use\",\"id\":\"toolu_1\",\"name\":\""
                + TOOL
                + "\",\"input\":"
                + answer.arguments()
                + "}"
            : "")
        + "],\"stop_reason\":\""
        + finish(answer)
        + "\",\"stop_sequence\":null,\"usage\":{\"input_tokens\":10,\"output_tokens\":"
        + answer.tokens()
        + "}}";
  }

  @Override
  public String error(Refusal refusal, int status, String key) {
    return switch (refusal) {
      case KEY -> error("authentication_error", "invalid x-api-key " + key);
      case MODEL -> error("not_found_error", "model: m");
      case CONTEXT ->
          error("invalid_request_error", "prompt is too long: 9000 tokens > 8192 maximum");
      case VALUE -> error("invalid_request_error", "messages: Invalid value");
      case LIMIT -> error("rate_limit_error", "Number of requests has exceeded your rate limit");
      case FAULT ->
          status == 529
              ? error("overloaded_error", "Overloaded")
              : error("api_error", "Internal server error");
    };
  }

  private static String error(String type, String message) {
    return "{\"type\":\"error\",\"error\":{\"type\":\""
        + type
        + "\",\"message\":\""
        + message
        + "\"}}";
  }

  @Override
  public String errorEvent() {
    return "event: error\ndata: " + error("overloaded_error", "Overloaded") + "\n\n";
  }

  @Override
  public void event(String data, Reader into) {
    switch (Wire.field(data, "type")) {
      case "content_block_start" -> {
        into.calls += beginsCall(data) ? 1 : 0;
        into.text.append(Wire.field(data, "text"));
      }
      case "content_block_delta" -> {
        into.text.append(Wire.field(data, "text"));
        into.arguments.append(Wire.field(data, "partial_json"));
      }
      case "message_delta" -> into.finished = Wire.field(data, "stop_reason");
      case "message_stop" -> into.done++;
      case "error" -> into.error = true;
      default -> {}
    }
  }

  @Override
  public Read readWhole(String body) {
    return Wire.whole(
        body,
        Wire.field(body, "text"),
        Wire.object(body, "input"),
        beginsCall(body),
        Wire.field(body, "stop_reason"));
  }

  @Override
  public String finish(Answer answer) {
    return answer.callsTool() ? "tool_use" : "end_turn";
  }

  @Override
  public boolean beginsCall(String piece) {
    return piece.contains("\"type\":\"tool_use\"");
  }

  @Override
  public boolean isError(String piece) {
    return piece.startsWith("event: error\n");
  }
}
