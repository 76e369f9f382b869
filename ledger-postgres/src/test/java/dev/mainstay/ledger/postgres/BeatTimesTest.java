package dev.mainstay.ledger.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class BeatTimesTest {
  private final BeatTimes times = new BeatTimes(Duration.ofSeconds(10));
  private long now = Long.MAX_VALUE - 3_000_000_000L;

  private boolean beatAfter(Duration pause) {
    now += pause.toNanos();
    return times.mayTakeOver(now);
  }

  private boolean beatsRegularly() {
    boolean may = false;
    for (int i = 0; i < BeatTimes.REGULAR_FIRST; i++) {
      assertThat(may).isFalse();
      may = beatAfter(times.every());
    }
    return may;
  }

  @Test
  void takesOverOnceItBeatsRegularly() {
    assertThat(beatsRegularly()).isTrue();
    assertThat(beatAfter(times.every())).isTrue();
  }

  @Test
  void leavesTheOthersTimeToComeBackAfterAPauseOrALostConnection() {
    beatsRegularly();
    // Whatever held this beat up may have held up those of the others.
    assertThat(beatAfter(times.life())).isFalse();
    for (int i = 2; i < BeatTimes.REGULAR_FIRST; i++) {
      assertThat(beatAfter(times.every())).isFalse();
    }
    assertThat(beatAfter(times.every())).isTrue();
    times.interrupted();
    assertThat(beatsRegularly()).isTrue();
  }

  @Test
  void theDeadAreSeenWellWithinTheLease() {
    // Its last beat just before its death, the observer's just before the lease's end.
    var atMost = times.life().plus(times.every());
    assertThat(atMost).isLessThanOrEqualTo(Duration.ofMillis(6500));
    // Three beats in a row may be lost, and the process still lives.
    assertThat(times.life()).isGreaterThan(times.every().multipliedBy(4));
  }
}
