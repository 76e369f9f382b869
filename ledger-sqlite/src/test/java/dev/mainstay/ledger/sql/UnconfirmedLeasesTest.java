package dev.mainstay.ledger.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

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
import org.sqlite.SQLiteErrorCode;
import org.sqlite.SQLiteException;

/** What this process does not know to be on disk: claims, and leases that it gave back. */
@Timeout(60)
class UnconfirmedLeasesTest {
  private static final Instant NOON = Instant.parse("2026-11-21T12:00:00Z");

  @TempDir Path directory;
  private final AtomicBoolean breaks = new AtomicBoolean();
  private final AtomicBoolean full = new AtomicBoolean();
  private final AtomicBoolean refuses = new AtomicBoolean();

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

  /** Its worker has stopped: nobody else would ever give it back. */
  @Test
  void aRunThatCouldNotBeGivenBackIsClaimedAgain() throws Exception {
    var state = new SqlState(database(), "test", Duration.ZERO, () -> NOON, 1 << 20);
    state.startAlone();
    var runs = state.runs();
    accept(runs, "run_1");
    var lease = now(runs.claim(1, NOON)).getFirst();
    full.set(true);
    assertThatThrownBy(() -> now(runs.append(lease, 1, List.of(), NOON)))
        .hasMessageContaining("SQLITE_FULL");
    var given = runs.giveBack(lease);
    full.set(false);
    // It waits until there is room, or is known to be lost: either way somebody gets the run.
    given.toCompletableFuture().exceptionally(failure -> false).join();
    assertThat(now(runs.claim(1, NOON))).extracting(Lease::run).containsExactly("run_1");
    state.close();
  }

  @Test
  void aRunWhoseGivingBackFailedForGoodIsClaimedAgain() throws Exception {
    var state = new SqlState(database(), "test", Duration.ZERO, () -> NOON, 1 << 20);
    state.startAlone();
    var runs = state.runs();
    accept(runs, "run_1");
    var lease = now(runs.claim(1, NOON)).getFirst();
    refuses.set(true);
    assertThatThrownBy(() -> now(runs.giveBack(lease))).hasMessageContaining("refused");
    refuses.set(false);
    assertThat(now(runs.claim(1, NOON))).extracting(Lease::run).containsExactly("run_1");
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
              if (method.getName().equals("commit") && full.get()) {
                throw new SQLiteException("[SQLITE_FULL] no room", SQLiteErrorCode.SQLITE_FULL);
              }
              if (method.getName().equals("commit") && refuses.get()) {
                throw new SQLException("refused");
              }
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
