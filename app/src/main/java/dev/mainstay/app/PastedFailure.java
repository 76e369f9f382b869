package dev.mainstay.app;

import dev.mainstay.core.failure.Facts;
import dev.mainstay.core.failure.Facts.Where;
import dev.mainstay.core.failure.Headers;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Reads a failure as a person pastes it: the output of {@code curl -i}, a body, an exception's text
 * or its stack trace.
 */
final class PastedFailure {
  private PastedFailure() {}

  /** Whether the input that begins with {@code line} is one paste, and not JSON Lines. */
  static boolean beginsWith(String line) {
    var stripped = line.strip();
    return !stripped.startsWith("{") || stripped.equals("{");
  }

  /** The facts of {@code text}. */
  static Facts facts(String text) {
    var rest = text.replace("\r\n", "\n").strip();
    @Nullable Integer status = null;
    Map<String, String> headers = new HashMap<>();
    while (rest.startsWith("HTTP/")) { // a proxy's answer or "100 Continue" comes before the last
      int end = rest.indexOf("\n\n");
      var lines = (end < 0 ? rest : rest.substring(0, end)).split("\n", -1);
      status = status(lines[0]);
      headers.clear();
      for (int i = 1; i < lines.length; i++) {
        int colon = lines[i].indexOf(':');
        if (colon > 0) {
          headers.put(lines[i].substring(0, colon).strip(), lines[i].substring(colon + 1).strip());
        }
      }
      rest = end < 0 ? "" : rest.substring(end).strip();
    }
    boolean body =
        status != null || rest.startsWith("{") || rest.startsWith("<") || rest.startsWith("data:");
    return body
        ? new Facts(null, Where.HTTP, status, new Headers(headers), rest, null, null)
        : new Facts(null, Where.CLIENT, null, Headers.none(), null, rest, null);
  }

  /** {@code HTTP/1.1 429 Too Many Requests} as 429, or null. */
  private static @Nullable Integer status(String line) {
    var words = line.split(" ", 3);
    return words.length > 1 && words[1].matches("\\d{3}") ? Integer.valueOf(words[1]) : null;
  }
}
