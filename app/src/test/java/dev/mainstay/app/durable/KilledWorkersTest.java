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
import java.io.IOException;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
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
 * many as {@code -Dmainstay.kills=N} says; what happened is counted in the tools' own book.
 */
@DisabledOnOs(OS.WINDOWS)
@Timeout(value = 30, unit = TimeUnit.MINUTES)
class KilledWorkersTest {
  private static final int KILLS = Integer.getInteger("mainstay.kills", 40);

  /** A process that is killed starts anew within this time, so that it has done something. */
  private static final int MOST_MILLIS = 250;

  @TempDir Path directory;
  private final long seed = Long.getLong("mainstay.seed", System.nanoTime());
  private final Random random = new Random(seed);
  private final AtomicInteger asked = new AtomicInteger();
  private final Map<String, String> accepted = new ConcurrentHashMap<>();
  private EffectServer tools;

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
    killAtRandom(List.of(place(store.toString(), "alone")), KILLS * 3 / 8);
    try (var ledger = SqliteLedger.open(LedgerConfig.in(store), InstantSource.system())) {
      check(ledger.state().runs());
    }
  }

  /** The last one that is killed does not come back: the others take its runs over. */
  @Test
  void threeWorkersOnOnePostgres() throws Exception {
    try (var server = EmbeddedPostgres.builder().start()) {
      var url = server.getJdbcUrl("postgres", "postgres");
      killAtRandom(
          List.of(place(url, "one"), place(url, "two"), place(url, "three")), KILLS * 5 / 8);
      var config =
          new PostgresConfig(
              url, WorkerProcess.LEASE, LedgerConfig.in(directory.resolve("reader")));
      try (var ledger = PostgresLedger.open(config, InstantSource.system())) {
        check(ledger.state().runs());
      }
    }
  }

  /** Where a worker is: what it opens, and what is its own. */
  private record Place(String store, Path own) {}

  private Place place(String store, String name) {
    return new Place(store, directory.resolve(name));
  }

  private WorkerProcess start(Place at) throws IOException {
    var worker = WorkerProcess.start(at.store(), at.own(), tools.url());
    var said = worker.said();
    if (!"ready".equals(said.readLine())) {
      throw new IOException("the worker did not start");
    }
    Thread.ofVirtual()
        .start(
            () ->
                said.lines()
                    .map(line -> line.split(" "))
                    .filter(words -> words[0].equals("accepted"))
                    .forEach(words -> accepted.put(words[1], words[2])));
    return worker;
  }

  private void killAtRandom(List<Place> places, int kills) throws Exception {
    var workers = new ArrayList<WorkerProcess>();
    try {
      for (var place : places) {
        workers.add(start(place));
      }
      for (int kill = 0; kill < kills; kill++) {
        ask(workers, 6);
        TimeUnit.MILLISECONDS.sleep(random.nextInt(MOST_MILLIS));
        int victim = random.nextInt(workers.size());
        workers.get(victim).kill();
        boolean last = kill == kills - 1 && workers.size() > 1;
        if (last) {
          workers.remove(victim);
        } else {
          workers.set(victim, start(places.get(victim)));
        }
      }
      finish(workers);
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
  private void finish(List<WorkerProcess> workers) throws Exception {
    while (accepted.size() < asked.get()) {
      for (int i = 1; i <= asked.get(); i++) {
        if (!accepted.containsKey("key-" + i)) {
          workers.get(random.nextInt(workers.size())).run("key-" + i);
        }
      }
      TimeUnit.MILLISECONDS.sleep(200);
    }
    int before = -1;
    for (int now = tools.book().size(); now != before; now = tools.book().size()) {
      before = now;
      // Longer than a lease, and than any run here takes.
      TimeUnit.MILLISECONDS.sleep(WorkerProcess.LEASE.toMillis() + 1000);
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
  }

  private void check(
      RunStore store, RunStore.Run run, Map<String, Integer> book, HashSet<String> planned) {
    var steps = new ConcurrentHashMap<Integer, JournalEntry.StepPlanned>();
    var ended = new ConcurrentHashMap<Integer, Boolean>();
    boolean doubt = false;
    for (var stored : done(store.read(run.id(), 0, 10_000))) {
      switch (JournalJson.read(stored.entry())) {
        case JournalEntry.StepPlanned step -> {
          steps.put(step.step(), step);
          planned.add(step.key());
        }
        case JournalEntry.StepEnded step ->
            assertThat(ended.put(step.step(), step.ok())).as(run.id()).isNull();
        case JournalEntry.InDoubt _ -> doubt = true;
        case JournalEntry.Ended end -> assertThat(end.status()).as(run.id()).isEqualTo("completed");
        default -> {}
      }
    }
    if (run.status() == RunStore.Status.PARKED) {
      assertThat(doubt).as("seed %d: %s waits because of a doubt", seed, run.id()).isTrue();
    }
    steps.forEach(
        (number, step) -> {
          int did = book.getOrDefault(step.key(), 0);
          var what = "seed %d, %s: %s".formatted(seed, run.id(), step);
          boolean well = ended.getOrDefault(number, false);
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
