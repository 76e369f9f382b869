package dev.mainstay.core.guard;

import dev.mainstay.core.recovery.Availability;
import dev.mainstay.core.recovery.Decision;
import dev.mainstay.core.recovery.Outcome;
import dev.mainstay.core.recovery.Outlook;
import dev.mainstay.core.recovery.Policy;
import dev.mainstay.core.recovery.Recovery;
import dev.mainstay.core.recovery.Route;
import dev.mainstay.core.recovery.TargetId;
import dev.mainstay.core.recovery.Verdicts;
import dev.mainstay.core.testing.Histories;
import dev.mainstay.core.verdict.Kind;
import dev.mainstay.core.verdict.Verdict;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;

/**
 * Promise 12: in a total outage the load on a provider never exceeds what is offered by more than
 * the retry budget and its floor, and falls to single probes once the breaker opens.
 */
class OutageTest {
  private static final long SECOND = 1_000_000_000L;
  private static final TargetId TARGET = new TargetId("down", "model");

  private record Event(long at, long order, Runnable run) {}

  private final PriorityQueue<Event> events =
      new PriorityQueue<>(Comparator.comparingLong(Event::at).thenComparingLong(Event::order));
  private long now;
  private long order;

  /** Calls' first attempts when they were made, and all others when they were granted. */
  private List<Long> offered = new ArrayList<>();

  private List<Long> retries = new ArrayList<>();
  private int made;
  private int flying;
  private boolean opened;

  @Test
  void theLoadStaysWithinTheBudgetWithoutABreaker() {
    Histories.forAll(
        12,
        0.0005,
        random -> {
          play(random, neverOpens(), anyPolicy(random));
          for (int i = 0; i < retries.size(); i++) {
            long since = retries.get(i) - 10 * SECOND;
            int end = i;
            long within = retries.stream().limit(end + 1).filter(at -> at > since).count();
            long load = offered.stream().filter(at -> at > since - 10 * SECOND).count();
            check(within <= Math.max(10, 0.2 * load), within + " retries of " + load + " requests");
          }
          check(made <= retries.size(), "an attempt that was not granted");
        });
  }

  @Test
  void onceTheBreakerIsOpenThereAreSingleProbesAlone() {
    Histories.forAll(
        13,
        0.0005,
        random -> {
          play(random, BreakerSettings.defaults(), anyPolicy(random));
          check(opened || offered.size() < 5, "it never opened");
        });
  }

  private static BreakerSettings neverOpens() {
    return new BreakerSettings(
        Integer.MAX_VALUE,
        1.0,
        Integer.MAX_VALUE,
        Duration.ofSeconds(10),
        Duration.ofSeconds(5),
        Duration.ofSeconds(30));
  }

  private static Policy anyPolicy(RandomGenerator random) {
    var retry =
        Policy.defaults()
            .retry()
            .withMaxPerTarget(1 + random.nextInt(8))
            .withDelays(Duration.ofMillis(random.nextInt(500)), 2, Duration.ofSeconds(5));
    return Policy.defaults().withMaxAttempts(1 + random.nextInt(8)).withRetry(retry);
  }

  /** A minute of calls to a provider that answers none of them. */
  private void play(RandomGenerator random, BreakerSettings settings, Policy policy) {
    events.clear();
    offered = new ArrayList<>();
    retries = new ArrayList<>();
    now = 0;
    made = 0;
    flying = 0;
    opened = false;
    var breaker = new Breaker(settings);
    var budget = RetryBudget.defaults();
    int calls = 20 + random.nextInt(400);
    for (int i = 0; i < calls; i++) {
      at(random.nextLong(60 * SECOND), () -> new Call(breaker, budget, policy, random).begin());
    }
    while (!events.isEmpty()) {
      var event = events.remove();
      now = event.at();
      event.run().run();
    }
  }

  private void at(long when, Runnable run) {
    events.add(new Event(when, order++, run));
  }

  /** One call and its owner. */
  private final class Call implements Outlook {
    private final Breaker breaker;
    private final RetryBudget budget;
    private final RandomGenerator random;
    private final Recovery recovery;

    Call(Breaker breaker, RetryBudget budget, Policy policy, RandomGenerator random) {
      this.breaker = breaker;
      this.budget = budget;
      this.random = random;
      recovery = Recovery.start(policy, Route.of(TARGET), this, random, now);
    }

    @Override
    public Availability of(TargetId target, long nowNanos) {
      return breaker.availability(nowNanos);
    }

    @Override
    public boolean takeRetry(TargetId target, long nowNanos) {
      boolean granted = budget.tryRetry(nowNanos);
      if (granted) {
        retries.add(nowNanos);
      }
      return granted;
    }

    void begin() {
      carryOut(recovery.first(now));
    }

    private void carryOut(Decision decision) {
      if (!(decision instanceof Decision.GiveUp)) {
        at(now + decision.waitNanos(), this::attempt);
      }
    }

    private void attempt() {
      switch (breaker.admit(now)) {
        case Admission.Refused refused ->
            carryOut(
                recovery.next(
                    new Outcome.Refused(
                        new Availability.Resting(
                            refused.untilNanos(), Availability.By.BREAKER, refused.reason())),
                    now));
        case Admission.Admitted ticket -> {
          check(!opened || ticket.probe(), "after it opened, an attempt that is no probe");
          check(!opened || flying == 0 || !ticket.probe(), "two probes at a time");
          if (recovery.attempts() == 1) {
            budget.request(now);
            offered.add(now);
          } else {
            made++;
          }
          flying += ticket.probe() ? 1 : 0;
          at(now + random.nextLong(2 * SECOND), () -> fail(ticket));
        }
      }
    }

    private void fail(Admission.Admitted ticket) {
      flying -= ticket.probe() ? 1 : 0;
      Verdict down = Verdicts.transientFailure(Kind.OVERLOADED);
      breaker.failed(ticket, down, now);
      opened |= breaker.snapshot(now).state() == Breaker.State.OPEN;
      carryOut(recovery.next(Outcome.failed(down), now));
    }
  }

  private static void check(boolean holds, String otherwise) {
    if (!holds) {
      throw new AssertionError(otherwise);
    }
  }
}
