/**
 * Model calls in process: routes, generations of the configuration, limits, budgets and idempotency
 * around the calls that {@code call} makes. It knows no HTTP server.
 */
@NullMarked
package dev.mainstay.engine;

import org.jspecify.annotations.NullMarked;
