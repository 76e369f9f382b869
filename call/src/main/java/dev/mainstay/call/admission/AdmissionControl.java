package dev.mainstay.call.admission;

import dev.mainstay.call.api.BudgetReservation;
import dev.mainstay.call.api.ProviderSpec;
import dev.mainstay.call.api.UnexpectedError;
import dev.mainstay.call.recording.CallRecorder;
import dev.mainstay.call.request.Continuation;
import dev.mainstay.call.request.RequestBodies;
import dev.mainstay.call.upstream.KeyPool;
import dev.mainstay.call.upstream.RateLimiter;
import dev.mainstay.core.guard.Admission;
import dev.mainstay.core.recovery.Availability;
import dev.mainstay.core.recovery.TargetId;
import dev.mainstay.http.Cancellable;
import dev.mainstay.http.GuardedLoop;
import dev.mainstay.http.UrlPath;
import java.time.Duration;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds each attempt of a call what it must have before it is made, in this order: the wait that
 * was decided on, a slot at its target, the breaker's admission, a key, the request in the target's
 * words, and the money. Belongs to the call's loop.
 */
public final class AdmissionControl {
  /** Told once of each permit that was asked for. */
  public interface Owner {
    /**
     * Everything is there; the permit is yours to give back.
     *
     * @param waited nanoseconds, for whatever reason
     */
    void permitted(AttemptPermit permit, RequestBodies.Ready asked, long waited, long now);

    /** Something is not; nothing is held. */
    void refused(Availability why);
  }

  private static final Logger LOG = LoggerFactory.getLogger(AdmissionControl.class);

  private final Owner owner;
  private final CallOutlook outlook;
  private final LongSupplier nanos;
  private final RequestBodies bodies;
  private final BudgetReservation reservation;
  private final CallRecorder recorder;
  private final GuardedLoop loop;

  /** After which no attempt begins. */
  private final long until;

  private @Nullable Cancellable waiting;

  /** Taken for an attempt that is not made yet: {@link #leave} gives it back. */
  private @Nullable AttemptPermit pending;

  private boolean left;

  /**
   * @param nanos the call's clock
   * @param until after which no attempt begins, on that clock
   */
  public AdmissionControl(
      Owner owner,
      CallOutlook outlook,
      LongSupplier nanos,
      RequestBodies bodies,
      BudgetReservation reservation,
      CallRecorder recorder,
      GuardedLoop loop,
      long until) {
    this.owner = owner;
    this.outlook = outlook;
    this.nanos = nanos;
    this.bodies = bodies;
    this.reservation = reservation;
    this.recorder = recorder;
    this.loop = loop;
    this.until = until;
  }

  /** How often a call looks whether the limits of a provider's account have room again. */
  private static final long LOOK_AGAIN = Duration.ofMillis(25).toNanos();

  /**
   * One attempt as it was decided on.
   *
   * @param limited nanoseconds it has waited for the limits of the provider's account
   */
  private record Wanted(
      int target, boolean otherKey, @Nullable Continuation continuation, long limited) {
    Wanted limitedFor(long more) {
      return new Wanted(target, otherKey, continuation, limited + more);
    }
  }

  /**
   * Asks for a permit at the target with this index in the call's route.
   *
   * @param wait nanoseconds to wait first, 0 for at once
   * @param otherKey whether the key that the target was asked with last is not to be taken
   * @param continuation the answer that is gone on with, or null
   */
  public void admit(long wait, int target, boolean otherKey, @Nullable Continuation continuation) {
    var wanted = new Wanted(target, otherKey, continuation, 0);
    if (wait <= 0) {
      enter(wanted, 0);
    } else {
      waiting = loop.schedule(Duration.ofNanos(wait), () -> enter(wanted, wait));
    }
  }

  /** The call has ended: gives back what an attempt that is not made yet holds. */
  public void leave() {
    left = true;
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
    var target = outlook.request.plan().route().target(wanted.target());
    var at = outlook.guards.of(target);
    var from = outlook.upstreams.provider(target.provider());
    if (from == null) {
      throw new IllegalStateException("a route to a provider that is not there: " + target);
    }
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
    leavePending();
    owner.refused(why);
  }

  private void full(Guards.Guard at) {
    owner.refused(outlook.queueFull(at, now()));
  }

