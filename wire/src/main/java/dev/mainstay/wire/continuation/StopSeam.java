package dev.mainstay.wire.continuation;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Watches for a stop sequence that begins in what was delivered and ends in what follows: no
 * attempt alone sees it whole. Those that lie in the new text are the provider's to see.
 */
final class StopSeam {
  private final String tail;
  private final List<String> stops;
  private final StringBuilder held = new StringBuilder();
  private @Nullable String met;
  private boolean past;

  StopSeam(String delivered, List<String> stops) {
    this.stops = stops;
    int longest = stops.stream().mapToInt(String::length).max().orElse(0);
    this.tail = delivered.substring(Math.max(0, delivered.length() - Math.max(0, longest - 1)));
    this.past = longest < 2 || tail.isEmpty();
  }

  /** What of {@code text} may go on, which is nothing once a stop sequence was met. */
  String pass(String text) {
    if (met != null) {
      return "";
    }
    if (past) {
      return text;
    }
    held.append(text);
    boolean open = false;
    for (String stop : stops) {
      for (int from = Math.max(0, tail.length() - stop.length() + 1);
          from < tail.length();
          from++) {
        String begun = tail.substring(from);
        if (!stop.startsWith(begun)) {
          continue;
        }
        String rest = stop.substring(begun.length());
        if (held.length() >= rest.length()
            && rest.contentEquals(held.subSequence(0, rest.length()))) {
          met = stop;
          return "";
        }
        open |= held.length() < rest.length() && rest.startsWith(held.toString());
      }
    }
    return open ? "" : rest();
  }

  /** What was held back, where the text ends. */
  String rest() {
    past = true;
    String rest = held.toString();
    held.setLength(0);
    return met == null ? rest : "";
  }

  /** The stop sequence that was met, or null. */
  @Nullable String met() {
    return met;
  }
}
