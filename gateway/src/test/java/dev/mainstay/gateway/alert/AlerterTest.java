package dev.mainstay.gateway.alert;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mainstay.config.Alerts;
import dev.mainstay.ledger.LedgerConfig;
import dev.mainstay.ledger.sqlite.SqliteLedger;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Alerts are throttled by time that passes, whatever the wall clock is set to. */
final class AlerterTest {
  private static final Instant NOON = Instant.parse("2026-11-21T12:00:00Z");

  private Instant wall = NOON;
  private long passed;
  private long random;

  private void pass(Duration time) {
    passed += time.toNanos();
    wall = wall.plus(time);
  }

  @Test
  void aClockThatIsSetNeitherSilencesACauseNorLetsItFlood(@TempDir Path directory)
      throws Exception {
    InstantSource clock = () -> wall;
    try (var ledger = SqliteLedger.open(LedgerConfig.in(directory), clock)) {
      var state = ledger.state();
      var alerter =
          new Alerter(state, () -> Alerts.DEFAULTS, clock, () -> passed, () -> random++, () -> {});
      alerter.raise(Alerts.Topic.FATAL, "cause", "first");
      wall = NOON.plus(Duration.ofHours(5));
      alerter.raise(Alerts.Topic.FATAL, "cause", "throttled, whatever the clock says");
      wall = NOON.minus(Duration.ofHours(5));
      pass(Alerts.DEFAULTS.throttle());
      alerter.raise(Alerts.Topic.FATAL, "cause", "second");

      assertThat(state.alerts().page(null, 9).toCompletableFuture().join())
          .extracting(alert -> alert.message() + ", " + alert.suppressed())
          .containsExactly("second, 1", "first, 0");
    }
  }
}
