package dev.mainstay.ledger.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mainstay.ledger.LedgerConfig;
import dev.mainstay.ledger.LedgerException;
import dev.mainstay.ledger.LedgerReader;
import dev.mainstay.ledger.log.CallStore;
import dev.mainstay.ledger.sql.CallRetentionContract;
import dev.mainstay.ledger.sql.EndedCalls;
import dev.mainstay.ledger.sql.Micros;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RetentionTest extends CallRetentionContract {
  private static final int MIB = 1 << 20;

  @TempDir Path directory;
  private final String url = Servers.newDatabase();
  private final List<PostgresCalls> open = new ArrayList<>();

  RetentionTest() throws SQLException {}

  @Override
  protected PostgresCalls store(long maxBytes) {
    var local = LedgerConfig.in(directory).keeping(MONTH, maxBytes);
    var store =
        new PostgresCalls(
            new PostgresDatabase(url, Duration.ofSeconds(10)),
            new PostgresConfig(url, PostgresConfig.LEASE, local));
    open.add(store);
    return store;
  }

  @Override
  protected CallStore store() {
    return store(Long.MAX_VALUE);
  }

  @Override
  protected LedgerReader reader() {
    return PostgresLedger.read(url);
  }

  @AfterEach
  void close() {
    open.forEach(PostgresCalls::close);
  }

  @Test
  void bodiesGoWithTheirDayAndTheOldestFirstWhenThereIsTooMuch() throws Exception {
    var store = store(4L * MIB);
    store.write(EndedCalls.of(1, "old", TOO_OLD.minus(Duration.ofDays(1)), MIB), false);
    store.write(EndedCalls.of(3, "week", NOON.minus(Duration.ofDays(7)), MIB), false);
    store.write(EndedCalls.of(2, "today", NOON, MIB), false);
    try (var reader = reader()) {
      var old = body(reader, "old0");
      var week = body(reader, "week0");
      store.retain(NOON);
      for (var gone : List.of(old, week)) {
        assertThatThrownBy(() -> reader.body(gone))
            .isInstanceOf(LedgerException.class)
            .hasMessageContaining("no longer kept");
      }
      assertThat(reader.call("old0")).isNull();
      assertThat(Objects.requireNonNull(reader.call("week0")).bodies()).as("said so").isEmpty();
      assertThat(reader.body(body(reader, "today1"))).hasSize(MIB);
    }
  }

  @Test
  void bodiesOfOneDayGoTheOldestFirstWhenThereIsTooMuch() throws Exception {
    var store = store(4L * MIB);
    for (int i = 0; i < 12; i++) {
      store.write(EndedCalls.of(1, "call" + i + '_', NOON.plusSeconds(i), MIB), false);
    }
    store.retain(NOON);
    try (var reader = reader()) {
      assertThat(reader.body(body(reader, "call11_0"))).hasSize(MIB);
      assertThat(Objects.requireNonNull(reader.call("call0_0")).bodies()).isEmpty();
    }
    assertThat(
            number(
                "select sum(pg_total_relation_size(inhrelid)) from pg_inherits where inhparent ="
                    + " 'bodies'::regclass"))
        .isBetween((long) MIB, 4L * MIB);
    store.write(EndedCalls.of(1, "next", NOON.plusSeconds(20), MIB), false);
    try (var reader = reader()) {
      assertThat(reader.body(body(reader, "next0"))).hasSize(MIB);
    }
  }

  @Test
  void aGatewayWritesOnWhenAnotherOneDroppedWhereItsBodiesWent() throws Exception {
    var one = store(2L * MIB);
    one.write(EndedCalls.of(1, "first", NOON, 10), false);
    var other = store(2L * MIB);
    for (int i = 0; i < 4; i++) {
      other.write(EndedCalls.of(1, "other" + i + '_', NOON, MIB), false);
    }
    try (var reader = reader()) {
      var first = body(reader, "first0");
      other.retain(NOON);
      assertThatThrownBy(() -> reader.body(first)).hasMessageContaining("no longer kept");
    }
    one.write(EndedCalls.of(1, "next", NOON, 10), false);
    try (var reader = reader()) {
      assertThat(reader.body(body(reader, "next0"))).hasSize(10);
    }
  }

  @Test
  void theNewestCallsAreCountedByTheHour() throws Exception {
    var store = store();
    for (int i = 0; i < 15; i++) {
      var at = NOON.minus(Duration.ofHours(i / 5 * 2L)).minusSeconds(i);
      store.write(EndedCalls.of(1, "call" + i + '_', at, 1), false);
    }
    try (var db = DriverManager.getConnection(url)) {
      for (int count = 0; count < 15; count++) {
        assertThat(Micros.of(OldCalls.startOf(db, count)))
            .isEqualTo(
                number("select started_at from calls order by started_at desc offset " + count));
      }
      assertThat(OldCalls.startOf(db, 15)).isEqualTo(Instant.EPOCH);
      assertThat(OldCalls.Size.of(db).calls()).isEqualTo(15);
    }
  }

  private long number(String sql) throws SQLException {
    try (var db = DriverManager.getConnection(url);
        var statement = db.createStatement();
        var row = statement.executeQuery(sql)) {
      row.next();
      return row.getLong(1);
    }
  }

  private static LedgerReader.StoredBody body(LedgerReader reader, String call) {
    return Objects.requireNonNull(reader.call(call)).bodies().getFirst();
  }

  @Test
  void gatewaysWriteWhileTwoOthersDelete() throws Exception {
    var first = store(Long.MAX_VALUE);
    var older = TOO_OLD.minus(Duration.ofDays(2));
    first.write(EndedCalls.of(1500, "older", older, 10), false);
    first.write(EndedCalls.of(1500, "old", TOO_OLD, 10), false);
    var work = new ArrayList<CompletableFuture<?>>();
    try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
      for (int i = 0; i < 2; i++) {
        var deletes = store(Long.MAX_VALUE);
        work.add(run(threads, () -> deleteAll(deletes)));
        var writes = store(Long.MAX_VALUE);
        var name = "writer" + i + '_';
        work.add(run(threads, () -> write(writes, name)));
      }
      work.forEach(CompletableFuture::join);
    }
    try (var reader = reader()) {
      for (int i = 0; i < 2; i++) {
        for (int batch = 0; batch < 30; batch++) {
          assertThat(reader.body(body(reader, "writer%d_%d_9".formatted(i, batch)))).hasSize(10);
        }
      }
      assertThat(reader.call("older0")).isNull();
      assertThat(reader.call("old1499")).isNull();
    }
  }

  private interface Work {
    void run() throws Exception;
  }

  private static CompletableFuture<?> run(java.util.concurrent.Executor on, Work work) {
    return CompletableFuture.runAsync(
        () -> {
          try {
            work.run();
          } catch (Exception e) {
            throw new IllegalStateException(e);
          }
        },
        on);
  }

  /** Where the other one is at it there is nothing to do. */
  private void deleteAll(CallStore store) throws Exception {
    try (var reader = reader()) {
      while (reader.call("older0") != null || reader.call("old1499") != null) {
        store.retain(NOON);
      }
    }
  }

  private static void write(CallStore store, String name) throws Exception {
    for (int batch = 0; batch < 30; batch++) {
      store.write(EndedCalls.of(10, name + batch + '_', NOON, 10), false);
    }
  }
}
