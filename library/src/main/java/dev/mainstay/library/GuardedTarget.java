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
record GuardedTarget(String name, TargetId id, Breaker breaker, RetryBudget budget) {}
