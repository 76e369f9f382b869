package dev.mainstay.ledger.sqlite;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import dev.mainstay.ledger.CallQuery;
import dev.mainstay.ledger.CallReader;
import dev.mainstay.ledger.CallRecord;
import dev.mainstay.ledger.Ledger;
import dev.mainstay.ledger.LedgerException;
import dev.mainstay.ledger.sql.FilledTables;
import dev.mainstay.ledger.sql.Micros;
import dev.mainstay.ledger.sql.StoreTables;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

class MigrationsTest {
  @TempDir Path directory;

  @Test
  void eachIsCarriedOutOnceAndLeavesItsNumber() throws Exception {
    try (var db = connect(directory.resolve("a.db"))) {
      Migrations.CALLS.apply(db);
      assertThat(Migrations.version(db)).isEqualTo(Migrations.CALLS.newest());
      Migrations.CALLS.apply(db);
      assertThat(Migrations.version(db)).isEqualTo(Migrations.CALLS.newest());
    }
  }

  @Test
  void aMigrationThatFailsLeavesNothingBehind() throws Exception {
    try (var db = connect(directory.resolve("b.db"))) {
      var broken = new Migrations(List.of("0001_calls.sql", "broken.sql"));
      assertThatThrownBy(() -> broken.apply(db)).isInstanceOf(SQLException.class);
      assertThat(Migrations.version(db)).isEqualTo(1);
      try (var tables =
          db.createStatement()
              .executeQuery("select count(*) from sqlite_master where name = 'half'")) {
        assertThat(tables.getInt(1)).isZero();
      }
    }
  }

  /** SQLite rolls back by itself then, and refuses the rollback; that is not what went wrong. */
  @Test
  void aFullDiskIsWhatAMigrationFailsOf() throws Exception {
    try (var db = connect(directory.resolve("c.db"));
        var statement = db.createStatement()) {
      // SQLite's own limit of pages ends in the same SQLITE_FULL as a full disk.
      statement.execute("pragma max_page_count = 3");
      assertThatThrownBy(() -> Migrations.STATE.apply(db)).hasMessageContaining("SQLITE_FULL");
      assertThat(Migrations.version(db)).isZero();
    }
  }

  /**
   * Every table gets rows at the version that is migrated from; all of them must still be there.
   */
  @TestFactory
  Stream<DynamicTest> aFilledStoreOfEveryVersionIsBroughtUpToDate() {
    return Stream.of(Migrations.CALLS, Migrations.STATE)
        .flatMap(
            schema ->
                IntStream.range(1, schema.newest())
                    .mapToObj(
                        version ->
                            dynamicTest(
                                schema.name(version),
                                () -> {
                                  try (var db = connect(directory.resolve(version + ".db"))) {
                                    schema.upTo(version).apply(db);
                                    FilledTables.fill(db);
                                    var before = StoreTables.counts(db);
                                    schema.apply(db);
                                    assertThat(Migrations.version(db)).isEqualTo(schema.newest());
                                    before.remove("bodies");
                                    // What calls came to is summed anew.
                                    before.remove("costs_hourly");
                                    assertThat(StoreTables.counts(db)).containsAllEntriesOf(before);
                                  } finally {
                                    Files.delete(directory.resolve(version + ".db"));
                                  }
                                })));
  }

  @Test
  void aNewerLedgerIsRefusedInWords() throws Exception {
    SqliteLedger.open(Fixtures.in(directory), InstantSource.system()).close();
    try (var db = connect(Store.database(directory));
        var statement = db.createStatement()) {
      statement.execute("pragma user_version = 99");
    }
    assertThatThrownBy(() -> SqliteLedger.open(Fixtures.in(directory), InstantSource.system()))
        .isInstanceOf(LedgerException.class)
        .hasMessageContaining(
            "written by a newer Mainstay (schema 99, this one knows "
                + Migrations.CALLS.newest()
                + ")");
  }

