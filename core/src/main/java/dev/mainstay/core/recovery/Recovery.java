package dev.mainstay.core.recovery;

import dev.mainstay.core.verdict.Blame;
import dev.mainstay.core.verdict.FailureClass;
import dev.mainstay.core.verdict.Kind;
import dev.mainstay.core.verdict.Repair;
import dev.mainstay.core.verdict.Verdict;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * What to do next for one call. One instance per call, fed with what happened and the time, it
 * answers with a {@link Decision}; it does no I/O, never sleeps and reads no clock. Not
 * thread-safe: the call's owner serialises.
 *
 * <p>The owner asks {@link #first}, carries the decision out, and reports each outcome to {@link
 * #next} until it is told {@link Decision.GiveUp}, or {@link Decision.Proceed} upon {@link
 * Outcome.Answered}. An attempt counts when it is decided upon, and no longer when it is refused.
 *
 * <p>After a failure the options are looked at in this order, and the first that every bound allows
 * is taken:
 *
 * <ol>
 *   <li>another key of the same pool, at once, where the key is to blame;
 *   <li>a repair, where the request or the answer is at fault;
 *   <li>the same target, where the wait is within {@code patience} (after a timeout the next target
 *       comes first, and the same one at most once more, unless it failed in another way since
 *       while a part of the answer was delivered);
 *   <li>the next target that is available now: untried ones first, in the route's order;
 *   <li>whichever target is available soonest, where its wait fits {@code max-retry-after} and the
 *       deadline.
 * </ol>
 *
 * <p>What no policy can change: FATAL is never retried on its target (blamed on a key: not with
 * that key); LOGIC never unchanged, except a model's own bad answer; a wait is never shorter than
 * the provider asked and never begun if it ends past the deadline; no path resets another's bound.
 */
public final class Recovery {
  private enum State {
    NEW,
    ATTEMPTING,
    MENDING,
    ENDED
  }

  private final Policy policy;
  private final Route route;
  private final Outlook outlook;
  private final int maxAttempts;
  private final long deadlineNanos;

  /** After which no new attempt begins; never later than the deadline. */
  private final long attemptsUntil;

  private final Targets targets;

  private State state = State.NEW;
  private int current;
  // What follows is made at the first outcome that is not an answer.
  private @Nullable RepairTracker repairs;
  private @Nullable List<Entry> history;
  private Outcome.@Nullable Failed failure;
  private int failedTarget;

  /** The request was changed since {@link #failure}, so its target may see it again. */
  private boolean mended;

  private Recovery(
      Policy policy,
      Route route,
      Outlook outlook,
      RandomGenerator random,
      long now,
      Limits limits) {
    this.policy = Objects.requireNonNull(policy, "policy");
    this.route = Objects.requireNonNull(route, "route");
    this.outlook = Objects.requireNonNull(outlook, "outlook");
    Objects.requireNonNull(random, "random");
    Integer fewer = limits.maxAttempts();
    Duration sooner = limits.deadline();
    maxAttempts = fewer == null ? policy.maxAttempts() : Math.min(fewer, policy.maxAttempts());
    long deadline = Nanos.of(policy.deadline());
    deadlineNanos = now + (sooner == null ? deadline : Math.min(Nanos.of(sooner), deadline));
    Duration last = limits.lastAttempt();
    attemptsUntil = last == null ? deadlineNanos : Math.min(deadlineNanos, now + Nanos.of(last));
    targets = new Targets(policy, route, outlook, random, maxAttempts, attemptsUntil);
  }

  /** A call that begins at {@code nowNanos}, on any clock that never goes back. */
  public static Recovery start(
      Policy policy, Route route, Outlook outlook, RandomGenerator random, long nowNanos) {
    return new Recovery(policy, route, outlook, random, nowNanos, Limits.NONE);
  }

  /** The same, with {@code limits} of the call's own, which can only lower the policy's. */
  public static Recovery start(
      Policy policy,
      Route route,
      Outlook outlook,
      RandomGenerator random,
      long nowNanos,
      Limits limits) {
    return new Recovery(policy, route, outlook, random, nowNanos, limits);
  }

  /** Upstream requests decided upon so far, without those that were refused. */
  public int attempts() {
    return targets.attempts();
  }

  /** How many upstream requests there can be in all. */
  public int maxAttempts() {
    return maxAttempts;
  }

