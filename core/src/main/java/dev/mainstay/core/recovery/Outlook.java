package dev.mainstay.core.recovery;

/**
 * What the call's owner knows of its targets at this moment. Asked by {@link Recovery} on the
 * thread that calls it, while it decides; answers must be quick and must not block.
 */
public interface Outlook {

  /** Every target is always ready, each has one key, and every retry is allowed. */
  Outlook ALWAYS = (target, nowNanos) -> Availability.READY;

  /** Whether {@code target} can be asked now; must not take anything (a probe, a slot). */
  Availability of(TargetId target, long nowNanos);

  /**
   * Whether the provider's pool has a usable key other than the one the last attempt at {@code
   * target} used. Default: no.
   */
  default boolean otherKey(TargetId target, long nowNanos) {
    return false;
  }

  /**
   * Takes one retry at {@code target}'s provider from its retry budget, or answers false. Asked at
   * most once for each decision that is then returned with that target, and only for second and
   * later attempts of a call at a provider. Default: yes.
   */
  default boolean takeRetry(TargetId target, long nowNanos) {
    return true;
  }
}
