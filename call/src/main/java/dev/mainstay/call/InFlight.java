package dev.mainstay.call;

import dev.mainstay.core.recovery.InvalidPolicyException;
import java.time.Duration;

/**
 * How many attempts may be under way at one target.
 *
 * @param perTarget attempts at once; default 10,000
 * @param queue attempts that may wait for one of those places; default 1,000
 * @param maxWait the longest they wait; default 5 s
 */
public record InFlight(int perTarget, int queue, Duration maxWait) {
  private static final InFlight DEFAULTS = new InFlight(10_000, 1_000, Duration.ofSeconds(5));

  public InFlight {
    if (perTarget < 1) {
      throw new InvalidPolicyException("in-flight.per-target", perTarget + " is less than 1");
    }
    if (queue < 0) {
      throw new InvalidPolicyException("in-flight.queue", queue + " is less than 0");
    }
    if (maxWait.isNegative()) {
      throw new InvalidPolicyException("in-flight.wait", maxWait + " is less than 0");
    }
  }

  public static InFlight defaults() {
    return DEFAULTS;
  }
}
