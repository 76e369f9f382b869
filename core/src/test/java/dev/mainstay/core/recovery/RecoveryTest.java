package dev.mainstay.core.recovery;

import static dev.mainstay.core.recovery.Verdicts.badAnswer;
import static dev.mainstay.core.recovery.Verdicts.fatal;
import static dev.mainstay.core.recovery.Verdicts.logic;
import static dev.mainstay.core.recovery.Verdicts.transientFailure;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mainstay.core.verdict.Blame;
import dev.mainstay.core.verdict.FailureClass;
import dev.mainstay.core.verdict.Kind;
import dev.mainstay.core.verdict.Repair;
import dev.mainstay.core.verdict.Verdict;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The rules of the configuration's `recovery`, one example each. */
class RecoveryTest {
  private static final Verdict SERVER_ERROR = transientFailure(Kind.SERVER_ERROR);
  private static final Verdict TIMEOUT = transientFailure(Kind.TIMEOUT);
  private static final Verdict CUT = transientFailure(Kind.STREAM_INTERRUPTED);
  private static final Verdict INVALID = logic(Kind.INVALID_REQUEST, null);

  @Test
  void oneTargetIsAskedThreeTimesWithGrowingPauses() {
    var owner = new Owner(1, Owner.plain()).first();
    assertThat(owner.says()).isEqualTo("proceed 0");
    assertThat(owner.fails(SERVER_ERROR).says()).isEqualTo("retry 0 in 500");
    assertThat(owner.fails(SERVER_ERROR).says()).isEqualTo("retry 0 in 1000");
    assertThat(owner.fails(SERVER_ERROR).says()).isEqualTo("give up");
    assertThat(owner.recovery().attempts()).isEqualTo(3);
    assertThat(owner.recovery().history()).hasSize(3);
  }

  @Test
  void theNextTargetComesAfterTheFirstIsUsedUp() {
    var owner = new Owner(2, Owner.plain()).first().fails(SERVER_ERROR).fails(SERVER_ERROR);
    assertThat(owner.fails(SERVER_ERROR).says()).isEqualTo("fallback 1");
    assertThat(owner.fails(SERVER_ERROR).says()).isEqualTo("retry 1 in 500");
    assertThat(owner.fails(SERVER_ERROR).says()).isEqualTo("give up");
    assertThat(owner.recovery().attempts()).isEqualTo(5);
    assertThat(owner.last().reason())
        .isEqualTo("TRANSIENT/server_error, and all 5 attempts are used");
  }

  @Test
  void aRetryNeverTakesTheLastAttemptThatAnUntriedTargetNeeds() {
    var owner = new Owner(3, Owner.plain().withMaxAttempts(4)).first();
    assertThat(owner.fails(SERVER_ERROR).says()).isEqualTo("retry 0 in 500");
    assertThat(owner.fails(SERVER_ERROR).says()).isEqualTo("fallback 1");
    assertThat(owner.fails(SERVER_ERROR).says()).isEqualTo("fallback 2");
    assertThat(owner.fails(SERVER_ERROR).says()).isEqualTo("give up");
  }

  @Test
  void aWaitWithinPatienceIsObeyed() {
    var limited = transientFailure(Kind.RATE_LIMIT, Duration.ofMillis(1500));
    assertThat(new Owner(2, Owner.plain()).first().fails(limited).says())
        .isEqualTo("retry 0 in 1500");
  }

  @Test
  void aWaitBeyondPatienceGoesToTheNextAvailableTargetAtOnce() {
    var limited = transientFailure(Kind.RATE_LIMIT, Duration.ofSeconds(20));
    var owner = new Owner(2, Owner.plain()).first();
    assertThat(owner.fails(limited).says()).isEqualTo("fallback 1");
    // Both are limited now: the one that is free first, after the rest of its wait.
    owner.now += Duration.ofSeconds(5).toNanos();
    assertThat(owner.fails(transientFailure(Kind.RATE_LIMIT, Duration.ofSeconds(50))).says())
        .isEqualTo("fallback 0 in 15000");
  }