  @Test
  void bodiesOfAnOlderStoreAreStillFound() throws Exception {
    Files.createDirectories(Store.bodies(directory));
    try (var db = connect(Store.database(directory));
        var statement = db.createStatement();
        var segments =
            new Segments(
                Store.bodies(directory), SegmentFiles.REAL, Segments.lengthFor(Long.MAX_VALUE))) {
      new Migrations(List.of("0001_calls.sql", "0002_costs.sql")).apply(db);
      statement.execute(
          "insert into calls (seq, id, started_at, dialect, path, stream, status, recovery,"
              + " attempts, total) values (1, 'call_a', 1, 'openai', '/v1', 0, 200, '', 1, 5)");
      statement.execute(
          "insert into attempts (call_seq, number, target, waited, started_at, ended_at, decision,"
              + " reason, bytes_sent, bytes_received)"
              + " values (1, 1, 'p/m', 0, 1, 2, 'proceed', 'it was answered', 1, 1)");
      var asked = segments.append("asked".getBytes(UTF_8));
      var answered = segments.append("answered".getBytes(UTF_8));
      segments.flush();
      for (var row :
          List.of(
              "1, 0, 0, " + columns(asked),
              "1, 0, 1, " + columns(answered),
              "1, 1, 1, " + columns(answered))) {
        statement.execute("insert into bodies values (" + row + ")");
      }
    }
    assertThatThrownBy(() -> SqliteLedger.read(directory))
        .isInstanceOf(LedgerException.class)
        .hasMessageContaining(
            "written by an older Mainstay (schema 2, this one knows "
                + Migrations.CALLS.newest()
                + ")");
    // At that time: retention would delete it.
    try (var ledger =
        SqliteLedger.open(Fixtures.in(directory), InstantSource.fixed(Instant.EPOCH))) {
      var bodies = Objects.requireNonNull(ledger.reader().call("call_a")).bodies();
      assertThat(bodies)
          .extracting(body -> body.attempt() + " " + body.part() + " " + text(ledger, body))
          .containsExactly("0 REQUEST asked", "0 RESPONSE answered", "1 RESPONSE answered");
    }
  }

  private static String columns(Segments.Place place) {
    return place.segment() + ", " + place.offset() + ", " + place.length();
  }

  private static String text(Ledger ledger, CallReader.StoredBody body) {
    return new String(ledger.reader().body(body), UTF_8);
  }

  @Test
  void callsOfAnOlderStoreAreStillFoundByTheirNames() throws Exception {
    var longName = "m".repeat(300);
    try (var db = connect(Store.database(directory));
        var statement = db.createStatement()) {
      Migrations.CALLS.upTo(6).apply(db);
      for (int seq : new int[] {1, 300, 301, 9_000}) {
        statement.execute(
            "insert into calls (seq, id, started_at, dialect, path, model, client, target, stream,"
                + " status, recovery, attempts, total) values (%d, 'call_%d', %d, 'openai', '/v1',"
                    .formatted(seq, seq, Micros.of(Fixtures.NOON))
                + " '%s', 'team', 'p/m', 0, 200, '', 1, 5)"
                    .formatted(seq == 301 ? "other" : longName));
      }
    }
    var clock = InstantSource.fixed(Fixtures.NOON);
    try (var ledger = SqliteLedger.open(Fixtures.in(directory), clock)) {
      var all = CallQuery.newest(9);
      assertThat(ids(ledger, all.where(CallQuery.Field.MODEL, longName)))
          .containsExactly("call_9000", "call_300", "call_1");
      assertThat(
              ids(
                  ledger,
                  all.where(CallQuery.Field.CLIENT, "team")
                      .where(CallQuery.Field.TARGET, "p/m")
                      .where(CallQuery.Field.MODEL, "other")))
          .containsExactly("call_301");
    }
  }

  /** Of all pages: one ends early where the machine is slow. */
  private static List<String> ids(Ledger ledger, CallQuery query) {
    var ids = new ArrayList<String>();
    var next = query;
    while (true) {
      var page = ledger.reader().calls(next);
      page.calls().stream().map(CallRecord::id).forEach(ids::add);
      if (page.next() == null) {
        return ids;
      }
      next = query.from(page.next());
    }
  }

  @Test
  void statementsAreSplitWithoutTheirComments() {
    assertThat(Migrations.statements("-- a; b\ncreate table t (\n a -- x; y\n);\n\ninsert 1;"))
        .containsExactly("create table t (\n a \n)", "insert 1");
  }

  private static Connection connect(Path file) throws SQLException {
    return DriverManager.getConnection("jdbc:sqlite:" + file);
  }
}
