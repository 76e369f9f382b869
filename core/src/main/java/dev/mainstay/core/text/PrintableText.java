package dev.mainstay.core.text;

/**
 * Makes text from outside safe for a log line, a terminal or an alert: what would break a line,
 * drive a terminal or reorder what is read is written as an escape ({@code \n}, {@code \u001b}).
 * That is every control, format (bidirectional marks, zero-width characters), line or paragraph
 * separator, noncharacter and lone surrogate; letters of all scripts and emoji stay as they are.
 * Stateless.
 */
public final class PrintableText {
  private static final String HEX = "0123456789abcdef";

  private PrintableText() {}

  /** {@code text} as a part of one line. */
  public static String line(String text) {
    return escaped(text, false);
  }

  /**
   * {@code text} as a part of one line, of at most {@code most} characters and a mark after them.
   */
  public static String line(String text, int most) {
    if (text.length() <= most) {
      return line(text);
    }
    return line(text.substring(0, most)) + "… (" + (text.length() - most) + " more)";
  }

  /** {@code text} with the lines and tabs that it has. */
  public static String lines(String text) {
    return escaped(text, true);
  }

  private static String escaped(String text, boolean lines) {
    int at = 0;
    while (at < text.length() && isPlain(text.charAt(at))) {
      at++;
    }
    if (at == text.length()) {
      return text;
    }
    var out = new StringBuilder(text.length() + 16).append(text, 0, at);
    while (at < text.length()) {
      int c = text.codePointAt(at);
      int next = at + Character.charCount(c);
      boolean layout =
          c == '\n'
              || c == '\t'
              || (c == '\r' && next < text.length() && text.charAt(next) == '\n');
      if (isPrintable(c) || (lines && layout)) {
        out.appendCodePoint(c);
      } else {
        escape(out, text, at, next);
      }
      at = next;
    }
    return out.toString();
  }

  private static boolean isPlain(char c) {
    return c >= ' ' && c < 0x7f;
  }

  private static boolean isPrintable(int c) {
    return switch (Character.getType(c)) {
      case Character.CONTROL,
          Character.FORMAT,
          Character.LINE_SEPARATOR,
          Character.PARAGRAPH_SEPARATOR,
          Character.SURROGATE,
          Character.UNASSIGNED ->
          false;
      default -> true;
    };
  }

  private static void escape(StringBuilder out, String text, int from, int to) {
    switch (text.charAt(from)) {
      case '\n' -> out.append("\\n");
      case '\r' -> out.append("\\r");
      case '\t' -> out.append("\\t");
      default -> {
        for (int i = from; i < to; i++) {
          char c = text.charAt(i);
          out.append("\\u");
          for (int shift = 12; shift >= 0; shift -= 4) {
            out.append(HEX.charAt(c >> shift & 15));
          }
        }
      }
    }
  }
}
