package dev.mainstay.ledger.sqlite;

import dev.mainstay.ledger.AttemptRecord;
import dev.mainstay.ledger.CallQuery;
import dev.mainstay.ledger.CallRecord;
import dev.mainstay.ledger.CostQuery;
import dev.mainstay.ledger.FileIdentity;
import dev.mainstay.ledger.LedgerException;
import dev.mainstay.ledger.LedgerReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.sqlite.SQLiteConfig;

/**
 * Reads beside the writer, in this process or another. One connection, used by one thread at a
 * time.
 */
final class SqliteReader implements LedgerReader {
  private static final int CURSOR_RADIX = 36;
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
    var sql = new StringBuilder("select " + Rows.CALL_COLUMNS + " from calls where seq < ?");
    var values = new ArrayList<String>();
    filter(sql, values, "run", query.run());
    filter(sql, values, "client", query.client());
    filter(sql, values, "target", query.target());
    if (query.failed() != null) {
      sql.append(query.failed() ? " and verdict is not null" : " and verdict is null");
    }
    sql.append(" order by seq desc limit ?");
    return ask(
        sql.toString(),
        statement -> {
          int at = 1;
          statement.setLong(at++, before(query.cursor()));
          for (var value : values) {
            statement.setString(at++, value);
          }
          // One more than asked for tells whether there is another page.
          statement.setInt(at, query.limit() + 1);
          var calls = new ArrayList<CallRecord>();
          long last = 0;
          try (var row = statement.executeQuery()) {
            while (calls.size() < query.limit() && row.next()) {
              last = row.getLong(1);
              calls.add(Rows.call(row));
            }
            return new Page(calls, row.next() ? Long.toString(last, CURSOR_RADIX) : null);
          }
        });
  }

  @Override
  public @Nullable StoredCall call(String id) {
    var found =
        ask(
            "select " + Rows.CALL_COLUMNS + " from calls where id = ?",
            statement -> {
              statement.setString(1, id);
              try (var row = statement.executeQuery()) {
                if (!row.next()) {
                  return NONE;
                }
                var stored = new ArrayList<StoredBody>();
                var call = Rows.call(row);
                Rows.stored(row, Rows.CALL_PLACES, 0, stored);
                var attempts = attempts(row.getLong(1), id, stored);
                // A segment that retention deleted takes its bodies with it.
                var kept = Segments.list(bodies);
                stored.removeIf(body -> !kept.containsKey(body.segment()));
                return List.of(new StoredCall(call, attempts, stored));
              }
            });
    return found.isEmpty() ? null : found.getFirst();
  }

  @Override
  public List<CostQuery.Sum> costs(CostQuery query) {
    boolean byRun = query.by() == CostQuery.By.RUN;
    return ask(
        Costs.select(query.by()),
        statement -> {
          statement.setLong(1, byRun ? Rows.micros(query.from()) : Costs.hour(query.from()));
          statement.setLong(2, byRun ? Rows.micros(query.to()) : Costs.hour(query.to()));
          statement.setInt(3, CostQuery.MAX_ROWS);
          var sums = new ArrayList<CostQuery.Sum>();
          try (var row = statement.executeQuery()) {
            while (row.next()) {
              sums.add(Costs.sum(row));
            }
          }
          return sums;
        });
  }

  @Override
  public byte[] body(StoredBody body) {
    return Segments.read(bodies, new Segments.Place(body.segment(), body.offset(), body.length()));
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

  private List<AttemptRecord> attempts(long seq, String id, List<StoredBody> stored) {
    return ask(
        "select " + Rows.ATTEMPT_COLUMNS + " from attempts where call_seq = ? order by number",
        statement -> {
          statement.setLong(1, seq);
          var attempts = new ArrayList<AttemptRecord>();
          try (var row = statement.executeQuery()) {
            while (row.next()) {
              var attempt = Rows.attempt(row, id);
              attempts.add(attempt);
              Rows.stored(row, Rows.ATTEMPT_PLACES, attempt.number(), stored);
            }
          }
          return attempts;
        });
  }

  private static void filter(
      StringBuilder sql, List<String> values, String column, @Nullable String value) {
    if (value != null) {
      sql.append(" and ").append(column).append(" = ?");
      values.add(value);
    }
  }

  private static long before(@Nullable String cursor) {
    try {
      return cursor == null ? Long.MAX_VALUE : Long.parseLong(cursor, CURSOR_RADIX);
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException("not a cursor: " + cursor, e);
    }
  }

  private <T> T ask(String sql, Question<T> question) {
    lock.lock();
    try (var statement = current().prepareStatement(sql)) {
      return question.ask(statement);
    } catch (SQLException | IOException e) {
      throw unreadable(e);
    } finally {
      lock.unlock();
    }
  }

  /** What is asked of a prepared statement. */
  private interface Question<T> {
    T ask(PreparedStatement statement) throws SQLException, IOException;
  }
}
