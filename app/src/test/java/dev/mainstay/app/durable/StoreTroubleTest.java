package dev.mainstay.app.durable;

import dev.mainstay.ledger.LedgerConfig;
import dev.mainstay.ledger.postgres.PostgresConfig;
import dev.mainstay.ledger.postgres.PostgresLedger;
import dev.mainstay.ledger.run.RunStore;
import dev.mainstay.ledger.sqlite.SqliteLedger;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * The real store fills, refuses or stalls while each of many runs is at another write of its
 * journal, so that each write of a run meets it. Afterwards all of them go on.
 */
@Timeout(value = 10, unit = TimeUnit.MINUTES)
class StoreTroubleTest {
  private static final AtomicInteger DATABASES = new AtomicInteger();
  private static EmbeddedPostgres server;

  @TempDir Path directory;

  /** The write of a run at which it waits for the trouble, and how many each has made. */
  private final Map<String, Integer> waitsAt = new ConcurrentHashMap<>();

  private final Map<String, AtomicInteger> writes = new ConcurrentHashMap<>();
  private final Semaphore waiting = new Semaphore(0);
  private final CountDownLatch goOn = new CountDownLatch(1);
  private final Semaphore begun = new Semaphore(0);
  private final Semaphore ended = new Semaphore(0);
  private final Semaphore failed = new Semaphore(0);

  @BeforeAll
  static void startServer() throws IOException {
    server = EmbeddedPostgres.builder().setPGStartupWait(Duration.ofMinutes(2)).start();
  }

  @AfterAll
  static void stopServer() throws IOException {
    server.close();
  }

  /** What happens to the store: begins, and has ended once the runs have met it. */
  private interface Trouble {
    void happen(Connection db, int runs) throws Exception;
  }

  @Test
  void theEmbeddedStoreRefusesEveryWrite() throws Exception {
    onSqlite(
        (db, runs) -> {
          run(
              db,
              "create trigger full1 before insert on journal begin select raise(abort, 'full');"
                  + " end",
              "create trigger full2 before update on runs begin select raise(abort, 'full'); end");
          goOn.countDown();
          failed.acquire(runs);
          run(db, "drop trigger full1", "drop trigger full2");
        });
  }

  @Test
  void theEmbeddedStoreStalls() throws Exception {
    onSqlite(
        (db, runs) -> {
          run(db, "begin immediate");
          goOn.countDown();
          begun.acquire(runs);
          run(db, "rollback");
          // A machine that pauses here for longer than SQLite waits for the lock sees some fail.
          ended.acquire(runs);
        });
  }

  @Test
  void thePostgresFills() throws Exception {
    onPostgres(
        (db, runs) -> {
          run(
              db,
              "create function full_disk() returns trigger language plpgsql as $$ begin raise"
                  + " exception 'could not extend file' using errcode = '53100'; end $$",
              "create trigger full1 before insert on journal execute function full_disk()",
              "create trigger full2 before update on runs execute function full_disk()");
          goOn.countDown();
          failed.acquire(runs);
          run(db, "drop trigger full1 on journal", "drop trigger full2 on runs");
        });
  }

  /**
   * For longer than Mainstay waits: the writes arrive after their workers were told that they
   * failed.
   */
  @Test
  void thePostgresStalls() throws Exception {
    onPostgres(
        (db, runs) -> {
          db.setAutoCommit(false);
          run(db, "lock table journal in access exclusive mode");
          goOn.countDown();
          failed.acquire(runs);
          db.rollback();
        });
  }

  private static void run(Connection db, String... sql) throws SQLException {
    try (var statement = db.createStatement()) {
      for (var each : sql) {
        statement.execute(each);
      }
    }
  }

  private void onSqlite(Trouble trouble) throws Exception {
    try (var ledger = SqliteLedger.open(LedgerConfig.in(directory), InstantSource.system())) {
      meet(trouble, ledger.state().runs(), "jdbc:sqlite:" + directory.resolve("state.db"));
    }
  }

  private void onPostgres(Trouble trouble) throws Exception {
    var name = "trouble" + DATABASES.incrementAndGet();
    try (var db = DriverManager.getConnection(server.getJdbcUrl("postgres", "postgres"))) {
      run(db, "create database " + name);
    }
    var url = server.getJdbcUrl("postgres", name);
    try (var ledger =
        PostgresLedger.open(PostgresConfig.of(url, directory), InstantSource.system())) {
      meet(trouble, ledger.state().runs(), url);
    }
  }

  private void meet(Trouble trouble, RunStore store, String url) throws Exception {
    try (var runs = new CheckedRuns(store, watched(store));
        var db = DriverManager.getConnection(url)) {
      runs.start();
      runs.finish();
      int last = Objects.requireNonNull(writes.get(CheckedRuns.id(1))).get();
      for (int write = 1; write <= last; write++) {
        waitsAt.put(CheckedRuns.id(runs.count() + 1), write);
        runs.start();
      }
      waiting.acquire(last);
      trouble.happen(db, last);
      runs.finish();
      for (int run = 1; run <= runs.count(); run++) {
        var id = CheckedRuns.id(run);
        runs.check(id, "%s, which met it at its write %s".formatted(id, waitsAt.get(id)));
      }
    }
  }

  /** Lets each run wait for the trouble at its write, and counts what became of these writes. */
  private RunStore watched(RunStore real) {
    return (RunStore)
        Proxy.newProxyInstance(
            RunStore.class.getClassLoader(),
            new Class<?>[] {RunStore.class},
            (proxy, method, arguments) -> {
              boolean meets =
                  CheckedRuns.WRITES.contains(method.getName())
                      && arrives(((RunStore.Lease) arguments[0]).run());
              if (meets) {
                waiting.release();
                goOn.await();
              }
              Object result;
              try {
                result = method.invoke(real, arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
              if (meets) {
                begun.release();
                ((CompletionStage<?>) result)
                    .whenComplete(
                        (done, failure) -> {
                          ended.release();
                          if (failure != null) {
                            failed.release();
                          }
                        });
              }
              return result;
            });
  }

  private boolean arrives(String run) {
    int write = writes.computeIfAbsent(run, id -> new AtomicInteger()).incrementAndGet();
    return write == waitsAt.getOrDefault(run, 0);
  }
}