  /** There is a slot: what else there must be is there or not. */
  private void take(Wanted wanted, Guards.Guard at, AttemptPermit taken, long waited) {
    pending = taken;
    long now = now();
    var target = at.target;
    var limit = taken.provider.limiter.take(taken.provider.limits(), now);
    if (limit != null) {
      limited(wanted, target, limit, waited, now);
      return;
    }
    taken.counted();
    var admission = at.breaker.admit(now);
    if (admission instanceof Admission.Refused refused) {
      refused(
          new Availability.Resting(
              refused.untilNanos(), Availability.By.BREAKER, refused.reason()));
      return;
    }
    taken.admitted((Admission.Admitted) admission);
    var from = taken.provider;
    KeyPool.Key picked = null;
    if (!from.keys.isEmpty()) {
      picked =
          from.keys.pick(
              outlook.request.content().head().conversation(),
              target.model(),
              outlook.notWith(wanted.target(), wanted.otherKey()),
              outlook.nothingElse(now),
              now);
    }
    taken.with(picked);
    if (picked == null && !from.keys.isEmpty()) {
      var why = from.keys.availability(target.model(), now);
      refused(
          why instanceof Availability.Ready
              ? new Availability.Unavailable("no other key of " + target.provider())
              : why);
      return;
    }
    switch (asked(wanted, from.spec)) {
      case RequestBodies.Unsayable no -> {
        recorder.unsayable(no.why());
        refused(new Availability.Unavailable(no.why()));
      }
      case RequestBodies.Ready sayable -> {
        var paid = reservation.before(target, sayable.operation(), sayable.body());
        if (paid == null) {
          found(wanted, taken, sayable, waited, now);
        } else {
          loop.then(paid, answer -> paid(answer, wanted, taken, sayable, waited, now));
        }
      }
    }
  }

  /** Waits for the limits of the provider's account within patience, and no longer. */
  private void limited(
      Wanted wanted, TargetId target, RateLimiter.Wait limit, long waited, long now) {
    long wait = Math.max(limit.time().toNanos(), LOOK_AGAIN);
    if (wanted.limited() + wait
            > outlook.request.plan().settings().policy().retry().patience().toNanos()
        || now + wait - until > 0) {
      refused(CallOutlook.beyond(target, limit, now));
      return;
    }
    leavePending();
    waiting =
        loop.schedule(Duration.ofNanos(wait), () -> enter(wanted.limitedFor(wait), waited + wait));
  }

  private void paid(
      BudgetReservation.Answer answer,
      Wanted wanted,
      AttemptPermit taken,
      RequestBodies.Ready sayable,
      long waited,
      long from) {
    if (left) {
      return;
    }
    switch (answer) {
      case BudgetReservation.Answer.Granted _ -> {
        long now = now();
        if (now - until > 0 || taken.isOld()) {
          reservation.after(0L, true);
          refused(
              new Availability.Resting(
                  now,
                  Availability.By.BREAKER,
                  "what it had for this attempt was gone when the money was reserved"));
        } else {
          found(wanted, taken, sayable, waited + now - from, now);
        }
      }
      case BudgetReservation.Answer.Refused no -> {
        recorder.unaffordable(no);
        refused(new Availability.Unavailable(no.message()));
      }
    }
  }

  private void found(
      Wanted wanted, AttemptPermit taken, RequestBodies.Ready sayable, long waited, long now) {
    if (recorder.firstAt(taken.target().provider())) {
      taken.provider.retries.request(now);
    }
    outlook.asked(wanted.target(), taken.key());
    pending = null;
    owner.permitted(taken, sayable, waited, now);
  }

  /** A request nobody foresaw costs its target, and not the call. */
  private RequestBodies.Prepared asked(Wanted wanted, ProviderSpec spec) {
    try {
      var asked = bodies.of(wanted.target(), spec, wanted.continuation());
      var model = outlook.request.plan().route().target(wanted.target()).model();
      return asked instanceof RequestBodies.Ready ready
              && ready.operation().modelInPath()
              && UrlPath.flaw("/" + RequestBodies.pathSegment(model)) != null
          ? new RequestBodies.Unsayable("the model's name is none that fits a URL's path")
          : asked;
    } catch (RuntimeException e) {
      LOG.error(
          "{}: the request for {} could not be written: {}",
          recorder.id(),
          spec.name(),
          UnexpectedError.where(e));
      return new RequestBodies.Unsayable("this gateway could not write the request");
    }
  }
}
