package dev.mainstay.agent.journal;

import java.util.HashSet;
import java.util.Set;

/** The warnings that were given, since the limits were last raised. */
final class WarnedPercents {
  private record Warning(String what, int percent) {}

  private final Set<Warning> given = new HashSet<>();

  void add(JournalEntry.Warned warned) {
    given.add(new Warning(warned.what(), warned.percent()));
  }

  boolean contains(String what, int percent) {
    return given.contains(new Warning(what, percent));
  }

  void clear() {
    given.clear();
  }
}
