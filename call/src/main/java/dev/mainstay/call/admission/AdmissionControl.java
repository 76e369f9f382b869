package dev.mainstay.call.admission;

import dev.mainstay.call.api.BudgetReservation;
import dev.mainstay.call.upstream.KeyPool;
import dev.mainstay.call.upstream.Provider;
import dev.mainstay.call.upstream.RateLimiter;
import dev.mainstay.core.guard.Admission;
import dev.mainstay.core.recovery.Availability;
import dev.mainstay.core.recovery.TargetId;
import dev.mainstay.http.Cancellable;
import dev.mainstay.http.GuardedLoop;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Finds each attempt of a call what it must have before it is made, in this order: the wait that
 * was decided on, a slot at its target, the breaker's admission, a key, the request in the target's
 * words, and the money. Belongs to the call's loop.
 *
 * @param <R> the request in the target's words
 */
public final class AdmissionControl<R> {
  /** Told once of each permit that was asked for. */
  public interface Owner<R> {
    /**
     * Everything is there; the permit is yours to give back.
     *
     * @param waited nanoseconds, for whatever reason
     */
    void permitted(AttemptPermit permit, R asked, long waited, long now);

    /** Something is not; nothing is held. */
    void refused(Availability why);
  }

  private final Owner<R> owner;
  private final CallOutlook outlook;
  private final Preparation<R> preparation;
  private final LongSupplier nanos;
  private final GuardedLoop loop;

  /** Nanoseconds that an attempt waits for the limits of a provider's account. */
  private final long patience;

  /** After which no attempt begins. */
  private final long until;

  private @Nullable Cancellable waiting;

  /** Taken for an attempt that is not made yet: {@link #leave} gives it back. */
  private @Nullable AttemptPermit pending;

  /** Of the limits of the provider's account, while the attempt waits for its turn there. */
  private @Nullable RateLimiter reserved;

  /** Providers that the call has gone to. */
  private final Set<String> visited = new HashSet<>(2);

  private boolean left;

  /**
   * @param nanos the call's clock
   * @param patience how long an attempt waits for the limits of a provider's account
   * @param until after which no attempt begins, on that clock
   */
  public AdmissionControl(
      Owner<R> owner,
      CallOutlook outlook,
      Preparation<R> preparation,
      LongSupplier nanos,
      GuardedLoop loop,
      Duration patience,
      long until) {
    this.owner = owner;
    this.outlook = outlook;
    this.preparation = preparation;
    this.nanos = nanos;
    this.loop = loop;
    this.patience = patience.toNanos();
    this.until = until;
  }

  /** How often a call looks whether the limits of a provider's account have room again. */
  private static final long LOOK_AGAIN = Duration.ofMillis(25).toNanos();

  /**
   * One attempt as it was decided on.
   *
   * @param limited nanoseconds it has waited for the limits of the provider's account
   */
  private record Wanted(int target, boolean otherKey, long limited) {
    Wanted limitedFor(long more) {
      return new Wanted(target, otherKey, limited + more);
    }
  }

  /**
   * Asks for a permit at the target with this index in the call's route.
   *
   * @param wait nanoseconds to wait first, 0 for at once
   * @param otherKey whether the key that the target was asked with last is not to be taken
   */
  public void admit(long wait, int target, boolean otherKey) {
    var wanted = new Wanted(target, otherKey, 0);
    if (wait <= 0) {
      enter(wanted, 0);
      return;
    }
    var at = outlook.route.target(target);
    long now = now();
    var from = provider(at);
    var turn = from.limiter.reserve(from.limits(), now);
    if (turn != null) {
      reserved = from.limiter;
    }
    long least = turn == null ? 0 : turn.time().toNanos();
    // Another call took the turn that this wait was decided for: decide again.
    if (turn != null && least > wait && (least > patience || now + least - until > 0)) {
      refused(CallOutlook.beyond(at, turn, now));
      return;
    }
    long longer = Math.max(wait, least);
    waiting = loop.schedule(Duration.ofNanos(longer), () -> enter(wanted, longer));
  }

  private void leaveTurn() {
    if (reserved != null) {
      reserved.unreserve();
      reserved = null;
    }
  }

  private Provider provider(TargetId target) {
    var from = outlook.upstreams.provider(target.provider());
    if (from == null) {
      throw new IllegalStateException("a route to a provider that is not there: " + target);
    }
    return from;
  }

  /** The call has ended: gives back what an attempt that is not made yet holds. */
  public void leave() {
    left = true;
    leaveTurn();
    leavePending();
    if (waiting != null) {
      waiting.cancel();
      waiting = null;
    }
  }

  private void leavePending() {
    var held = pending;
    pending = null;
    if (held != null) {
      held.released();
    }
  }

  private long now() {
    return nanos.getAsLong();
  }

