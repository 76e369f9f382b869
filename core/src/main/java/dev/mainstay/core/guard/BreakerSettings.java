package dev.mainstay.core.guard;

import dev.mainstay.core.recovery.InvalidPolicyException;
import dev.mainstay.core.settings.Declaration;
import dev.mainstay.core.settings.Setting;
import java.time.Duration;

/** When a target's breaker opens, and for how long. */
public record BreakerSettings(
    @Setting(
            value = "The number of consecutive failures that opens the breaker.",
            byDefault = "5",
            least = "1")
        int consecutiveFailures,
    @Setting(
            value = "The share of failures that opens the breaker; above 0.",
            byDefault = "0.5",
            least = "0",
            most = "1")
        double failureRate,
    @Setting(
            value = "The fewest requests for which the share of failures counts.",
            byDefault = "20",
            least = "1")
        int ofAtLeast,
    @Setting(
            value = "The time over which Mainstay measures the share.",
            byDefault = "10s",
            least = "1ms",
            most = "365d")
        Duration within,
    @Setting(
            value =
                "How long the breaker stays open at first. Mainstay doubles it while probes fail.",
            byDefault = "5s",
            least = "1ms",
            most = "365d")
        Duration open,
    @Setting(
            value = "The longest time that the breaker stays open; at least `open`.",
            byDefault = "10s",
            least = "1ms",
            most = "365d")
        Duration maxOpen) {

  private static final BreakerSettings DEFAULTS = Declaration.defaults(BreakerSettings.class);

  public BreakerSettings {
    Declaration.check(
        "breaker",
        BreakerSettings.class,
        consecutiveFailures,
        failureRate,
        ofAtLeast,
        within,
        open,
        maxOpen);
    if (failureRate == 0) {
      throw new InvalidPolicyException("breaker.failure-rate", failureRate + " is not above 0");
    }
    if (maxOpen.compareTo(open) < 0) {
      throw new InvalidPolicyException(
          "breaker.max-open",
          "%s is shorter than the %s it is open at first"
              .formatted(InvalidPolicyException.text(maxOpen), InvalidPolicyException.text(open)));
    }
  }

  public static BreakerSettings defaults() {
    return DEFAULTS;
  }
}