  @Test
  void aLongWaitIsWaitedForWhereThereIsNoOtherTarget() {
    var limited = transientFailure(Kind.RATE_LIMIT, Duration.ofSeconds(20));
    assertThat(new Owner(1, Owner.plain()).first().fails(limited).says())
        .isEqualTo("retry 0 in 20000");
  }

  @Test
  void aWaitBeyondMaxRetryAfterIsPassedOn() {
    var limited = transientFailure(Kind.RATE_LIMIT, Duration.ofSeconds(61));
    assertThat(new Owner(1, Owner.plain()).first().fails(limited).says())
        .isEqualTo("give up, retry after 61000");
  }

  @Test
  void aWaitThatEndsPastTheDeadlineIsNotBegun() {
    var limited = transientFailure(Kind.RATE_LIMIT, Duration.ofSeconds(20));
    var owner =
        new Owner(1, Owner.plain()).limits(new Limits(null, Duration.ofSeconds(20), null)).first();
    assertThat(owner.fails(limited).says()).isEqualTo("give up, retry after 20000");
  }

  @Test
  void aDaysWaitDoesNotOverflow() {
    var limited = transientFailure(Kind.RATE_LIMIT, Duration.ofDays(400_000));
    assertThat(new Owner(1, Owner.plain()).first().fails(limited).says()).startsWith("give up");
  }

  @Test
  void fullJitterDrawsFromZeroToTheCap() {
    long least = Long.MAX_VALUE;
    long most = 0;
    for (int seed = 0; seed < 2000; seed++) {
      var recovery =
          Recovery.start(
              Policy.defaults(),
              PolicyTest.route(1),
              Outlook.ALWAYS,
              new java.util.SplittableRandom(seed),
              0);
      recovery.first(0);
      long wait = recovery.next(Outcome.failed(SERVER_ERROR), 0).waitNanos() / 1000;
      least = Math.min(least, wait);
      most = Math.max(most, wait);
    }
    assertThat(least).isLessThan(5_000);
    assertThat(most).isBetween(495_000L, 500_000L);
  }

  @Test
  void anotherKeyAtOnceWhereTheKeyWasLimited() {
    var limited =
        Verdicts.of(
            FailureClass.TRANSIENT,
            Kind.RATE_LIMIT,
            Blame.KEY,
            true,
            Duration.ofSeconds(30),
            true,
            null);
    var owner = new Owner(2, Owner.plain()).first();
    owner.otherKeys = 1;
    assertThat(owner.fails(limited).says()).isEqualTo("other key 0");
    assertThat(owner.fails(SERVER_ERROR).says()).isEqualTo("retry 0 in 1000");
    assertThat(owner.fails(limited).says()).isEqualTo("fallback 1");
  }

  @Test
  void aModelThatAKeyMayNotSeeIsAskedForWithOneOtherKey() {
    var missing = fatal(Kind.NOT_FOUND_MODEL, Blame.CALLER);
    var owner = new Owner(2, Owner.plain()).first();
    owner.otherKeys = 5;
    assertThat(owner.fails(missing).says()).isEqualTo("other key 0");
    assertThat(owner.fails(missing).says()).isEqualTo("fallback 1");
    owner.otherKeys = 0;
    assertThat(owner.fails(missing).says()).isEqualTo("give up");
  }

  @Test
  void aBadKeyIsFollowedByTheNextKeyAndThenTheNextTarget() {
    var owner = new Owner(2, Owner.plain()).first();
    owner.otherKeys = 1;
    assertThat(owner.fails(fatal(Kind.BILLING, Blame.KEY)).says()).isEqualTo("other key 0");
    assertThat(owner.fails(fatal(Kind.AUTH, Blame.KEY)).says()).isEqualTo("fallback 1");
    assertThat(owner.fails(fatal(Kind.QUOTA_EXHAUSTED, Blame.KEY)).says()).isEqualTo("give up");
  }

  @Test
  void fatalIsNeverRetriedOnItsTarget() {
    var everything = Owner.plain().withRetry(Owner.plain().retry().withOn(RetryOn.ANY));
    assertThat(
            new Owner(1, everything).first().fails(fatal(Kind.NOT_FOUND_MODEL, Blame.MODEL)).says())
        .isEqualTo("give up");
  }

