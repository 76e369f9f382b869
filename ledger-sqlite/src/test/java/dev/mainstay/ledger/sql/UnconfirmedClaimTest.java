package dev.mainstay.ledger.sql;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mainstay.ledger.run.RunStore;
import dev.mainstay.ledger.run.RunStore.Lease;
import dev.mainstay.ledger.sqlite.SqliteDatabases;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A claim is on disk, and the connection breaks before this process learns of it. */
@Timeout(60)
class UnconfirmedClaimTest {
  private static final Instant NOON = Instant.parse("2026-11-21T12:00:00Z");

  @TempDir Path directory;
  private final AtomicBoolean breaks = new AtomicBoolean();

  @Test
  void itsRunsAreClaimedAgainAndThoseInHandAreNot() throws Exception {
    var state = new SqlState(database(), "test", Duration.ZERO, () -> NOON, 1 << 20);
    state.startAlone();
    var runs = state.runs();
    accept(runs, "run_1");
    var inHand = now(runs.claim(1, NOON)).getFirst();
    accept(runs, "run_2");
    breaks.set(true);
    assertThat(now(runs.claim(1, NOON))).extracting(Lease::run).containsExactly("run_2");
    assertThat(now(runs.holds(inHand))).isTrue();
    assertThat(now(runs.claim(9, NOON))).isEmpty();
    state.close();
  }

  private static void accept(RunStore runs, String id) {
    var first = List.of(new RunStore.Entry("said", new byte[0]));
    now(
        runs.accept(
            new RunStore.NewRun(id, "helper", "", null, "h", null, null, 0, first),
            9,
            NOON,
            NOON.plusSeconds(1)));
  }

  private static <T> T now(CompletionStage<T> stage) {
    return stage.toCompletableFuture().join();
  }

  private Database database() {
    var real = SqliteDatabases.at(directory.resolve("state.db"));
    return (Database)
        Proxy.newProxyInstance(
            Database.class.getClassLoader(),
            new Class<?>[] {Database.class},
            (proxy, method, arguments) -> {
              Object result;
              try {
                result = method.invoke(real, arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
              if (method.getName().equals("commit") && breaks.getAndSet(false)) {
                throw new SQLException("it broke");
              }
              return result;
            });
  }
}