  /** When the call's deadline ends, on the clock that is passed in. */
  public long deadlineNanos() {
    return deadlineNanos;
  }

  /** After which no new attempt begins, on the same clock; never later than the deadline. */
  public long attemptsUntilNanos() {
    return attemptsUntil;
  }

  /** How long a new attempt may still begin; 0 once that is past. */
  private long remainingNanos(long nowNanos) {
    return Nanos.until(attemptsUntil, nowNanos);
  }

  public Route route() {
    return route;
  }

  /** Whether nothing more will be decided. */
  public boolean ended() {
    return state == State.ENDED;
  }

  /** Every outcome so far with the decision upon it, oldest first; a copy. */
  public List<Entry> history() {
    return history == null ? List.of() : List.copyOf(history);
  }

  /**
   * The failure to show where a call ends in one: the last that is the caller's to mend, else the
   * last of the target that was asked first; null where no attempt failed.
   */
  public @Nullable Entry shown() {
    return ShownFailure.of(history());
  }

  /** The first decision; asked once. */
  public Decision first(long nowNanos) {
    require(state == State.NEW, "first() was called before");
    return firstChoice(nowNanos);
  }

  /**
   * The decision upon {@code outcome} of the one before it.
   *
   * @throws IllegalStateException if the outcome does not fit that decision, or the call has ended
   */
  public Decision next(Outcome outcome, long nowNanos) {
    require(state == State.ATTEMPTING || state == State.MENDING, "nothing is under way");
    int about = current;
    int made = targets.attempts();
    Decision decision =
        switch (outcome) {
          case Outcome.Answered _ -> answered();
          case Outcome.Cancelled _ -> end(null, "the client left");
          case Outcome.Failed failed -> failed(failed, nowNanos);
          case Outcome.Refused refused -> refused(refused.why(), nowNanos);
          case Outcome.Repaired done -> repaired(done, nowNanos);
          case Outcome.RepairImpossible impossible -> unrepaired(impossible.repair(), nowNanos);
        };
    if (!(outcome instanceof Outcome.Answered) || history != null) {
      if (history == null) {
        history = new ArrayList<>(4);
      }
      history.add(new Entry(made, about, outcome, decision, nowNanos));
    }
    return decision;
  }

  private Decision answered() {
    require(state == State.ATTEMPTING, "no attempt is under way");
    state = State.ENDED;
    return Reasons.answered(current);
  }

  // ---- the first decision

  private Decision firstChoice(long now) {
    if (remainingNanos(now) == 0) {
      return end(null, "the deadline had passed before the first attempt");
    }
    // A target that a failure has not spoken for is worth a wait only where its keys rest.
    int soonest = -1;
    long least = Long.MAX_VALUE;
    for (int i = 0; i < route.size(); i++) {
      if (targets.gone(i)) {
        continue;
      }
      long wait = targets.restOf(i, now, true);
      if (wait == 0) {
        return proceed(i, 0, now);
      }
      if (wait < least) {
        least = wait;
        soonest = i;
        if (wait <= Nanos.of(policy.retry().patience()) && wait < remainingNanos(now)) {
          break;
        }
      }
      if (policy.fallback().on() == FallbackOn.OFF) {
        break;
      }
    }
    if (soonest >= 0
        && least <= Nanos.of(policy.retry().maxRetryAfter())
        && least < remainingNanos(now)) {
      return proceed(soonest, least, now);
    }
    return end(passOn(now), Reasons.noneAvailable(route, outlook, now));
  }

  private Decision proceed(int target, long wait, long now) {
    var first = Reasons.first(route, target, wait, outlook, now);
    take(target, true, false);
    return first;
  }

  // ---- outcomes

  private Decision failed(Outcome.Failed failed, long now) {
    require(state == State.ATTEMPTING, "no attempt is under way");
    failure = failed;
    failedTarget = current;
    mended = false;
    targets.failed(current, failed, now);
    return after(now);
  }

  private Decision refused(Availability why, long now) {
    require(state == State.ATTEMPTING, "no attempt is under way");
    targets.refused(current, why);
    if (failure == null) {
      return firstChoice(now);
    }
    repairs().refused();
    return after(now);
  }

