package dev.mainstay.core.guard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mainstay.core.recovery.Availability;
import dev.mainstay.core.recovery.InvalidPolicyException;
import dev.mainstay.core.recovery.Verdicts;
import dev.mainstay.core.testing.Histories;
import dev.mainstay.core.verdict.Blame;
import dev.mainstay.core.verdict.Kind;
import dev.mainstay.core.verdict.Verdict;
import io.github.resilience4j.circuitbreaker.CircuitBreaker;
import io.github.resilience4j.circuitbreaker.CircuitBreakerConfig;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class BreakerTest {
  private static final long SECOND = 1_000_000_000L;
  private static final Verdict DOWN = Verdicts.transientFailure(Kind.SERVER_ERROR);

  private final Breaker breaker = new Breaker(BreakerSettings.defaults());

  @Test
  void defaults() {
    assertThat(BreakerSettings.defaults())
        .isEqualTo(
            new BreakerSettings(
                5, 0.5, 20, Duration.ofSeconds(10), Duration.ofSeconds(5), Duration.ofSeconds(10)));
  }

  @Test
  void refusesWhatCannotBeMeant() {
    var s = Duration.ofSeconds(1);
    refused(() -> new BreakerSettings(0, 0.5, 20, s, s, s), "breaker.consecutive-failures: 0 is");
    refused(() -> new BreakerSettings(5, 0, 20, s, s, s), "breaker.failure-rate: 0.0 is not");
    refused(() -> new BreakerSettings(5, Double.NaN, 20, s, s, s), "breaker.failure-rate: NaN");
    refused(() -> new BreakerSettings(5, 0.5, 0, s, s, s), "breaker.of-at-least: 0 is");
    refused(
        () -> new BreakerSettings(5, 0.5, 1, s.negated(), s, s),
        "breaker.within: must not be negative");
    refused(
        () -> new BreakerSettings(5, 0.5, 1, s, s.multipliedBy(2), s),
        "breaker.max-open: 1 s is shorter");
  }

  private static void refused(
      org.assertj.core.api.ThrowableAssert.ThrowingCallable settings, String message) {
    assertThatThrownBy(settings)
        .isInstanceOf(InvalidPolicyException.class)
        .hasMessageStartingWith(message);
  }

  @Test
  void opensAfterFiveInARowAndSaysWhyAndUntilWhen() {
    open(0);
    assertThat(breaker.snapshot(0))
        .isEqualTo(
            new Breaker.Snapshot(Breaker.State.OPEN, "5 failures in a row", 5 * SECOND, 0, 0, 0));
    assertThat(breaker.admit(4 * SECOND))
        .isEqualTo(new Admission.Refused(5 * SECOND, "5 failures in a row"));
    assertThat(breaker.availability(4 * SECOND))
        .isEqualTo(
            new Availability.Resting(5 * SECOND, Availability.By.BREAKER, "5 failures in a row"));
  }

  @Test
  void aSuccessBetweenStartsTheCountAnew() {
    for (int i = 0; i < 4; i++) {
      breaker.failed(admitted(0), DOWN, 0);
    }
    breaker.succeeded(admitted(0), 0);
    for (int i = 0; i < 4; i++) {
      breaker.failed(admitted(0), DOWN, 0);
    }
    assertThat(breaker.snapshot(0).state()).isEqualTo(Breaker.State.CLOSED);
  }

  @Test
  void opensWhenHalfOfTwentyFail() {
    for (int i = 0; i < 10; i++) {
      breaker.failed(admitted(0), DOWN, 0);
      if (i < 9) {
        breaker.succeeded(admitted(0), 0);
      }
    }
    assertThat(breaker.snapshot(0).state()).isEqualTo(Breaker.State.CLOSED);
    breaker.succeeded(admitted(0), 0);
    assertThat(breaker.snapshot(0).reason()).isEqualTo("10 of 20 requests failed within 10 s");
  }

  @Test
  void exactlyOneProbeAndTheOpenTimeDoublesWhileProbesFail() {
    open(0);
    long now = 0;
    for (long open : new long[] {5, 10, 10, 10}) {
      now += open * SECOND - 1;
      assertThat(breaker.admit(now)).isInstanceOf(Admission.Refused.class);
      now += 1;
      var probe = admitted(now);
      assertThat(probe.probe()).isTrue();
      assertThat(breaker.admit(now)).isInstanceOf(Admission.Refused.class);
      assertThat(breaker.snapshot(now).nextProbeNanos()).isNull();
      breaker.failed(probe, DOWN, now);
      assertThat(breaker.snapshot(now).reason()).isEqualTo("the probe failed with server_error");
    }
    now += 10 * SECOND;
    breaker.succeeded(admitted(now), now);
    assertThat(breaker.snapshot(now).state()).isEqualTo(Breaker.State.CLOSED);
    open(now);
    assertThat(breaker.snapshot(now).nextProbeNanos()).isEqualTo(now + 5 * SECOND);
  }

  @Test
  void aProbeWhoseClientLeftIsGivenBack() {
    open(0);
    breaker.released(admitted(5 * SECOND));
    assertThat(admitted(5 * SECOND).probe()).isTrue();
  }

  @Test
  void aRightfulRefusalShowsThatItWorks() {
    open(0);
    breaker.failed(admitted(5 * SECOND), Verdicts.logic(Kind.INVALID_REQUEST, null), 5 * SECOND);
    assertThat(breaker.snapshot(5 * SECOND).state()).isEqualTo(Breaker.State.CLOSED);
  }

  @Test
  void whatTheProviderIsNotToBlameForDoesNotCount() {
    for (int i = 0; i < 100; i++) {
      breaker.failed(admitted(0), Verdicts.transientFailure(Kind.RATE_LIMIT), 0);
      breaker.failed(admitted(0), Verdicts.fatal(Kind.AUTH, Blame.KEY), 0);
      breaker.failed(admitted(0), Verdicts.fatal(Kind.CANCELLED, Blame.CALLER), 0);
      breaker.failed(admitted(0), Verdicts.logic(Kind.INVALID_REQUEST, null), 0);
      // The kind alone does not decide: a caller's own slow image host is a timeout too.
      breaker.failed(admitted(0), Verdicts.fatal(Kind.TIMEOUT, Blame.CALLER), 0);
    }
    assertThat(breaker.snapshot(0).state()).isEqualTo(Breaker.State.CLOSED);
    for (int i = 0; i < 5; i++) {
      breaker.failed(admitted(0), Verdicts.transientFailure(Kind.OVERLOADED), 0);
    }
    assertThat(breaker.snapshot(0).state()).isEqualTo(Breaker.State.OPEN);
  }

  @Test
  void whatWasAdmittedBeforeItOpenedTellsNothingOfTheProbe() {
    var early = admitted(0);
    open(0);
    var probe = admitted(5 * SECOND);
    breaker.succeeded(early, 5 * SECOND);
    breaker.failed(early, DOWN, 5 * SECOND);
    assertThat(breaker.snapshot(5 * SECOND).state()).isEqualTo(Breaker.State.HALF_OPEN);
    breaker.succeeded(probe, 5 * SECOND);
    assertThat(breaker.snapshot(5 * SECOND).state()).isEqualTo(Breaker.State.CLOSED);
  }

  @Test
  void aHundredThreadsGetOneProbe() throws InterruptedException {
    open(0);
    var probes = new AtomicInteger();
    var start = new CountDownLatch(1);
    try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
      for (int i = 0; i < 100; i++) {
        threads.submit(
            () -> {
              start.await();
              if (breaker.admit(5 * SECOND) instanceof Admission.Admitted) {
                probes.incrementAndGet();
              }
              return null;
            });
      }
      start.countDown();
      threads.shutdown();
      assertThat(threads.awaitTermination(1, TimeUnit.MINUTES)).isTrue();
    }
    assertThat(probes).hasValue(1);
  }

  private void open(long now) {
    for (int i = 0; i < 5; i++) {
      breaker.failed(admitted(now), DOWN, now);
    }
    assertThat(breaker.snapshot(now).state()).isEqualTo(Breaker.State.OPEN);
  }

  private Admission.Admitted admitted(long now) {
    var admission = breaker.admit(now);
    assertThat(admission).isInstanceOf(Admission.Admitted.class);
    return (Admission.Admitted) admission;
  }

  /** Promise 11 over random histories of concurrent attempts. */
  @Test
  void promise11() {
    Histories.forAll(
        11,
        0.25,
        random -> {
          var tested = new Breaker(BreakerSettings.defaults());
          var flying = new ArrayList<Admission.Admitted>();
          Admission.Admitted probe = null;
          boolean blamed = false;
          long now = random.nextLong(SECOND);
          long openUntil = now;
          for (int step = 0; step < 60; step++) {
            now += random.nextLong(step % 7 == 0 ? 8 * SECOND : SECOND / 10);
            var before = tested.snapshot(now).state();
            if (flying.isEmpty() || random.nextBoolean()) {
              if (tested.admit(now) instanceof Admission.Admitted ticket) {
                check(now - openUntil >= 0, "admitted while open");
                check(!ticket.probe() || probe == null, "a second probe");
                check(ticket.probe() || before == Breaker.State.CLOSED, "no probe, and not closed");
                probe = ticket.probe() ? ticket : probe;
                flying.add(ticket);
              }
              continue;
            }
            var ticket = flying.remove(random.nextInt(flying.size()));
            var verdict = Verdicts.any(random);
            boolean failed = false;
            switch (random.nextInt(4)) {
              case 0 -> tested.succeeded(ticket, now);
              case 1 -> tested.released(ticket);
              default -> {
                tested.failed(ticket, verdict, now);
                failed = Breaker.countsAgainst(verdict);
                blamed |= failed;
              }
            }
            var after = tested.snapshot(now);
            if (after.state() == Breaker.State.OPEN && before != Breaker.State.OPEN) {
              check(blamed, "opened though nothing was the provider's to answer for");
              check(
                  before == Breaker.State.CLOSED || ticket == probe, "a stranger's failure opened");
              openUntil = after.nextProbeNanos() == null ? now : after.nextProbeNanos();
            }
            if (ticket == probe) {
              check(
                  after.state() != Breaker.State.HALF_OPEN || !failed, "a failed probe is settled");
              probe = null;
            }
          }
        });
  }

  private static void check(boolean holds, String otherwise) {
    if (!holds) {
      throw new AssertionError(otherwise);
    }
  }

  /**
   * Resilience4j's time-based breaker is the oracle for what both have: the failure rate over the
   * last ten whole seconds, the open time, one probe.
   */
  @Test
  void behavesAsResilience4j() {
    Histories.forAll(
        4,
        0.02,
        random -> {
          var time = new Instant[] {Instant.ofEpochSecond(1000)};
          var theirs = theirs(clock(time));
          var ours =
              new Breaker(
                  new BreakerSettings(
                      Integer.MAX_VALUE,
                      0.5,
                      20,
                      Duration.ofSeconds(10),
                      Duration.ofSeconds(5),
                      Duration.ofSeconds(5)));
          for (int step = 0; step < 150; step++) {
            if (random.nextInt(8) == 0) {
              time[0] = time[0].plusSeconds(1 + random.nextInt(6));
            }
            long now = time[0].getEpochSecond() * SECOND;
            boolean admitted = theirs.tryAcquirePermission();
            var admission = ours.admit(now);
            check(admitted == admission instanceof Admission.Admitted, "admission at step " + step);
            if (admission instanceof Admission.Admitted ticket) {
              switch (random.nextInt(10)) {
                case 0 -> {
                  theirs.releasePermission();
                  ours.released(ticket);
                }
                case 1, 2, 3, 4, 5 -> {
                  theirs.onSuccess(0, TimeUnit.NANOSECONDS);
                  ours.succeeded(ticket, now);
                }
                default -> {
                  theirs.onError(0, TimeUnit.NANOSECONDS, new RuntimeException());
                  ours.failed(ticket, DOWN, now);
                }
              }
            }
            check(
                theirs.getState().name().equals(ours.snapshot(now).state().name()),
                "state at step " + step + ": theirs " + theirs.getState());
          }
        });
  }

  private static CircuitBreaker theirs(Clock clock) {
    return CircuitBreaker.of(
        "oracle",
        CircuitBreakerConfig.custom()
            .slidingWindow(10, 20, CircuitBreakerConfig.SlidingWindowType.TIME_BASED)
            .failureRateThreshold(50)
            .permittedNumberOfCallsInHalfOpenState(1)
            // Theirs ends after this instant, ours at it; the test's clock ticks in seconds.
            .waitDurationInOpenState(Duration.ofMillis(4999))
            .clock(clock)
            .build());
  }

  private static Clock clock(Instant[] time) {
    return new Clock() {
      @Override
      public ZoneId getZone() {
        return ZoneOffset.UTC;
      }

      @Override
      public Clock withZone(ZoneId zone) {
        return this;
      }

      @Override
      public Instant instant() {
        return time[0];
      }
    };
  }
}
