package dev.mainstay.call;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import dev.mainstay.core.recovery.Availability;
import dev.mainstay.core.verdict.Blame;
import dev.mainstay.core.verdict.FailureClass;
import dev.mainstay.core.verdict.Kind;
import dev.mainstay.core.verdict.Verdict;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

final class KeyPoolTest {
  private static final Verdict QUOTA =
      new Verdict(
          FailureClass.FATAL,
          Kind.QUOTA_EXHAUSTED,
          Blame.KEY,
          false,
          null,
          true,
          null,
          true,
          "test",
          "the quota is used up");

  private static KeyPool.Key pick(KeyPool pool, long now) {
    return requireNonNull(pool.pick(1, "m", null, false, now), "no key is usable");
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
      assertThat(pool.pick(1, "m", null, false, now + seconds(expected - 1))).isNull();
      assertThat(pool.pick(1, "other", null, false, now)).as("another model").isNotNull();
      now += seconds(expected);
    }
  }

  @Test
  void aQuotaThatHeldForAsLongBeginsAgainAtHalfAMinute() {
    var pool = new KeyPool("p", List.of("k"));
    long now = seconds(1_000_000);
    pool.failed(pick(pool, now), "m", QUOTA, now);
    now += seconds(30);
    pool.failed(pick(pool, now), "m", QUOTA, now);
    assertThat(pause(pool, "m", now)).isEqualTo(60);
    now += seconds(60) + seconds(61);
    pool.failed(pick(pool, now), "m", QUOTA, now);
    assertThat(pause(pool, "m", now)).isEqualTo(30);
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
}