  @Test
  void aRequestThatAnyProviderWouldRejectEndsAfterOneAttempt() {
    var owner = new Owner(3, Owner.plain().withFallback(FallbackOn.ANY)).first();
    var mismatch =
        Verdicts.of(
            FailureClass.LOGIC, Kind.INVALID_REQUEST, Blame.CALLER, false, null, false, null);
    assertThat(owner.fails(mismatch).says()).isEqualTo("give up");
    assertThat(new Owner(3, Owner.plain()).first().fails(INVALID).says()).isEqualTo("give up");
  }

  @Test
  void aPromptTooLongForOneModelGoesToTheNext() {
    var tooLong = logic(Kind.CONTEXT_LENGTH, Repair.TRIM_CONTEXT);
    assertThat(new Owner(2, Owner.plain()).first().fails(tooLong).says()).isEqualTo("fallback 1");
    assertThat(
            new Owner(2, Owner.plain().withFallback(FallbackOn.ACCESS))
                .first()
                .fails(tooLong)
                .says())
        .isEqualTo("give up");
  }

  @Test
  void aContentFilterIsNotRoutedAroundUnlessConfigured() {
    var filtered = logic(Kind.CONTENT_FILTER, null);
    assertThat(
            new Owner(2, Owner.plain().withFallback(FallbackOn.ANY)).first().fails(filtered).says())
        .isEqualTo("give up");
    assertThat(
            new Owner(2, Owner.plain().withContentFilterFallback(true))
                .first()
                .fails(filtered)
                .says())
        .isEqualTo("fallback 1");
  }

  @Test
  void afterATimeoutTheNextTargetComesFirstAndTheSameOneAtMostOnceMore() {
    var two = new Owner(2, Owner.plain()).first();
    assertThat(two.fails(TIMEOUT).says()).isEqualTo("fallback 1");
    assertThat(two.fails(TIMEOUT).says()).isEqualTo("fallback 0 in 500");
    assertThat(two.fails(SERVER_ERROR).says()).isEqualTo("fallback 1");
    assertThat(two.fails(SERVER_ERROR).says()).isEqualTo("give up");
    var one = new Owner(1, Owner.plain()).first();
    assertThat(one.fails(TIMEOUT).says()).isEqualTo("retry 0 in 500");
    assertThat(one.fails(SERVER_ERROR).says()).isEqualTo("give up");
  }

  @ParameterizedTest
  @EnumSource(value = Preset.class, mode = EnumSource.Mode.EXCLUDE, names = "STANDARD")
  void aPresetMakesTheRequestsThatItNamesAlsoAfterTimeouts(Preset preset) {
    for (var verdict : List.of(TIMEOUT, SERVER_ERROR)) {
      var owner = new Owner(1, preset.policy()).first();
      while (!owner.says().startsWith("give up")) {
        owner.fails(verdict);
      }
      assertThat(owner.recovery().attempts()).isEqualTo(preset.maxUpstreamRequests());
    }
  }

  @Test
  void aTargetThatAnswersAgainAfterATimeoutMayFinishTheAnswer() {
    var noPrefill = logic(Kind.UNSUPPORTED_PARAMETER, Repair.DROP_PARAMETER);
    var owner = new Owner(1, Owner.plain()).first();
    assertThat(owner.breaks(TIMEOUT, Stage.TEXT).says()).isEqualTo("continue 0 in 500");
    assertThat(owner.breaks(noPrefill, Stage.TEXT).says()).isEqualTo("drop_parameter 0");
    assertThat(owner.repaired(Repair.DROP_PARAMETER).says()).startsWith("continue 0");
    assertThat(owner.breaks(TIMEOUT, Stage.TEXT).says()).startsWith("continue 0");
    assertThat(owner.breaks(TIMEOUT, Stage.TEXT).says()).isEqualTo("give up");
  }

