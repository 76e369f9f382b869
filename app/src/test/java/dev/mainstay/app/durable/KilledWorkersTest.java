package dev.mainstay.app.durable;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mainstay.agent.journal.JournalEntry;
import dev.mainstay.agent.journal.JournalJson;
import dev.mainstay.ledger.LedgerConfig;
import dev.mainstay.ledger.postgres.PostgresConfig;
import dev.mainstay.ledger.postgres.PostgresLedger;
import dev.mainstay.ledger.run.RunStore;
import dev.mainstay.ledger.sqlite.SqliteLedger;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/**
 * Real processes that carry a mixed load of runs are killed with -9 at random, 40 in all, or as
 * many as {@code -Dmainstay.kills=N} says; what happened is counted in the tools' own book. {@code
 * -Dmainstay.lease=10} is the lease in seconds, by default 2.
 */
@DisabledOnOs(OS.WINDOWS)
@Timeout(value = 60, unit = TimeUnit.MINUTES)
class KilledWorkersTest {
  private static final int KILLS = Integer.getInteger("mainstay.kills", 40);

  private static final Duration LEASE = Duration.ofSeconds(Integer.getInteger("mainstay.lease", 2));

  /** What is promised: the runs of a worker that was killed go on elsewhere within this time. */
  private static final Duration TAKEN_OVER = Duration.ofSeconds(10);

  /**
   * Steps until a run is with another worker, each of which may come as late as the machine is: the
   * heartbeat that misses the dead one, its taking over, the look for runs, the lease of the run,
   * the worker's first entry.
   */
  private static final int STEPS = 5;

  private static final Duration LOOK = Duration.ofMillis(50);

  /**
   * A worker is killed after so many calls of tools at most, so that it is in the middle of some.
   */
  private static final int MOST_CALLS = 8;

  /** And this much later, which is about what a call takes. */
  private static final int MOST_MILLIS = 30;

  /** Where all runs have ended or wait for a person, no tool is called. */
  private static final Duration NO_CALLS = Duration.ofSeconds(5);

  @TempDir Path directory;
  private final long seed = Long.getLong("mainstay.seed", 20261123);
  private final Random random = new Random(seed);
  private final AtomicInteger asked = new AtomicInteger();
  private final Map<String, String> accepted = new ConcurrentHashMap<>();
  private final Map<String, Long> orphans = new HashMap<>();
  private final Map<String, Tally> tallies = new TreeMap<>();
  private Instant killedAt = Instant.MAX;

  /** The most by which a look at the store was late since then. */
  private Duration late = Duration.ZERO;

  private EffectServer tools;

  /** What happened to the steps of one tool. */
  private static final class Tally {
    int steps;
    int happened;
    int twice;
    int doubts;

    @Override
    public String toString() {
      return "%d steps, %d effects happened, %d more than once, %d in doubt"
          .formatted(steps, happened, twice, doubts);
    }
  }

  @BeforeEach
  void startTools() throws IOException {
    tools = new EffectServer(directory.resolve("book"), new Random(seed));
  }

  @AfterEach
  void stopTools() throws IOException {
    tools.close();
  }

  @Test
  void oneWorkerOnTheEmbeddedStore() throws Exception {
    var store = directory.resolve("store");
    killAtRandom(
        List.of(place(store.toString(), "alone")),
        KILLS * 3 / 8,
        "jdbc:sqlite:" + store.resolve("state.db"));
    try (var ledger = SqliteLedger.open(LedgerConfig.in(store), InstantSource.system())) {
      check(ledger.state().runs());
    }
  }

  /** The last one that is killed does not come back: the others take its runs over, in time. */
  @Test
  void threeWorkersOnOnePostgres() throws Exception {
    try (var server = EmbeddedPostgres.builder().setPGStartupWait(Duration.ofMinutes(2)).start()) {
      var url = server.getJdbcUrl("postgres", "postgres");
      killAtRandom(
          List.of(place(url, "one"), place(url, "two"), place(url, "three")), KILLS * 5 / 8, url);
      var config = new PostgresConfig(url, LEASE, LedgerConfig.in(directory.resolve("reader")));
      try (var ledger = PostgresLedger.open(config, InstantSource.system())) {
        check(ledger.state().runs());
        checkTakeOver(ledger.state().runs());
      }
    }
  }

  /** Where a worker is: what it opens, and what is its own. */
  private record Place(String store, Path own) {}

