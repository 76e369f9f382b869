package dev.mainstay.core.recovery;

import dev.mainstay.core.verdict.FailureClass;
import dev.mainstay.core.verdict.Kind;
import dev.mainstay.core.verdict.Verdict;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * What one call knows of its targets: what it has made of each, what the owner's outlook says of
 * each, how long each must be waited for, and so which is the best to ask. Whether one is to be
 * asked at all is decided in {@link Recovery}.
 */
final class Targets {
  /** No target may be asked. */
  static final int NONE = -1;

  /** The retry budget forbids each target that could be asked. */
  static final int TOO_DEAR = -2;

  private final Policy policy;
  private final Route route;
  private final Outlook outlook;
  private final RandomGenerator random;
  private final int maxAttempts;
  private final long deadlineNanos;

  private int attempts;
  private boolean tookUnchanged;
  private boolean tookOtherKey;

  /** Made at the first outcome that is not an answer: a call that goes well has no books. */
  private TargetAttempts @Nullable [] tallies;

  /** The target of the one attempt before there were books, or -1. */
  private int unbooked = NONE;

  Targets(
      Policy policy,
      Route route,
      Outlook outlook,
      RandomGenerator random,
      int maxAttempts,
      long deadlineNanos) {
    this.policy = policy;
    this.route = route;
    this.outlook = outlook;
    this.random = random;
    this.maxAttempts = maxAttempts;
    this.deadlineNanos = deadlineNanos;
  }

  TargetAttempts tally(int target) {
    TargetAttempts[] all = tallies;
    if (all == null) {
      all = new TargetAttempts[route.size()];
      for (int i = 0; i < all.length; i++) {
        all[i] = new TargetAttempts();
      }
      tallies = all;
      if (unbooked >= 0) {
        book(all[unbooked], true);
      }
    }
    return all[target];
  }

  /** Attempts decided upon so far, without those that were refused. */
  int attempts() {
    return attempts;
  }

  /** An attempt at {@code target} is decided upon. */
  void take(int target, boolean unchanged, boolean otherKey) {
    attempts++;
    tookUnchanged = unchanged;
    tookOtherKey = otherKey;
    TargetAttempts[] all = tallies;
    if (all == null) {
      unbooked = target;
    } else {
      book(all[target], unchanged);
    }
  }

  private static void book(TargetAttempts tally, boolean unchanged) {
    tally.attempts++;
    tally.unchanged += unchanged ? 1 : 0;
  }

  /** The attempt that was taken last was not made. */
  void refused(int target, Availability why) {
    TargetAttempts tally = tally(target);
    attempts--;
    tally.attempts--;
    if (tookUnchanged) {
      tally.unchanged--;
    }
    tally.refusals++;
    if (tally.refusals >= policy.bounds().refusals() || why instanceof Availability.Unavailable) {
      tally.gone = true;
    } else if (why instanceof Availability.Resting resting) {
      tally.rest(resting);
    }
  }

  /** The attempt that was taken last failed: how long its target rests, and what it is worth. */
  void failed(int target, Outcome.Failed failed, long now) {
    Verdict verdict = failed.verdict();
    TargetAttempts tally = tally(target);
    boolean transientFailure = verdict.failureClass() == FailureClass.TRANSIENT;
    long asked = verdict.retryAfter() == null ? 0 : Nanos.of(verdict.retryAfter());
    if (tookOtherKey) {
      tally.paused = false; // it was the key that was to rest, and the pool sees to that
    }
    // A fresh client is as good now as later.
    boolean pauses = transientFailure && verdict.kind() != Kind.CLIENT_CLOSED;
    long own = pauses ? Backoff.nanos(policy.retry(), random, tally.unchanged) : 0;
    long pause =
        pauses ? Backoff.spread(policy.retry(), random, tally.unchanged, own, asked) : asked;
    tally.pause(now, pause, asked, Math.max(own, asked));
    tally.retryable =
        transientFailure && verdict.retrySame() && Ladder.retries(policy, verdict.kind());
    if (verdict.kind() == Kind.TIMEOUT) {
      tally.cap = Math.min(tally.cap, tally.attempts + policy.bounds().afterTimeout());
    } else if (failed.stage().committed()) {
      // It does not hang any more, and somebody waits with a part of the answer.
      tally.cap = Integer.MAX_VALUE;
    }
  }

