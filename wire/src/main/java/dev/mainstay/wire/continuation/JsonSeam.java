package dev.mainstay.wire.continuation;

import java.util.BitSet;

/**
 * Follows one JSON value through the pieces of a text: whether they can still become one, and when
 * they have. As strict as RFC 8259, byte order marks and repeated keys apart. Not thread-safe.
 */
public final class JsonSeam {
  /** Deeper nesting than any API documents. */
  private static final int MAX_DEPTH = 512;

  private enum State {
    VALUE,
    /** After an opening bracket. */
    FIRST_VALUE,
    /** After an opening brace. */
    FIRST_KEY,
    KEY,
    COLON,
    AFTER_VALUE,
    STRING,
    ESCAPE,
    HEX,
    LITERAL,
    MINUS,
    ZERO,
    INTEGER,
    POINT,
    FRACTION,
    EXPONENT,
    EXPONENT_SIGN,
    EXPONENT_DIGITS,
    COMPLETE,
    BROKEN
  }

  /** Whether each level that is open is an object. */
  private final BitSet objects = new BitSet();

  private int depth;
  private State state = State.VALUE;
  private boolean key;
  private int hexLeft;
  private String literal = "";
  private int literalAt;

  /**
   * Takes as much of {@code text} as can belong to the value.
   *
   * @return how many characters were taken: all of them, or fewer where the value was complete, or
   *     can never be one
   */
  public int take(CharSequence text) {
    for (int i = 0; i < text.length(); i++) {
      if (state == State.COMPLETE || state == State.BROKEN) {
        return i;
      }
      next(text.charAt(i));
      if (state == State.BROKEN) {
        return i;
      }
    }
    return text.length();
  }

  /** Whether the value is complete, so that nothing of it can follow. */
  public boolean complete() {
    return state == State.COMPLETE;
  }

  /** Whether what was taken and refused can never be a JSON value. */
  public boolean broken() {
    return state == State.BROKEN;
  }

  /** Whether the value would be one if the text ended here. */
  public boolean mayEnd() {
    return state == State.COMPLETE
        || depth == 0
            && switch (state) {
              case ZERO, INTEGER, FRACTION, EXPONENT_DIGITS -> true;
              default -> false;
            };
  }

  /** Whether {@code text} is one JSON value and nothing else but white space. */
  public static boolean isWhole(String text) {
    var seam = new JsonSeam();
    String value = text.strip();
    return seam.take(value) == value.length() && seam.mayEnd();
  }

  private void next(char c) {
    switch (state) {
      case VALUE, FIRST_VALUE -> value(c);
      case FIRST_KEY, KEY -> key(c);
      case COLON -> {
        if (c == ':') {
          state = State.VALUE;
        } else if (!white(c)) {
          state = State.BROKEN;
        }
      }
      case AFTER_VALUE -> afterValue(c);
      case STRING -> {
        if (c == '"') {
          endString();
        } else if (c == '\\') {
          state = State.ESCAPE;
        } else if (c < ' ') {
          state = State.BROKEN;
        }
      }
      case ESCAPE -> {
        if (c == 'u') {
          hexLeft = 4;
          state = State.HEX;
        } else {
          state = "\"\\/bfnrt".indexOf(c) >= 0 ? State.STRING : State.BROKEN;
        }
      }
      case HEX -> {
        if (Character.digit(c, 16) < 0 || c > 'f') {
          state = State.BROKEN;
        } else if (--hexLeft == 0) {
          state = State.STRING;
        }
      }
      case LITERAL -> {
        if (c != literal.charAt(literalAt)) {
          state = State.BROKEN;
        } else if (++literalAt == literal.length()) {
          valueEnds();
        }
      }
      case MINUS -> integer(c);
      case ZERO, INTEGER, POINT, FRACTION, EXPONENT, EXPONENT_SIGN, EXPONENT_DIGITS -> number(c);
      case COMPLETE, BROKEN -> throw new IllegalStateException("nothing is taken any more");
    }
  }

  private void value(char c) {
    if (white(c)) {
      return;
    }
    switch (c) {
      case '{' -> open(true);
      case '[' -> open(false);
      case ']' -> {
        if (state == State.FIRST_VALUE) {
          close(false);
        } else {
          state = State.BROKEN;
        }
      }
      case '"' -> {
        key = false;
        state = State.STRING;
      }
      case 't' -> literal("true");
      case 'f' -> literal("false");
      case 'n' -> literal("null");
      case '-' -> state = State.MINUS;
      default -> integer(c);
    }
  }

  private void key(char c) {
    if (c == '"') {
      key = true;
      state = State.STRING;
    } else if (c == '}' && state == State.FIRST_KEY) {
      close(true);
    } else if (!white(c)) {
      state = State.BROKEN;
    }
  }

  private void afterValue(char c) {
    switch (c) {
      case ',' -> state = objects.get(depth) ? State.KEY : State.VALUE;
      case '}' -> close(true);
      case ']' -> close(false);
      default -> {
        if (!white(c)) {
          state = State.BROKEN;
        }
      }
    }
  }

  private void integer(char c) {
    state = c == '0' ? State.ZERO : digit(c) ? State.INTEGER : State.BROKEN;
  }

  private void number(char c) {
    switch (state) {
      case ZERO -> afterDigits(c, State.ZERO, false, true);
      case INTEGER -> afterDigits(c, State.INTEGER, true, true);
      case POINT -> state = digit(c) ? State.FRACTION : State.BROKEN;
      case FRACTION -> afterDigits(c, State.FRACTION, true, false);
      case EXPONENT -> {
        if (c == '+' || c == '-') {
          state = State.EXPONENT_SIGN;
        } else {
          state = digit(c) ? State.EXPONENT_DIGITS : State.BROKEN;
        }
      }
      case EXPONENT_SIGN -> state = digit(c) ? State.EXPONENT_DIGITS : State.BROKEN;
      default -> {
        if (!digit(c)) {
          numberEnds(c);
        }
      }
    }
  }

  private void afterDigits(char c, State same, boolean moreDigits, boolean point) {
    if (digit(c)) {
      state = moreDigits ? same : State.BROKEN;
    } else if (c == '.' && point) {
      state = State.POINT;
    } else if (c == 'e' || c == 'E') {
      state = State.EXPONENT;
    } else {
      numberEnds(c);
    }
  }

  private void numberEnds(char c) {
    if (depth == 0) {
      state = white(c) ? State.COMPLETE : State.BROKEN;
      return;
    }
    state = State.AFTER_VALUE;
    afterValue(c);
  }

  private void literal(String word) {
    literal = word;
    literalAt = 1;
    state = State.LITERAL;
  }

  private void endString() {
    if (key) {
      state = State.COLON;
    } else {
      valueEnds();
    }
  }

  private void valueEnds() {
    state = depth == 0 ? State.COMPLETE : State.AFTER_VALUE;
  }

  private void open(boolean object) {
    if (++depth > MAX_DEPTH) {
      state = State.BROKEN;
      return;
    }
    objects.set(depth, object);
    state = object ? State.FIRST_KEY : State.FIRST_VALUE;
  }

  private void close(boolean object) {
    if (objects.get(depth) != object) {
      state = State.BROKEN;
      return;
    }
    depth--;
    valueEnds();
  }

  private static boolean white(char c) {
    return c == ' ' || c == '\n' || c == '\r' || c == '\t';
  }

  private static boolean digit(char c) {
    return c >= '0' && c <= '9';
  }
}
