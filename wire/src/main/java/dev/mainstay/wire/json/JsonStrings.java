package dev.mainstay.wire.json;

import java.nio.charset.StandardCharsets;

/** Writes JSON strings. */
public final class JsonStrings {
  private static final String HEX = "0123456789abcdef";

  private JsonStrings() {}

  /** Appends {@code text} in quotes, escaped as far as JSON demands. */
  public static StringBuilder append(StringBuilder out, CharSequence text) {
    out.append('"');
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      switch (c) {
        case '"' -> out.append("\\\"");
        case '\\' -> out.append("\\\\");
        case '\n' -> out.append("\\n");
        case '\r' -> out.append("\\r");
        case '\t' -> out.append("\\t");
        default -> {
          // U+2028 and U+2029 end a line for some readers of event streams.
          if (c < 0x20 || c == 0x7f || c == '\u2028' || c == '\u2029' || loneSurrogate(text, i)) {
            out.append("\\u")
                .append(HEX.charAt(c >> 12))
                .append(HEX.charAt(c >> 8 & 15))
                .append(HEX.charAt(c >> 4 & 15))
                .append(HEX.charAt(c & 15));
          } else {
            out.append(c);
          }
        }
      }
    }
    return out.append('"');
  }

  private static boolean loneSurrogate(CharSequence text, int i) {
    char c = text.charAt(i);
    if (Character.isHighSurrogate(c)) {
      return i + 1 == text.length() || !Character.isLowSurrogate(text.charAt(i + 1));
    }
    return Character.isLowSurrogate(c)
        && (i == 0 || !Character.isHighSurrogate(text.charAt(i - 1)));
  }

  /** {@code text} as the bytes of a JSON string. */
  public static byte[] bytes(CharSequence text) {
    return append(new StringBuilder(text.length() + 2), text)
        .toString()
        .getBytes(StandardCharsets.UTF_8);
  }
}
