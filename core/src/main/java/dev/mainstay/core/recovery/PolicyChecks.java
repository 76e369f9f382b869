package dev.mainstay.core.recovery;

import java.time.Duration;

/** Checks of policy fields; messages name the field as the configuration does. */
final class PolicyChecks {
  private static final Duration LONGEST = Duration.ofNanos(Nanos.FOREVER);

  private PolicyChecks() {}

  static void positive(String field, Duration value) {
    notNegative(field, value);
    if (value.isZero()) {
      throw new InvalidPolicyException(field, "must be longer than 0");
    }
  }

  static void notNegative(String field, Duration value) {
    if (value.isNegative()) {
      throw new InvalidPolicyException(field, "must not be negative");
    }
    if (value.compareTo(LONGEST) > 0) {
      throw new InvalidPolicyException(
          field, value.toDays() + " days is longer than " + LONGEST.toDays());
    }
  }

  static void atLeast(String field, int value, int least) {
    if (value < least) {
      throw new InvalidPolicyException(field, value + " is less than " + least);
    }
  }

  static void atLeast(String field, double value, double least) {
    if (!Double.isFinite(value)) {
      throw new InvalidPolicyException(field, value + " is not a finite number");
    }
    if (value < least) {
      throw new InvalidPolicyException(field, value + " is less than " + least);
    }
  }
}
