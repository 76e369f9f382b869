package dev.mainstay.call.simulation;

import dev.mainstay.wire.Api;
import java.util.ArrayList;
import java.util.List;
import java.util.random.RandomGenerator;

/** What a provider writes and a client reads, by hand and without the code under test. */
final class Wire {
  static final String TOOL = "look_up";
  static final String DONE = "data: [DONE]\n\n";

  private static final String OPENAI_CHUNK =
      "data: {\"id\":\"c1\",\"object\":\"chat.completion.chunk\",\"created\":1,\"model\":\"m\",";

  private Wire() {}

  /** The events of one streamed answer, without what ends the connection. */
  static List<String> stream(Api api, Answer answer, boolean usage, RandomGenerator random) {
    return api == Api.ANTHROPIC ? anthropic(answer, random) : openAi(answer, usage, random);
  }

  /**
   * What is answered: text, or text and one call of a tool.
   *
   * @param arguments of the call as JSON, or empty for none
   */
  record Answer(String text, String arguments, int tokens) {
    boolean callsTool() {
      return !arguments.isEmpty();
    }
  }

  private static List<String> openAi(Answer answer, boolean usage, RandomGenerator random) {
    var events = new ArrayList<String>();
    events.add(openAi("{\"role\":\"assistant\",\"content\":\"\"}", "null"));
    for (var piece : pieces(answer.text(), random)) {
      events.add(openAi("{\"content\":\"" + piece + "\"}", "null"));
    }
    if (answer.callsTool()) {
      events.add(
          openAi(
              "{\"tool_calls\":[{\"index\":0,\"id\":\"call_1\",\"type\":\"function\",\"function\":"
                  + "{\"name\":\""
                  + TOOL
                  + "\",\"arguments\":\"\"}}]}",
              "null"));
      for (var piece : pieces(answer.arguments(), random)) {
        events.add(
            openAi(
                "{\"tool_calls\":[{\"index\":0,\"function\":{\"arguments\":\""
                    + escaped(piece)
                    + "\"}}]}",
                "null"));
      }
    }
    events.add(openAi("{}", answer.callsTool() ? "\"tool_calls\"" : "\"stop\""));
    if (usage) {
      events.add(
          OPENAI_CHUNK
              + "\"choices\":[],\"usage\":{\"prompt_tokens\":10,\"completion_tokens\":"
              + answer.tokens()
              + ",\"total_tokens\":"
              + (10 + answer.tokens())
              + "}}\n\n");
    }
    events.add(DONE);
    return events;
  }

  private static String openAi(String delta, String finish) {
    return OPENAI_CHUNK
        + "\"choices\":[{\"index\":0,\"delta\":"
        + delta
        + ",\"finish_reason\":"
        + finish
        + "}]}\n\n";
  }

  private static List<String> anthropic(Answer answer, RandomGenerator random) {
    var events = new ArrayList<String>();
    events.add(
        event(
            "message_start",
            "\"message\":{\"id\":\"msg_1\",\"type\":\"message\",\"role\":\"assistant\",\"model\":\"m\","
                + "\"content\":[],\"stop_reason\":null,\"stop_sequence\":null,"
                + "\"usage\":{\"input_tokens\":10,\"output_tokens\":1}}"));
    int index = 0;
    if (!answer.text().isEmpty() || !answer.callsTool()) {
      events.add(
          event(
              "content_block_start",
              "\"index\":0,\"content_block\":{\"type\":\"text\",\"text\":\"\"}"));
      for (var piece : pieces(answer.text(), random)) {
        events.add(
            event(
                "content_block_delta",
                "\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\"" + piece + "\"}"));
      }
      events.add(event("content_block_stop", "\"index\":0"));
      index++;
    }
    if (answer.callsTool()) {
      events.add(
          event(
              "content_block_start",
              "\"index\":"
                  + index
                  + ",\"content_block\":{\"type\":\"tool_use\",\"id\":\"toolu_1\",\"name\":\""
                  + TOOL
                  + "\",\"input\":{}}"));
      for (var piece : pieces(answer.arguments(), random)) {
        events.add(
            event(
                "content_block_delta",
                "\"index\":"
                    + index
                    + ",\"delta\":{\"type\":\"input_json_delta\",\"partial_json\":\""
                    + escaped(piece)
                    + "\"}"));
      }
      events.add(event("content_block_stop", "\"index\":" + index));
    }
    events.add(
        event(
            "message_delta",
            "\"delta\":{\"stop_reason\":\""
                + (answer.callsTool() ? "tool_use" : "end_turn")
                + "\",\"stop_sequence\":null},\"usage\":{\"output_tokens\":"
                + answer.tokens()
                + "}"));
    events.add(event("message_stop", ""));
    return events;
  }

