package dev.mainstay.ledger.sqlite;

import dev.mainstay.ledger.CallQuery;
import dev.mainstay.ledger.CostQuery;
import dev.mainstay.ledger.FileIdentity;
import dev.mainstay.ledger.LedgerException;
import dev.mainstay.ledger.LedgerReader;
import dev.mainstay.ledger.run.CallRun;
import dev.mainstay.ledger.sql.CallQueries;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.sqlite.SQLiteConfig;

/**
 * Reads beside the writer, in this process or another. One connection, used by one thread at a
 * time.
 */
final class SqliteReader implements LedgerReader {
  private static final CallQueries QUERIES = new CallQueries("date(hour * 3600, 'unixepoch')");
  private static final List<StoredCall> NONE = List.of();

  private final Path directory;
  private final Path bodies;
  private final Path file;
  private final ReentrantLock lock = new ReentrantLock();

  // Guarded by the lock.
  private Connection db;
  private FileIdentity identity;

  SqliteReader(Path directory) {
    this.directory = directory;
    bodies = Store.bodies(directory);
    file = Store.database(directory);
    try {
      db = open();
      identity = FileIdentity.of(file);
    } catch (SQLException | IOException e) {
      throw unreadable(e);
    }
  }

  private static LedgerException unreadable(Exception e) {
    return new LedgerException("the ledger cannot be read: " + e.getMessage(), e);
  }

  private Connection open() throws SQLException {
    if (!Files.exists(file)) {
      throw new LedgerException(
          "no ledger in %s: nothing was recorded there yet".formatted(directory));
    }
    var config = new SQLiteConfig();
    config.setReadOnly(true);
    config.setBusyTimeout(5000);
    var opened = config.createConnection("jdbc:sqlite:" + file);
    try {
      if (Migrations.version(opened) == 0) {
        throw new LedgerException("no ledger in %s: %s is empty".formatted(directory, file));
      }
      Migrations.CALLS.check(opened);
      return opened;
    } catch (SQLException | RuntimeException e) {
      opened.close();
      throw e;
    }
  }

  /** The file may be another one than it was: one that was damaged or removed is begun anew. */
  private Connection current() throws SQLException, IOException {
    if (identity.now() != FileIdentity.Now.SAME) {
      var renewed = open();
      db.close();
      db = renewed;
      identity = FileIdentity.of(file);
    }
    return db;
  }

  @Override
  public Page calls(CallQuery query) {
    return ask(connection -> QUERIES.calls(connection, query));
  }

  @Override
  public @Nullable StoredCall call(String id) {
    var found =
        ask(
            connection -> {
              var call = QUERIES.call(connection, id);
              return call == null ? NONE : List.of(withoutGone(call));
            });
    return found.isEmpty() ? null : found.getFirst();
  }

  /** A segment that retention deleted takes its bodies with it. */
  private StoredCall withoutGone(StoredCall call) throws IOException {
    var kept = Segments.list(bodies);
    return new StoredCall(
        call.call(),
        call.attempts(),
        call.bodies().stream()
            .filter(body -> kept.containsKey(Segments.Place.parse(body.handle()).segment()))
            .toList());
  }

  @Override
  public List<CallRun> callRuns(CallRun.Query query) {
    return ask(connection -> QUERIES.callRuns(connection, query));
  }

  @Override
  public List<CostQuery.Sum> costs(CostQuery query) {
    return ask(connection -> QUERIES.costs(connection, query));
  }

  @Override
  public byte[] body(StoredBody body) {
    return Segments.read(bodies, Segments.Place.parse(body.handle()));
  }

  @Override
  public void close() {
    lock.lock();
    try {
      db.close();
    } catch (SQLException e) {
      throw new LedgerException("the ledger cannot be closed: " + e.getMessage(), e);
    } finally {
      lock.unlock();
    }
  }

  private <T> T ask(Question<T> question) {
    lock.lock();
    try {
      return question.ask(current());
    } catch (SQLException | IOException e) {
      throw unreadable(e);
    } finally {
      lock.unlock();
    }
  }

  /** What is asked of the database. */
  private interface Question<T> {
    T ask(Connection connection) throws SQLException, IOException;
  }
}