  @Test
  void aRepairIsTriedTwiceAndThenNoMore() {
    var dropped = logic(Kind.UNSUPPORTED_PARAMETER, Repair.DROP_PARAMETER);
    var owner = new Owner(1, Owner.plain()).first();
    for (int i = 0; i < 2; i++) {
      assertThat(owner.fails(dropped).says()).isEqualTo("drop_parameter 0");
      assertThat(owner.repaired(Repair.DROP_PARAMETER).says()).isEqualTo("proceed 0");
    }
    assertThat(owner.fails(dropped).says()).isEqualTo("give up");
    assertThat(owner.recovery().attempts()).isEqualTo(3);
  }

  @Test
  void aCompactionMustShrink() {
    var tooLong = logic(Kind.CONTEXT_LENGTH, Repair.TRIM_CONTEXT);
    var repairs = java.util.EnumSet.of(RepairOption.TRIM_CONTEXT);
    var owner = new Owner(1, Owner.plain().withRepairs(repairs)).first();
    assertThat(owner.fails(tooLong).says()).isEqualTo("trim_context 0");
    assertThat(owner.after(new Outcome.Repaired(Repair.TRIM_CONTEXT, 9000, 5000)).says())
        .isEqualTo("proceed 0");
    assertThat(owner.fails(tooLong).says()).isEqualTo("trim_context 0");
    assertThat(owner.after(new Outcome.Repaired(Repair.TRIM_CONTEXT, 9000, 5000)).says())
        .isEqualTo("give up");
  }

  @Test
  void anImpossibleRepairLeavesTheOtherWays() {
    var owner = new Owner(2, Owner.plain()).first();
    var images = logic(Kind.UNSUPPORTED_MODALITY_IMAGE, Repair.STRIP_IMAGES);
    assertThat(owner.fails(images).says()).isEqualTo("strip_images 0");
    assertThat(
            owner.after(new Outcome.RepairImpossible(Repair.STRIP_IMAGES, "there are none")).says())
        .isEqualTo("fallback 1");
  }

  @Test
  void aModelIsAskedAgainAboutItsOwnBadAnswerWithinItsBound() {
    var owner = new Owner(1, Owner.plain()).first();
    assertThat(owner.fails(badAnswer(Kind.INVALID_TOOL_CALL)).says()).isEqualTo("self_correct 0");
    assertThat(owner.repaired(Repair.SELF_CORRECT).says()).isEqualTo("proceed 0");
    assertThat(owner.fails(badAnswer(Kind.OUTPUT_PARSE)).says()).isEqualTo("self_correct 0");
    // Its mistake cannot be told to it: it is asked once more as it was, on the same bound.
    assertThat(
            owner.after(new Outcome.RepairImpossible(Repair.SELF_CORRECT, "no transcript")).says())
        .isEqualTo("give up");
    var untold = new Owner(1, Owner.plain()).first().fails(badAnswer(Kind.INVALID_TOOL_CALL));
    assertThat(untold.after(new Outcome.RepairImpossible(Repair.SELF_CORRECT, "no")).says())
        .isEqualTo("retry 0");
  }

  @Test
  void aClosedClientIsRefreshedOnce() {
    var closed =
        Verdicts.of(
            FailureClass.TRANSIENT,
            Kind.CLIENT_CLOSED,
            Blame.GATEWAY,
            true,
            null,
            true,
            Repair.REFRESH_CLIENT);
    var owner = new Owner(1, Owner.plain()).first();
    assertThat(owner.fails(closed).says()).startsWith("refresh_client 0");
    assertThat(owner.repaired(Repair.REFRESH_CLIENT).says()).startsWith("proceed 0");
    assertThat(owner.fails(closed).says()).isEqualTo("give up");
  }

  @Test
  void aCutStreamGoesOnAndABoundEndsIt() {
    var policy = Owner.plain().withMaxAttempts(9);
    var owner = new Owner(1, policy).first();
    assertThat(owner.breaks(CUT, Stage.TEXT).says()).startsWith("continue 0");
    assertThat(owner.breaks(CUT, Stage.TEXT).says()).startsWith("continue 0");
    assertThat(owner.breaks(CUT, Stage.TEXT).says()).startsWith("continue 0");
    assertThat(owner.breaks(CUT, Stage.TEXT).says()).isEqualTo("give up");
  }

