package dev.mainstay.ledger.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import dev.mainstay.ledger.LedgerException;
import dev.mainstay.ledger.sql.FilledTables;
import dev.mainstay.ledger.sql.StoreTables;
import java.sql.DriverManager;
import java.time.Duration;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

class MigrationsTest {

  /**
   * Every table gets rows at the version that is migrated from; all of them must still be there.
   */
  @TestFactory
  Stream<DynamicTest> aFilledStoreOfEveryVersionIsBroughtUpToDate() {
    return IntStream.rangeClosed(1, Migrations.newest())
        .mapToObj(
            version ->
                dynamicTest(
                    "from version " + version,
                    () -> {
                      try (var db = DriverManager.getConnection(Servers.newDatabase())) {
                        Migrations.apply(db, version);
                        FilledTables.fill(db);
                        var before = StoreTables.counts(db);
                        assertThat(before).isNotEmpty().doesNotContainValue(0L);
                        // What calls came to is summed anew.
                        before.remove("costs_hourly");
                        Migrations.apply(db);
                        assertThat(Migrations.version(db)).isEqualTo(Migrations.newest());
                        assertThat(StoreTables.counts(db)).containsAllEntriesOf(before);
                      }
                    }));
  }

  /** An index of a large table takes longer than any other statement may. */
  @Test
  void aMigrationHasAnHourForEachStatement() throws Exception {
    var url = Servers.newDatabase();
    var database = new PostgresDatabase(url, Duration.ofSeconds(2));
    try (var db = DriverManager.getConnection(url);
        var statement = db.createStatement()) {
      Migrations.apply(db, 3);
      statement.execute(
          """
          create function has_time() returns event_trigger language plpgsql as $$ begin
            if current_setting('statement_timeout')::interval < interval '1 hour' then
              raise exception 'a migration in a hurry';
            end if;
          end $$;
          create event trigger has_time on ddl_command_start execute function has_time();
          """);
      database.connect().close();
      assertThat(Migrations.version(db)).isEqualTo(Migrations.newest());
    }
    try (var patient = database.openForTables()) {
      assertThat(patient.getNetworkTimeout()).isGreaterThan(3_600_000);
    }
  }

  /** A user may have one only, and the server counts a closed one until its process has ended. */
  @Test
  void aMigrationTakesNoSecondConnection() throws Exception {
    var url = Servers.newDatabase();
    try (var db = DriverManager.getConnection(url);
        var statement = db.createStatement()) {
      statement.execute(
          """
          create table logins (at timestamptz);
          create function counted() returns event_trigger language plpgsql as $$ begin
            insert into logins values (now());
          end $$;
          create event trigger counted on login execute function counted();
          """);
      try (var made = new PostgresDatabase(url, Duration.ofSeconds(2)).connect()) {
        assertThat(Migrations.version(made)).isEqualTo(Migrations.newest());
        assertThat(made.getNetworkTimeout()).isEqualTo(5_000);
      }
      try (var row = statement.executeQuery("select count(*) from logins")) {
        row.next();
        assertThat(row.getInt(1)).isEqualTo(1);
      }
    }
  }

  @Test
  void aDatabaseOfANewerMainstayIsRefusedInWords() throws Exception {
    try (var db = DriverManager.getConnection(Servers.newDatabase());
        var statement = db.createStatement()) {
      Migrations.apply(db);
      statement.execute("insert into mainstay_schema (version) values (99)");
      assertThatThrownBy(() -> Migrations.apply(db))
          .isInstanceOf(LedgerException.class)
          .hasMessageContaining("written by a newer Mainstay (schema 99");
    }
  }
}
