package dev.mainstay.call.simulation;

import dev.mainstay.wire.Api;
import dev.mainstay.wire.Dialect;
import dev.mainstay.wire.Operation;
import java.util.ArrayList;
import java.util.List;
import java.util.random.RandomGenerator;

/**
 * What a provider of one dialect writes, and what its client asks and reads: by hand, without the
 * code under test.
 */
interface Wire {
  String TOOL = "look_up";

  Wire CHAT = new ChatWire(Dialect.OPENAI_CHAT);
  Wire MISTRAL = new ChatWire(Dialect.MISTRAL);
  Wire RESPONSES = new ResponsesWire();
  Wire ANTHROPIC = new AnthropicWire();
  Wire GEMINI = new GeminiWire();

  /** What clients speak. */
  List<Wire> CLIENTS = List.of(CHAT, RESPONSES, ANTHROPIC, MISTRAL, GEMINI);

  /** What a provider of {@code api} was asked in, by the path of the request. */
  static Wire asked(Api api, String path) {
    return switch (api) {
      case OPENAI -> path.endsWith("/responses") ? RESPONSES : CHAT;
      case MISTRAL -> MISTRAL;
      case ANTHROPIC -> ANTHROPIC;
      case GEMINI -> GEMINI;
    };
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

  /**
   * An answer as its client understands it.
   *
   * @param calls tool calls that began
   * @param finished the reason that was told at the end, or empty
   * @param done how often the protocol's own ending came
   * @param error whether an error event came
   */
  record Read(String text, String arguments, int calls, String finished, int done, boolean error) {}

  /** What a provider refuses a request for. */
  enum Refusal {
    KEY(401),
    MODEL(404),
    CONTEXT(400),
    VALUE(400),
    LIMIT(429),
    FAULT(500);

    final int status;

    Refusal(int status) {
      this.status = status;
    }
  }

  Dialect dialect();

  /** Whether providers of {@code api} speak this. */
  default boolean isOf(Api api) {
    return operation().offeredBy(api) && operation().dialectAt(api) == dialect();
  }

  Operation operation();

  /** The path that a client asks. */
  String path(boolean stream);

  /** A client's request. */
  String request(boolean stream, boolean tools, String prompt);

  /**
   * The events of one streamed answer.
   *
   * @param usage whether usage is told where that is the client's choice
   */
  List<String> stream(Answer answer, boolean usage, RandomGenerator random);

  /** A whole answer. */
  String whole(Answer answer);

  /** An error as a provider writes it. */
  String error(Refusal refusal, int status, String key);

  /** An error in a stream. */
  String errorEvent();

  /** What stands between two events. */
  default String endOfEvent() {
    return "\n\n";
  }

  /** Reads a stream up to its last whole event. */
  default Read read(String received) {
    var reader = new Reader();
    var between = "\n\n";
    // What is told beside the answer may end in another way than the answer's own events.
    var stream = received.replace("\r\n", "\n");
    for (int at = 0; at < stream.length(); ) {
      int end = stream.indexOf(between, at);
      if (end < 0) {
        break;
      }
      int data = stream.indexOf("data: ", at);
      if (data >= 0 && data < end && !stream.startsWith(":", at)) {
        event(stream.substring(data + "data: ".length(), end), reader);
      }
      at = end + between.length();
    }
    return new Read(
        reader.text.toString(),
        reader.arguments.toString(),
        reader.calls,
        reader.finished,
        reader.done,
        reader.error);
  }

  /** Reads one event's data. */
  void event(String data, Reader into);

  /** Reads a whole answer: its text and its call. */
  Read readWhole(String body);

  /** Why an answer ended, as the client reads it. */
  String finish(Answer answer);

  /** Whether {@code piece} of a stream begins a tool call. */
  boolean beginsCall(String piece);

  /** Whether {@code piece} of a stream is the error that ends it. */
  boolean isError(String piece);

  /** A whole answer in {@code body}; a field named {@code error} makes it an error. */
  static Read whole(
      String body, String text, String arguments, boolean callsTool, String finished) {
    return new Read(text, arguments, callsTool ? 1 : 0, finished, 1, body.contains("\"error\""));
  }

  /** What was read so far. */
  final class Reader {
    final StringBuilder text = new StringBuilder();
    final StringBuilder arguments = new StringBuilder();
    int calls;
    int done;
    String finished = "";
    boolean error;
  }

  static List<String> pieces(String text, RandomGenerator random) {
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

  /** An event of a dialect that names its events. */
  static String named(String type, String rest) {
    return "event: "
        + type
        + "\ndata: {\"type\":\""
        + type
        + "\""
        + (rest.isEmpty() ? "" : "," + rest)
        + "}\n\n";
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

  /** The first object of that name in {@code json}, which has none within, or nothing. */
  static String object(String json, String name) {
    int at = json.indexOf("\"" + name + "\":{");
    if (at < 0) {
      return "";
    }
    at += name.length() + 3;
    return json.substring(at, json.indexOf('}', at) + 1);
  }
}
