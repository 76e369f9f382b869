package dev.mainstay.wire.repair;

/**
 * Reads one value of nearly-JSON and writes it as JSON. Numbers and well-formed strings are copied
 * as they stand. One use; linear in what it reads.
 */
final class LenientJson {
  private final String text;
  private final StringBuilder out;
  private int at;

  LenientJson(String text, int from) {
    this.text = text;
    this.at = from;
    this.out = new StringBuilder(Math.max(16, text.length() - from));
  }

  /** Reads the value; false where there is none, or none with only one reading. */
  boolean value() {
    return value(0);
  }

  /** Where the value ended. */
  int at() {
    return at;
  }

  /** The value as JSON. */
  String written() {
    return out.toString();
  }

  private boolean value(int depth) {
    space();
    if (at >= text.length() || depth >= Trees.MAX_DEPTH) {
      return false;
    }
    char c = text.charAt(at);
    return switch (c) {
      case '{' -> object(depth);
      case '[' -> array(depth);
      case '"', '\'' -> string(c);
      default -> c == '-' || c >= '0' && c <= '9' ? number() : word();
    };
  }

  private boolean object(int depth) {
    out.append('{');
    at++;
    for (boolean any = false; ; any = true) {
      space();
      if (peek('}')) {
        return close('}');
      }
      if (any) {
        out.append(',');
      }
      if (!key()) {
        return false;
      }
      space();
      if (!peek(':')) {
        return false;
      }
      at++;
      out.append(':');
      if (!value(depth + 1) || !separated('}')) {
        return false;
      }
    }
  }

  private boolean array(int depth) {
    out.append('[');
    at++;
    for (boolean any = false; ; any = true) {
      space();
      if (peek(']')) {
        return close(']');
      }
      if (any) {
        out.append(',');
      }
      if (!value(depth + 1) || !separated(']')) {
        return false;
      }
    }
  }

  /** Past a comma; a missing one is right only before the end. */
  private boolean separated(char end) {
    space();
    if (peek(',')) {
      at++;
      return true;
    }
    return peek(end);
  }

  private boolean close(char sign) {
    out.append(sign);
    at++;
    return true;
  }

  private boolean key() {
    if (at >= text.length()) {
      return false;
    }
    char c = text.charAt(at);
    if (c == '"' || c == '\'') {
      return string(c);
    }
    int start = at;
    while (at < text.length() && (Character.isLetterOrDigit(text.charAt(at)) || peek('_'))) {
      at++;
    }
    if (at == start || Character.isDigit(c)) {
      return false;
    }
    out.append('"').append(text, start, at).append('"');
    return true;
  }

  private boolean word() {
    int start = at;
    while (at < text.length() && Character.isLetter(text.charAt(at))) {
      at++;
    }
    var json =
        switch (text.substring(start, Math.min(at, start + 6))) {
          case "true", "True" -> "true";
          case "false", "False" -> "false";
          case "null", "None" -> "null";
          default -> null;
        };
    if (json == null) {
      return false;
    }
    out.append(json);
    return true;
  }

  private boolean number() {
    int start = at;
    if (peek('-')) {
      at++;
    }
    int whole = at;
    digits();
    if (at == whole || at - whole > 1 && text.charAt(whole) == '0') {
      return false;
    }
    if (peek('.')) {
      int point = ++at;
      digits();
      if (at == point) {
        return false;
      }
    }
    if (peek('e') || peek('E')) {
      at++;
      if (peek('+') || peek('-')) {
        at++;
      }
      int exponent = at;
      digits();
      if (at == exponent) {
        return false;
      }
    }
    out.append(text, start, at);
    return at >= text.length() || ",]} \t\r\n".indexOf(text.charAt(at)) >= 0;
  }

  private void digits() {
    while (at < text.length() && text.charAt(at) >= '0' && text.charAt(at) <= '9') {
      at++;
    }
  }

  private boolean string(char quote) {
    out.append('"');
    for (at++; at < text.length(); at++) {
      char c = text.charAt(at);
      if (c == quote) {
        out.append('"');
        at++;
        return true;
      }
      if (c == '\\') {
        if (!escape()) {
          return false;
        }
      } else if (c == '"') {
        out.append("\\\"");
      } else if (c < ' ') {
        unicode(c);
      } else {
        out.append(c);
      }
    }
    return false;
  }

  /** JSON's escapes, and those of Python and JavaScript that mean one thing only. */
  private boolean escape() {
    if (++at >= text.length()) {
      return false;
    }
    char c = text.charAt(at);
    switch (c) {
      case '"', '\\', '/', 'b', 'f', 'n', 'r', 't' -> out.append('\\').append(c);
      case '\'' -> out.append('\'');
      case 'u' -> {
        return hex(4);
      }
      case 'x' -> {
        return hex(2);
      }
      default -> {
        return false;
      }
    }
    return true;
  }

  private boolean hex(int digits) {
    if (at + digits >= text.length()) {
      return false;
    }
    int code = 0;
    for (int i = 0; i < digits; i++) {
      int digit = Character.digit(text.charAt(++at), 16);
      if (digit < 0 || text.charAt(at) > 'f') {
        return false;
      }
      code = code << 4 | digit;
    }
    unicode((char) code);
    return true;
  }

  private void unicode(char c) {
    switch (c) {
      case '\n' -> out.append("\\n");
      case '\r' -> out.append("\\r");
      case '\t' -> out.append("\\t");
      default ->
          out.append("\\u")
              .append(Character.forDigit(c >> 12, 16))
              .append(Character.forDigit(c >> 8 & 15, 16))
              .append(Character.forDigit(c >> 4 & 15, 16))
              .append(Character.forDigit(c & 15, 16));
    }
  }

  private boolean peek(char c) {
    return at < text.length() && text.charAt(at) == c;
  }

  private void space() {
    while (at < text.length() && text.charAt(at) <= ' ') {
      at++;
    }
  }
}
