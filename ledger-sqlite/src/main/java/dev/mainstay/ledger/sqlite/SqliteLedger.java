package dev.mainstay.ledger.sqlite;

import dev.mainstay.ledger.FolderFailure;
import dev.mainstay.ledger.FolderLock;
import dev.mainstay.ledger.Ledger;
import dev.mainstay.ledger.LedgerConfig;
import dev.mainstay.ledger.LedgerException;
import dev.mainstay.ledger.LedgerReader;
import dev.mainstay.ledger.PrivateFiles;
import dev.mainstay.ledger.Recorder;
import dev.mainstay.ledger.log.CallLog;
import dev.mainstay.ledger.sql.SqlState;
import dev.mainstay.ledger.sql.StoreReport;
import dev.mainstay.ledger.sql.StoreSource;
import dev.mainstay.ledger.state.DurableState;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.InstantSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The embedded ledger: one directory, written by one process at a time and read by any. */
public final class SqliteLedger implements Ledger {
  private static final Logger LOG = LoggerFactory.getLogger(SqliteLedger.class);

  /** What it means to begin a new state. */
  private static final String NEW_STATE =
      "a new one knows no idempotency keys, no calls that must not be lost, and nothing spent";

  private final FolderLock lock;
  private final SqliteCallStore store;
  private final CallLog log;
  private final SqliteReader reader;
  private final SqlState state;
  private final Packer packer;
  private boolean closed;

  private SqliteLedger(
      FolderLock lock, SqliteCallStore store, CallLog log, SqliteReader reader, SqlState state) {
    this.lock = lock;
    this.store = store;
    this.log = log;
    this.reader = reader;
    this.state = state;
    packer = new Packer(store.store().bodies(), () -> store.store().currentSegment());
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

  /** Looks a store over, beside the process that writes it or without one; changes nothing. */
  public static StoreReport check(Path directory) {
    NativeLibrary.find();
    return new SqliteCheck(directory).run();
  }

  /**
   * Opens a store to be read as a whole; what waits in its log is written to it first.
   *
   * @throws LedgerException where another process writes it, or there is none
   */
  public static StoreSource source(Path directory, InstantSource clock) {
    return SqliteSource.open(directory, clock);
  }

  static SqliteLedger open(LedgerConfig config, InstantSource clock, SegmentFiles files) {
    var directory = config.directory();
    NativeLibrary.find();
    try {
      PrivateFiles.folder(directory);
      var lock = FolderLock.take(directory);
      try {
        return open(config, clock, files, lock);
      } catch (SQLException | IOException | RuntimeException e) {
        lock.close();
        throw e;
      }
    } catch (SQLException | IOException e) {
      var needed = CallLog.fileBytes(config.logBytes()) + SqliteFile.ROOM_TO_WRITE;
      throw new LedgerException(
          "the ledger in %s cannot be opened: %s"
              .formatted(directory, FolderFailure.explain(directory, needed, "store.url", e)),
          e);
    }
  }

  private static SqliteLedger open(
      LedgerConfig config, InstantSource clock, SegmentFiles files, FolderLock lock)
      throws SQLException, IOException {
    var directory = config.directory();
    var state = state(config, clock);
    SqliteCallStore store = null;
    try {
      store = new SqliteCallStore(config, files, clock, lock);
      var log =
          CallLog.open(
              directory.resolve("log"), config.logBytes(), config.redactor(), store, clock);
      return new SqliteLedger(lock, store, log, new SqliteReader(directory), state);
    } catch (SQLException | IOException | RuntimeException e) {
      if (store != null) {
        store.close();
      }
      state.close();
      throw e;
    }
  }

  /**
   * A damaged file is named with what is lost without it: that is for a person to decide, since
   * money is. Mainstay never leaves an empty one: it was emptied.
   */
  private static SqlState state(LedgerConfig config, InstantSource clock)
      throws SQLException, IOException {
    var directory = config.directory();
    var file = directory.resolve("state.db");
    if (Files.exists(file)) {
      if (Files.size(file) == 0) {
        throw new LedgerException(damaged(file, "it is empty"));
      }
    } else if (Files.exists(Store.database(directory))) {
      LOG.warn("{} is not there beside calls.db: {}", file, NEW_STATE);
    }
    try {
      return SqliteState.open(directory, clock, config.keptBytes());
    } catch (SQLException e) {
      if (SqliteFile.isDamage(e)) {
        throw new LedgerException(damaged(file, e.getMessage()), e);
      }
      throw e;
    }
  }

  private static String damaged(Path file, @Nullable String why) {
    return "%s is damaged (%s): put a backup in its place, or move it away; %s"
        .formatted(file, why, NEW_STATE);
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
    return store.store();
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
