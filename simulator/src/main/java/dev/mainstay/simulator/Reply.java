package dev.mainstay.simulator;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;
import tools.jackson.databind.JsonNode;

/**
 * A good answer, in the pieces between which things can go wrong.
 *
 * @param preamble events before the first content
 * @param deltas events with content; two halves of the body where it is not streamed
 * @param ending what the protocol ends with
 */
record Reply(boolean stream, List<byte[]> preamble, List<byte[]> deltas, List<byte[]> ending) {
  private static final Pattern WORDS = Pattern.compile("\\S+\\s*|\\s+");

  /** An answer that is not streamed. */
  static Reply whole(JsonNode body) {
    byte[] bytes = Json.bytes(body);
    int half = bytes.length / 2;
    return new Reply(
        false,
        List.of(),
        List.of(Arrays.copyOf(bytes, half), Arrays.copyOfRange(bytes, half, bytes.length)),
        List.of());
  }

  /** Gemini's stream that is an array is JSON. */
  String contentType() {
    byte[] first =
        preamble.isEmpty()
            ? deltas.isEmpty() ? new byte[0] : deltas.getFirst()
            : preamble.getFirst();
    boolean array = first.length > 0 && first[0] == '[';
    return stream && !array ? "text/event-stream; charset=utf-8" : "application/json";
  }

  boolean beyondAscii() {
    for (byte[] delta : deltas) {
      for (byte each : delta) {
        if (each < 0) return true;
      }
    }
    return false;
  }

  int size() {
    return deltas.stream().mapToInt(d -> d.length).sum();
  }

  /** An event without a name. */
  static byte[] data(String data) {
    return ("data: " + data + "\n\n").getBytes(StandardCharsets.UTF_8);
  }

  /** An event with a name. */
  static byte[] event(String name, JsonNode data) {
    return ("event: " + name + "\ndata: " + Json.write(data) + "\n\n")
        .getBytes(StandardCharsets.UTF_8);
  }

  /** Text in the pieces in which a model would send it, which are tokens of a kind. */
  static List<String> words(String text) {
    return WORDS.matcher(text).results().map(m -> m.group()).toList();
  }
}
