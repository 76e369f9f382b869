package dev.mainstay.ledger.sqlite;

import dev.mainstay.ledger.PrivateFiles;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Locale;
import java.util.Properties;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.sqlite.JDBC;
import org.sqlite.SQLiteConnection;
import org.sqlite.SQLiteErrorCode;
import org.sqlite.SQLiteException;

/** How a database's file begins and ends. */
final class SqliteFile {
  private static final Logger LOG = LoggerFactory.getLogger(SqliteFile.class);
  private static final DateTimeFormatter STAMP =
      DateTimeFormatter.ofPattern("yyyyMMdd-HHmmss", Locale.ROOT).withZone(ZoneOffset.UTC);

  /** What SQLite keeps beside a database. */
  private static final List<String> BESIDE = List.of("-wal", "-shm");

  /** A disk with less room refuses rows sooner or later: 1 MiB. */
  static final long ROOM_TO_WRITE = 1L << 20;

  private SqliteFile() {}

  /** By the driver itself: DriverManager would look into every jar for others first. */
  static Connection connection(Path file) throws SQLException {
    return JDBC.createConnection(JDBC.PREFIX + file, new Properties());
  }

  /**
   * Makes a database where there is none, private from its first moment. It gets its name once it
   * has its schema, so that one without was cut or emptied, and was not left by a process that died
   * as it made it.
   */
  static void create(Path file, Migrations schema) throws SQLException, IOException {
    if (Files.exists(file)) {
      return;
    }
    var half = beside(file, ".new");
    delete(half);
    PrivateFiles.open(half, Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE))
        .close();
    try (var db = connection(half);
        var statement = db.createStatement()) {
      // Only a new file takes it: lets retention give pages back without copying the file.
      statement.execute("pragma auto_vacuum = incremental");
      // A file without its name is thrown away, so that its steps need not be on disk, only its
      // end.
      statement.execute("pragma synchronous = off");
      schema.apply(db);
    }
    try (var written = FileChannel.open(half, StandardOpenOption.WRITE)) {
      written.force(true);
    }
    // What stood beside one that was taken away.
    delete(beside(file, "-wal"));
    delete(beside(file, "-shm"));
    Files.move(half, file, StandardCopyOption.ATOMIC_MOVE);
  }

  /**
   * Writes what {@code open} reads to {@code file}, which was deleted while it was open.
   *
   * @throws SQLException where that cannot be, or there is another file
   */
  static void restore(Connection open, Path file) throws SQLException, IOException {
    var half = beside(file, ".new");
    var folder = file.toAbsolutePath().getParent();
    if (folder != null) {
      PrivateFiles.folder(folder);
    }
    delete(half);
    PrivateFiles.open(half, Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE))
        .close();
    // Page by page, also what the write-ahead log has: https://www.sqlite.org/backup.html
    int result =
        open.unwrap(SQLiteConnection.class).getDatabase().backup("main", half.toString(), null);
    if (result != SQLiteErrorCode.SQLITE_OK.code) {
      throw new SQLException(
          file + " cannot be written anew: " + SQLiteErrorCode.getErrorCode(result));
    }
    Files.move(half, file, StandardCopyOption.ATOMIC_MOVE);
  }

  /**
   * Ends a transaction that failed. SQLite has rolled back by itself where the disk is full, and
   * then says that there is none; that must not hide why it failed:
   * https://www.sqlite.org/lang_transaction.html
   */
  static void rollBack(Connection db) {
    try (var statement = db.createStatement()) {
      statement.execute("rollback");
    } catch (SQLException e) {
      LOG.debug("There was no transaction to undo: {}", e.getMessage());
    }
  }

  /** Whether a failure says that the file is no database, or a broken one. */
  static boolean isDamage(Throwable failure) {
    for (var e = failure; e != null; e = e.getCause()) {
      if (e instanceof SQLiteException sqlite) {
        var code = SQLiteErrorCode.getErrorCode(sqlite.getErrorCode() & 0xff);
        return code == SQLiteErrorCode.SQLITE_CORRUPT || code == SQLiteErrorCode.SQLITE_NOTADB;
      }
    }
    return false;
  }

  /** Gives a database another name, with what belongs to it; returns that name. */
  static Path setAside(Path file, Instant now) throws IOException {
    var aside = beside(file, ".damaged-" + STAMP.format(now));
    Files.move(file, aside, StandardCopyOption.REPLACE_EXISTING);
    for (var suffix : BESIDE) {
      var part = beside(file, suffix);
      if (Files.exists(part)) {
        Files.move(part, beside(aside, suffix), StandardCopyOption.REPLACE_EXISTING);
      }
    }
    return aside;
  }

  private static void delete(Path file) throws IOException {
    Files.deleteIfExists(file);
    for (var suffix : BESIDE) {
      Files.deleteIfExists(beside(file, suffix));
    }
  }

  private static Path beside(Path file, String suffix) {
    return file.resolveSibling(file.getFileName() + suffix);
  }
}
