package dev.mainstay.bench.ledger;

import dev.mainstay.ledger.CallQuery;
import dev.mainstay.ledger.CallQuery.Field;
import dev.mainstay.ledger.CostQuery;
import dev.mainstay.ledger.Ledger;
import dev.mainstay.ledger.LedgerConfig;
import dev.mainstay.ledger.LedgerReader;
import dev.mainstay.ledger.Range;
import dev.mainstay.ledger.postgres.PostgresConfig;
import dev.mainstay.ledger.postgres.PostgresLedger;
import dev.mainstay.ledger.sqlite.SqliteLedger;
import dev.mainstay.ledger.stats.StatsQuery;
import java.math.BigDecimal;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Consumer;

/**
 * How long the admin API's questions take a ledger of many calls in 30 days: {@code bench/run
 * ledger FOLDER|JDBC-URL [CALLS]}. Fills the store first, where it is empty.
 */
public final class LedgerReads {
  private static final Duration PATIENCE = Duration.ofMinutes(10);
  private static final int BATCH = 5_000;
  private static final int ROUNDS = 20;

  private static final BigDecimal MOST = BigDecimal.valueOf(999_999_999);
  private final Instant now = Instant.now();

  private LedgerReads() {}

  /** Runs it. */
  public static void main(String[] arguments) throws Exception {
    var store = arguments[0];
    int calls = arguments.length > 1 ? Integer.parseInt(arguments[1]) : 1_000_000;
    var clock = InstantSource.system();
    try (var ledger =
        PostgresConfig.isUrl(store)
            ? PostgresLedger.open(PostgresConfig.of(store, Path.of("mainstay-bench-spool")), clock)
            : SqliteLedger.open(LedgerConfig.in(Path.of(store)), clock)) {
      var bench = new LedgerReads();
      if (ledger.reader().calls(CallQuery.newest(1)).calls().isEmpty()) {
        bench.fill(ledger, calls);
      }
      bench.ask(ledger.reader());
    }
  }

  private void fill(Ledger ledger, int calls) throws InterruptedException {
    long begun = System.nanoTime();
    var month = new Month(now);
    var times = month.times(calls);
    for (int i = 0; i < calls; i++) {
      month.record(ledger, Instant.ofEpochMilli(times[i]), i);
      if (i % BATCH == BATCH - 1 && !ledger.recorder().flush(PATIENCE)) {
        throw new IllegalStateException("the store does not keep up");
      }
    }
    if (!ledger.recorder().flush(PATIENCE)) {
      throw new IllegalStateException("the store does not keep up");
    }
    System.out.printf(
        "%,d calls written in %d s%n", calls, (System.nanoTime() - begun) / 1_000_000_000);
  }

  private void ask(LedgerReader reader) {
    var page = CallQuery.newest(100);
    var questions = new LinkedHashMap<String, Consumer<LedgerReader>>();
    Map<Field, String> filters = new LinkedHashMap<>();
    filters.put(Field.MODEL, "writer");
    filters.put(Field.CLIENT, "reports");
    filters.put(Field.TARGET, "anthropic/claude-sonnet-4-5");
    filters.put(Field.STATUS, "503");
    filters.put(Field.CLASS, "FATAL");
    filters.put(Field.KIND, "auth");
    filters.put(Field.RUN, "run_7");
    filters.put(Field.RECOVERY, "retry");
    questions.put("calls, newest", from -> from.calls(page));
    filters.forEach(
        (field, value) ->
            questions.put(
                "calls by " + field.wireName(), from -> from.calls(page.where(field, value))));
    questions.put(
        "calls by a model that none asked for", from -> from.calls(page.where(Field.MODEL, "no")));
    questions.put("calls that failed", from -> from.calls(page.failed(true)));
    for (var measure : CallQuery.MEASURES) {
      questions.put(
          "calls by " + measure.wireName() + "_min that none has",
          from -> from.calls(page.within(Map.of(measure, new Range(MOST, null)))));
      questions.put(
          "calls by " + measure.wireName() + "_max",
          from -> from.calls(page.within(Map.of(measure, new Range(null, MOST)))));
    }
    var old = now.minus(Duration.ofDays(20));
    questions.put(
        "calls of an hour 20 days ago",
        from -> from.calls(page.between(old, old.plus(Duration.ofHours(1)))));
    questions.put(
        "calls of a client that failed, 20 days ago",
        from ->
            from.calls(
                page.where(Field.CLIENT, "reports")
                    .failed(true)
                    .between(old, old.plus(Duration.ofDays(1)))));
    for (var by : StatsQuery.By.values()) {
      questions.put(
          "statistic of 30 days by " + by.wireName() + ", by the hour",
          from ->
              from.stats(new StatsQuery(by, now.minus(Month.LENGTH), now, Duration.ofHours(1))));
    }
    for (var by : CostQuery.By.values()) {
      questions.put(
          "costs of 30 days by " + by,
          from -> from.costs(new CostQuery(by, now.minus(Month.LENGTH), now)));
    }
    System.out.printf("| %-50s | %9s | %9s |%n", "question", "median ms", "worst ms");
    questions.forEach((name, question) -> report(name, question, reader));
  }

  private static void report(String name, Consumer<LedgerReader> question, LedgerReader reader) {
    var millis = new double[ROUNDS];
    for (int i = 0; i < ROUNDS; i++) {
      long begun = System.nanoTime();
      question.accept(reader);
      millis[i] = (System.nanoTime() - begun) / 1e6;
    }
    Arrays.sort(millis);
    System.out.printf("| %-50s | %9.1f | %9.1f |%n", name, millis[ROUNDS / 2], millis[ROUNDS - 1]);
  }
}
