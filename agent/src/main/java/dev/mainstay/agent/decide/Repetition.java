package dev.mainstay.agent.decide;

/** Notices a text that ends in the same words over and over. */
final class Repetition {
  /** The longest unit looked for, in characters. */
  private static final int LONGEST_UNIT = 400;

  /** How often the unit comes, and how much of the text it fills, before it counts as endless. */
  private static final int LEAST_TIMES = 8;

  private static final int LEAST_LENGTH = 1000;

  private Repetition() {}

  /**
   * Whether {@code text} ends in one unit of at most {@value #LONGEST_UNIT} characters that comes
   * {@value #LEAST_TIMES} times or more in a row and fills {@value #LEAST_LENGTH} characters. White
   * space alone, and rules of one character as tables have them, do not count.
   */
  static boolean isEndless(String text) {
    int length = text.length();
    for (int unit = 2; unit <= LONGEST_UNIT; unit++) {
      int needed = Math.max(unit * LEAST_TIMES, LEAST_LENGTH);
      if (needed > length) {
        return false;
      }
      if (repeats(text, unit, needed) && words(text, length - unit)) {
        return true;
      }
    }
    return false;
  }

  private static boolean repeats(String text, int unit, int length) {
    for (int i = text.length() - length; i < text.length() - unit; i++) {
      if (text.charAt(i) != text.charAt(i + unit)) {
        return false;
      }
    }
    return true;
  }

  private static boolean words(String text, int from) {
    return text.substring(from).chars().filter(Character::isLetterOrDigit).distinct().count() > 1;
  }
}
