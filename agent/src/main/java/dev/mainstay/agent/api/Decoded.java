package dev.mainstay.agent.api;

import dev.mainstay.agent.api.Reply.Refused;
import io.netty.handler.codec.http.QueryStringDecoder;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/** Parts of a request's target without their escapes; a broken escape is refused with 400. */
final class Decoded {
  private Decoded() {}

  static String segment(String part) {
    return decoded(() -> QueryStringDecoder.decodeComponent(part.replace("+", "%2B")));
  }

  static Map<String, List<String>> parameters(String query) {
    return decoded(() -> new QueryStringDecoder("?" + query).parameters());
  }

  private static <T> T decoded(Supplier<T> text) {
    try {
      return text.get();
    } catch (IllegalArgumentException e) {
      throw new Refused(
          400,
          "invalid_request",
          "A % in the path or the query begins no escape: write it as %25.");
    }
  }
}
