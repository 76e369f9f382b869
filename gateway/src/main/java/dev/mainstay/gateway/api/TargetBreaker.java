package dev.mainstay.gateway.api;

import dev.mainstay.call.admission.Guards;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The breaker of a target, and what is under way there.
 *
 * @param state {@code closed}, {@code open} or {@code half_open}
 * @param reason why it is not closed, or null
 * @param nextProbeMs until it lets a request through, or null
 * @param requests in its window
 * @param failures of those
 */
public record TargetBreaker(
    String target,
    String state,
    @Nullable String reason,
    @Nullable Long nextProbeMs,
    int consecutiveFailures,
    long requests,
    long failures,
    int inFlight) {
  public static TargetBreaker of(Guards.TargetState from, long now) {
    var breaker = from.breaker();
    var probe = breaker.nextProbeNanos();
    return new TargetBreaker(
        from.target().toString(),
        breaker.state().name().toLowerCase(Locale.ROOT),
        breaker.reason(),
        probe == null ? null : (Long) (Math.max(0, probe - now) / 1_000_000),
        breaker.consecutiveFailures(),
        breaker.requests(),
        breaker.failures(),
        from.busy());
  }
}
