package dev.mainstay.wire.continuation;

import java.util.Locale;

/**
 * The place where two attempts' texts were joined.
 *
 * @param swallowed characters (UTF-16) of the new text that were left out because the client had
 *     them, or because they were no part of the answer
 */
public record Seam(Certainty certainty, int swallowed) {

  /** How sure it is that nothing is missing or doubled there. */
  public enum Certainty {
    /** The target took up the begun answer. */
    EXACT,
    /** What the target repeated was found, and left out. */
    ALIGNED,
    /**
     * The target went on without anything to tell by that it did so at the right place, or began
     * with a few characters that may be a repetition as well as the text itself.
     */
    UNCERTAIN;

    /** The name in records and comments. */
    public String label() {
      return name().toLowerCase(Locale.ROOT);
    }
  }
}