  boolean gone(int target) {
    return tallies != null && tallies[target].gone;
  }

  /** Whether another target than the failed one may be asked at all. */
  private boolean open(int i, boolean spare) {
    TargetAttempts tally = tally(i);
    if (tally.ruledOut || tally.gone) {
      return false;
    }
    return tally.attempts == 0 || (spare && tally.retryable && underCaps(tally));
  }

  /** Whether there is a target other than {@code besides} that may be asked at once. */
  boolean otherReady(int besides, long now) {
    boolean spare = spare(now);
    for (int i = 0; i < route.size(); i++) {
      if (i != besides && open(i, spare) && waitAt(i, now) == 0) {
        return true;
      }
    }
    return false;
  }

  /**
   * The target to ask after {@code failed}: that one itself where {@code same} and its wait is
   * within {@code patience}; else whichever of it and the {@code others} may be asked soonest, of
   * equals one that is untried, of those the next in the route. After a timeout the same one comes
   * only where every other must be waited for longer, by more than {@code patience}. The attempt is
   * taken from the retry budget.
   *
   * @return {@link #NONE} where there is none, {@link #TOO_DEAR} where the budget forbade it
   */
  int best(int failed, boolean same, boolean others, boolean timedOut, long now) {
    boolean spare = spare(now);
    boolean[] out = new boolean[route.size()];
    boolean tooDear = false;
    while (true) {
      int best = NONE;
      long least = Long.MAX_VALUE;
      for (int k = 0; k < route.size(); k++) {
        int i = (failed + k) % route.size();
        boolean open = !out[i] && (i == failed ? same : others && open(i, spare));
        long wait = open ? waitAt(i, now) : 0;
        if (!open || !fits(i, wait, now)) {
          continue;
        }
        long rank = i == failed ? rankOfSame(i, wait, timedOut, now) : wait;
        if (rank < least || (rank == least && untried(i) && !untried(best))) {
          best = i;
          least = rank;
        }
      }
      if (best == NONE || affordable(best, now)) {
        return best == NONE && tooDear ? TOO_DEAR : best;
      }
      out[best] = true;
      tooDear = true;
    }
  }

  /** Where the failed target stands among others that are ranked by their waits. */
  private long rankOfSame(int i, long wait, boolean timedOut, long now) {
    if (timedOut) {
      return wait + Nanos.of(policy.retry().patience()) + 1;
    }
    boolean shut = restOf(i, now, true) == Nanos.FOREVER;
    return patient(i, now) && !shut ? -1 : wait;
  }

  /** Whether the wait for {@code i}, as the provider asked for it, is within {@code patience}. */
  boolean patient(int i, long now) {
    TargetAttempts tally = tally(i);
    long own = tally.paused ? Nanos.until(tally.toldUntil, now) : 0;
    return Math.max(own, restOf(i, now, false)) <= Nanos.of(policy.retry().patience());
  }

  private boolean untried(int i) {
    return i >= 0 && tally(i).attempts == 0;
  }

  /**
   * Whether an attempt can be spent on a target that was tried, sparing one for each that was not.
   */
  boolean spare(long now) {
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
    TargetAttempts tally = tally(i);
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
    TargetAttempts tally = tally(i);
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

  boolean underCaps(TargetAttempts tally) {
    return tally.unchanged < policy.retry().maxPerTarget() && tally.attempts < tally.cap;
  }

  /** How long until the first target may be asked; FOREVER where none may. */
  long soonest(long now) {
    long least = Nanos.FOREVER;
    for (int i = 0; i < route.size(); i++) {
      TargetAttempts tally = tally(i);
      long asked = tally.paused ? Nanos.until(tally.askedUntil, now) : 0;
      least = Math.min(least, Math.max(asked, restOf(i, now, false)));
    }
    return least;
  }
}
