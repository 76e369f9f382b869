package dev.mainstay.core.failure;

/** The characters of what people paste as JSON: how a value begins, blanks, names and escapes. */
final class JsonText {
  /** Characters that are looked at ahead of a place. */
  static final int LOOK_AHEAD = 48;

  /** Characters of a string that are kept. */
  static final int MAX_STRING = 32_768;

  private JsonText() {}

  /** Whether an object or an array of objects, and not mere brackets, begins at {@code i}. */
  static boolean beginsAt(String text, int i) {
    char open = text.charAt(i);
    int next = skipBlank(text, i + 1, i + 1 + 4 * LOOK_AHEAD);
    if (next >= text.length()) {
      return false;
    }
    char c = text.charAt(next);
    if (open == '[') {
      return c == '{';
    }
    if (c == '"' || c == '\'' || c == '}') {
      return true;
    }
    int end = next;
    int limit = Math.min(text.length(), next + LOOK_AHEAD);
    while (end < limit && isNameChar(text.charAt(end))) {
      end++;
    }
    int colon = end;
    while (colon < limit && (text.charAt(colon) == ' ' || text.charAt(colon) == '\'')) {
      colon++;
    }
    return end > next && colon < limit && text.charAt(colon) == ':';
  }

  /** Appends the character that the escape at {@code i} stands for; answers what follows it. */
  static int unescape(String text, int i, StringBuilder into) {
    char c = text.charAt(i + 1);
    int next = i + 2;
    char real =
        switch (c) {
          case 'n' -> '\n';
          case 't' -> '\t';
          case 'r' -> '\r';
          case 'b', 'f' -> ' ';
          case 'u' -> {
            int code = hex(text, next);
            if (code >= 0) {
              next += 4;
              yield (char) code;
            }
            yield 'u';
          }
          default -> c;
        };
    if (into.length() < MAX_STRING) {
      into.append(real);
    }
    return next;
  }

  private static int hex(String text, int from) {
    if (from + 4 > text.length()) {
      return -1;
    }
    int code = 0;
    for (int i = from; i < from + 4; i++) {
      int digit = Character.digit(text.charAt(i), 16);
      if (digit < 0) {
        return -1;
      }
      code = code * 16 + digit;
    }
    return code;
  }

  /** The text with one level of backslash escapes taken away. */
  static String unescaped(String text) {
    var out = new StringBuilder(text.length());
    int i = 0;
    while (i < text.length()) {
      char c = text.charAt(i);
      if (c == '\\' && i + 1 < text.length() && out.length() < MAX_STRING) {
        i = unescape(text, i, out);
      } else {
        out.append(c);
        i++;
      }
    }
    return out.toString();
  }

  /** White space, also where it is written as an escape, as in dumps of bytes literals. */
  static int skipBlank(String text, int from, int limit) {
    int end = Math.min(text.length(), limit);
    int i = from;
    while (i < end) {
      char c = text.charAt(i);
      if (c <= ' ' || c == '\u00a0') {
        i++;
      } else if (c == '\\' && i + 1 < end && "nrt".indexOf(text.charAt(i + 1)) >= 0) {
        i += 2;
      } else {
        break;
      }
    }
    return i;
  }

  static boolean isNameChar(char c) {
    return c >= 'a' && c <= 'z'
        || c >= 'A' && c <= 'Z'
        || c >= '0' && c <= '9'
        || c == '_'
        || c == '-'
        || c == '$'
        || c == '@'
        || c == '.';
  }
}
