package dev.mainstay.ledger.sqlite;

import static dev.mainstay.ledger.sqlite.Fixtures.NOON;
import static dev.mainstay.ledger.sqlite.Fixtures.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;

import dev.mainstay.ledger.AttemptRecord;
import dev.mainstay.ledger.CallRecord;
import dev.mainstay.ledger.CallStart;
import dev.mainstay.ledger.CostQuery;
import dev.mainstay.ledger.CostQuery.By;
import dev.mainstay.ledger.Ledger;
import dev.mainstay.ledger.Tokens;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CostsTest {
  @TempDir Path directory;

  private Ledger open() {
    return SqliteLedger.open(Fixtures.in(directory), InstantSource.fixed(NOON));
  }

  private static CallRecord call(
      String id,
      Instant at,
      @Nullable String client,
      @Nullable String target,
      @Nullable String run) {
    return new CallRecord(
        new CallStart(
            id, run, null, client, at, "openai", "/v1/chat/completions", "assistant", false),
        new CallRecord.Outcome(
            target,
            target == null ? 503 : 200,
            target == null ? "TRANSIENT/overloaded" : null,
            List.of(),
            1,
            null,
            Duration.ofMillis(5)),
        new CallRecord.Cost(new Tokens(10, 0, 0, 5, 0, false), 700L, "p"));
  }

  private static AttemptRecord attempt(
      String call, int number, String target, @Nullable Long cost, @Nullable Tokens tokens) {
    return new AttemptRecord(
        call,
        number,
        target,
        new AttemptRecord.Times(Duration.ZERO, NOON, null, null, NOON),
        new AttemptRecord.Outcome(200, null, null, null, "proceed", ""),
        new AttemptRecord.Use(1, 1, tokens, cost));
  }

  private void record(Ledger ledger) throws InterruptedException {
    var used = new Tokens(10, 2, 1, 5, 3, false);
    var recorder = ledger.recorder();
    recorder.record(
        call("a", NOON, "team-a", "two/m", "run-1"),
        List.of(attempt("a", 1, "one/m", 300L, used), attempt("a", 2, "two/m", 400L, used)),
        List.of());
    recorder.record(
        call("b", NOON.plusSeconds(60), null, "one/m", null),
        List.of(attempt("b", 1, "one/m", null, used)),
        List.of());
    recorder.record(
        call("c", NOON.minus(Duration.ofDays(1)), "team-a", null, "run-1"),
        List.of(attempt("c", 1, "one/m", null, null)),
        List.of());
    assertThat(recorder.flush(PATIENCE)).isTrue();
  }

  private static List<String> sums(Ledger ledger, By by) {
    return sums(ledger, by, NOON.minus(Duration.ofDays(7)));
  }

  private static List<String> sums(Ledger ledger, By by, Instant from) {
    return ledger.reader().costs(new CostQuery(by, from, NOON.plusSeconds(600))).stream()
        .map(
            sum ->
                "%s calls %d failed %d attempts %d tokens %d cost %d unpriced %d"
                    .formatted(
                        sum.key(),
                        sum.calls(),
                        sum.failed(),
                        sum.attempts(),
                        sum.tokens().total(),
                        sum.costNanos(),
                        sum.unpriced()))
        .toList();
  }

  @Test
  void everyAttemptCountsForItsOwnModelAndEveryCallOnce() throws Exception {
    try (var ledger = open()) {
      record(ledger);
      assertThat(sums(ledger, By.MODEL))
          .containsExactly(
              "two/m calls 1 failed 0 attempts 1 tokens 21 cost 400 unpriced 0",
              "one/m calls 1 failed 0 attempts 3 tokens 42 cost 300 unpriced 1",
              "null calls 1 failed 1 attempts 0 tokens 0 cost 0 unpriced 0");
      assertThat(sums(ledger, By.CLIENT))
          .containsExactly(
              "team-a calls 2 failed 1 attempts 3 tokens 42 cost 700 unpriced 0",
              "null calls 1 failed 0 attempts 1 tokens 21 cost 0 unpriced 1");
      assertThat(sums(ledger, By.DAY))
          .containsExactly(
              "2026-11-21 calls 2 failed 0 attempts 3 tokens 63 cost 700 unpriced 1",
              "2026-11-20 calls 1 failed 1 attempts 1 tokens 0 cost 0 unpriced 0");
      assertThat(sums(ledger, By.RUN))
          .containsExactly("run-1 calls 2 failed 1 attempts 2 tokens 30 cost 1400 unpriced 0");
      assertThat(sums(ledger, By.DAY, NOON)).as("from noon on").hasSize(1);
    }
  }

  @Test
  void sumsOutliveTheirCalls() throws Exception {
    try (var ledger = open()) {
      record(ledger);
    }
    var later = NOON.plus(Duration.ofDays(100));
    try (var ledger = SqliteLedger.open(Fixtures.in(directory), InstantSource.fixed(later))) {
      ledger.recorder().flush(PATIENCE);
      while (ledger.reader().call("a") != null) {
        ledger.recorder().flush(PATIENCE);
      }
      assertThat(sums(ledger, By.MODEL)).hasSize(3);
      assertThat(sums(ledger, By.RUN)).isEmpty();
    }
  }

  @Test
  void aLedgerOfTheFirstSchemaIsSummedOnce() throws Exception {
    var expected = new ArrayList<List<String>>();
    try (var ledger = open()) {
      record(ledger);
      for (var by : By.values()) {
        expected.add(sums(ledger, by));
      }
    }
    try (var db = DriverManager.getConnection("jdbc:sqlite:" + Store.database(directory));
        var statement = db.createStatement()) {
      for (var table :
          List.of(
              "call_text",
              "call_text_segments",
              "stats_hourly",
              "call_hours",
              "call_runs",
              "call_blocks",
              "run_costs",
              "run_cost_days")) {
        statement.execute("drop table " + table);
      }
      for (var index : List.of("status", "kind")) {
        statement.execute("drop index calls_by_" + index);
      }
      statement.execute("drop index calls_recovered");
      statement.execute("create index calls_by_client on calls (client, seq)");
      for (var table : List.of("calls", "attempts")) {
        statement.execute("alter table " + table + " drop column request");
        statement.execute("alter table " + table + " drop column response");
      }
      statement.execute("create table bodies (call_seq, attempt, part, segment, offset, length)");
      statement.execute("pragma user_version = 1");
    }
    try (var ledger = open()) {
      var found = new ArrayList<List<String>>();
      for (var by : By.values()) {
        found.add(sums(ledger, by));
      }
      assertThat(found).isEqualTo(expected);
    }
  }
}
