package dev.mainstay.ledger.sqlite;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mainstay.ledger.AttemptRecord;
import dev.mainstay.ledger.CallQuery;
import dev.mainstay.ledger.CallRecord;
import dev.mainstay.ledger.CallStart;
import dev.mainstay.ledger.Tokens;
import dev.mainstay.ledger.log.EndedCall;
import dev.mainstay.ledger.sql.EndedCalls;
import dev.mainstay.ledger.stats.CallStats.Counter;
import dev.mainstay.ledger.stats.StatsQuery;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What one batch writes is what each of its calls was, in the order in which they ended. */
class BatchTest {
  /** Retention deletes nothing. */
  private static final InstantSource CLOCK = InstantSource.fixed(Fixtures.NOON);

  private static final int ALIKE = 35;

  @TempDir Path directory;

  /** A call that differs from an ordinary one in one field, by its number; 0: in none. */
  private static EndedCall call(String id, int field) {
    var start =
        new CallStart(
            id,
            field == 1 ? "run" : null,
            field == 2 ? "parent" : null,
            field == 3 ? "team-b" : "team-a",
            Fixtures.NOON,
            field == 4 ? "anthropic" : "openai",
            field == 5 ? "/v1/messages" : "/v1/chat/completions",
            field == 6 ? null : "assistant",
            field == 7);
    var tokens = field == 8 ? null : new Tokens(12, 0, 0, 250, 0, false);
    var outcome =
        new CallRecord.Outcome(
            field == 9 ? null : "openai/gpt-4o",
            field == 10 ? 201 : 200,
            field == 11 ? "FATAL/invalid_request" : null,
            field == 12 ? List.of("retry", "fallback") : List.of(),
            field == 13 ? 2 : 1,
            field == 14 ? null : Duration.ofMillis(3),
            Duration.ofMillis(5));
    var cost =
        new CallRecord.Cost(tokens, field == 15 ? null : 7L, field == 16 ? null : "2026-11-22");
    var attempts = new ArrayList<AttemptRecord>(List.of(attempt(id, 1, field, tokens)));
    if (field == 17) {
      attempts.add(attempt(id, 2, 0, tokens));
    }
    return new EndedCall(new CallRecord(start, outcome, cost), attempts, List.of());
  }

  private static AttemptRecord attempt(String id, int number, int field, @Nullable Tokens tokens) {
    return new AttemptRecord(
        id,
        number,
        field == 18 ? "openai/gpt-5" : "openai/gpt-4o",
        new AttemptRecord.Times(
            field == 19 ? Duration.ofMillis(1) : Duration.ZERO,
            Fixtures.NOON,
            field == 20 ? null : Fixtures.NOON,
            null,
            Fixtures.NOON),
        new AttemptRecord.Outcome(
            field == 21 ? null : (Integer) 200,
            field == 22 ? "{}" : null,
            field == 23 ? "TRANSIENT/overloaded" : null,
            field == 24 ? "general.503" : null,
            field == 25 ? "retry" : "deliver",
            field == 26 ? "another reason" : "the answer is whole"),
        new AttemptRecord.Use(200, 1024, tokens, 7L));
  }

  @Test
  void callsKeepWhatTheyDoNotShareWithTheirNeighbours() throws Exception {
    var batch = new ArrayList<EndedCall>();
    for (int field = 0; field <= 26; field++) {
      for (int i = 0; i < ALIKE; i++) {
        // One that differs among many, at another place in each sixteen.
        int differs = i == field ? field : 0;
        batch.add(call("call-%02d-%02d".formatted(field, i), differs));
      }
    }
    try (var store = new Store(Fixtures.in(directory), SegmentFiles.REAL)) {
      store.write(batch, false);
    }

    try (var ledger = SqliteLedger.open(Fixtures.in(directory), CLOCK)) {
      for (var ended : batch) {
        var kept = Fixtures.kept(ledger.reader(), ended.call().id());
        assertThat(kept.call()).isEqualTo(ended.call());
        assertThat(kept.attempts()).isEqualTo(ended.attempts());
      }
      var newest = ledger.reader().calls(CallQuery.newest(batch.size())).calls();
      assertThat(newest.reversed())
          .extracting(CallRecord::id)
          .containsExactlyElementsOf(batch.stream().map(each -> each.call().id()).toList());
    }
  }

  @Test
  void sumsHaveNoCallsOfABatchThatFailed() throws Exception {
    try (var store = new Store(Fixtures.in(directory), SegmentFiles.REAL)) {
      store.write(EndedCalls.of(20, "first", Fixtures.NOON, 1), false);
      assertThatThrownBy(() -> store.write(EndedCalls.of(20, "first", Fixtures.NOON, 1), false))
          .isInstanceOf(SQLException.class);
      store.write(EndedCalls.of(3, "second", Fixtures.NOON, 1), false);
      store.write(EndedCalls.of(4, "third", Fixtures.NOON, 1), false);
    }

    try (var ledger = SqliteLedger.open(Fixtures.in(directory), CLOCK)) {
      for (var by : List.of(StatsQuery.By.ALL, StatsQuery.By.CLIENT, StatsQuery.By.MODEL)) {
        var rows =
            ledger
                .reader()
                .stats(new StatsQuery(by, Fixtures.NOON, Fixtures.NOON, Duration.ofHours(1)));
        assertThat(rows)
            .singleElement()
            .satisfies(row -> assertThat(row.stats().get(Counter.CALLS)).isEqualTo(27));
      }
    }
  }
}
