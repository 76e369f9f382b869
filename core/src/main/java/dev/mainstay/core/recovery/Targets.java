package dev.mainstay.core.recovery;

import org.jspecify.annotations.Nullable;

/**
 * What one call knows of its targets: what it has made of each, what the owner's outlook says of
 * each, and how long each must be waited for. Decides nothing.
 */
final class Targets {
  private final Policy policy;
  private final Route route;
  private final Outlook outlook;
  private final int maxAttempts;
  private final long deadlineNanos;

  /** Made at the first outcome that is not an answer: a call that goes well has no books. */
  private Tally @Nullable [] tallies;

  /** The target of the one attempt before there were books, or -1. */
  private int unbooked = -1;

  Targets(Policy policy, Route route, Outlook outlook, int maxAttempts, long deadlineNanos) {
    this.policy = policy;
    this.route = route;
    this.outlook = outlook;
    this.maxAttempts = maxAttempts;
    this.deadlineNanos = deadlineNanos;
  }

  Tally tally(int target) {
    Tally[] all = tallies;
    if (all == null) {
      all = new Tally[route.size()];
      for (int i = 0; i < all.length; i++) {
        all[i] = new Tally();
      }
      tallies = all;
      if (unbooked >= 0) {
        took(unbooked, true);
      }
    }
    return all[target];
  }

  /** An attempt at {@code target} was decided upon. */
  void took(int target, boolean unchanged) {
    Tally[] all = tallies;
    if (all == null) {
      unbooked = target;
    } else {
      all[target].attempts++;
      all[target].unchanged += unchanged ? 1 : 0;
    }
  }

  boolean gone(int target) {
    return tallies != null && tallies[target].gone;
  }

  /** Whether another target than the failed one may be asked at all. */
  boolean open(int i, boolean spare) {
    Tally tally = tally(i);
    if (tally.ruledOut || tally.gone) {
      return false;
    }
    return tally.attempts == 0 || (spare && tally.retryable && underCaps(tally));
  }

  boolean otherReady(int besides, int attempts, long now) {
    boolean spare = spare(attempts, now);
    for (int i = 0; i < route.size(); i++) {
      if (i != besides && open(i, spare) && waitAt(i, now) == 0) {
        return true;
      }
    }
    return false;
  }

  boolean untried(int i) {
    return i >= 0 && tally(i).attempts == 0;
  }

  /**
   * Whether an attempt can be spent on a target that was tried, sparing one for each that was not.
   */
  boolean spare(int attempts, long now) {
    return maxAttempts - attempts > needed(now);
  }

  /** How many targets have not been tried and still could be. */
  int needed(long now) {
    int needed = 0;
    if (policy.fallback().on() != FallbackOn.OFF) {
      for (int i = 0; i < route.size(); i++) {
        if (untried(i) && !tally(i).gone && fitsDeadline(waitAt(i, now), now)) {
          needed++;
        }
      }
    }
    return needed;
  }

  /** How long until {@code i} may be asked, for whatever reason. */
  long waitAt(int i, long now) {
    Tally tally = tally(i);
    long own = tally.paused ? Nanos.until(tally.notBefore, now) : 0;
    return Math.max(own, restOf(i, now, false));
  }

  /** How long {@code i} rests; FOREVER where it is unavailable, or shut and {@code keysOnly}. */
  long restOf(int i, long now, boolean keysOnly) {
    long told = tallies == null ? 0 : tallies[i].restNanos(now, keysOnly);
    long known =
        switch (outlook.of(route.target(i), now)) {
          case Availability.Ready _ -> 0;
          case Availability.Unavailable _ -> Nanos.FOREVER;
          case Availability.Resting resting ->
              keysOnly && resting.by() != Availability.By.KEYS
                  ? Nanos.FOREVER
                  : Nanos.until(resting.untilNanos(), now);
        };
    return Math.max(told, known);
  }

  /** Whether {@code wait} for {@code i} may be begun. */
  boolean fits(int i, long wait, long now) {
    Tally tally = tally(i);
    long longest = Nanos.of(policy.retry().maxRetryAfter());
    long asked = tally.paused ? Nanos.until(tally.askedUntil, now) : 0;
    return asked <= longest && restOf(i, now, false) <= longest && fitsDeadline(wait, now);
  }

  private boolean fitsDeadline(long wait, long now) {
    return wait < Nanos.until(deadlineNanos, now);
  }

  /** Takes the attempt at {@code i} from the retry budget, if it is not the call's first there. */
  boolean affordable(int i, long now) {
    TargetId target = route.target(i);
    for (int k = 0; k < route.size(); k++) {
      if (tally(k).attempts > 0 && route.target(k).provider().equals(target.provider())) {
        return outlook.takeRetry(target, now);
      }
    }
    return true;
  }

  boolean underCaps(Tally tally) {
    return tally.unchanged < policy.retry().maxPerTarget() && tally.attempts < tally.cap;
  }

  /** How long until the first target may be asked; FOREVER where none may. */
  long soonest(long now) {
    long least = Nanos.FOREVER;
    for (int i = 0; i < route.size(); i++) {
      Tally tally = tally(i);
      long asked = tally.paused ? Nanos.until(tally.askedUntil, now) : 0;
      least = Math.min(least, Math.max(asked, restOf(i, now, false)));
    }
    return least;
  }
}
