package dev.mainstay.call.admission;

import dev.mainstay.call.api.BudgetReservation;
import dev.mainstay.call.api.ProviderSpec;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * What an attempt needs beside its place and its key: its request in the target's words, and the
 * money. Belongs to the call's loop.
 *
 * @param <R> the request
 */
public interface Preparation<R> {
  /** Whether there is a request for a target. */
  sealed interface Result<R> {
    /**
     * There is.
     *
     * @param money null where it may be sent at once; else what the budget answers
     */
    record Ready<R>(R request, @Nullable CompletionStage<BudgetReservation.Answer> money)
        implements Result<R> {}

    /** There is none, for a reason in words. */
    record Impossible<R>(String why) implements Result<R> {}
  }

  /**
   * Prepares an attempt.
   *
   * @param target its index in the call's route
   */
  Result<R> prepare(int target, ProviderSpec spec);

  /** The budget has refused. */
  default void unaffordable(BudgetReservation.Answer.Refused why) {}

  /** The money was reserved for nothing. */
  default void unused() {}
}
