package dev.mainstay.ledger.stats;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;

/**
 * What calls came to between two instants, by one thing and in buckets of time. Hours are the
 * grain: an hour that {@code from} or {@code to} lies in is counted whole.
 *
 * @param by what the sums are for
 * @param from the first instant
 * @param to the last
 * @param bucket of how much time a sum is: whole hours, counted from 1970
 */
public record StatsQuery(By by, Instant from, Instant to, Duration bucket) {
  public StatsQuery {
    if (to.isBefore(from)) {
      throw new IllegalArgumentException("to is before from");
    }
    if (bucket.toHours() < 1 || !bucket.equals(Duration.ofHours(bucket.toHours()))) {
      throw new IllegalArgumentException("bucket is a number of whole hours, such as 1h or 1d");
    }
  }

  /** What sums are for. */
  public enum By {
    /** All calls together. */
    ALL,
    /** The model as clients asked for it. */
    MODEL,
    CLIENT,
    /** {@code provider/model}: calls by the one that answered, attempts each by its own. */
    TARGET,
    /** Calls in which an attempt failed so, or which did: both those delivered and those not. */
    KIND,
    /** The agent whose runs made the calls. */
    AGENT;

    private final String wireName = name().toLowerCase(Locale.ROOT);

    /** Its name in the API. */
    public String wireName() {
      return wireName;
    }

    /**
     * By its name in the API.
     *
     * @throws IllegalArgumentException where there is none
     */
    public static By of(String name) {
      for (var by : values()) {
        if (by.wireName.equals(name)) {
          return by;
        }
      }
      throw new IllegalArgumentException(
          "by is one of " + List.of("all", "model", "client", "target", "kind", "agent"));
    }
  }

  /**
   * The sums of one bucket of time for one model, client, ….
   *
   * @param at when the bucket begins
   * @param key the model, client, …; empty for calls that have none
   */
  public record Row(Instant at, String key, CallStats stats) {}
}
