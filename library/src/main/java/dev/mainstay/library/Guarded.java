package dev.mainstay.library;

import dev.mainstay.core.guard.Breaker;
import dev.mainstay.core.guard.RetryBudget;
import dev.mainstay.core.recovery.TargetId;

/**
 * A target with what is known of it beyond one call.
 *
 * @param name as the program gave it
 * @param breaker its own
 * @param budget its provider's
 */
record Guarded(String name, TargetId id, Breaker breaker, RetryBudget budget) {

  /** {@code provider/model}, or a bare name that is provider and target in one. */
  static TargetId parse(String name) {
    int slash = name.indexOf('/');
    return slash < 0
        ? new TargetId(name, "")
        : new TargetId(name.substring(0, slash), name.substring(slash + 1));
  }
}