  private void enter(Wanted wanted, long waited) {
    waiting = null;
    if (left) {
      return;
    }
    var target = outlook.route.target(wanted.target());
    var at = outlook.guards.of(target);
    var from = provider(target);
    if (at.slots.tryAcquire()) {
      take(wanted, at, new AttemptPermit(from, at), waited);
      return;
    }
    long since = now();
    waiting =
        at.slots.await(
            loop,
            Duration.ofNanos(Math.max(0, until - since)),
            new Slots.Waiter() {
              @Override
              public void granted() {
                waiting = null;
                if (left) {
                  at.slots.release();
                } else {
                  take(wanted, at, new AttemptPermit(from, at), waited + now() - since);
                }
              }

              @Override
              public void refused() {
                waiting = null;
                if (!left) {
                  full(at);
                }
              }
            });
    if (waiting == null) {
      full(at);
    }
  }

  private void refused(Availability why) {
    leaveTurn();
    leavePending();
    owner.refused(why);
  }

  private void full(Guards.Guard at) {
    refused(outlook.queueFull(at, now()));
  }

  /** There is a slot: what else there must be is there or not. */
  private void take(Wanted wanted, Guards.Guard at, AttemptPermit taken, long waited) {
    pending = taken;
    long now = now();
    var target = at.target;
    var from = taken.provider;
    var limit =
        reserved == null
            ? from.limiter.take(from.limits(), now)
            : from.limiter.takeReserved(from.limits(), now);
    if (limit != null) {
      limited(wanted, target, limit, waited, now);
      return;
    }
    reserved = null;
    taken.counted();
    var admission = at.breaker.admit(now);
    if (admission instanceof Admission.Refused refused) {
      refused(
          new Availability.Resting(
              refused.untilNanos(), Availability.By.BREAKER, refused.reason()));
      return;
    }
    taken.admitted((Admission.Admitted) admission);
    var keys = outlook.keys(from);
    KeyPool.Key picked = null;
    if (!keys.isEmpty()) {
      picked =
          keys.pick(
              outlook.choice.conversation(),
              target.model(),
              outlook.notWith(wanted.target(), wanted.otherKey()),
              outlook.nothingElse(now),
              now);
    }
    taken.with(picked);
    if (picked == null && !keys.isEmpty()) {
      var why = keys.availability(target.model(), now);
      refused(
          why instanceof Availability.Ready
              ? new Availability.Unavailable("no other key of " + target.provider())
              : why);
      return;
    }
    switch (preparation.prepare(wanted.target(), from.spec)) {
      case Preparation.Result.Impossible<R> no -> refused(new Availability.Unavailable(no.why()));
      case Preparation.Result.Ready<R>(var request, var money) -> {
        if (money == null) {
          found(wanted, taken, request, waited, now);
        } else {
          loop.then(money, answer -> paid(answer, wanted, taken, request, waited, now));
        }
      }
    }
  }

  /** Waits for the limits of the provider's account within patience, and no longer. */
  private void limited(
      Wanted wanted, TargetId target, RateLimiter.Wait limit, long waited, long now) {
    long wait = Math.max(limit.time().toNanos(), LOOK_AGAIN);
    if (wanted.limited() + wait > patience || now + wait - until > 0) {
      refused(CallOutlook.beyond(target, limit, now));
      return;
    }
    leavePending();
    // When a place comes free is not known; any other wait lasts until the turn.
    var from = provider(target);
    if (reserved == null
        && !limit.time().isZero()
        && from.limiter.reserve(from.limits(), now) != null) {
      reserved = from.limiter;
    }
    waiting =
        loop.schedule(Duration.ofNanos(wait), () -> enter(wanted.limitedFor(wait), waited + wait));
  }

  private void paid(
      BudgetReservation.Answer answer,
      Wanted wanted,
      AttemptPermit taken,
      R request,
      long waited,
      long from) {
    if (left) {
      return;
    }
    switch (answer) {
      case BudgetReservation.Answer.Granted _ -> {
        long now = now();
        if (now - until > 0 || taken.isOld()) {
          preparation.unused();
          refused(
              new Availability.Resting(
                  now,
                  Availability.By.BREAKER,
                  "what it had for this attempt was gone when the money was reserved"));
        } else {
          found(wanted, taken, request, waited + now - from, now);
        }
      }
      case BudgetReservation.Answer.Refused no -> {
        preparation.unaffordable(no);
        refused(new Availability.Unavailable(no.message()));
      }
    }
  }

  private void found(Wanted wanted, AttemptPermit taken, R request, long waited, long now) {
    if (visited.add(taken.target().provider())) {
      taken.provider.retries.request(now);
    }
    outlook.asked(wanted.target(), taken.key());
    pending = null;
    owner.permitted(taken, request, waited, now);
  }
}
