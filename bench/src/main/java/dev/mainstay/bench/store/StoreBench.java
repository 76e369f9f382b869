package dev.mainstay.bench.store;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.mainstay.ledger.AttemptRecord;
import dev.mainstay.ledger.Body;
import dev.mainstay.ledger.CallRecord;
import dev.mainstay.ledger.CallStart;
import dev.mainstay.ledger.Ledger;
import dev.mainstay.ledger.LedgerConfig;
import dev.mainstay.ledger.Tokens;
import dev.mainstay.ledger.postgres.PostgresConfig;
import dev.mainstay.ledger.postgres.PostgresLedger;
import dev.mainstay.ledger.run.RunStore;
import dev.mainstay.ledger.sqlite.SqliteLedger;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicLong;

/** Prints a Markdown table of both stores. */
public final class StoreBench {
  private static final int WRITERS = 64;
  private static final int CALLS = 20_000;
  private static final int CLAIMS = 10_000;
  private static final int STEPS = 6_000;
  private static final int ALONE = 200;

  private StoreBench() {}

  /**
   * @param args none
   */
  public static void main(String[] args) throws Exception {
    var directory = Files.createTempDirectory("mainstay-bench");
    System.out.printf(
        Locale.ROOT,
        "Load before: %.1f on %d cores%n%n",
        ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage(),
        Runtime.getRuntime().availableProcessors());
    System.out.println(
        "| store | calls/s | claims/s | one claim alone, p50 | journalled steps/s | one entry"
            + " alone, p50 |");
    System.out.println("|---|---|---|---|---|---|");
    try (var ledger =
        SqliteLedger.open(LedgerConfig.in(directory.resolve("store")), InstantSource.system())) {
      row("embedded", List.of(ledger));
    }
    // As a server that people trust with their data is set.
    try (var server =
        EmbeddedPostgres.builder()
            .setServerConfig("fsync", "on")
            .setServerConfig("synchronous_commit", "on")
            .setServerConfig("full_page_writes", "on")
            .start()) {
      var url = server.getJdbcUrl("postgres", "postgres");
      try (var one = postgres(url, directory.resolve("one"))) {
        row("PostgreSQL, one instance", List.of(one));
        try (var two = postgres(url, directory.resolve("two"));
            var three = postgres(url, directory.resolve("three"))) {
          row("PostgreSQL, three instances", List.of(one, two, three));
        }
      }
    }
    delete(directory);
  }

  private static Ledger postgres(String url, Path directory) {
    return PostgresLedger.open(PostgresConfig.of(url, directory), InstantSource.system());
  }

  private static void row(String name, List<Ledger> ledgers) throws Exception {
    double calls = rate(CALLS, () -> calls(ledgers));
    double claims = rate(CLAIMS, () -> spread(ledgers, CLAIMS, StoreBench::claim));
    double steps = rate(STEPS, () -> steps(ledgers));
    System.out.printf(
        Locale.ROOT,
        "| %s | %,.0f | %,.0f | %.2f ms | %,.0f | %.2f ms |%n",
        name,
        calls,
        claims,
        alone(() -> claim(ledgers.getFirst())),
        steps,
        oneEntry(ledgers.getFirst().state().runs()));
  }

  private interface Work {
    void run() throws Exception;
  }

  private static double rate(int count, Work work) throws Exception {
    long began = System.nanoTime();
    work.run();
    return count * 1e9 / (System.nanoTime() - began);
  }

  /** The median of one after the other, in milliseconds. */
  private static double alone(Work work) throws Exception {
    var took = new ArrayList<Long>();
    for (int i = 0; i < ALONE; i++) {
      long began = System.nanoTime();
      work.run();
      took.add(System.nanoTime() - began);
    }
    took.sort(null);
    return took.get(ALONE / 2) / 1e6;
  }

  private interface OnLedger {
    void run(Ledger ledger) throws Exception;
  }

