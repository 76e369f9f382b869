package dev.mainstay.config;

import java.util.Collection;
import org.jspecify.annotations.Nullable;

/** What somebody probably meant. */
final class NearestName {
  /** Beyond so many edits it was probably something else. */
  private static final int MOST_EDITS = 2;

  private NearestName() {}

  /** The one of {@code candidates} that is at most two edits from {@code word}, or null. */
  static @Nullable String to(String word, Collection<String> candidates) {
    String best = null;
    int least = MOST_EDITS + 1;
    for (var candidate : candidates) {
      int distance = distance(word, candidate);
      if (distance < least) {
        least = distance;
        best = candidate;
      }
    }
    return best;
  }

  /** {@code candidates}, and where there are several the likeliest of them. */
  static String hint(String word, Collection<String> candidates) {
    if (candidates.isEmpty()) {
      return "a name, but none exists";
    }
    var near = to(word, candidates);
    return String.join(" | ", candidates)
        + (near == null || candidates.size() == 1 ? "" : "; did you mean " + near + "?");
  }

  private static int distance(String a, String b) {
    var row = new int[b.length() + 1];
    for (int j = 0; j <= b.length(); j++) {
      row[j] = j;
    }
    for (int i = 1; i <= a.length(); i++) {
      int diagonal = row[0];
      row[0] = i;
      for (int j = 1; j <= b.length(); j++) {
        int kept = row[j];
        int same = diagonal + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
        row[j] = Math.min(same, Math.min(row[j], row[j - 1]) + 1);
        diagonal = kept;
      }
    }
    return row[b.length()];
  }
}