  private Decision repaired(Outcome.Repaired done, long now) {
    require(state == State.MENDING, "no repair is under way");
    if (!repairs().progressed(done)) {
      return unrepaired(done.repair(), now);
    }
    mended = true;
    targets.tally(current).ruledOut = false;
    long wait = targets.waitAt(current, now);
    Outcome.Failed failed = Objects.requireNonNull(failure);
    boolean spared = targets.spare(now) || !Ladder.fallsBack(policy, failed.verdict());
    boolean patient = targets.patient(current, now);
    // What a closed client was asked never reached the provider: this is no second attempt there.
    boolean unsent = done.repair() == Repair.REFRESH_CLIENT;
    if (!spared
        || !patient
        || !targets.fits(current, wait, now)
        || !(unsent || targets.affordable(current, now))) {
      return after(now);
    }
    take(current, false, false);
    repairs().take(failed.stage().committed(), false);
    return Reasons.repaired(failed, done.repair(), current, wait);
  }

  private Decision unrepaired(Repair repair, long now) {
    require(state == State.MENDING, "no repair is under way");
    repairs().ruleOut(repair);
    return after(now);
  }

  // ---- after a failure

  /** The decision upon {@link #failure}, also where the decision before was refused or undone. */
  private Decision after(long now) {
    Outcome.Failed failed = Objects.requireNonNull(failure);
    Verdict verdict = failed.verdict();
    TargetAttempts here = targets.tally(failedTarget);
    current = failedTarget;
    String end = bound(failed, now);
    if (end != null) {
      return end(passOn(now), end);
    }
    if (verdict.failureClass() != FailureClass.TRANSIENT && !mended) {
      here.ruledOut = true;
    }
    boolean canFallBack = Ladder.fallsBack(policy, verdict);
    if (otherKeyHelps(verdict, here, now) && targets.affordable(failedTarget, now)) {
      return ask(failed, failedTarget, 0, true);
    }
    boolean room = !here.gone && here.attempts < here.cap;
    Repair repair = mended || !room ? null : repairFor(failed, canFallBack, now);
    if (repair != null) {
      repairs().begin(repair);
      state = State.MENDING;
      long wait = targets.waitAt(failedTarget, now);
      return new Decision.RetryRepaired(failedTarget, repair, wait, Reasons.mend(verdict, repair));
    }
    boolean same =
        room
            && sameHelps(failed, here)
            && (targets.spare(now) || (mended && !canFallBack))
            && restartToSpare(failed, canFallBack, now);
    return choose(failed, same, canFallBack, now);
  }

  /** The bound that forbids any further attempt, in words, or null. */
  private @Nullable String bound(Outcome.Failed failed, long now) {
    Stage stage = failed.stage();
    if (stage == Stage.DELIVERED_TOOL_CALL) {
      return "a tool call had reached the client and is never delivered twice";
    }
    if (stage.committed() && policy.midStream() != MidStream.CONTINUE) {
      return "part of the answer had reached the client and mid-stream is not continue";
    }
    if (stage.committed() && !failed.continuable()) {
      return "part of the answer had reached the client and cannot be gone on with safely";
    }
    if (targets.attempts() >= maxAttempts) {
      return Reasons.allUsed(failed.verdict(), maxAttempts);
    }
    if (remainingNanos(now) == 0) {
      return Nanos.until(deadlineNanos, now) == 0
          ? "the deadline has passed"
          : "the client will not wait for another attempt";
    }
    int restarts = repairs().restarts();
    if (failed.streamBroke() && restarts >= policy.bounds().streamRestarts()) {
      return "the stream broke again after " + restarts + " restarts";
    }
    return null;
  }

  /** Whether a restart can be spent on the same target, sparing one for each untried other. */
  private boolean restartToSpare(Outcome.Failed failed, boolean canFallBack, long now) {
    return !failed.streamBroke()
        || !canFallBack
        || policy.bounds().streamRestarts() - repairs().restarts() > targets.needed(now);
  }

  /** Whether another key of the failed target's pool may be tried at once. */
  private boolean otherKeyHelps(Verdict verdict, TargetAttempts here, long now) {
    boolean laddered =
        Ladder.retries(policy, verdict.kind()) || Ladder.fallsBack(policy, verdict.kind());
    // Which models there are may be the key's: one other key tells.
    boolean keys =
        verdict.blame() == Blame.KEY
            || (verdict.kind() == Kind.NOT_FOUND_MODEL && here.attempts == 1);
    return keys
        && verdict.failureClass() != FailureClass.LOGIC
        && laddered
        && !here.gone
        && targets.underCaps(here)
        && targets.spare(now)
        && outlook.of(route.target(failedTarget), now) instanceof Availability.Ready
        && outlook.otherKey(route.target(failedTarget), now);
  }

