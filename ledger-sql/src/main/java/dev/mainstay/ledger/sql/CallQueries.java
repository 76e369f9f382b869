package dev.mainstay.ledger.sql;

import dev.mainstay.ledger.AttemptRecord;
import dev.mainstay.ledger.CallQuery;
import dev.mainstay.ledger.CallRecord;
import dev.mainstay.ledger.CostQuery;
import dev.mainstay.ledger.LedgerReader.Page;
import dev.mainstay.ledger.LedgerReader.StoredBody;
import dev.mainstay.ledger.LedgerReader.StoredCall;
import dev.mainstay.ledger.run.CallRun;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What is asked of the tables of calls. Each question is asked on the connection it is given. */
public final class CallQueries {
  private static final int CURSOR_RADIX = 36;

  private final String day;

  /**
   * @param day an expression for the day, as 2026-11-22, of the column {@code hour}
   */
  public CallQueries(String day) {
    this.day = day;
  }

  /** One page of calls, those first that ended last. */
  public Page calls(Connection db, CallQuery query) throws SQLException {
    var sql = new StringBuilder("select " + CallRows.CALL_COLUMNS + " from calls where seq < ?");
    var values = new ArrayList<String>();
    filter(sql, values, "run", query.run());
    filter(sql, values, "client", query.client());
    filter(sql, values, "target", query.target());
    if (query.failed() != null) {
      sql.append(query.failed() ? " and verdict is not null" : " and verdict is null");
    }
    sql.append(" order by seq desc limit ?");
    try (var statement = db.prepareStatement(sql.toString())) {
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
          calls.add(CallRows.call(row));
        }
        return new Page(calls, row.next() ? Long.toString(last, CURSOR_RADIX) : null);
      }
    }
  }

  /** A call with all that was kept of its bodies, or null. */
  public @Nullable StoredCall call(Connection db, String id) throws SQLException {
    try (var statement =
        db.prepareStatement("select " + CallRows.CALL_COLUMNS + " from calls where id = ?")) {
      statement.setString(1, id);
      try (var row = statement.executeQuery()) {
        if (!row.next()) {
          return null;
        }
        var stored = new ArrayList<StoredBody>();
        var call = CallRows.call(row);
        CallRows.stored(row, CallRows.CALL_PLACES, 0, stored);
        var attempts = attempts(db, row.getLong(1), id, stored);
        return new StoredCall(call, attempts, stored);
      }
    }
  }

  private static List<AttemptRecord> attempts(
      Connection db, long seq, String id, List<StoredBody> stored) throws SQLException {
    try (var statement =
        db.prepareStatement(
            "select "
                + CallRows.ATTEMPT_COLUMNS
                + " from attempts where call_seq = ? order by number")) {
      statement.setLong(1, seq);
      var attempts = new ArrayList<AttemptRecord>();
      try (var row = statement.executeQuery()) {
        while (row.next()) {
          var attempt = CallRows.attempt(row, id);
          attempts.add(attempt);
          CallRows.stored(row, CallRows.ATTEMPT_PLACES, attempt.number(), stored);
        }
      }
      return attempts;
    }
  }

  /** Runs that calls were grouped into. */
  public List<CallRun> callRuns(Connection db, CallRun.Query query) throws SQLException {
    return CallRuns.read(db, query);
  }

  /** Sums of what was used and paid. */
  public List<CostQuery.Sum> costs(Connection db, CostQuery query) throws SQLException {
    boolean byRun = query.by() == CostQuery.By.RUN;
    try (var statement = db.prepareStatement(HourlyCosts.select(query.by(), day))) {
      statement.setLong(1, byRun ? Micros.of(query.from()) : HourlyCosts.hour(query.from()));
      statement.setLong(2, byRun ? Micros.of(query.to()) : HourlyCosts.hour(query.to()));
      statement.setInt(3, CostQuery.MAX_ROWS);
      var sums = new ArrayList<CostQuery.Sum>();
      try (var row = statement.executeQuery()) {
        while (row.next()) {
          sums.add(HourlyCosts.sum(row));
        }
      }
      return sums;
    }
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
}
