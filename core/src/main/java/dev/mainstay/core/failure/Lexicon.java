package dev.mainstay.core.failure;

import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Names of errors and what they stand for, found as whole words of a text. Of every word that is
 * long enough for a name one letter is looked at, and only one with a name's length and first
 * letter is made a string. Immutable.
 */
final class Lexicon<V> {
  private static final int LONGEST = 63;

  private final Map<String, V> names;
  private final boolean anyCase;
  private final boolean joined;
  private final int shortest;

  /** For each length the letters with which names so long begin, from 'A' to 'z' a bit each. */
  private final long[] firsts = new long[LONGEST + 1];

  private Lexicon(Map<String, V> names, boolean anyCase) {
    this.names = Map.copyOf(names);
    this.anyCase = anyCase;
    joined = names.keySet().stream().anyMatch(name -> name.indexOf('_') >= 0);
    shortest = names.keySet().stream().mapToInt(String::length).min().orElse(LONGEST);
    for (var name : names.keySet()) {
      char first = name.charAt(0);
      firsts[name.length()] |= bit(first) | (anyCase ? bit(Character.toUpperCase(first)) : 0);
    }
  }

  /** Of names in lower case, which a text may write in any. */
  static <V> Lexicon<V> ofAnyCase(Map<String, V> names) {
    return new Lexicon<>(names, true);
  }

  /** Of names as a text must write them. */
  static <V> Lexicon<V> exactly(Map<String, V> names) {
    return new Lexicon<>(names, false);
  }

  /** Whether a name that stands in {@code text} from {@code from} on is meant as one. */
  interface Condition {
    boolean holds(String text, int from, int to);
  }

  /** What the first name in {@code text} stands for, or null. */
  @Nullable V first(String text) {
    return first(text, (all, from, to) -> true);
  }

  /** What the first name in {@code text} that makes {@code sense} stands for, or null. */
  @Nullable V first(String text, Condition sense) {
    int i = 0;
    while (i + shortest <= text.length()) {
      int middle = i + shortest - 1;
      if (!isWord(text.charAt(middle))) {
        i = middle + 1;
        continue;
      }
      int start = middle;
      while (start > i && isWord(text.charAt(start - 1))) {
        start--;
      }
      int end = middle + 1;
      while (end < text.length() && isWord(text.charAt(end))) {
        end++;
      }
      var found = word(text, start, end);
      if (found != null && sense.holds(text, start, end)) {
        return found;
      }
      i = end;
    }
    return null;
  }

  private @Nullable V word(String text, int from, int to) {
    if (to - from > LONGEST || (firsts[to - from] & bit(text.charAt(from))) == 0) {
      return null;
    }
    var word = text.substring(from, to);
    return names.get(anyCase ? word.toLowerCase(Locale.ROOT) : word);
  }

  private static long bit(char letter) {
    return 1L << letter - 'A';
  }

  private boolean isWord(char c) {
    return c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z' || joined && c == '_';
  }
}
