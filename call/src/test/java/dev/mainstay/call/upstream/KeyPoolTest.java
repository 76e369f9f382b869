package dev.mainstay.call.upstream;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import dev.mainstay.core.recovery.Availability;
import dev.mainstay.core.verdict.Blame;
import dev.mainstay.core.verdict.FailureClass;
import dev.mainstay.core.verdict.Kind;
import dev.mainstay.core.verdict.Verdict;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

final class KeyPoolTest {
  private static final Verdict QUOTA =
      new Verdict(
          new Verdict.Finding(
              FailureClass.FATAL, Kind.QUOTA_EXHAUSTED, Blame.KEY, "test", "the quota is used up"),
          new Verdict.Advice(false, null, true, null, true));

  private static KeyPool.Key pick(KeyPool pool, long now) {
    return requireNonNull(pool.pick(1, "m", Set.of(), false, now), "no key is usable");
  }

  private static long seconds(long count) {
    return Duration.ofSeconds(count).toNanos();
  }

  /** Seconds from {@code now} until the pool's only key serves {@code model} again; 0 for now. */
  private static long pause(KeyPool pool, String model, long now) {
    long wait = 0;
    while (!(pool.availability(model, now + seconds(wait)) instanceof Availability.Ready)) {
      wait++;
    }
    return wait;
  }

  @Test
  void aUsedUpQuotaIsProbedAfterPausesThatGrowToAnHour() {
    var pool = new KeyPool("p", List.of("k"));
    long now = seconds(1_000_000);
    for (long expected : List.of(30L, 60L, 120L, 240L, 480L, 960L, 1920L, 3600L, 3600L)) {
      var key = pick(pool, now);
      pool.failed(key, "m", QUOTA, now);
      assertThat(pause(pool, "m", now)).isEqualTo(expected);
      assertThat(pool.pick(1, "m", Set.of(), false, now + seconds(expected - 1))).isNull();
      assertThat(pool.pick(1, "other", Set.of(), false, now)).as("another model").isNotNull();
      now += seconds(expected);
    }
  }

  @Test
  void aKeyThatWorkedAgainBeginsAgainAtHalfAMinute() {
    var pool = new KeyPool("p", List.of("k"));
    long now = seconds(1_000_000);
    pool.failed(pick(pool, now), "m", QUOTA, now);
    now += seconds(30);
    pool.failed(pick(pool, now), "m", QUOTA, now);
    assertThat(pause(pool, "m", now)).isEqualTo(60);
    now += seconds(60);
    pool.succeeded(pick(pool, now), "m", now);
    pool.failed(pick(pool, now), "m", QUOTA, now);
    assertThat(pause(pool, "m", now)).isEqualTo(30);
  }

  @Test
  void aModelIsWithoutAKeyUntilOneOfThemWorksForIt() {
    var pool = new KeyPool("p", List.of("one", "two"));
    var one = pick(pool, 0);
    pool.failed(one, "m", QUOTA, 0);
    assertThat(pool.refusedModels()).as("the other key serves").isEmpty();
    var two = pick(pool, 0);
    pool.failed(two, "m", QUOTA, 0);
    assertThat(pool.refusedModels()).containsExactly("m");
    pool.succeeded(two, "other", 0);
    assertThat(pool.refusedModels()).containsExactly("m");
    pool.succeeded(two, "m", 0);
    assertThat(pool.refusedModels()).isEmpty();
  }

  @Test
  void callsThatWereUnderWayDoNotMakeThePauseGrow() {
    var pool = new KeyPool("p", List.of("k"));
    long now = seconds(1_000_000);
    var key = pick(pool, now);
    for (int i = 0; i < 20; i++) {
      pool.failed(key, "m", QUOTA, now + i);
    }
    assertThat(pause(pool, "m", now)).isEqualTo(30);
  }

  @Test
  void statesSayHowLongAndNeverTheKey() {
    var pool = new KeyPool("p", List.of("sk-planted", "other"));
    long now = seconds(1_000_000);
    var key = pick(pool, now);
    pool.failed(key, "m", QUOTA, now);
    assertThat(pool.states(now + seconds(10)))
        .hasSize(2)
        .filteredOn(state -> !state.resting().isEmpty())
        .singleElement()
        .satisfies(
            state -> {
              assertThat(state.number()).isEqualTo(key.number + 1);
              assertThat(state.resting()).containsEntry("m", seconds(20));
            });
    assertThat(pool.states(now).toString()).doesNotContain("planted");
  }

