package dev.mainstay.ledger.sqlite;

import dev.mainstay.ledger.FileIdentity;
import dev.mainstay.ledger.FolderFailure;
import dev.mainstay.ledger.FolderLock;
import dev.mainstay.ledger.LedgerConfig;
import dev.mainstay.ledger.log.CallStore;
import dev.mainstay.ledger.log.EndedCall;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * {@code calls.db} for as long as the ledger is open. A file that is damaged is set aside, and one
 * that was removed is begun anew; both are said in the log. What was recorded is worth less than
 * that calls go on being recorded.
 */
final class SqliteCallStore implements CallStore, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(SqliteCallStore.class);

  private final LedgerConfig config;
  private final SegmentFiles files;
  private final InstantSource clock;
  private final FolderLock lock;
  private final Path file;
  private volatile Store store;
  private FileIdentity identity;

  /**
   * @param lock on the folder; taken anew where its file was removed
   */
  SqliteCallStore(LedgerConfig config, SegmentFiles files, InstantSource clock, FolderLock lock)
      throws SQLException, IOException {
    this.lock = lock;
    this.config = config;
    this.files = files;
    this.clock = clock;
    file = Store.database(config.directory());
    if (Files.exists(file) && Files.size(file) == 0) {
      setAside("it is empty");
    }
    store = openOrSetAside();
    identity = FileIdentity.of(file);
  }

  private Store openOrSetAside() throws SQLException, IOException {
    try {
      return new Store(config, files);
    } catch (SQLException e) {
      if (!SqliteFile.isDamage(e)) {
        throw e;
      }
      setAside(String.valueOf(e.getMessage()));
      return new Store(config, files);
    }
  }

  private void setAside(@Nullable String why) throws IOException {
    var aside = SqliteFile.setAside(file, clock.instant());
    LOG.error(
        "{} is damaged ({}). Mainstay moved it to {} and records calls in a new file. To recover"
            + " its data, run: sqlite3 {} .recover",
        file,
        why,
        aside.getFileName(),
        aside);
  }

  /** The one that is open now. */
  Store store() {
    return store;
  }

  @Override
  public void write(List<EndedCall> calls, boolean repeated) throws SQLException, IOException {
    stillThere();
    try {
      store.write(calls, repeated);
    } catch (SQLException e) {
      if (!SqliteFile.isDamage(e)) {
        throwShortage(e);
        throw e;
      }
      close(store);
      setAside(String.valueOf(e.getMessage()));
      reopen();
      store.write(calls, repeated);
    } catch (IOException e) {
      throwShortage(e);
      throw e;
    }
  }

  /** Where the disk is full, that is said and not what SQLite or the system call it. */
  private void throwShortage(Exception cause) throws IOException {
    var shortage =
        store.mayPass(cause)
            ? FolderFailure.shortage(config.directory(), SqliteFile.ROOM_TO_WRITE)
            : null;
    if (shortage != null) {
      throw new IOException(shortage, cause);
    }
  }

  private void stillThere() throws SQLException, IOException {
    lock.renew();
    var now = identity.now();
    if (now == FileIdentity.Now.SAME && Files.exists(store.bodies())) {
      return;
    }
    LOG.error(
        "{} was {} while Mainstay runs. Mainstay now records calls in {}",
        now == FileIdentity.Now.SAME ? store.bodies() : file,
        now == FileIdentity.Now.REPLACED ? "replaced" : "removed",
        now == FileIdentity.Now.REPLACED ? "the one that is there" : "a new one");
    close(store);
    reopen();
  }

  private void reopen() throws SQLException, IOException {
    store = openOrSetAside();
    identity = FileIdentity.of(file);
  }

  private static void close(Store old) {
    try {
      old.close();
    } catch (SQLException | IOException e) {
      LOG.debug("Mainstay could not close the old file: {}", e.getMessage());
    }
  }

  @Override
  public boolean mayPass(Exception failure) {
    return store.mayPass(failure);
  }

  @Override
  public boolean retain(Instant now) throws SQLException, IOException {
    stillThere();
    return store.retain(now);
  }

  @Override
  public void close() throws SQLException, IOException {
    store.close();
  }
}
