package dev.mainstay.ledger.sqlite;

import dev.mainstay.ledger.Ledger;
import dev.mainstay.ledger.LedgerConfig;
import dev.mainstay.ledger.LedgerException;
import dev.mainstay.ledger.LedgerReader;
import dev.mainstay.ledger.PrivateFiles;
import dev.mainstay.ledger.Recorder;
import dev.mainstay.ledger.log.CallLog;
import dev.mainstay.ledger.sql.SqlState;
import dev.mainstay.ledger.state.DurableState;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.sql.SQLException;
import java.time.InstantSource;
import java.util.Set;

/** The embedded ledger: one directory, written by one process at a time and read by any. */
public final class SqliteLedger implements Ledger {
  private final FileChannel lock;
  private final Store store;
  private final CallLog log;
  private final SqliteReader reader;
  private final SqlState state;
  private final Packer packer;
  private boolean closed;

  private SqliteLedger(
      FileChannel lock, Store store, CallLog log, SqliteReader reader, SqlState state) {
    this.lock = lock;
    this.store = store;
    this.log = log;
    this.reader = reader;
    this.state = state;
    packer = new Packer(store.bodies(), store::currentSegment);
  }

  /**
   * Opens the ledger for writing, and makes it where there is none.
   *
   * @throws LedgerException where another process writes it, or the directory cannot be used
   */
  public static Ledger open(LedgerConfig config, InstantSource clock) {
    var ledger = open(config, clock, SegmentFiles.REAL);
    ledger.packer.start();
    return ledger;
  }

  /** Opens a ledger for reading only, beside the process that writes it or without one. */
  public static LedgerReader read(Path directory) {
    NativeLibrary.find();
    return new SqliteReader(directory);
  }

  static SqliteLedger open(LedgerConfig config, InstantSource clock, SegmentFiles files) {
    var directory = config.directory();
    NativeLibrary.find();
    try {
      PrivateFiles.folder(directory);
      var lock = lock(directory);
      try {
        var state = state(config, clock);
        var store = open(config, files, state);
        var log =
            CallLog.open(
                directory.resolve("log"), config.logBytes(), config.redactor(), store, clock);
        return new SqliteLedger(lock, store, log, new SqliteReader(directory), state);
      } catch (SQLException | IOException | RuntimeException e) {
        lock.close();
        throw e;
      }
    } catch (FileAlreadyExistsException e) {
      throw new LedgerException(
          "the ledger in %s cannot be opened: %s is a file, not a directory"
              .formatted(directory, e.getFile()),
          e);
    } catch (SQLException | IOException e) {
      throw new LedgerException(
          "the ledger in %s cannot be opened: %s".formatted(directory, e.getMessage()), e);
    }
  }

  /** A damaged file is named with what is lost without it: that is for a person to decide. */
  private static SqlState state(LedgerConfig config, InstantSource clock) throws SQLException {
    var directory = config.directory();
    try {
      return SqliteState.open(directory, clock, config.keptBytes());
    } catch (SQLException e) {
      var why = String.valueOf(e.getMessage());
      if (why.contains("SQLITE_NOTADB") || why.contains("SQLITE_CORRUPT")) {
        throw new LedgerException(
            "%s is damaged (%s): put a backup in its place, or move it away; a new one knows no idempotency keys, no calls that must not be lost, and nothing spent"
                .formatted(directory.resolve("state.db"), why),
            e);
      }
      throw e;
    }
  }

  private static Store open(LedgerConfig config, SegmentFiles files, SqlState state)
      throws SQLException, IOException {
    try {
      return new Store(config, files);
    } catch (SQLException | IOException | RuntimeException e) {
      state.close();
      throw e;
    }
  }

  private static FileChannel lock(Path directory) throws IOException {
    var channel =
        PrivateFiles.open(
            directory.resolve("lock"), Set.of(StandardOpenOption.CREATE, StandardOpenOption.WRITE));
    try {
      if (channel.tryLock() != null) {
        return channel;
      }
    } catch (OverlappingFileLockException e) {
      // This process has it already.
    }
    channel.close();
    throw new LedgerException(
        "another Mainstay writes the ledger in %s: stop it, or give this one a store of its own"
            .formatted(directory));
  }

  @Override
  public Recorder recorder() {
    return log;
  }

  @Override
  public LedgerReader reader() {
    return reader;
  }

  @Override
  public DurableState state() {
    return state;
  }

  Store store() {
    return store;
  }

  @Override
  public synchronized void close() {
    if (closed) {
      return;
    }
    closed = true;
    try (lock;
        state) {
      packer.close();
      log.close();
      reader.close();
      store.close();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new LedgerException("interrupted while the ledger was being closed", e);
    } catch (SQLException | IOException e) {
      throw new LedgerException("the ledger cannot be closed: " + e.getMessage(), e);
    }
  }
}
