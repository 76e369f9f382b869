package dev.mainstay.core.guard;

import dev.mainstay.core.recovery.InvalidPolicyException;
import java.time.Duration;

/**
 * How many retries a provider may be given, over all calls. Thread-safe; reads no clock.
 *
 * <p>In any {@code window} it grants at most {@code max(floor, share × requests)} retries, where
 * requests are the first attempts of calls at this provider within the window before. So the load
 * never exceeds what is offered by more than that, however many calls fail at once. The floor keeps
 * a small installation's retries alive. A retry counts when it is granted, also where it is made
 * only after a wait.
 */
public final class RetryBudget {
  /** Slots of the window; retries are remembered for one more, so that no window is overdrawn. */
  private static final int SLOTS = 10;

  private final double share;
  private final int floor;
  private final Window requests;
  private final Window retries;

  /**
   * @param share of the requests; at least 0; the setting {@link GuardSettings#retryBudget}
   * @param floor retries that are always granted within a window; at least 0, default 10
   * @param window default 10 s
   */
  public RetryBudget(double share, int floor, Duration window) {
    if (!Double.isFinite(share) || share < 0) {
      throw new InvalidPolicyException("retry-budget", share + " is not a number from 0 upwards");
    }
    if (floor < 0) {
      throw new InvalidPolicyException("retry-budget", "a floor of " + floor + " is less than 0");
    }
    if (!window.isPositive()) {
      throw new IllegalArgumentException("window is " + window + ", not longer than 0");
    }
    this.share = share;
    this.floor = floor;
    long slot = Math.ceilDiv(window.toNanos(), (long) SLOTS);
    requests = new Window(slot, SLOTS);
    retries = new Window(slot, SLOTS + 1);
  }

  /** With {@code share} of the requests, and the default floor of 10 in any 10 s. */
  public RetryBudget(double share) {
    this(share, 10, Duration.ofSeconds(10));
  }

  /** The setting's default, and a floor of 10 in any 10 s. */
  public static RetryBudget defaults() {
    return new RetryBudget(GuardSettings.defaults().retryBudget());
  }

  /** A call's first attempt at this provider is made. */
  public synchronized void request(long nowNanos) {
    requests.addFirst(nowNanos);
  }

  /** Takes one retry, or answers false where the budget is spent. */
  public synchronized boolean tryRetry(long nowNanos) {
    if (retries.first(nowNanos) >= granted(nowNanos)) {
      return false;
    }
    retries.addFirst(nowNanos);
    return true;
  }

  /** How many retries could be taken now. */
  public synchronized int left(long nowNanos) {
    return Math.max(0, granted(nowNanos) - retries.first(nowNanos));
  }

  private int granted(long nowNanos) {
    return (int) Math.max(floor, Math.min(Integer.MAX_VALUE, share * requests.first(nowNanos)));
  }
}
