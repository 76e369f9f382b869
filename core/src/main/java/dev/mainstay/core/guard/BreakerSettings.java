package dev.mainstay.core.guard;

import dev.mainstay.core.recovery.InvalidPolicyException;
import java.time.Duration;

/**
 * When a target's breaker opens, and for how long.
 *
 * @param consecutiveFailures so many failures without a success between them open it; at least 1,
 *     default 5
 * @param failureRate so large a share of failures opens it; above 0 and up to 1, default 0.5
 * @param ofAtLeast requests below which the share says nothing; at least 1, default 20
 * @param within over which the share is taken; default 10 s
 * @param open how long it stays open at first; default 5 s
 * @param maxOpen the longest it stays open, doubled while probes fail; default 30 s
 */
public record BreakerSettings(
    int consecutiveFailures,
    double failureRate,
    int ofAtLeast,
    Duration within,
    Duration open,
    Duration maxOpen) {

  private static final BreakerSettings DEFAULTS =
      new BreakerSettings(
          5, 0.5, 20, Duration.ofSeconds(10), Duration.ofSeconds(5), Duration.ofSeconds(30));

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