  private static void spread(List<Ledger> ledgers, int count, OnLedger work) throws Exception {
    try (var executor = Executors.newVirtualThreadPerTaskExecutor()) {
      var tasks = new ArrayList<Callable<Boolean>>();
      for (int i = 0; i < WRITERS; i++) {
        var ledger = ledgers.get(i % ledgers.size());
        tasks.add(
            () -> {
              for (int n = 0; n < count / WRITERS; n++) {
                work.run(ledger);
              }
              return true;
            });
      }
      for (var each : executor.invokeAll(tasks)) {
        each.get();
      }
    }
  }

  private static final AtomicLong IDS = new AtomicLong();

  private static String id(String of) {
    return "%s_%012d".formatted(of, IDS.incrementAndGet());
  }

  private static void claim(Ledger ledger) {
    var now = Instant.now();
    var id = id("call");
    done(
        ledger
            .state()
            .claims()
            .claim("client", id, "hash", id, now, now.plus(Duration.ofHours(1))));
  }

  private static void calls(List<Ledger> ledgers) throws InterruptedException {
    var body = "x".repeat(5_000);
    for (int i = 0; i < CALLS; i++) {
      record(ledgers.get(i % ledgers.size()), id("call"), body);
    }
    for (var ledger : ledgers) {
      ledger.recorder().flush(Duration.ofMinutes(2));
    }
  }

  private static void record(Ledger ledger, String id, String body) {
    var now = Instant.now();
    var tokens = new Tokens(1, 2, 3, 4, 5, false);
    ledger
        .recorder()
        .record(
            new CallRecord(
                new CallStart(id, null, null, "client", now, "openai", "/v1/x", "assistant", false),
                new CallRecord.Outcome(
                    "one/gpt-4o", 200, null, List.of(), 1, null, Duration.ofMillis(7)),
                new CallRecord.Cost(tokens, 123L, "2026")),
            List.of(
                new AttemptRecord(
                    id,
                    1,
                    "one/gpt-4o",
                    new AttemptRecord.Times(Duration.ZERO, now, now, null, now),
                    new AttemptRecord.Outcome(200, null, null, null, "proceed", "it was answered"),
                    new AttemptRecord.Use(10, 20, tokens, 123L))),
            List.of(new Body(0, Body.Part.RESPONSE, (id + body).getBytes(UTF_8))));
  }

  /** A step is two writes: its intent, and its result. */
  private static void steps(List<Ledger> ledgers) throws Exception {
    try (var executor = Executors.newVirtualThreadPerTaskExecutor()) {
      var tasks = new ArrayList<Callable<Boolean>>();
      for (int i = 0; i < WRITERS; i++) {
        var runs = ledgers.get(i % ledgers.size()).state().runs();
        var lease = lease(runs);
        tasks.add(
            () -> {
              long length = lease.entries();
              for (int n = 0; n < 2 * STEPS / WRITERS; n++) {
                done(runs.append(lease, length++, entry(), Instant.now()));
              }
              return true;
            });
      }
      for (var each : executor.invokeAll(tasks)) {
        each.get();
      }
    }
  }

  private static double oneEntry(RunStore runs) throws Exception {
    var lease = lease(runs);
    long[] length = {lease.entries()};
    return alone(() -> done(runs.append(lease, length[0]++, entry(), Instant.now())));
  }

  private static RunStore.Lease lease(RunStore runs) {
    var now = Instant.now();
    done(
        runs.accept(
            new RunStore.NewRun(
                new RunStore.Origin(id("run"), "agent", "", null, null, 0), null, "hash", entry()),
            10_000,
            now,
            now.plus(Duration.ofHours(1))));
    return done(runs.claim(1, now)).getFirst();
  }

  private static RunStore.Entries entry() {
    var step = new RunStore.Entry("step", "x".repeat(300).getBytes(UTF_8));
    return new RunStore.Entries(List.of(step), "y".repeat(250));
  }

  private static <T> T done(CompletionStage<T> stage) {
    return stage.toCompletableFuture().join();
  }

  private static void delete(Path directory) throws IOException {
    try (var paths = Files.walk(directory)) {
      for (var path : paths.sorted(Comparator.reverseOrder()).toList()) {
        Files.deleteIfExists(path);
      }
    }
  }
}
