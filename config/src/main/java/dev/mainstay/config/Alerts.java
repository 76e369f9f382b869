package dev.mainstay.config;

import java.net.URI;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Whom to tell of what a person should see.
 *
 * @param webhook where alerts go, or null: they are in the log and the store alone
 * @param throttle one alert of a cause in so long a time; default 10 minutes
 * @param spike when spending is a spike
 */
public record Alerts(@Nullable Webhook webhook, Duration throttle, Spike spike) {
  public static final Alerts DEFAULTS =
      new Alerts(null, Duration.ofMinutes(10), new Spike(3, 1_000_000_000L, Duration.ofHours(1)));

  /**
   * @param secret signs every delivery
   */
  public record Webhook(URI url, Secret secret) {
    @Override
    public String toString() {
      return "Webhook[" + url.getHost() + "]";
    }
  }

  /**
   * Spending of the last {@code window} against the mean of the 24 before it.
   *
   * @param factor how many times the mean is a spike; default 3
   * @param atLeastNanos less than this is none; default one dollar
   * @param window default an hour
   */
  public record Spike(double factor, long atLeastNanos, Duration window) {}
}
