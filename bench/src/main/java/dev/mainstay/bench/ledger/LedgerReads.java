package dev.mainstay.bench.ledger;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.management.OperatingSystemMXBean;
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
import java.lang.management.ManagementFactory;
import java.math.BigDecimal;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
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

  /** Of this process: the embedded store's work is in it, a database's is not. */
  private static final OperatingSystemMXBean MACHINE =
      ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);

  private final Instant now = Instant.now();

  private LedgerReads() {}

  /** Runs it. */
  public static void main(String[] arguments) throws Exception {
    var store = arguments[0];
    int calls = arguments.length > 1 ? Integer.parseInt(arguments[1]) : 1_000_000;
    var clock = InstantSource.system();
    try (var ledger =
        PostgresConfig.isUrl(store)
            ? PostgresLedger.open(
                new PostgresConfig(
                    store, PostgresConfig.LEASE, searched(Path.of("mainstay-bench-spool"))),
                clock)
            : SqliteLedger.open(searched(Path.of(store)), clock)) {
      var bench = new LedgerReads();
      if (ledger.reader().calls(CallQuery.newest(1)).calls().isEmpty()) {
        bench.fill(ledger, calls);
      }
      bench.ask(ledger.reader());
    }
  }

  private static LedgerConfig searched(Path directory) {
    // Longer than the month, so that no call goes while it is asked for.
    return LedgerConfig.in(directory)
        .keeping(Month.LENGTH.multipliedBy(2), Long.MAX_VALUE)
        .searching((body, part) -> new String(body, UTF_8));
  }

  private void fill(Ledger ledger, int calls) throws InterruptedException {
    new AgentRuns(ledger.state().runs(), now).fill();
    new Paperwork(ledger.state(), now).fill();
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
    filters.put(Field.RUN, Month.LONG_RUN);
    filters.put(Field.RECOVERY, "retry");
    questions.put("calls, newest", from -> from.calls(page));
    filters.forEach(
        (field, value) ->
            questions.put(
                "calls by " + field.wireName(), from -> from.calls(page.where(field, value))));
    for (var name : List.of("no", Month.RARE_NAME)) {
      for (var field : List.of(Field.MODEL, Field.CLIENT, Field.TARGET)) {
        questions.put(
            "calls by %s = %s".formatted(field.wireName(), name),
            from -> from.calls(page.where(field, name)));
      }
    }
    var both = page.where(Field.CLIENT, "checkout");
    questions.put(
        "calls by client, rare model",
        from -> from.calls(both.where(Field.MODEL, Month.RARE_NAME)));
    questions.put(
        "calls by client, model, class",
        from -> from.calls(both.where(Field.MODEL, "writer").where(Field.CLASS, "FATAL")));
    questions.put(
        "calls by client, status, recovery",
        from -> from.calls(both.where(Field.STATUS, "200").where(Field.RECOVERY, "continuation")));
    questions.put(
        "calls by run, status",
        from -> from.calls(page.where(Field.RUN, Month.LONG_RUN).where(Field.STATUS, "400")));
    questions.put("calls by run as text", from -> from.calls(page.text(Month.LONG_RUN)));
    for (var text : List.of("word0", "word4990", "word0 word4990 word4980", "nothing")) {
      questions.put(
          "calls with '%s'".formatted(text), from -> from.calls(page.text(text).inBodies(true)));
    }
    questions.put(
        "calls with 'word1' of a rare client",
        from -> from.calls(page.text("word1").inBodies(true).where(Field.CLIENT, Month.RARE_NAME)));
    questions.put(
        "calls with 'word1' 20 days ago",
        from ->
            from.calls(
                page.text("word1")
                    .inBodies(true)
                    .between(
                        now.minus(Duration.ofDays(20)),
                        now.minus(Duration.ofDays(20)).plusSeconds(60))));
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
    System.out.printf(
        "| %-50s | %9s | %9s | %9s |%n", "question", "median ms", "worst ms", "CPU ms");
    questions.forEach((name, question) -> report(name, question, reader));
  }

  private static void report(String name, Consumer<LedgerReader> question, LedgerReader reader) {
    var millis = new double[ROUNDS];
    long cpu = MACHINE.getProcessCpuTime();
    for (int i = 0; i < ROUNDS; i++) {
      long begun = System.nanoTime();
      question.accept(reader);
      millis[i] = (System.nanoTime() - begun) / 1e6;
    }
    Arrays.sort(millis);
    System.out.printf(
        "| %-50s | %9.1f | %9.1f | %9.1f |%n",
        name,
        millis[ROUNDS / 2],
        millis[ROUNDS - 1],
        (MACHINE.getProcessCpuTime() - cpu) / 1e6 / ROUNDS);
  }
}
