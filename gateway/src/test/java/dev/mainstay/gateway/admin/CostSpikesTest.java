package dev.mainstay.gateway.admin;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mainstay.config.Alerts;
import dev.mainstay.ledger.AttemptRecord;
import dev.mainstay.ledger.CallRecord;
import dev.mainstay.ledger.CallStart;
import dev.mainstay.ledger.Ledger;
import dev.mainstay.ledger.LedgerConfig;
import dev.mainstay.ledger.sqlite.SqliteLedger;
import java.math.BigDecimal;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CostSpikesTest {
  private static final Instant START = Instant.parse("2026-11-20T00:00:00Z");
  private static final long USD = 1_000_000_000;

  @TempDir Path folder;

  private static void spend(Ledger ledger, int hour, long usd) {
    var at = START.plus(Duration.ofHours(hour));
    var id = "call_" + hour;
    ledger
        .recorder()
        .record(
            new CallRecord(
                new CallStart(id, null, null, null, at, "openai", "/v1/x", "m", false),
                new CallRecord.Outcome(
                    "one/m", 200, null, List.of(), 1, null, Duration.ofMillis(5)),
                new CallRecord.Cost(null, usd * USD, "v")),
            List.of(
                new AttemptRecord(
                    id,
                    1,
                    "one/m",
                    new AttemptRecord.Times(Duration.ZERO, at, at, null, at),
                    new AttemptRecord.Outcome(200, null, null, null, "proceed", "answered"),
                    new AttemptRecord.Use(1, 1, null, usd * USD))),
            List.of());
  }

  private static Alerts.Spike settings(@Nullable Long aboveUsd) {
    return new Alerts.Spike(
        3, USD, Duration.ofHours(1), aboveUsd == null ? null : (Long) (aboveUsd * USD));
  }

  @Test
  void anHourIsASpikeAgainstTheDayBeforeItOrAboveTheThreshold() throws Exception {
    try (var ledger = SqliteLedger.open(LedgerConfig.in(folder), InstantSource.system())) {
      spend(ledger, 0, 40);
      for (int hour = 1; hour < 30; hour++) {
        spend(ledger, hour, 2);
      }
      spend(ledger, 30, 7);
      assertThat(ledger.recorder().flush(Duration.ofSeconds(60))).isTrue();
      var until = START.plus(Duration.ofHours(31));
      assertThat(CostSpikes.between(ledger.reader(), START, until, settings(null)))
          .containsExactly(
              new CostSpikes.Spike(
                  START.plus(Duration.ofHours(30)), BigDecimal.valueOf(7), BigDecimal.valueOf(2)));
      assertThat(CostSpikes.between(ledger.reader(), START, until, settings(30L)))
          .extracting(CostSpikes.Spike::at)
          .containsExactly(START.plus(Duration.ofHours(30)), START);
      assertThat(
              CostSpikes.between(
                  ledger.reader(), until.plusSeconds(7200), until.plusSeconds(9000), settings(1L)))
          .isEmpty();
    }
  }
}