  private Place place(String store, String name) {
    return new Place(store, directory.resolve(name));
  }

  /** All at once: most of a start is work for one core. */
  private List<WorkerProcess> start(List<Place> places) throws Exception {
    try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
      var starts = places.stream().map(place -> threads.submit(() -> start(place))).toList();
      var workers = new ArrayList<WorkerProcess>();
      for (var start : starts) {
        workers.add(start.get());
      }
      return workers;
    }
  }

  private WorkerProcess start(Place at) throws IOException {
    var worker = WorkerProcess.start(at.store(), at.own(), tools.url(), LEASE);
    var said = worker.said();
    if (!"ready".equals(said.readLine())) {
      throw new IOException("the worker did not start");
    }
    Thread.ofVirtual().start(() -> listen(said));
    return worker;
  }

  private void listen(BufferedReader said) {
    try {
      for (String line; (line = said.readLine()) != null; ) {
        var words = line.split(" ");
        if (words[0].equals("accepted")) {
          accepted.put(words[1], words[2]);
        }
      }
    } catch (IOException e) {
      // It was killed.
    }
  }

  /**
   * @param url of the database in which the runs are
   */
  private void killAtRandom(List<Place> places, int kills, String url) throws Exception {
    var workers = new ArrayList<WorkerProcess>();
    try {
      workers.addAll(start(places));
      int last = places.size() > 1 ? 1 : 0;
      for (int left = kills - last; left > 0; ) {
        ask(workers, 6);
        tools.awaitRequests(1 + random.nextInt(MOST_CALLS), NO_CALLS);
        TimeUnit.MILLISECONDS.sleep(random.nextInt(MOST_MILLIS));
        // One of them, some, or all.
        var victims = new ArrayList<Integer>();
        for (int at = 0; at < places.size(); at++) {
          victims.add(at);
        }
        Collections.shuffle(victims, random);
        var dead = victims.subList(0, Math.min(left, 1 + random.nextInt(victims.size())));
        for (int victim : dead) {
          workers.get(victim).kill();
        }
        var born = start(dead.stream().map(places::get).toList());
        for (int i = 0; i < dead.size(); i++) {
          workers.set(dead.get(i), born.get(i));
        }
        left -= dead.size();
      }
      if (last > 0) {
        killForGood(workers.remove(random.nextInt(workers.size())), url);
      }
      finish(workers, url);
    } finally {
      for (var worker : workers) {
        worker.close();
      }
    }
  }

  private void ask(List<WorkerProcess> workers, int runs) {
    for (int i = 0; i < runs; i++) {
      workers.get(random.nextInt(workers.size())).run("key-" + asked.incrementAndGet());
    }
  }

  /** Asks again for what was not confirmed, under the same keys, until all has gone quiet. */
  private void finish(List<WorkerProcess> workers, String url) throws Exception {
    while (accepted.size() < asked.get()) {
      for (int i = 1; i <= asked.get(); i++) {
        if (!accepted.containsKey("key-" + i)) {
          workers.get(random.nextInt(workers.size())).run("key-" + i);
        }
      }
      TimeUnit.MILLISECONDS.sleep(200);
    }
    int left;
    do {
      long from = System.nanoTime();
      TimeUnit.MILLISECONDS.sleep(LOOK.toMillis());
      left = runs(url, "select id, entries from runs where status in ('queued', 'running')").size();
      var behind = Duration.ofNanos(System.nanoTime() - from).minus(LOOK);
      late = behind.compareTo(late) > 0 ? behind : late;
    } while (left > 0);
  }

  /** Kills a worker that has runs in hand, and notes which and when. */
  private void killForGood(WorkerProcess victim, String url) throws Exception {
    var inHand =
        "select id, entries from runs where status = 'running' and holder in (select token from"
            + " instances where name like 'process %d on %%')".formatted(victim.pid());
    while (runs(url, inHand).isEmpty()) {
      victim.run("key-" + asked.incrementAndGet());
      TimeUnit.MILLISECONDS.sleep(5);
    }
    victim.kill();
    killedAt = Instant.now();
    orphans.putAll(runs(url, inHand));
  }

  /** Runs with the lengths of their journals. */
  private static Map<String, Long> runs(String url, String sql) throws SQLException {
    var runs = new HashMap<String, Long>();
    try (var db = DriverManager.getConnection(url);
        var statement = db.createStatement();
        var rows = statement.executeQuery(sql)) {
      while (rows.next()) {
        runs.put(rows.getString(1), rows.getLong(2));
      }
    }
    return runs;
  }

  private void checkTakeOver(RunStore store) {
    var longest = Duration.ZERO;
    for (var orphan : orphans.entrySet()) {
      var next = done(store.read(orphan.getKey(), orphan.getValue(), 1));
      assertThat(next).as("%s goes on", orphan.getKey()).isNotEmpty();
      assertThat(JournalJson.read(next.getFirst().entry()))
          .isInstanceOf(JournalEntry.WorkerBegan.class);
      var took = Duration.between(killedAt, next.getFirst().at());
      longest = took.compareTo(longest) > 0 ? took : longest;
    }
    System.out.printf(
        "%d runs of the worker that was killed went on elsewhere within %d ms, lease %s; the"
            + " machine was up to %d ms late%n",
        orphans.size(), longest.toMillis(), LEASE, late.toMillis());
    if (LEASE.compareTo(TAKEN_OVER) <= 0) {
      assertThat(longest)
          .as("seed %d, each of %d steps up to %s late", seed, STEPS, late)
          .isLessThan(TAKEN_OVER.plus(late.multipliedBy(STEPS)));
    }
  }

  private void check(RunStore store) throws Exception {
    var book = tools.book();
    var planned = new HashSet<String>();
    assertThat(new HashSet<>(accepted.values()))
        .as("seed %d: a key is one run", seed)
        .hasSize(asked.get());
    int waiting = 0;
    for (var run : accepted.values()) {
      var found = done(store.find(run)).getFirst();
      assertThat(found.status())
          .as("seed %d: %s has ended, or waits for a person", seed, run)
          .isIn(RunStore.Status.ENDED, RunStore.Status.PARKED);
      waiting += found.status() == RunStore.Status.PARKED ? 1 : 0;
      check(store, found, book, planned);
    }
    assertThat(planned).as("seed %d: nothing happened unseen", seed).containsAll(book.keySet());
    assertThat(waiting).as("seed %d: most runs end", seed).isLessThan(asked.get());
    tallies.forEach((tool, tally) -> System.out.println(tool + ": " + tally));
  }

  private void check(
      RunStore store, RunStore.Run run, Map<String, Integer> book, HashSet<String> planned) {
    var steps = new ConcurrentHashMap<Integer, JournalEntry.StepPlanned>();
    var ended = new ConcurrentHashMap<Integer, Boolean>();
    var doubts = new HashSet<Integer>();
    for (var stored : done(store.read(run.id(), 0, 10_000))) {
      switch (JournalJson.read(stored.entry())) {
        case JournalEntry.StepPlanned step -> {
          steps.put(step.step(), step);
          planned.add(step.key());
        }
        case JournalEntry.StepEnded step ->
            assertThat(ended.put(step.step(), step.ok())).as(run.id()).isNull();
        case JournalEntry.InDoubt doubt -> doubts.add(doubt.step());
        case JournalEntry.Ended end -> assertThat(end.status()).as(run.id()).isEqualTo("completed");
        default -> {}
      }
    }
    if (run.status() == RunStore.Status.PARKED) {
      assertThat(doubts).as("seed %d: %s waits because of a doubt", seed, run.id()).isNotEmpty();
    }
    steps.forEach(
        (number, step) -> {
          int did = book.getOrDefault(step.key(), 0);
          var what = "seed %d, %s: %s".formatted(seed, run.id(), step);
          boolean well = ended.getOrDefault(number, false);
          var tally = tallies.computeIfAbsent(step.tool(), tool -> new Tally());
          tally.steps++;
          tally.happened += did > 0 ? 1 : 0;
          tally.twice += did > 1 ? 1 : 0;
          tally.doubts += doubts.contains(number) ? 1 : 0;
          switch (step.tool()) {
            case "read" -> {}
            case "unsafe" -> assertThat(did).as(what).isLessThanOrEqualTo(1);
            default -> assertThat(did).as(what).isBetween(ended.containsKey(number) ? 1 : 0, 1);
          }
          if (well) {
            assertThat(did).as(what).isPositive();
          }
        });
  }

  private static <T> T done(CompletionStage<T> stage) {
    return stage.toCompletableFuture().join();
  }
}
