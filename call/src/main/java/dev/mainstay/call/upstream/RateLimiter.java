package dev.mainstay.call.upstream;

import dev.mainstay.call.settings.RateLimits;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Counts what a client or a provider's account uses against its {@link RateLimits}. Buckets that
 * fill steadily, so that a minute's worth may come at once and no more. Tokens are taken when they
 * are known, after the answer; who has overdrawn waits until the bucket is above zero. Reads no
 * clock. Thread-safe.
 */
public final class RateLimiter {
  private static final double NANOS_A_MINUTE = Duration.ofMinutes(1).toNanos();

  private double requests = Double.NaN;
  private double tokens = Double.NaN;
  private long filledAt;
  private int running;

  /**
   * What is in the way.
   *
   * @param time until there is room; zero where a place must come free, and when is not known
   * @param limit which it is, for people: {@code rpm: 60}
   */
  public record Wait(Duration time, String limit) {}

  /** Takes a request; {@link #ended} gives its place back. Null where there is room. */
  public synchronized @Nullable Wait take(RateLimits limits, long now) {
    var wait = noPlace(limits);
    if (wait == null) {
      wait = inTheWay(limits, now);
    }
    if (wait == null) {
      requests--;
      running++;
    }
    return wait;
  }

  /** The same for a request that was reserved and whose turn has come. */
  public synchronized @Nullable Wait takeReserved(RateLimits limits, long now) {
    fill(limits, now);
    var wait = noPlace(limits);
    if (wait == null) {
      wait = noTokens(limits);
    }
    if (wait == null) {
      running++;
    }
    return wait;
  }

  /**
   * Reserves a request of a later moment, so that those who wait come in their order. {@link
   * #takeReserved} or {@link #unreserve} follows.
   *
   * @return the time until its turn; null where the requests of the minute are not used up, and
   *     nothing is reserved
   */
  public synchronized @Nullable Wait reserve(RateLimits limits, long now) {
    fill(limits, now);
    var turn = noRequests(limits);
    if (turn != null) {
      requests--;
    }
    return turn;
  }

  /** A request that was reserved is not made. */
  public synchronized void unreserve() {
    requests++;
  }

  /**
   * What of the minute's limits is in the way of one more request now, after those who wait; null
   * where nothing is. Takes nothing.
   */
  public synchronized @Nullable Wait inTheWay(RateLimits limits, long now) {
    fill(limits, now);
    var wait = noRequests(limits);
    return wait == null ? noTokens(limits) : wait;
  }

  private @Nullable Wait noRequests(RateLimits limits) {
    var rpm = limits.rpm();
    return rpm != null && requests < 1 ? new Wait(until(1 - requests, rpm), "rpm: " + rpm) : null;
  }

  private @Nullable Wait noTokens(RateLimits limits) {
    var tpm = limits.tpm();
    return tpm != null && tokens <= 0 ? new Wait(until(1 - tokens, tpm), "tpm: " + tpm) : null;
  }

  private @Nullable Wait noPlace(RateLimits limits) {
    var parallel = limits.parallel();
    return parallel != null && running >= parallel
        ? new Wait(Duration.ZERO, "parallel: " + parallel)
        : null;
  }

  private void fill(RateLimits limits, long now) {
    double share = (now - filledAt) / NANOS_A_MINUTE;
    requests = filled(requests, limits.rpm(), share);
    tokens = filled(tokens, limits.tpm(), share);
    filledAt = now;
  }

  /** Whether a request would not be taken now. */
  public synchronized boolean full(RateLimits limits, long now) {
    return noPlace(limits) != null || inTheWay(limits, now) != null;
  }

  /** A request that was taken has ended: its place is free. */
  public synchronized void ended() {
    running--;
  }

  /** Takes tokens that were used. */
  public synchronized void used(long count) {
    tokens -= count;
  }

  private static Duration until(double missing, int perMinute) {
    return Duration.ofNanos((long) Math.ceil(missing * NANOS_A_MINUTE / perMinute));
  }

  /** A bucket that was not limited before is full. */
  private static double filled(double level, @Nullable Integer perMinute, double share) {
    if (perMinute == null) {
      return Double.NaN;
    }
    return Double.isNaN(level) ? perMinute : Math.min(perMinute, level + perMinute * share);
  }
}