  private static String event(String type, String rest) {
    return "event: "
        + type
        + "\ndata: {\"type\":\""
        + type
        + "\""
        + (rest.isEmpty() ? "" : "," + rest)
        + "}\n\n";
  }

  /** A whole answer. */
  static String whole(Api api, Answer answer) {
    if (api == Api.ANTHROPIC) {
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
          + (answer.callsTool() ? "tool_use" : "end_turn")
          + "\",\"stop_sequence\":null,\"usage\":{\"input_tokens\":10,\"output_tokens\":"
          + answer.tokens()
          + "}}";
    }
    return "{\"id\":\"c1\",\"object\":\"chat.completion\",\"created\":1,\"model\":\"m\",\"choices\":[{"
        + "\"index\":0,\"message\":{\"role\":\"assistant\",\"content\":\""
        + answer.text()
        + "\""
        + (answer.callsTool()
            ? ",\"tool_calls\":[{\"id\":\"call_1\",\"type\":\"function\",\"function\":{\"name\":\""
                + TOOL
                + "\",\"arguments\":\""
                + escaped(answer.arguments())
                + "\"}}]"
            : "")
        + "},\"finish_reason\":\""
        + (answer.callsTool() ? "tool_calls" : "stop")
        + "\"}],\"usage\":{\"prompt_tokens\":10,\"completion_tokens\":"
        + answer.tokens()
        + ",\"total_tokens\":"
        + (10 + answer.tokens())
        + "}}";
  }

  /** An error as a provider writes it. */
  static String error(Api api, String message, String type, String code) {
    return api == Api.ANTHROPIC
        ? "{\"type\":\"error\",\"error\":{\"type\":\""
            + type
            + "\",\"message\":\""
            + message
            + "\"}}"
        : "{\"error\":{\"message\":\""
            + message
            + "\",\"type\":\""
            + type
            + "\",\"param\":null,\"code\":\""
            + code
            + "\"}}";
  }

  private static List<String> pieces(String text, RandomGenerator random) {
    var pieces = new ArrayList<String>();
    for (int at = 0; at < text.length(); ) {
      int end = Math.min(text.length(), at + 1 + random.nextInt(40));
      pieces.add(text.substring(at, end));
      at = end;
    }
    return pieces;
  }

  static String escaped(String text) {
    return text.replace("\\", "\\\\").replace("\"", "\\\"");
  }

  // ---- what a client of OpenAI's reads

  /**
   * A chat answer as its client understands it.
   *
   * @param calls tool calls that began
   * @param finished the reason that was told at the end, or empty
   * @param done whether the protocol's own last event came
   * @param error whether an error event came
   */
  record Read(String text, String arguments, int calls, String finished, int done, boolean error) {}

  /** Reads a stream up to its last whole event. */
  static Read read(String stream) {
    var text = new StringBuilder();
    var arguments = new StringBuilder();
    int calls = 0;
    int done = 0;
    var finished = "";
    boolean error = false;
    for (int at = 0; at < stream.length(); ) {
      int end = stream.indexOf("\n\n", at);
      if (end < 0) {
        break;
      }
      var event = stream.substring(at, end);
      at = end + 2;
      if (!event.startsWith("data: ")) {
        continue;
      }
      if (event.equals("data: [DONE]")) {
        done++;
        continue;
      }
      error |= event.startsWith("data: {\"error\"");
      if (event.contains("\"tool_calls\":[")) {
        calls +=
            event.contains("\"id\":\"call_1\"") || event.contains("\"id\":\"toolu_1\"") ? 1 : 0;
        arguments.append(field(event, "arguments"));
      } else {
        text.append(field(event, "content"));
      }
      var reason = field(event, "finish_reason");
      finished = reason.isEmpty() ? finished : reason;
    }
    return new Read(text.toString(), arguments.toString(), calls, finished, done, error);
  }

  /** The first string of that name in {@code json}, or nothing. */
  static String field(String json, String name) {
    int at = json.indexOf("\"" + name + "\":\"");
    if (at < 0) {
      return "";
    }
    var value = new StringBuilder();
    for (int i = at + name.length() + 4; json.charAt(i) != '"'; i++) {
      if (json.charAt(i) == '\\') {
        i++;
      }
      value.append(json.charAt(i));
    }
    return value.toString();
  }
}
