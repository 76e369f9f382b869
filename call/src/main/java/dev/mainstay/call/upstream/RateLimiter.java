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
    var parallel = limits.parallel();
    if (parallel != null && running >= parallel) {
      return new Wait(Duration.ZERO, "parallel: " + parallel);
    }
    var wait = inTheWay(limits, now);
    if (wait != null) {
      return wait;
    }
    requests--;
    running++;
    return null;
  }

  /** What of the minute's limits is in the way now; null where nothing is. Takes nothing. */
  public synchronized @Nullable Wait inTheWay(RateLimits limits, long now) {
    double share = (now - filledAt) / NANOS_A_MINUTE;
    requests = filled(requests, limits.rpm(), share);
    tokens = filled(tokens, limits.tpm(), share);
    filledAt = now;
    var rpm = limits.rpm();
    if (rpm != null && requests < 1) {
      return new Wait(until(1 - requests, rpm), "rpm: " + rpm);
    }
    var tpm = limits.tpm();
    return tpm != null && tokens <= 0 ? new Wait(until(1 - tokens, tpm), "tpm: " + tpm) : null;
  }

  /** Whether a request would not be taken now. */
  public synchronized boolean full(RateLimits limits, long now) {
    var parallel = limits.parallel();
    return (parallel != null && running >= parallel) || inTheWay(limits, now) != null;
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
