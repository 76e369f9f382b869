package dev.mainstay.call.api;

import dev.mainstay.core.recovery.TargetId;
import dev.mainstay.wire.Operation;
import dev.mainstay.wire.json.SplicedBytes;
import java.time.Duration;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * What one call may spend: asked before each of its attempts, told what each has cost. Its methods
 * are called on the call's loop and must not block.
 */
public interface BudgetReservation {
  /** Nothing is held to a budget. */
  BudgetReservation OPEN =
      new BudgetReservation() {
        @Override
        public @Nullable CompletionStage<Answer> before(
            TargetId target, Operation operation, SplicedBytes body) {
          return null;
        }

        @Override
        public void after(@Nullable Long nanos, boolean told) {}
      };

  /** Whether an attempt may be made. */
  sealed interface Answer {
    /** It may; the most it can cost is held back for it. */
    record Granted() implements Answer {}

    /**
     * It may not.
     *
     * @param message for the caller
     * @param forGood whether waiting for other calls does not help
     * @param after how long to wait before asking again
     */
    record Refused(String message, boolean forGood, Duration after) implements Answer {}
  }

  /**
   * Whether an attempt may be made that sends {@code body} to {@code target}.
   *
   * @return null where it may at once; else what is answered on any thread, and never an exception
   */
  @Nullable CompletionStage<Answer> before(TargetId target, Operation operation, SplicedBytes body);

  /**
   * The attempt that was asked for last has ended.
   *
   * @param nanos what it cost in nano-dollars, or null where only its provider knows
   * @param told whether its provider told all that it used; otherwise {@code nanos} goes by what
   *     was seen of it
   */
  void after(@Nullable Long nanos, boolean told);
}
