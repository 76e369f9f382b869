package dev.mainstay.wire.translate;

import dev.mainstay.wire.json.JsonStrings;
import dev.mainstay.wire.translate.request.CustomTool;

/**
 * The input of a custom tool's call, as it comes in pieces. In deltas a custom call has arguments
 * like any other, an object with the one text {@value Custom#INPUT}; in OpenAI's dialects the text
 * stands alone. An instance reads the text out of one call's arguments; not thread-safe.
 */
public final class CustomInput {
  private static final String BEGIN = "{\"" + CustomTool.INPUT + "\":\"";

  /** What ends the arguments that {@link #begin} began. */
  public static final String END = "\"}";

  private enum At {
    BEFORE,
    TEXT,
    ESCAPE,
    AFTER,
    /** No such object: what was written is the input, as it stands. */
    UNLIKE
  }

  private At at = At.BEFORE;
  private final StringBuilder before = new StringBuilder();

  /** The same without white space. */
  private final StringBuilder signs = new StringBuilder();

  /** Of a {@code \\u} escape, from its letter on. */
  private final StringBuilder code = new StringBuilder(4);

  /** The arguments' beginning, up to and with {@code text} of the input. */
  public static String begin(String text) {
    return BEGIN + more(text);
  }

  /** More of the arguments: {@code text} of the input. */
  public static String more(String text) {
    var quoted = JsonStrings.append(new StringBuilder(text.length() + 2), text);
    return quoted.substring(1, quoted.length() - 1);
  }

  /** What reads the rest of arguments whose beginning was written before. */
  public static CustomInput within() {
    var input = new CustomInput();
    input.at = At.TEXT;
    return input;
  }

  /** The whole input in {@code arguments}, or as much of it as is there. */
  public static String of(String arguments) {
    return new CustomInput().feed(arguments);
  }

  /** What the next piece of the arguments brings of the input. */
  public String feed(String arguments) {
    var text = new StringBuilder(arguments.length());
    for (int i = 0; i < arguments.length(); i++) {
      char c = arguments.charAt(i);
      switch (at) {
        case BEFORE -> before(c, text);
        case TEXT -> {
          switch (c) {
            case '"' -> at = At.AFTER;
            case '\\' -> at = At.ESCAPE;
            default -> text.append(c);
          }
        }
        case ESCAPE -> escape(c, text);
        case AFTER -> {}
        case UNLIKE -> text.append(c);
      }
    }
    return text.toString();
  }

  private void before(char c, StringBuilder text) {
    before.append(c);
    if (c == ' ' || c == '\n' || c == '\r' || c == '\t') {
      return;
    }
    signs.append(c);
    if (BEGIN.contentEquals(signs)) {
      at = At.TEXT;
    } else if (!BEGIN.startsWith(signs.toString())) {
      at = At.UNLIKE;
      text.append(before);
    }
  }

  private void escape(char c, StringBuilder text) {
    if (code.isEmpty() && c != 'u') {
      text.append(
          switch (c) {
            case 'n' -> '\n';
            case 'r' -> '\r';
            case 't' -> '\t';
            case 'b' -> '\b';
            case 'f' -> '\f';
            default -> c;
          });
      at = At.TEXT;
      return;
    }
    code.append(c);
    if (code.length() == 5) {
      int unit = 0;
      for (int i = 1; i < 5; i++) {
        unit = unit << 4 | Math.max(0, Character.digit(code.charAt(i), 16));
      }
      text.append((char) unit);
      code.setLength(0);
      at = At.TEXT;
    }
  }
}