  /** The repair to try, where its attempt can be spent on the failed target, or null. */
  private @Nullable Repair repairFor(Outcome.Failed failed, boolean canFallBack, long now) {
    Repair repair = repairs().choose(failed, policy);
    if (repair == null || (canFallBack && !targets.spare(now))) {
      return null;
    }
    long wait = targets.waitAt(failedTarget, now);
    boolean patient = targets.patient(failedTarget, now);
    boolean here = patient || !canFallBack || !targets.otherReady(failedTarget, now);
    return here && targets.fits(failedTarget, wait, now) ? repair : null;
  }

  /** Whether the failed target may be asked again without a repair. */
  private boolean sameHelps(Outcome.Failed failed, TargetAttempts here) {
    if (mended) {
      return true;
    }
    Verdict verdict = failed.verdict();
    boolean goingOn = failed.stage().committed();
    return switch (verdict.failureClass()) {
      case FATAL -> false;
      case TRANSIENT ->
          here.retryable
              // A client that is closed stays closed: the fresh one was the one retry there is.
              && !(verdict.kind() == Kind.CLIENT_CLOSED
                  && repairs().wasTried(Repair.REFRESH_CLIENT))
              && (goingOn || targets.underCaps(here));
      case LOGIC ->
          verdict.retrySame()
              && (policy.allows(Repair.SELF_CORRECT) || policy.retry().on() == RetryOn.ANY)
              && repairs().withinBound(Repair.SELF_CORRECT, policy.bounds())
              && (goingOn || targets.underCaps(here));
    };
  }

  /** Picks among the failed target and the others; see the class comment for the order. */
  private Decision choose(Outcome.Failed failed, boolean same, boolean canFallBack, long now) {
    boolean timedOut = failed.verdict().kind() == Kind.TIMEOUT && !mended;
    int best = targets.best(failedTarget, same, canFallBack, timedOut, now);
    if (best == Targets.TOO_DEAR) {
      return end(passOn(now), Reasons.budget(route.target(failedTarget)));
    }
    if (best == Targets.NONE) {
      boolean othersOut = route.size() > 1 && canFallBack;
      return end(passOn(now), Reasons.nothingLeft(failed.verdict(), same, othersOut));
    }
    return ask(failed, best, targets.waitAt(best, now), false);
  }

  /** The attempt at {@code target}, in the books and as a decision. */
  private Decision ask(Outcome.Failed failed, int target, long wait, boolean otherKey) {
    boolean again = target == failedTarget && !otherKey;
    boolean committed = failed.stage().committed();
    targets.tally(target).ruledOut = false;
    take(target, !again || !(mended || committed), otherKey);
    repairs()
        .take(
            failed.streamBroke() && (!mended || committed),
            again && !mended && failed.verdict().failureClass() == FailureClass.LOGIC);
    return Reasons.step(
        failed, route, failedTarget, target, wait, otherKey, targets.attempts(), maxAttempts);
  }

  /** How long the caller should wait, where waiting can help. */
  private @Nullable Duration passOn(long now) {
    if (failure != null) {
      Verdict verdict = failure.verdict();
      if (verdict.failureClass() != FailureClass.TRANSIENT) {
        return verdict.retryAfter();
      }
    }
    long least = targets.soonest(now);
    return least == 0 || least == Nanos.FOREVER ? null : Duration.ofNanos(least);
  }

  // ---- bookkeeping

  private void take(int target, boolean unchanged, boolean otherKey) {
    state = State.ATTEMPTING;
    current = target;
    targets.take(target, unchanged, otherKey);
  }

  private Decision end(@Nullable Duration retryAfter, String reason) {
    state = State.ENDED;
    return new Decision.GiveUp(retryAfter, reason);
  }

  private RepairTracker repairs() {
    RepairTracker all = repairs;
    if (all == null) {
      all = new RepairTracker();
      repairs = all;
    }
    return all;
  }

  private static void require(boolean holds, String otherwise) {
    if (!holds) {
      throw new IllegalStateException(otherwise);
    }
  }
}
