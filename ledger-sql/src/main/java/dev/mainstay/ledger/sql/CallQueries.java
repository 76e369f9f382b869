package dev.mainstay.ledger.sql;

import dev.mainstay.ledger.AttemptRecord;
import dev.mainstay.ledger.CallQuery;
import dev.mainstay.ledger.CallReader.Page;
import dev.mainstay.ledger.CallReader.StoredBody;
import dev.mainstay.ledger.CallReader.StoredCall;
import dev.mainstay.ledger.CallRecord;
import dev.mainstay.ledger.run.CallRun;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What is asked of the tables of calls. Each question is asked on the connection it is given. */
public final class CallQueries {
  private static final int CURSOR_RADIX = 36;

  /** How a cursor of this list begins: another list's is refused. */
  private static final String CURSOR = "calls.";

  private CallQueries() {}

  /** One page of calls, those first that ended last. */
  public static Page calls(Connection db, CallQuery query, TextSearch search) throws SQLException {
    var where = CallFilter.of(db, query, before(query.cursor()), search);
    var sql =
        "select %s from %s where %s order by %s desc limit ?"
            .formatted(CallRows.CALL_COLUMNS, where.from(), where.condition(), where.number());
    try (var statement = db.prepareStatement(sql)) {
      int at = 1;
      for (var value : where.values()) {
        statement.setObject(at++, value);
      }
      // One more than asked for tells whether there is another page.
      statement.setInt(at, query.limit() + 1);
      var calls = new ArrayList<CallRecord>();
      long last = 0;
      try (var row = statement.executeQuery()) {
        while (calls.size() < query.limit() && row.next()) {
          last = row.getLong(1);
          calls.add(CallRows.call(row));
        }
        return new Page(calls, row.next() ? CURSOR + Long.toString(last, CURSOR_RADIX) : null);
      }
    }
  }

  /** A call with all that was kept of its bodies, or null. */
  public static @Nullable StoredCall call(Connection db, String id) throws SQLException {
    try (var statement =
            db.prepareStatement("select " + CallRows.CALL_COLUMNS + " from calls where id = ?");
        var made = attempts(db)) {
      statement.setString(1, CallRows.kept(id));
      try (var row = statement.executeQuery()) {
        if (!row.next()) {
          return null;
        }
        var stored = new ArrayList<StoredBody>();
        var call = CallRows.call(row);
        CallRows.stored(row, CallRows.CALL_PLACES, 0, stored);
        return new StoredCall(call, attempts(made, row.getLong(1), id, stored), stored);
      }
    }
  }

  /** The statement for {@link #attempts(PreparedStatement, long, String, Collection)}. */
  static PreparedStatement attempts(Connection db) throws SQLException {
    return db.prepareStatement(
        "select " + CallRows.ATTEMPT_COLUMNS + " from attempts where call_seq = ? order by number");
  }

  /** Runs that calls were grouped into. */
  public static List<CallRun> callRuns(Connection db, CallRun.Query query) throws SQLException {
    return CallRuns.read(db, query);
  }

  /**
   * The attempts of the call numbered {@code seq}; adds the bodies kept of them to {@code to}, if
   * any.
   */
  static List<AttemptRecord> attempts(
      PreparedStatement statement, long seq, String id, @Nullable Collection<StoredBody> to)
      throws SQLException {
    statement.setLong(1, seq);
    var attempts = new ArrayList<AttemptRecord>();
    try (var row = statement.executeQuery()) {
      while (row.next()) {
        var attempt = CallRows.attempt(row, id);
        attempts.add(attempt);
        if (to != null) {
          CallRows.stored(row, CallRows.ATTEMPT_PLACES, attempt.number(), to);
        }
      }
    }
    return attempts;
  }

  private static long before(@Nullable String cursor) {
    if (cursor == null) {
      return Long.MAX_VALUE;
    }
    try {
      if (cursor.startsWith(CURSOR)) {
        return Long.parseUnsignedLong(cursor, CURSOR.length(), cursor.length(), CURSOR_RADIX);
      }
    } catch (NumberFormatException e) {
      // Said below.
    }
    throw new IllegalArgumentException("not a cursor of this list: " + cursor);
  }
}
