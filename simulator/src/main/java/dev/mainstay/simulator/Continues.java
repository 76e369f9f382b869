package dev.mainstay.simulator;

import java.util.Locale;

/**
 * What a simulated model does when it is asked for the rest of an answer that was begun: by a
 * prefill, where the dialect has one, or by a user message after an assistant message with the
 * beginning.
 */
public enum Continues {
  /** It goes on where the text stopped. Mistral says a prefill again before, as it really does. */
  EXACTLY,
  /** It says the last words again, 24 characters or a few more, and goes on. */
  REPEATING,
  /** It begins from the start, whatever it is given. */
  STARTING_OVER,
  /** It refuses a prefill, with the body that its provider does that with; else as EXACTLY. */
  REFUSING_PREFILLS;

  private static final int REPEATED = 24;

  /** The name in scripts. */
  String label() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /** What is said after {@code begun}, with which {@code text} begins. */
  String rest(String begun, String text) {
    return switch (this) {
      case EXACTLY, REFUSING_PREFILLS -> text.substring(begun.length());
      case REPEATING -> text.substring(wordsBefore(begun));
      case STARTING_OVER -> text;
    };
  }

  private static int wordsBefore(String begun) {
    int from = begun.length() - REPEATED;
    while (from > 0 && !Character.isWhitespace(begun.charAt(from - 1))) from--;
    return Math.max(0, from);
  }
}
