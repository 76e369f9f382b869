package dev.mainstay.library;

import dev.mainstay.core.recovery.Outcome;
import dev.mainstay.core.verdict.Verdict;

/**
 * Carries out one repair for a wrapped call, so that its next attempt differs: shortens the
 * conversation, takes images out, fetches a new token.
 */
@FunctionalInterface
public interface RepairAction {
  /**
   * Changes what the next attempt will send.
   *
   * @return {@link Outcome.Repaired} with the proof that something changed, or {@link
   *     Outcome.RepairImpossible}; an exception counts as the latter
   */
  Outcome mend(Verdict verdict) throws Exception;
}
