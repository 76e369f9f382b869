package dev.mainstay.ledger.sqlite;

import dev.mainstay.ledger.sql.Database;
import dev.mainstay.ledger.sql.Db;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Properties;
import org.jspecify.annotations.Nullable;
import org.sqlite.JDBC;

/**
 * A file that one process writes: transactions follow each other, so that no row need be locked.
 */
final class SqliteDatabase implements Database {
  private final Path file;

  SqliteDatabase(Path file) {
    this.file = file;
  }

  /** By the driver itself: DriverManager would look into every jar for others first. */
  static Connection connection(Path file) throws SQLException {
    return JDBC.createConnection(JDBC.PREFIX + file, new Properties());
  }

  @Override
  public Connection connect() throws SQLException {
    var connection = connection(file);
    try (var statement = connection.createStatement()) {
      statement.execute("pragma auto_vacuum = incremental");
      statement.execute("pragma journal_mode = wal");
      // On disk when the commit returns, whatever happens to the machine then:
      // https://www.sqlite.org/pragma.html#pragma_synchronous
      statement.execute("pragma synchronous = full");
      statement.execute("pragma busy_timeout = 5000");
      statement.execute("pragma journal_size_limit = 16777216");
      Migrations.STATE.apply(connection);
      return connection;
    } catch (SQLException | RuntimeException e) {
      connection.close();
      throw e;
    }
  }

  @Override
  public void begin(Db db, long[] locks) throws SQLException {
    db.execute("begin immediate");
  }

  @Override
  public void commit(Db db) throws SQLException {
    db.execute("commit");
  }

  /** SQLite has rolled back by itself where the disk is full; it says so by an exception. */
  @Override
  public void rollBack(Db db) throws SQLException {
    db.execute("rollback");
  }

  @Override
  public String skipLocked() {
    return "";
  }

  @Override
  public String keyShare() {
    return "";
  }

  @Override
  public String clock() {
    return "0";
  }

  @Override
  public void send(Db db, String text) {
    // There is no other process.
  }

  @Override
  public boolean disconnects(SQLException failure) {
    return false;
  }

  @Override
  public boolean mayPass(SQLException failure) {
    return false;
  }

  @Override
  public void touch(Db db) throws SQLException {
    db.execute("pragma user_version = " + db.number("pragma user_version"));
  }

  @Override
  public @Nullable Duration patience() {
    return null;
  }
}
