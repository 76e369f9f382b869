package dev.mainstay.core.classify;

import java.util.BitSet;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Statuses a rule is for: {@code 400 404 5xx 520-526 none}; an empty one is for all. */
record StatusSet(BitSet statuses, boolean none, boolean all) {
  static final StatusSet ALL = new StatusSet(new BitSet(), true, true);

  /**
   * All but those that say by themselves that a person or another request is needed: no sentence
   * about being busy makes up for a 401.
   */
  static final StatusSet UNLESS_REFUSED =
      unlessRefused(401, 402, 403, 404, 405, 407, 410, 413, 451);

  private static StatusSet unlessRefused(int... refusals) {
    var statuses = new BitSet(1000);
    statuses.set(100, 1000);
    for (int refusal : refusals) {
      statuses.clear(refusal);
    }
    return new StatusSet(statuses, true, false);
  }

  boolean holds(@Nullable Integer status) {
    return all || (status == null ? none : status >= 0 && statuses.get(status));
  }

  static StatusSet parse(String text) {
    var statuses = new BitSet(600);
    boolean none = false;
    for (var word : text.strip().toLowerCase(Locale.ROOT).split("[\\s,|]+")) {
      if (word.equals("none")) {
        none = true;
      } else if (word.length() == 3 && word.endsWith("xx") && Character.isDigit(word.charAt(0))) {
        int from = (word.charAt(0) - '0') * 100;
        statuses.set(from, from + 100);
      } else {
        int dash = word.indexOf('-');
        int from = number(dash < 0 ? word : word.substring(0, dash), word);
        int to = dash < 0 ? from : number(word.substring(dash + 1), word);
        statuses.set(from, to + 1);
      }
    }
    return new StatusSet(statuses, none, false);
  }

  private static int number(String digits, String word) {
    if (digits.length() != 3 || !digits.chars().allMatch(Character::isDigit)) {
      throw new IllegalArgumentException(
          "'" + word + "' is no status; write 429, 5xx, 520-526 or none");
    }
    return Integer.parseInt(digits);
  }
}
