package dev.mainstay.call.redact;

import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;

/**
 * A regular expression whose matches are taken out of texts. Java's expressions can take time
 * without end; here they are stopped after a number of steps that grows with the text, and a text
 * that was not searched to its end is taken out whole.
 */
record TextRule(Pattern pattern) {
  /** Reads of a character for each there is; a pattern that means something needs a few dozen. */
  private static final int STEPS_PER_CHAR = 200;

  private static final int STEPS = 100_000;

  /**
   * @param text between slashes
   * @throws IllegalArgumentException where it is no expression
   */
  static TextRule of(String text) {
    try {
      return new TextRule(Pattern.compile(text.substring(1, text.length() - 1)));
    } catch (PatternSyntaxException e) {
      throw new IllegalArgumentException(e.getDescription(), e);
    }
  }

  String apply(String text) {
    try {
      return pattern
          .matcher(new Counted(text, STEPS + (long) STEPS_PER_CHAR * text.length()))
          .replaceAll(Redaction.MARK_TEXT);
    } catch (TooLong | StackOverflowError e) {
      return Redaction.MARK_TEXT;
    }
  }

  private static final class TooLong extends RuntimeException {
    private static final long serialVersionUID = 1L;

    TooLong() {
      super(null, null, false, false);
    }
  }

  private static final class Counted implements CharSequence {
    private final CharSequence text;
    private long left;

    Counted(CharSequence text, long steps) {
      this.text = text;
      left = steps;
    }

    @Override
    public int length() {
      return text.length();
    }

    @Override
    public char charAt(int index) {
      if (--left < 0) {
        throw new TooLong();
      }
      return text.charAt(index);
    }

    @Override
    public CharSequence subSequence(int start, int end) {
      return text.subSequence(start, end);
    }

    @Override
    public String toString() {
      return text.toString();
    }
  }
}
