package dev.mainstay.ledger.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import dev.mainstay.ledger.LedgerException;
import dev.mainstay.ledger.sql.FilledTables;
import dev.mainstay.ledger.sql.StoreTables;
import java.sql.DriverManager;
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
