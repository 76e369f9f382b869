package dev.mainstay.app.durable;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mainstay.ledger.Ledger;
import dev.mainstay.ledger.LedgerConfig;
import dev.mainstay.ledger.postgres.PostgresConfig;
import dev.mainstay.ledger.postgres.PostgresLedger;
import dev.mainstay.ledger.run.RunStore;
import dev.mainstay.ledger.sqlite.SqliteLedger;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Something happens at each write of a run's journal, before it is on disk and after: the worker
 * ends and another one goes on, also twice in all pairs; the store fails and does not say whether
 * it has written; the worker is interrupted.
 */
@Timeout(value = 20, unit = TimeUnit.MINUTES)
class EnumeratedKillsTest {
  @TempDir Path directory;
  private final Map<String, Fault> faults = new ConcurrentHashMap<>();
  private final Map<String, AtomicInteger> writes = new ConcurrentHashMap<>();

  private enum What {
    THE_WORKER_ENDS,
    THE_STORE_FAILS,
    /** As by a cancel, a stall or a stop, and it does not learn whether it has written. */
    THE_WORKER_IS_INTERRUPTED
  }

  /**
   * What happens to a run.
   *
   * @param at numbers of its writes, doubled: an even number is before a write, an odd one after it
   */
  private record Fault(What what, Set<Integer> at) {}

  /** The worker of a run ends here. */
  private static final class Death extends Error {
    private static final long serialVersionUID = 1;

    Death() {
      super("the worker ends", null, false, false);
    }
  }

  @Test
  void onTheEmbeddedStore() throws Exception {
    try (var ledger = SqliteLedger.open(LedgerConfig.in(directory), InstantSource.system())) {
      atEveryWrite(ledger);
    }
  }

  @Test
  void onPostgres() throws Exception {
    try (var server = EmbeddedPostgres.builder().setPGStartupWait(Duration.ofMinutes(2)).start();
        var ledger =
            PostgresLedger.open(
                PostgresConfig.of(server.getJdbcUrl("postgres", "postgres"), directory),
                InstantSource.system())) {
      atEveryWrite(ledger);
    }
  }

  private void atEveryWrite(Ledger ledger) throws Exception {
    var store = ledger.state().runs();
    try (var runs = new CheckedRuns(store, troubled(store))) {
      runs.start();
      runs.finish();
      int last = Objects.requireNonNull(writes.get(CheckedRuns.id(1))).get();
      assertThat(last).as("writes of a run that nothing happens to").isBetween(12, 30);
      var plans = new ArrayList<Fault>();
      for (int first = 2; first <= 2 * last + 1; first++) {
        for (var what : What.values()) {
          plans.add(new Fault(what, Set.of(first)));
        }
        // Whoever goes on writes again: there are more writes than before.
        for (int second = first + 1; second <= 2 * last + 5; second++) {
          plans.add(new Fault(What.THE_WORKER_ENDS, Set.of(first, second)));
        }
      }
      for (var plan : plans) {
        faults.put(CheckedRuns.id(runs.count() + 1), plan);
        runs.start();
      }
      runs.finish();
      for (int run = 1; run <= runs.count(); run++) {
        var id = CheckedRuns.id(run);
        runs.check(id, "%s: %s".formatted(id, faults.get(id)));
      }
    }
  }

  private RunStore troubled(RunStore real) {
    return (RunStore)
        Proxy.newProxyInstance(
            RunStore.class.getClassLoader(),
            new Class<?>[] {RunStore.class},
            (proxy, method, arguments) -> {
              if (!CheckedRuns.WRITES.contains(method.getName())) {
                return invoke(() -> method.invoke(real, arguments));
              }
              var lease = (RunStore.Lease) arguments[0];
              int number =
                  writes.computeIfAbsent(lease.run(), run -> new AtomicInteger()).incrementAndGet();
              if (happensAt(lease, 2 * number)) {
                return fault(lease, real);
              }
              var result = invoke(() -> method.invoke(real, arguments));
              if (happensAt(lease, 2 * number + 1)) {
                CheckedRuns.done((CompletionStage<?>) result);
                return fault(lease, real);
              }
              return result;
            });
  }

  private interface Call {
    Object now() throws ReflectiveOperationException;
  }

  private static Object invoke(Call call) throws Throwable {
    try {
      return call.now();
    } catch (InvocationTargetException e) {
      throw e.getCause();
    }
  }

  private boolean happensAt(RunStore.Lease lease, int at) {
    var fault = faults.get(lease.run());
    return fault != null && fault.at().contains(at);
  }

  private Object fault(RunStore.Lease lease, RunStore real) {
    switch (Objects.requireNonNull(faults.get(lease.run())).what()) {
      case THE_STORE_FAILS -> {
        return CompletableFuture.failedStage(new IllegalStateException("the store failed"));
      }
      case THE_WORKER_IS_INTERRUPTED -> {
        Thread.currentThread().interrupt();
        return new CompletableFuture<>();
      }
      case THE_WORKER_ENDS -> {
        // Another worker finds the run queued.
        real.giveBack(lease);
        throw new Death();
      }
    }
    throw new IllegalStateException();
  }
}
