package dev.mainstay.ledger.sql;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mainstay.ledger.state.AlertLog;
import dev.mainstay.ledger.state.AlertLog.Alert;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Alerts when the wall clock is set by hours. */
public abstract class AlertsContract extends StateContract {
  private static final Instant MORNING = NOON.minus(Duration.ofHours(5));
  private static final Duration THROTTLE = Duration.ofMinutes(10);

  private boolean raised(String id, Instant now) {
    return state
        .alerts()
        .raise(id, "cause", "failure", "m", 0, now, THROTTLE)
        .toCompletableFuture()
        .join();
  }

  private List<String> due(Instant now) {
    return state.alerts().due(now, 20).toCompletableFuture().join().stream()
        .map(Alert::id)
        .toList();
  }

  @Test
  void aCauseIsThrottledForNoLongerThanTheThrottle() {
    assertThat(raised("a", NOON)).isTrue();
    assertThat(raised("b", NOON.plus(Duration.ofMinutes(9)))).isFalse();
    assertThat(raised("c", MORNING)).as("the clock was set back").isTrue();
    assertThat(raised("d", MORNING.plus(Duration.ofMinutes(9)))).isFalse();
    assertThat(raised("e", MORNING.plus(Duration.ofMinutes(11)))).isTrue();
  }

  @Test
  void anAlertIsTriedAgainAfterItsPauseAndNotWhenTheOldTimeComesBack() {
    raised("a", NOON);
    assertThat(due(NOON)).containsExactly("a");
    assertThat(due(MORNING)).as("the clock was set back").containsExactly("a");

    state
        .alerts()
        .failed("a", NOON.plus(AlertLog.pause(1)), "trouble")
        .toCompletableFuture()
        .join();
    assertThat(due(NOON)).isEmpty();
    assertThat(due(NOON.plusSeconds(1))).containsExactly("a");
    assertThat(due(MORNING)).as("the clock was set back").containsExactly("a");

    for (int tries = 2; tries <= 4; tries++) {
      state
          .alerts()
          .failed("a", NOON.plus(AlertLog.pause(tries)), "trouble")
          .toCompletableFuture()
          .join();
    }
    assertThat(AlertLog.pause(4)).isEqualTo(Duration.ofSeconds(64));
    assertThat(due(NOON)).as("the pause has only begun").isEmpty();
    assertThat(due(NOON.plusSeconds(64))).containsExactly("a");
  }
}
