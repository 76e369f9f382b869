package dev.mainstay.call.simulation;

import dev.mainstay.wire.Dialect;
import dev.mainstay.wire.Operation;
import java.util.ArrayList;
import java.util.List;
import java.util.random.RandomGenerator;

/** OpenAI Responses. */
record ResponsesWire() implements Wire {
  @Override
  public Dialect dialect() {
    return Dialect.OPENAI_RESPONSES;
  }

  @Override
  public Operation operation() {
    return Operation.RESPONSES;
  }

  @Override
  public String path(boolean stream) {
    return "/v1/responses";
  }

  @Override
  public String request(boolean stream, boolean tools, String prompt) {
    return "{\"model\":\"any\",\"stream\":"
        + stream
        + (tools
            ? ",\"tools\":[{\"type\":\"function\",\"name\":\""
                + TOOL
                + "\",\"parameters\":{\"type\":\"object\"}}]"
            : "")
        + ",\"input\":\""
        + prompt
        + "\"}";
  }

  @Override
  public List<String> stream(Answer answer, boolean usage, RandomGenerator random) {
    var events = new ArrayList<String>();
    add(events, "response.created", "\"response\":" + response("in_progress", "", ""));
    add(events, "response.in_progress", "\"response\":" + response("in_progress", "", ""));
    int index = 0;
    if (!answer.text().isEmpty()) {
      add(
          events,
          "response.output_item.added",
          "\"output_index\":0,\"item\":{\"id\":\"msg_1\",\"type\":\"message\",\"status\":"
              + "\"in_progress\",\"role\":\"assistant\",\"content\":[]}");
      var at = "\"item_id\":\"msg_1\",\"output_index\":0,\"content_index\":0,";
      add(events, "response.content_part.added", at + "\"part\":" + part(""));
      for (var piece : Wire.pieces(answer.text(), random)) {
        add(
            events,
            "response.output_text.delta",
            at + "\"delta\":\"" + piece + "\",\"logprobs\":[]");
      }
      add(events, "response.output_text.done", at + "\"text\":\"" + answer.text() + "\"");
      add(events, "response.content_part.done", at + "\"part\":" + part(answer.text()));
      add(
          events,
          "response.output_item.done",
          "\"output_index\":0,\"item\":" + message(answer.text()));
      index++;
    }
    if (answer.callsTool()) {
      add(
          events,
          "response.output_item.added",
          "\"output_index\":" + index + ",\"item\":" + call("", "in_progress"));
      var at = "\"item_id\":\"fc_1\",\"output_index\":" + index + ",";
      for (var piece : Wire.pieces(answer.arguments(), random)) {
        add(
            events,
            "response.function_call_arguments.delta",
            at + "\"delta\":\"" + Wire.escaped(piece) + "\"");
      }
      add(
          events,
          "response.function_call_arguments.done",
          at + "\"arguments\":\"" + Wire.escaped(answer.arguments()) + "\"");
      add(
          events,
          "response.output_item.done",
          "\"output_index\":" + index + ",\"item\":" + call(answer.arguments(), "completed"));
    }
    add(events, "response.completed", "\"response\":" + whole(answer));
    return events;
  }

  private static void add(List<String> events, String type, String rest) {
    events.add(Wire.named(type, "\"sequence_number\":" + events.size() + "," + rest));
  }

  private static String part(String text) {
    return "{\"type\":\"output_text\",\"text\":\"" + text + "\",\"annotations\":[]}";
  }

  private static String message(String text) {
    return "{\"id\":\"msg_1\",\"type\":\"message\",\"status\":\"completed\",\"role\":\"assistant\","
        + "\"content\":["
        + part(text)
        + "]}";
  }

  private static String call(String arguments, String status) {
    return "{\"id\":\"fc_1\",\"type\":\"function_call\",\"status\":\""
        + status
        + "\",\"arguments\":\""
        + Wire.escaped(arguments)
        + "\",\"call_id\":\"call_1\",\"name\":\""
        + TOOL
        + "\"}";
  }

  private static String response(String status, String output, String usage) {
    return "{\"id\":\"resp_1\",\"object\":\"response\",\"created_at\":1,\"status\":\""
        + status
        + "\",\"error\":null,\"incomplete_details\":null,\"model\":\"m\",\"output\":["
        + output
        + "]"
        + usage
        + "}";
  }

  @Override
  public String whole(Answer answer) {
    var output = new ArrayList<String>();
    if (!answer.text().isEmpty()) {
      output.add(message(answer.text()));
    }
    if (answer.callsTool()) {
      output.add(call(answer.arguments(), "completed"));
    }
    return response(
        "completed",
        String.join(",", output),
        ",\"usage\":{\"input_tokens\":10,\"input_tokens_details\":{\"cached_tokens\":0},"
            + "\"output_tokens\":"
            + answer.tokens()
            + ",\"output_tokens_details\":{\"reasoning_tokens\":0},\"total_tokens\":"
            + (10 + answer.tokens())
            + "}");
  }

  @Override
  public String error(Refusal refusal, int status, String key) {
    return ChatWire.openAi(refusal, key);
  }

  @Override
  public String errorEvent() {
    return Wire.named(
        "error",
        "\"sequence_number\":9,\"code\":\"server_error\",\"message\":\"The server had an error\","
            + "\"param\":null");
  }

  @Override
  public void event(String data, Reader into) {
    switch (Wire.field(data, "type")) {
      case "response.output_text.delta" -> into.text.append(Wire.field(data, "delta"));
      case "response.function_call_arguments.delta" ->
          into.arguments.append(Wire.field(data, "delta"));
      case "response.output_item.added" -> into.calls += data.contains("function_call") ? 1 : 0;
      case "response.completed" -> {
        into.done++;
        into.finished = "completed";
      }
      case "error", "response.failed" -> into.error = true;
      default -> {}
    }
  }

  @Override
  public Read readWhole(String body) {
    return new Read(
        Wire.field(body, "text"),
        Wire.field(body, "arguments"),
        body.contains("\"function_call\"") ? 1 : 0,
        body.contains("\"status\":\"completed\"") ? "completed" : "",
        1,
        body.contains("\"error\":{"));
  }

  @Override
  public String finish(Answer answer) {
    return "completed";
  }

  @Override
  public boolean beginsCall(String piece) {
    return piece.contains("\"function_call\"");
  }

  @Override
  public boolean isError(String piece) {
    return piece.startsWith("event: error\n");
  }
}
