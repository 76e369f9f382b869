package dev.mainstay.library;

import dev.mainstay.core.failure.Failure;
import dev.mainstay.core.guard.Admission;
import dev.mainstay.core.recovery.Availability;
import dev.mainstay.core.recovery.Decision;
import dev.mainstay.core.recovery.Entry;
import dev.mainstay.core.recovery.Outcome;
import dev.mainstay.core.recovery.Outlook;
import dev.mainstay.core.recovery.Recovery;
import dev.mainstay.core.recovery.Route;
import dev.mainstay.core.recovery.Stage;
import dev.mainstay.core.recovery.TargetId;
import dev.mainstay.core.verdict.Repair;
import dev.mainstay.core.verdict.Verdict;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * The course of one call from the moment that something did not go well: asks the brain, keeps the
 * breakers and budgets informed, and writes the history. Not thread-safe: its owner serialises.
 */
final class CallExecution implements Outlook {
  private final Mainstay mainstay;
  private final GuardedTarget[] targets;
  private final Map<Repair, RepairAction> menders;
  private final Object owner;
  private final long start;
  private final Recovery recovery;
  private final boolean[] requested;
  private final List<HistoryEntry> history = new ArrayList<>(4);
  private final DecisionLog log = new DecisionLog();
  private final List<@Nullable Throwable> thrown = new ArrayList<>(4);
  private Admission.@Nullable Admitted ticket;
  private LeasedFailure.@Nullable Refresh refresh;
  private @Nullable Verdict verdict;
  private int target;

  /** While the first decision is made of which the first attempt is the outcome. */
  private boolean admittedAlready;

  /**
   * @param ticket for the first target, where its attempt was made before this was needed
   */
  CallExecution(
      Mainstay mainstay,
      GuardedTarget[] targets,
      Map<Repair, RepairAction> menders,
      Object owner,
      long start,
      Admission.@Nullable Admitted ticket) {
    this.mainstay = mainstay;
    this.targets = targets;
    this.menders = menders;
    this.owner = owner;
    this.start = start;
    this.ticket = ticket;
    var route = new Route(Arrays.stream(targets).map(GuardedTarget::id).toList());
    recovery = Recovery.start(mainstay.policy(), route, this, mainstay.random(), start);
    requested = new boolean[targets.length];
    requested[0] = ticket != null;
  }

  /** The first decision: to go to the first target, where that has been done already. */
  Decision first() {
    admittedAlready = ticket != null;
    var decision = recovery.first(start);
    admittedAlready = false;
    return decision;
  }

  // ---- what the brain asks

  @Override
  public Availability of(TargetId id, long now) {
    return admittedAlready ? Availability.READY : guarded(id).breaker().availability(now);
  }

  @Override
  public boolean takeRetry(TargetId id, long now) {
    return guarded(id).budget().tryRetry(now);
  }

  private GuardedTarget guarded(TargetId id) {
    for (var guarded : targets) {
      if (guarded.id().equals(id)) {
        return guarded;
      }
    }
    throw new IllegalStateException("no such target in this call: " + id);
  }

  // ---- what happened

  /** Asks to make the attempt; the refusal where it may not be made. */
  Outcome.@Nullable Refused admit(int index) {
    target = index;
    long now = mainstay.timer().nanoTime();
    var guarded = targets[index];
    switch (guarded.breaker().admit(now)) {
      case Admission.Refused refused -> {
        ticket = null;
        return new Outcome.Refused(
            new Availability.Resting(
                refused.untilNanos(), Availability.By.BREAKER, refused.reason()));
      }
      case Admission.Admitted admitted -> {
        ticket = admitted;
        boolean first = true;
        for (int i = 0; i < targets.length; i++) {
          first &= !(requested[i] && targets[i].id().provider().equals(guarded.id().provider()));
        }
        if (first) {
          guarded.budget().request(now);
        }
        requested[index] = true;
        return null;
      }
    }
  }

  Decision refused(Outcome.Refused refused) {
    return next(refused, null);
  }

  /**
   * @param stage what the program has received so far
   */
  Decision failed(Throwable failure, Stage stage) {
    var cause = unwrap(failure);
    refresh = failure instanceof LeasedFailure leased ? leased.refresh() : null;
    var meant = mainstay.verdict(targets[target].id().provider(), cause);
    verdict = meant;
    var admitted = ticket;
    if (admitted != null) {
      targets[target].breaker().failed(admitted, meant, mainstay.timer().nanoTime());
      ticket = null;
    }
    return next(new Outcome.Failed(meant, stage, false), cause);
  }

  /** The attempt has begun to deliver what it should; for a probe that is success enough. */
  void delivering() {
    var admitted = ticket;
    if (admitted != null) {
      targets[target].breaker().succeeded(admitted, mainstay.timer().nanoTime());
      ticket = null;
    }
  }

