package dev.mainstay.core.recovery;

import dev.mainstay.core.verdict.Blame;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Of several failures, the one the caller sees. */
final class ShownFailure {
  private ShownFailure() {}

  static @Nullable Entry of(List<Entry> history) {
    Entry firstTargets = null;
    Entry callers = null;
    for (var entry : history) {
      if (entry.outcome() instanceof Outcome.Failed failed) {
        if (failed.verdict().blame() == Blame.CALLER) {
          callers = entry;
        }
        if (firstTargets == null || entry.target() == firstTargets.target()) {
          firstTargets = entry;
        }
      }
    }
    return callers != null ? callers : firstTargets;
  }
}
