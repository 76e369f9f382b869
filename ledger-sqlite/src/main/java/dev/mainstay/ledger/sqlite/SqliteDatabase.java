package dev.mainstay.ledger.sqlite;

import dev.mainstay.ledger.FileIdentity;
import dev.mainstay.ledger.FolderFailure;
import dev.mainstay.ledger.sql.Database;
import dev.mainstay.ledger.sql.Db;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.sqlite.SQLiteErrorCode;
import org.sqlite.SQLiteException;

/**
 * A file that one process writes: transactions follow each other, so that no row need be locked.
 */
final class SqliteDatabase implements Database {
  private static final Logger LOG = LoggerFactory.getLogger(SqliteDatabase.class);

  private final Path file;

  // Of the thread that writes.
  private @Nullable FileIdentity identity;

  SqliteDatabase(Path file) {
    this.file = file;
  }

  @Override
  public Connection connect() throws SQLException {
    try {
      SqliteFile.create(file, Migrations.STATE);
    } catch (IOException e) {
      throw new SQLException(file + " cannot be created: " + e.getMessage(), e);
    }
    var connection = SqliteFile.connection(file);
    try (var statement = connection.createStatement()) {
      statement.execute("pragma journal_mode = wal");
      // On disk when the commit returns, whatever happens to the machine then:
      // https://www.sqlite.org/pragma.html#pragma_synchronous
      statement.execute("pragma synchronous = full");
      statement.execute("pragma busy_timeout = 5000");
      // What is purged or deleted is overwritten, not only unlinked:
      // https://www.sqlite.org/pragma.html#pragma_secure_delete
      statement.execute("pragma secure_delete = on");
      statement.execute("pragma journal_size_limit = 16777216");
      Migrations.STATE.apply(connection);
      identity = FileIdentity.of(file);
      return connection;
    } catch (IOException e) {
      connection.close();
      throw new SQLException(file + " cannot be read: " + e.getMessage(), e);
    } catch (SQLException | RuntimeException e) {
      connection.close();
      throw e;
    }
  }

  @Override
  public void begin(Db db, Supplier<long[]> locks) throws SQLException {
    stillThere(db);
    db.execute("begin immediate");
  }

  /**
   * A file that was removed is written anew from what is still open: it says what was spent and
   * what was answered. One that stands in its place is left alone, and nothing is done upon the old
   * one.
   */
  private void stillThere(Db db) throws SQLException {
    try {
      var now = identity == null ? FileIdentity.Now.SAME : identity.now();
      if (now == FileIdentity.Now.REPLACED) {
        throw new SQLException(
            file + " was replaced while Mainstay runs: restart it, so that it reads the new one");
      }
      if (now == FileIdentity.Now.GONE) {
        SqliteFile.restore(db.connection(), file);
        LOG.error("{} was removed while Mainstay runs. Mainstay created a new one", file);
        throw new Removed(file + " was removed, and written anew");
      }
    } catch (IOException e) {
      throw new SQLException(file + " cannot be looked at: " + e.getMessage(), e);
    }
  }

  /** The connection is to a file that is not there any more. */
  private static final class Removed extends SQLException {
    private static final long serialVersionUID = 1;

    Removed(String message) {
      super(message);
    }
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
    return failure instanceof Removed;
  }

  @Override
  public boolean mayPass(SQLException failure) {
    return failure instanceof Removed
        || failure instanceof DiskFull
        || failure instanceof SQLiteException sqlite
            && switch (SQLiteErrorCode.getErrorCode(sqlite.getErrorCode() & 0xff)) {
              case SQLITE_FULL,
                  SQLITE_IOERR,
                  SQLITE_BUSY,
                  SQLITE_LOCKED,
                  SQLITE_NOMEM,
                  SQLITE_READONLY,
                  SQLITE_PERM,
                  SQLITE_CANTOPEN ->
                  true;
              default -> false;
            };
  }

  /** SQLite has several names for a disk that is full, and none says which disk. */
  @Override
  public SQLException plain(SQLException failure) {
    if (!(failure instanceof SQLiteException) || !mayPass(failure)) {
      return failure;
    }
    var shortage = FolderFailure.shortage(file, SqliteFile.ROOM_TO_WRITE);
    return shortage == null ? failure : new DiskFull(shortage, failure);
  }

  private static final class DiskFull extends SQLException {
    private static final long serialVersionUID = 1;

    DiskFull(String message, SQLException cause) {
      super(message, cause);
    }
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