  void answered() {
    delivering();
    recovery.next(Outcome.answered(), mainstay.timer().nanoTime());
    mainstay.tellAnswered(targets[target].name(), start, history);
  }

  /** The program no longer wants the answer. */
  void cancelled() {
    var admitted = ticket;
    if (admitted != null) {
      targets[target].breaker().released(admitted);
      ticket = null;
    }
    if (!recovery.ended()) {
      next(Outcome.cancelled(), null);
    }
  }

  Decision mend(Decision.RetryRepaired mend) {
    target = mend.target();
    return next(mended(mend.repair()), null);
  }

  private Outcome mended(Repair repair) {
    try {
      if (repair == Repair.REFRESH_CLIENT && refresh != null) {
        refresh.run();
        return Outcome.Repaired.changed(repair);
      }
      var mender = menders.get(repair);
      if (mender == null || verdict == null) {
        return new Outcome.RepairImpossible(repair, "the program has no mender for it");
      }
      var outcome = mender.mend(verdict);
      boolean fits =
          outcome instanceof Outcome.Repaired done && done.repair() == repair
              || outcome instanceof Outcome.RepairImpossible;
      return fits ? outcome : new Outcome.RepairImpossible(repair, "the mender did something else");
    } catch (Exception e) {
      if (e instanceof InterruptedException) {
        Thread.currentThread().interrupt();
      }
      return new Outcome.RepairImpossible(
          repair, "the mender failed with " + e.getClass().getName());
    }
  }

  private Decision next(Outcome outcome, @Nullable Throwable failure) {
    long now = mainstay.timer().nanoTime();
    int soFar = recovery.attempts();
    int made = outcome instanceof Outcome.Failed ? soFar : 0;
    var decision = recovery.next(outcome, now);
    thrown.add(failure);
    var line =
        new HistoryEntry(
            made,
            targets[target].name(),
            Duration.ofNanos(now - start),
            failure,
            outcome instanceof Outcome.Failed failed ? failed.verdict() : null,
            decision);
    history.add(line);
    if (!(outcome instanceof Outcome.Cancelled)) {
      var next = decision instanceof Decision.GiveUp ? null : targets[targetOf(decision)].name();
      log.say(line, next, soFar, recovery.maxAttempts());
    }
    mainstay.tellDecided(line);
    return decision;
  }

  /** What the call ends in: the original failure to show, with the history attached. */
  Throwable end(Decision.GiveUp giveUp) {
    Throwable shown = null;
    Entry entry = recovery.shown();
    var entries = recovery.history();
    for (int i = 0; i < entries.size() && entry != null; i++) {
      if (entries.get(i) == entry) {
        shown = thrown.get(i);
      }
    }
    if (shown == null) {
      shown = new UnavailableException(giveUp.reason(), giveUp.retryAfter());
    }
    attach(shown);
    mainstay.tellGaveUp(shown, history);
    return shown;
  }

  /** Attaches the history so far; an exception that takes none is left as it is. */
  void attach(Throwable shown) {
    AttemptHistory.attach(shown, owner, List.copyOf(history));
  }

  /** What a blocking call does until its next attempt: waits, repairs, asks breakers. */
  int carryOut(Decision decision) throws Throwable {
    var next = decision;
    while (true) {
      if (next instanceof Decision.GiveUp giveUp) {
        throw end(giveUp);
      }
      if (next.waitNanos() > 0) {
        sleep(next.waitNanos());
      }
      if (next instanceof Decision.RetryRepaired mend) {
        next = mend(mend);
        continue;
      }
      var refused = admit(targetOf(next));
      if (refused == null) {
        return target;
      }
      next = refused(refused);
    }
  }

  private void sleep(long nanos) throws InterruptedException {
    try {
      mainstay.timer().sleep(nanos);
    } catch (InterruptedException e) {
      cancelled();
      attach(e);
      throw e;
    }
  }

  static int targetOf(Decision decision) {
    return switch (decision) {
      case Decision.Proceed d -> d.target();
      case Decision.Retry d -> d.target();
      case Decision.Fallback d -> d.target();
      case Decision.Continue d -> d.target();
      case Decision.RetryRepaired d -> d.target();
      case Decision.GiveUp _ -> throw new IllegalStateException("giving up has no target");
    };
  }

  /** What a program threw, without what carried it here. */
  static Throwable unwrap(Throwable failure) {
    var cause = failure;
    while (cause instanceof LeasedFailure
        || cause instanceof CompletionException
        || cause instanceof ExecutionException) {
      var inner = cause.getCause();
      if (inner == null) {
        return cause;
      }
      cause = inner;
    }
    return cause;
  }

  static Failure.Stream cut(String provider, boolean committed) {
    return new Failure.Stream(
        provider,
        committed ? Failure.Arrived.TEXT : Failure.Arrived.PREAMBLE,
        Failure.StreamEnding.CLOSED,
        null);
  }
}
