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
            least = "1ms")
        Duration within,
    @Setting(
            value =
                "How long the breaker stays open at first. Mainstay doubles it while probes fail.",
            byDefault = "5s",
            least = "1ms")
        Duration open,
    @Setting(
            value = "The longest time that the breaker stays open; at least `open`.",
            byDefault = "10s",
            least = "1ms")
        Duration maxOpen) {

  private static final BreakerSettings DEFAULTS = Declaration.defaults(BreakerSettings.class);

  public BreakerSettings {
    atLeastOne("breaker.consecutive-failures", consecutiveFailures);
    if (!(failureRate > 0 && failureRate <= 1)) {
      throw new InvalidPolicyException(
          "breaker.failure-rate", failureRate + " is not above 0 and up to 1");
    }
    atLeastOne("breaker.of-at-least", ofAtLeast);
    positive("breaker.within", within);
    positive("breaker.open", open);
    positive("breaker.max-open", maxOpen);
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

  static void atLeastOne(String field, int value) {
    if (value < 1) {
      throw new InvalidPolicyException(field, value + " is less than 1");
    }
  }

  static void positive(String field, Duration value) {
    if (value.isNegative() || value.isZero()) {
      throw new InvalidPolicyException(field, "must be longer than 0");
    }
    if (value.compareTo(Duration.ofDays(365)) > 0) {
      throw new InvalidPolicyException(field, value.toDays() + " days is longer than a year");
    }
  }
}