  @Test
  void whatCannotBeGoneOnWithEnds() {
    assertThat(new Owner(2, Owner.plain()).first().breaks(CUT, Stage.DELIVERED_TOOL_CALL).says())
        .isEqualTo("give up");
    assertThat(
            new Owner(2, Owner.plain().withMidStream(MidStream.ERROR))
                .first()
                .breaks(CUT, Stage.TEXT)
                .says())
        .isEqualTo("give up");
    var unsigned = new Outcome.Failed(CUT, Stage.REASONING, false);
    assertThat(new Owner(2, Owner.plain()).first().after(unsigned).says()).isEqualTo("give up");
    assertThat(new Owner(2, Owner.plain()).first().breaks(CUT, Stage.HELD_TOOL_CALL).says())
        .startsWith("retry 0");
  }

  @Test
  void aStreamCutByASpentQuotaGoesOnElsewhere() {
    var owner = new Owner(2, Owner.plain()).first();
    assertThat(owner.breaks(fatal(Kind.QUOTA_EXHAUSTED, Blame.KEY), Stage.TEXT).says())
        .isEqualTo("continue 1");
  }

  @Test
  void aContinuationThatATargetDoesNotTakeIsRepairedAndGoesOn() {
    var owner = new Owner(1, Owner.plain()).first();
    assertThat(owner.breaks(CUT, Stage.TEXT).says()).isEqualTo("continue 0 in 500");
    var noPrefill = logic(Kind.UNSUPPORTED_PARAMETER, Repair.DROP_PARAMETER);
    assertThat(owner.breaks(noPrefill, Stage.TEXT).says()).isEqualTo("drop_parameter 0");
    assertThat(owner.repaired(Repair.DROP_PARAMETER).says()).isEqualTo("continue 0");
    assertThat(owner.after(Outcome.answered()).recovery().ended()).isTrue();
  }

  @Test
  void anOpenBreakerIsNotAFailureAndCostsNoAttempt() {
    var open = new Availability.Resting(30_000_000_000L, Availability.By.BREAKER, "5 in a row");
    var owner = new Owner(2, Owner.plain()).known(0, open).first();
    assertThat(owner.says()).isEqualTo("proceed 1");
    owner.known(1, open);
    assertThat(owner.after(new Outcome.Refused(open)).says())
        .isEqualTo("give up, retry after 30000");
    assertThat(owner.recovery().attempts()).isZero();
    assertThat(owner.last().reason()).contains("breaker, 5 in a row");
  }

  @Test
  void aFreshCallWaitsForKeysButNotForBreakers() {
    assertThat(new Owner(1, Owner.plain()).rests(0, 1000, Availability.By.KEYS).first().says())
        .isEqualTo("proceed 0 in 1000");
    assertThat(new Owner(1, Owner.plain()).rests(0, 1000, Availability.By.BREAKER).first().says())
        .isEqualTo("give up, retry after 1000");
  }

  @Test
  void aFailedCallWaitsForItsBreaker() {
    var owner = new Owner(1, Owner.plain()).first().rests(0, 5000, Availability.By.BREAKER);
    assertThat(owner.fails(SERVER_ERROR).says()).isEqualTo("retry 0 in 5000");
  }

  @Test
  void aSpentRetryBudgetLeavesOnlyAFirstAttemptElsewhere() {
    var owner = new Owner(2, Owner.plain()).first();
    owner.budget = false;
    assertThat(owner.fails(SERVER_ERROR).says()).isEqualTo("fallback 1");
    assertThat(owner.fails(SERVER_ERROR).says()).isEqualTo("give up");
    assertThat(owner.last().reason()).contains("retry budget");
  }

  @Test
  void aCallsOwnLimitsOnlyLower() {
    var lower = new Limits(1, Duration.ofSeconds(1), null);
    assertThat(new Owner(2, Owner.plain()).limits(lower).first().fails(SERVER_ERROR).says())
        .isEqualTo("give up");
    var higher =
        new Owner(1, Owner.plain()).limits(new Limits(50, Duration.ofDays(1), null)).first();
    assertThat(higher.recovery().maxAttempts()).isEqualTo(5);
    assertThat(higher.recovery().deadlineNanos()).isEqualTo(Duration.ofSeconds(570).toNanos());
  }

