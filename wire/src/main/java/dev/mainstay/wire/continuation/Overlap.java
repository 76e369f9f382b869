package dev.mainstay.wire.continuation;

import java.util.Arrays;

/**
 * Finds, character by character, where in a delivered text a new text begins: the places from which
 * they are equal, and those of them that reach the delivered text's end, which is a repetition.
 */
final class Overlap {
  /**
   * How far from the delivered text's end a repetition may begin, apart from its very beginning:
   * 8,192 characters, more than a model asked to go on repeats. Bounds time and what is held back.
   */
  static final int WINDOW = 8192;

  /** A repetition of so much is none by chance, in ASCII letters' worth. */
  private static final int CERTAIN = 16;

  /** A repetition of so much is none by chance where it is whole words, two at least. */
  private static final int CERTAIN_WORDS = 8;

  private final String delivered;
  private int[] places = {};
  private int alive;
  private int read;
  private int longest;
  private int fromStart;

  Overlap(String delivered) {
    this.delivered = delivered;
  }

  void next(char c) {
    if (read == 0) {
      begin();
    }
    int kept = 0;
    for (int i = 0; i < alive; i++) {
      int at = places[i] + read;
      if (delivered.charAt(at) != c) {
        continue;
      }
      if (at + 1 == delivered.length()) {
        longest = read + 1;
      } else {
        places[kept++] = places[i];
      }
    }
    alive = kept;
    if (fromStart == read && read < delivered.length() && delivered.charAt(read) == c) {
      fromStart++;
    }
    read++;
  }

  private void begin() {
    int from = Math.max(0, delivered.length() - WINDOW);
    places = new int[delivered.length() - from + 1];
    if (from > 0) {
      places[alive++] = 0;
    }
    for (int at = from; at < delivered.length(); at++) {
      places[alive++] = at;
    }
    places = Arrays.copyOf(places, alive);
  }

  /** Whether more of the new text can still make a longer repetition. */
  boolean open() {
    return alive > 0;
  }

  /** The most characters of the delivered text's end that the new text begins with, so far. */
  int longest() {
    return longest;
  }

  /** How many characters the new text has in common with the delivered text's beginning. */
  int fromStart() {
    return fromStart;
  }

  /** Whether the new text repeats the delivered text whole. */
  boolean whole() {
    return longest > 0 && longest == delivered.length();
  }

  /**
   * Whether the longest repetition is certainly one: long enough, and nothing that the text says
   * again and again by itself.
   */
  boolean certain() {
    if (longest == 0) {
      return false;
    }
    int from = delivered.length() - longest;
    String repeated = delivered.substring(from);
    int weight = weight(repeated);
    boolean words = weight >= CERTAIN_WORDS && wordStarts(from) && wordsIn(repeated) >= 2;
    return (weight >= CERTAIN || words)
        && letters(repeated) >= 4
        && delivered.indexOf(repeated) == from
        && !repetitive(repeated);
  }

  /** Whether the first {@code length} characters are said nowhere else in the delivered text. */
  boolean beginsLikeNothingElse(int length) {
    return delivered.indexOf(delivered.substring(0, length), 1) < 0;
  }

  /** Length, with a character of other scripts for as much as its bytes. */
  static int weight(String text) {
    int weight = 0;
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      weight += c < 0x80 ? 1 : c < 0x800 || Character.isSurrogate(c) ? 2 : 3;
    }
    return weight;
  }

  private static int letters(String text) {
    return (int) text.codePoints().filter(Character::isLetterOrDigit).count();
  }

  private boolean wordStarts(int at) {
    return at == 0
        || !Character.isLetterOrDigit(delivered.codePointBefore(at))
        || !Character.isLetterOrDigit(delivered.codePointAt(at));
  }

  private static int wordsIn(String text) {
    int words = 0;
    boolean inside = false;
    for (int i = 0; i < text.length(); i++) {
      boolean letter = Character.isLetterOrDigit(text.charAt(i));
      if (letter && !inside) {
        words++;
      }
      inside = letter;
    }
    return words;
  }

  /**
   * Whether {@code text} is a shorter one said again and again: it ends as it begins for a third.
   */
  static boolean repetitive(String text) {
    // The failure function of Knuth, Morris and Pratt.
    var border = new int[text.length()];
    for (int i = 1, k = 0; i < text.length(); i++) {
      while (k > 0 && text.charAt(i) != text.charAt(k)) {
        k = border[k - 1];
      }
      if (text.charAt(i) == text.charAt(k)) {
        k++;
      }
      border[i] = k;
    }
    return border[text.length() - 1] * 3 >= text.length();
  }
}
