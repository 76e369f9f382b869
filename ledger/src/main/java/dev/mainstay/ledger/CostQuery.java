package dev.mainstay.ledger;

import java.time.Instant;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * What was used and paid between two instants, summed by one thing. Hours are the grain: an hour
 * that {@code from} or {@code to} lies in is counted whole, save by run, where each call counts by
 * itself.
 *
 * @param by what the sums are for
 * @param from the first instant
 * @param to the last
 */
public record CostQuery(By by, Instant from, Instant to) {
  /** Most rows of an answer: those that cost most, or the newest days. */
  public static final int MAX_ROWS = 1000;

  public CostQuery {
    if (to.isBefore(from)) {
      throw new IllegalArgumentException("to is before from");
    }
  }

  /** What sums are for. */
  public enum By {
    /** {@code provider/model}, failed attempts and those that others made good included. */
    MODEL,
    CLIENT,
    RUN,
    /** The agent whose runs made the calls. */
    AGENT,
    /** A day of UTC, such as {@code 2026-11-21}. */
    DAY;

    /** By its name in lower case, or null where there is none. */
    public static @Nullable By of(String name) {
      for (var by : values()) {
        if (by.name().toLowerCase(Locale.ROOT).equals(name)) {
          return by;
        }
      }
      return null;
    }
  }

  /**
   * One sum.
   *
   * @param key the model, client, run or day; null for what has none
   * @param calls that ended; by model those that it answered
   * @param failed of those, calls that ended in an error
   * @param attempts upstream requests
   * @param costNanos nano-dollars of the attempts whose price is known
   * @param unpriced attempts that used tokens at an unknown price: what they cost is not in the sum
   */
  public record Sum(
      @Nullable String key,
      long calls,
      long failed,
      long attempts,
      Tokens tokens,
      long costNanos,
      long unpriced) {}
}