  private static Verdict limited(long seconds) {
    return new Verdict(
        new Verdict.Finding(
            FailureClass.TRANSIENT, Kind.RATE_LIMIT, Blame.KEY, "test", "slow down"),
        new Verdict.Advice(true, Duration.ofSeconds(seconds), true, null, false));
  }

  @Test
  void ofTwoWaitsThatWereToldForOneKeyTheLongerCounts() {
    var pool = new KeyPool("p", List.of("k"));
    var key = pick(pool, 0);
    pool.failed(key, "m", limited(30), 0);
    pool.failed(key, "m", limited(1), seconds(2));

    assertThat(pause(pool, "m", 0)).isEqualTo(30);
  }

  @Test
  void aLimitedKeyIsNotForcedWhenItIsSetAsideAsWell() {
    var pool = new KeyPool("p", List.of("k"));
    var key = pick(pool, 0);
    pool.failed(key, "m", limited(30), 0);
    pool.failed(key, "m", QUOTA, 0);

    assertThat(pool.pick(1, "m", Set.of(), true, seconds(29))).isNull();
    assertThat(pool.pick(1, "m", Set.of(), true, seconds(30))).isEqualTo(key);
  }

  @Test
  void whatACallOfTheOldGenerationLearnsOfAKeyHoldsInTheNewOne() {
    var old = new KeyPool("p", List.of("k"));
    var key = pick(old, 0);
    var next = old.with(List.of("other", "k"));
    old.failed(key, "m", limited(30), 0);

    assertThat(pick(next, 0).value).isEqualTo("other");
    assertThat(next.pick(1, "m", Set.of(pick(next, 0)), false, seconds(29))).isNull();
  }

  private static final Verdict AUTH =
      new Verdict(
          new Verdict.Finding(FailureClass.FATAL, Kind.AUTH, Blame.KEY, "test", "no such key"),
          new Verdict.Advice(false, null, true, null, true));

  @Test
  void onlyAProbeThatFailsMakesThePauseOfARefusedKeyGrow() {
    var pool = new KeyPool("p", List.of("k"));
    var key = pick(pool, 0);
    assertThat(pool.failed(key, "m", AUTH, 0)).isEqualTo(new KeyPool.KeyEvent.SetAside(""));
    for (int i = 1; i < 20; i++) {
      assertThat(pool.failed(key, "m", AUTH, i)).as("known by now").isNull();
    }
    assertThat(pause(pool, "m", 0)).isEqualTo(30);

    pool.failed(pick(pool, seconds(30)), "m", AUTH, seconds(30));
    assertThat(pause(pool, "m", seconds(30))).isEqualTo(60);
  }

  @Test
  void aKeyThatAnotherGatewaySetAsideIsProbedHereAndDueAtOnceWhereItWorksAgainThere() {
    for (var model : List.of("", "m")) {
      var here = new KeyPool("p", List.of("k"));
      var key = pick(here, 0);
      here.setAsideElsewhere(key.name(), model, 0);
      assertThat(pause(here, "m", 0)).isEqualTo(30);

      here.worksElsewhere(key.name(), "m", seconds(5));
      assertThat(pause(here, "m", seconds(5))).isZero();
      assertThat(here.succeeded(pick(here, seconds(5)), "m", seconds(5))).isTrue();
      assertThat(pause(here, "m", seconds(5))).isZero();

      here.setAsideElsewhere(key.name(), model, seconds(6));
      assertThat(pause(here, "m", seconds(6))).as("and again").isEqualTo(30);
    }
  }

  /** The provider may refuse the other one for its address. */
  @Test
  void aGatewayForWhichAKeyWorksDoesNotBelieveTheOtherAgain() {
    for (var model : List.of("", "m")) {
      var here = new KeyPool("p", List.of("k"));
      var key = pick(here, 0);
      here.setAsideElsewhere(key.name(), model, 0);
      here.succeeded(pick(here, seconds(30)), "m", seconds(30));

      here.setAsideElsewhere(key.name(), model, seconds(60));
      assertThat(pause(here, "m", seconds(60))).isZero();
      here.setAsideElsewhere(key.name(), model, seconds(30 + 3600));
      assertThat(pause(here, "m", seconds(30 + 3600))).as("an hour later").isEqualTo(30);
    }
  }

  @Test
  void aKeyThatThisGatewayDoesNotHaveChangesNothing() {
    var pool = new KeyPool("p", List.of("k"));
    pool.setAsideElsewhere("another", "", 0);
    assertThat(pause(pool, "m", 0)).isZero();
  }
}
