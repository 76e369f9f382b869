package dev.mainstay.library;

import dev.mainstay.core.recovery.Decision;
import dev.mainstay.core.verdict.Verdict;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * One line of a call's history.
 *
 * @param number the attempt's number from 1, or 0 where the attempt was not made (the target
 *     rested) or the line tells of a repair
 * @param target the target's name as the call gave it
 * @param after from the call's start to the moment of the decision
 * @param failure what was thrown, or null where nothing was
 * @param verdict what it means, or null where nothing failed
 * @param decision what was decided upon it
 */
public record HistoryEntry(
    int number,
    String target,
    Duration after,
    @Nullable Throwable failure,
    @Nullable Verdict verdict,
    Decision decision) {

  /** For people; without the failure's message, which may hold what a prompt said. */
  @Override
  public String toString() {
    var text = new StringBuilder();
    text.append(number > 0 ? "attempt " + number : "no attempt").append(" at ").append(target);
    text.append(", after ").append(after.toMillis()).append(" ms");
    if (failure != null) {
      text.append(": ").append(failure.getClass().getSimpleName());
    }
    if (verdict != null) {
      text.append(", ").append(verdict.label()).append(" (").append(verdict.because()).append(')');
    }
    return text.append("; ").append(decision.reason()).toString();
  }
}
