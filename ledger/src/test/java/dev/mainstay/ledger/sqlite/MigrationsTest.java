package dev.mainstay.ledger.sqlite;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mainstay.ledger.LedgerException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.InstantSource;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MigrationsTest {
  @TempDir Path directory;

  @Test
  void eachIsCarriedOutOnceAndLeavesItsNumber() throws Exception {
    try (var db = connect(directory.resolve("a.db"))) {
      Migrations.CALLS.apply(db);
      assertThat(Migrations.version(db)).isEqualTo(2);
      Migrations.CALLS.apply(db);
      assertThat(Migrations.version(db)).isEqualTo(2);
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

  @Test
  void aNewerLedgerIsRefusedInWords() throws Exception {
    SqliteLedger.open(Fixtures.in(directory), InstantSource.system()).close();
    try (var db = connect(Store.database(directory));
        var statement = db.createStatement()) {
      statement.execute("pragma user_version = 99");
    }
    assertThatThrownBy(() -> SqliteLedger.open(Fixtures.in(directory), InstantSource.system()))
        .isInstanceOf(LedgerException.class)
        .hasMessageContaining("written by a newer Mainstay (schema 99, this one knows 2)");
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