  @Test
  void afterTheLastAttemptsTimeNoneBeginsAndTheOneUnderWayGoesOn() {
    var patient = new Limits(null, null, Duration.ofSeconds(25));
    var owner = new Owner(2, Owner.plain()).limits(patient).first();
    assertThat(owner.recovery().deadlineNanos()).isEqualTo(Duration.ofSeconds(570).toNanos());
    owner.now = Duration.ofSeconds(26).toNanos();
    assertThat(owner.fails(SERVER_ERROR).says()).isEqualTo("give up");
    assertThat(owner.last().reason()).contains("the client will not wait for another attempt");
  }

  @Test
  void patienceIsAboutTheWaitAsTold() {
    var jittered = Policy.defaults();
    for (int seconds = 1; seconds <= 3; seconds++) {
      var limited = transientFailure(Kind.RATE_LIMIT, Duration.ofSeconds(seconds));
      var says = new Owner(2, jittered).first().fails(limited).says();
      // Two seconds are within a patience of two, with the spread of up to a tenth on top.
      assertThat(says).startsWith(seconds <= 2 ? "retry 0 in " : "fallback 1");
    }
  }

  /** A preset is named for a number of requests: it makes as many, whatever goes wrong. */
  @ParameterizedTest
  @EnumSource(
      value = Preset.class,
      names = {"THREE_ATTEMPTS", "THREE_RETRIES", "THREE_RESTARTS", "FIVE_RETRIES", "PATIENT"})
  void aPresetMakesAsManyRequestsAsItNames(Preset preset) {
    for (var kind : List.of(Kind.TIMEOUT, Kind.SERVER_ERROR, Kind.RATE_LIMIT)) {
      var owner = new Owner(1, preset.policy()).first();
      int requests = 1;
      while (!owner.fails(transientFailure(kind)).says().startsWith("give up")) {
        requests++;
      }
      assertThat(requests).as("%s", kind).isEqualTo(preset.maxUpstreamRequests());
    }
    var without = new Owner(1, Preset.OFF.policy()).first();
    assertThat(without.fails(transientFailure(Kind.TIMEOUT)).says()).isEqualTo("give up");
  }

  @Test
  void theCallersOwnMistakeIsShownElseTheFirstTargetsLast() {
    var mixed =
        new Owner(2, Owner.plain())
            .first()
            .fails(fatal(Kind.AUTH, Blame.KEY))
            .fails(logic(Kind.INVALID_REQUEST, null));
    assertThat(shownKind(mixed)).isEqualTo(Kind.INVALID_REQUEST);
    var outage =
        new Owner(2, Owner.plain())
            .first()
            .fails(SERVER_ERROR)
            .fails(transientFailure(Kind.OVERLOADED))
            .fails(SERVER_ERROR)
            .fails(transientFailure(Kind.BAD_GATEWAY))
            .fails(transientFailure(Kind.BAD_GATEWAY));
    assertThat(outage.says()).isEqualTo("give up");
    assertThat(outage.recovery().shown()).isEqualTo(outage.recovery().history().get(2));
  }

  private static Kind shownKind(Owner owner) {
    var shown = Objects.requireNonNull(owner.recovery().shown());
    return ((Outcome.Failed) shown.outcome()).verdict().kind();
  }

  @Test
  void anAnswerEndsTheCallAndLeavesNoHistory() {
    var owner = new Owner(1, Owner.plain()).first().after(Outcome.answered());
    assertThat(owner.recovery().ended()).isTrue();
    assertThat(owner.recovery().history()).isEqualTo(List.of());
    assertThatThrownBy(() -> owner.after(Outcome.answered()))
        .isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> owner.recovery().first(0)).isInstanceOf(IllegalStateException.class);
  }

  @Test
  void aClientThatLeavesEndsTheCall() {
    var owner = new Owner(2, Owner.plain()).first().fails(SERVER_ERROR).after(Outcome.cancelled());
    assertThat(owner.says()).isEqualTo("give up");
    assertThat(owner.recovery().ended()).isTrue();
  }
}
