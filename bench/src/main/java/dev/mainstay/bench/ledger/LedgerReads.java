package dev.mainstay.bench.ledger;

import dev.mainstay.ledger.AttemptRecord;
import dev.mainstay.ledger.CallQuery;
import dev.mainstay.ledger.CallQuery.Field;
import dev.mainstay.ledger.CallRecord;
import dev.mainstay.ledger.CallStart;
import dev.mainstay.ledger.CostQuery;
import dev.mainstay.ledger.Ledger;
import dev.mainstay.ledger.LedgerConfig;
import dev.mainstay.ledger.LedgerReader;
import dev.mainstay.ledger.Range;
import dev.mainstay.ledger.Tokens;
import dev.mainstay.ledger.postgres.PostgresConfig;
import dev.mainstay.ledger.postgres.PostgresLedger;
import dev.mainstay.ledger.sqlite.SqliteLedger;
import dev.mainstay.ledger.stats.StatsQuery;
import java.math.BigDecimal;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * How long the admin API's questions take a ledger of many calls in 30 days: {@code bench/run
 * ledger FOLDER|JDBC-URL [CALLS]}. Fills the store first, where it is empty.
 */
public final class LedgerReads {
  private static final Duration PAST = Duration.ofDays(30);
  private static final Duration PATIENCE = Duration.ofMinutes(10);
  private static final int BATCH = 5_000;
  private static final int ROUNDS = 20;
  private static final List<String> TARGETS =
      List.of("openai/gpt-4o", "anthropic/claude-sonnet-4-5", "mistral/large", "gemini/flash");
  private static final List<String> VERDICTS =
      List.of("TRANSIENT/rate_limit", "TRANSIENT/overloaded", "FATAL/auth", "LOGIC/context_length");

  private static final BigDecimal MOST = BigDecimal.valueOf(999_999_999);

  private final Random random = new Random(144);
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
    for (int i = 0; i < calls; i++) {
      var at = now.minus(PAST).plus(PAST.multipliedBy(i).dividedBy(calls));
      record(ledger, at, i);
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

  private void record(Ledger ledger, Instant at, int number) {
    var id = "call_%010d".formatted(number);
    var target = TARGETS.get(random.nextInt(TARGETS.size()));
    boolean failed = random.nextInt(20) == 0;
    boolean retried = random.nextInt(10) == 0;
    var verdict = VERDICTS.get(random.nextInt(VERDICTS.size()));
    var took = Duration.ofMillis(200 + (long) Math.abs(random.nextGaussian() * 3000));
    var used = new Tokens(500 + random.nextInt(4000), 100, 0, random.nextInt(900), 0, false);
    var attempts = new ArrayList<AttemptRecord>();
    if (retried || failed) {
      attempts.add(attempt(id, 1, target, at, took, verdict, null));
    }
    if (!failed) {
      attempts.add(attempt(id, attempts.size() + 1, target, at, took, null, used));
    }
    ledger
        .recorder()
        .record(
            new CallRecord(
                new CallStart(
                    id,
                    number % 50 == 0 ? "run_" + number / 500 : null,
                    null,
                    "team-" + random.nextInt(8),
                    at,
                    "openai",
                    "/v1/chat/completions",
                    "model-" + random.nextInt(10),
                    true),
                new CallRecord.Outcome(
                    failed ? null : target,
                    failed ? 503 : 200,
                    failed ? verdict : null,
                    retried ? List.of("retry") : List.of(),
                    attempts.size(),
                    failed ? null : took.dividedBy(4),
                    took),
                new CallRecord.Cost(
                    failed ? null : used, failed ? null : (Long) 1_250_000L, "2026-11-22")),
            attempts,
            List.of());
  }

  private static AttemptRecord attempt(
      String call,
      int number,
      String target,
      Instant at,
      Duration took,
      @Nullable String verdict,
      @Nullable Tokens used) {
    return new AttemptRecord(
        call,
        number,
        target,
        new AttemptRecord.Times(
            Duration.ZERO,
            at,
            at.plusMillis(50),
            verdict == null ? at.plus(took.dividedBy(4)) : null,
            at.plus(took)),
        new AttemptRecord.Outcome(
            verdict == null ? 200 : 503,
            verdict == null ? null : "{\"where\":\"http\",\"status\":503,\"body\":null}",
            verdict,
            verdict == null ? null : "general.status",
            verdict == null ? "proceed" : "retry",
            "measured"),
        new AttemptRecord.Use(2_000, 5_000, used, used == null ? null : (Long) 1_250_000L));
  }

  private void ask(LedgerReader reader) {
    var page = CallQuery.newest(100);
    var questions = new LinkedHashMap<String, Consumer<LedgerReader>>();
    Map<Field, String> filters = new LinkedHashMap<>();
    filters.put(Field.MODEL, "model-3");
    filters.put(Field.CLIENT, "team-3");
    filters.put(Field.TARGET, TARGETS.getFirst());
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
                page.where(Field.CLIENT, "team-3")
                    .failed(true)
                    .between(old, old.plus(Duration.ofDays(1)))));
    for (var by : StatsQuery.By.values()) {
      questions.put(
          "statistic of 30 days by " + by.wireName() + ", by the hour",
          from -> from.stats(new StatsQuery(by, now.minus(PAST), now, Duration.ofHours(1))));
    }
    for (var by : CostQuery.By.values()) {
      questions.put(
          "costs of 30 days by " + by, from -> from.costs(new CostQuery(by, now.minus(PAST), now)));
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
