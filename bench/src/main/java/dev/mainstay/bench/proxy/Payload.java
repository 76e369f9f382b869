package dev.mainstay.bench.proxy;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.util.List;

/**
 * What is asked and answered. The upstream's path begins with the name; through the gateway the
 * name is the provider of {@code model}.
 *
 * @param label for tables
 * @param requestBytes about how long the request's body is
 * @param answer the whole answer of the upstream
 * @param stream whether the client asks for a stream
 * @param rate bytes a second at which the upstream sends, an event at a time; 0 for as fast as it
 *     can
 */
record Payload(
    String name, String label, int requestBytes, byte[] answer, boolean stream, int rate) {
  /** Bytes of one event. About what a provider sends for a token. */
  static final int EVENT = 240;

  /** Stands in each request's body, near its beginning. */
  static final String NUMBER = "0000000000";

  static final Payload JSON_1K = json("json1k", "JSON, answer 1 KB", 1_000, 1_000);
  static final Payload JSON_16K = json("json16k", "JSON, answer 16 KB", 1_000, 16_000);
  static final Payload PROMPT_100K = json("prompt100k", "prompt 100 KB", 100_000, 1_000);
  static final Payload STREAM_100 = events("stream100", "stream of 100 events", 100, 0);
  static final Payload STREAM_200 = events("stream200", "stream of 200 events", 200, 0);

  /** 50 events a second, as a fast model sends them. */
  static final Payload PACED = events("paced", "stream of 100 events, paced", 100, 50 * EVENT);

  /** Two events a second: open for a minute. */
  static final Payload SLOW = events("slow", "slow stream", 120, 2 * EVENT);

  static final List<Payload> AS_FAST_AS_IT_GOES =
      List.of(JSON_1K, JSON_16K, PROMPT_100K, STREAM_100, STREAM_200);
  static final List<Payload> ALL =
      List.of(JSON_1K, JSON_16K, PROMPT_100K, STREAM_100, STREAM_200, PACED, SLOW);

  private static Payload json(String name, String label, int requestBytes, int answerBytes) {
    var head =
        "{\"id\":\"chatcmpl-1\",\"object\":\"chat.completion\",\"created\":1700000000,\"model\":\"bench\","
            + "\"choices\":[{\"index\":0,\"message\":{\"role\":\"assistant\",\"content\":\"";
    var tail =
        "\"},\"finish_reason\":\"stop\"}],\"usage\":{\"prompt_tokens\":200,\"completion_tokens\":150,"
            + "\"total_tokens\":350,\"prompt_tokens_details\":{\"cached_tokens\":0}}}";
    var answer = head + words(answerBytes - head.length() - tail.length()) + tail;
    return new Payload(name, label, requestBytes, answer.getBytes(US_ASCII), false, 0);
  }

  private static Payload events(String name, String label, int count, int rate) {
    var out = new StringBuilder(count * EVENT);
    for (int i = 0; i < count - 2; i++) {
      out.append(event("{\"content\":\"", words(20) + "\"}", "null"));
    }
    out.append(event("{", "}", "\"stop\""));
    var end = "data: [DONE]\n\n";
    out.append(":").append(" ".repeat(EVENT - end.length() - 3)).append("\n\n").append(end);
    return new Payload(name, label, 1_000, out.toString().getBytes(US_ASCII), true, rate);
  }

  private static String event(String delta, String rest, String finish) {
    var start =
        "data: {\"id\":\"chatcmpl-1\",\"object\":\"chat.completion.chunk\",\"created\":1700000000,"
            + "\"model\":\"bench\",\"system_fingerprint\":\"";
    var end =
        "\",\"choices\":[{\"index\":0,\"delta\":"
            + delta
            + rest
            + ",\"finish_reason\":"
            + finish
            + "}]}\n\n";
    return start + "f".repeat(EVENT - start.length() - end.length()) + end;
  }

  private static String words(int length) {
    var text = "The quick brown fox jumps over the lazy dog and then it sleeps. ";
    return text.repeat(length / text.length() + 1).substring(0, length);
  }

  /** The request as it goes over the wire, to {@code port}. */
  byte[] request(int port, boolean throughGateway) {
    var before =
        "{\"model\":\"%s\",%s\"user\":\"%s\",\"temperature\":0.7,\"messages\":[{\"role\":\"user\",\"content\":\""
            .formatted(
                throughGateway ? name + "/bench" : "bench",
                stream ? "\"stream\":true," : "",
                NUMBER);
    var body = before + words(requestBytes - before.length() - 4) + "\"}]}";
    var path = throughGateway ? "/v1/chat/completions" : "/" + name + "/v1/chat/completions";
    var head =
        "POST "
            + path
            + " HTTP/1.1\r\nHost: 127.0.0.1:"
            + port
            + "\r\nAccept: application/json\r\nContent-Type: application/json\r\n"
            + "User-Agent: OpenAI/Python 2.8.0\r\nX-Stainless-Lang: python\r\n"
            + "X-Stainless-Retry-Count: 0\r\nAuthorization: Bearer bench\r\nContent-Length: "
            + body.length()
            + "\r\n\r\n";
    return (head + body).getBytes(US_ASCII);
  }
}
