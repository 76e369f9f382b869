package dev.mainstay.ledger.state;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * How good runs and calls were. Kept for 400 days. Threads and failures as in {@link DurableState}.
 */
public interface Evaluations {
  /**
   * What somebody found.
   *
   * @param number orders all; 0 until it is kept
   * @param run the run it is about, or null
   * @param call the call it is about, or null
   * @param metrics by name, for example {@code correct} 1.0
   * @param note in words, or null
   * @param by who or what judged
   */
  record Evaluation(
      long number,
      Instant at,
      @Nullable String run,
      @Nullable String call,
      Map<String, Double> metrics,
      @Nullable String note,
      String by) {}

  /** Keeps an evaluation; completes with its number. */
  CompletionStage<Long> add(Evaluation evaluation);

  /**
   * The newest first.
   *
   * @param run of this run alone, or null
   * @param call of this call alone, or null
   * @param before the number to begin behind; {@code Long.MAX_VALUE} for the newest
   */
  CompletionStage<List<Evaluation>> page(
      @Nullable String run, @Nullable String call, long before, int limit);
}
