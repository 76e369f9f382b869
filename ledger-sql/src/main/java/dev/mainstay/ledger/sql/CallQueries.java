package dev.mainstay.ledger.sql;

import dev.mainstay.ledger.AttemptRecord;
import dev.mainstay.ledger.CallQuery;
import dev.mainstay.ledger.CallReader.Page;
import dev.mainstay.ledger.CallReader.StoredBody;
import dev.mainstay.ledger.CallReader.StoredCall;
import dev.mainstay.ledger.CallRecord;
import dev.mainstay.ledger.run.CallRun;
import dev.mainstay.ledger.sql.CallBlocks.Stretch;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What is asked of the tables of calls. Each question is asked on the connection it is given. */
public final class CallQueries {
  private static final int CURSOR_RADIX = 36;

  /** How a cursor of this list begins: another list's is refused. */
  private static final String CURSOR = "calls.";

  /** Numbers that are looked through first. */
  private static final long LEAST = 2_048;

  /** Numbers that are looked through at once at most: a few milliseconds by an index. */
  private static final long MOST = 131_072;

  /** A look that was quicker is followed by one through twice as many numbers. */
  private static final long QUICK_NANOS = 5_000_000;

  /** How long a page is looked for. */
  private static final long SCAN_NANOS = 50_000_000;

  private CallQueries() {}

  /**
   * One page of calls, those first that ended last. A page may be short although there is more: its
   * cursor goes on where the search stopped.
   *
   * <p>Few filters have an index: each more would slow every write. The newest calls are looked
   * through, more at a time the quicker it goes, until the page is full or the time is up.
   */
  public static Page calls(Connection db, CallQuery query, TextSearch search) throws SQLException {
    long begun = System.nanoTime();
    var where = CallFilter.of(db, query, before(query.cursor()), search);
    long first = Math.max(where.first(), number(db, "select min(seq) from calls"));
    long last = Math.min(where.last(), number(db, "select max(seq) from calls"));
    var calls = new ArrayList<CallRecord>();
    long most = LEAST;
    long now = begun;
    while (last >= first && calls.size() < query.limit() && now - begun < SCAN_NANOS) {
      var look = look(db, where, first, last, most);
      if (!look.stretches().isEmpty()) {
        var rows = rows(db, where, look.stretches(), query.limit() - calls.size());
        calls.addAll(rows.calls());
        if (rows.more()) {
          return new Page(calls, cursor(rows.last()));
        }
      }
      last = look.first() - 1;
      long then = System.nanoTime();
      most = Math.min(MOST, then - now < QUICK_NANOS ? 2 * most : most);
      now = then;
    }
    return new Page(calls, last >= first ? cursor(last + 1) : null);
  }

  private static CallBlocks.Found look(
      Connection db, CallFilter where, long first, long last, long most) throws SQLException {
    if (!where.names().isEmpty()) {
      return CallBlocks.before(db, where.names(), first, last, most);
    }
    long from = Math.max(first, last - most + 1);
    return new CallBlocks.Found(List.of(new Stretch(from, last)), from);
  }

  /** The newest calls of a filter, the number of the last of them, and whether others follow. */
  private record Rows(List<CallRecord> calls, long last, boolean more) {}

  private static Rows rows(Connection db, CallFilter where, List<Stretch> in, int limit)
      throws SQLException {
    boolean one = in.size() == 1;
    var sql =
        "%sselect %s from %s%s where %s between %s%s order by %s desc limit ?"
            .formatted(
                one ? "" : "with stretch (low, high) as (values " + places(in.size()) + ") ",
                CallRows.CALL_COLUMNS,
                one ? "" : "stretch cross join ",
                where.from(),
                where.number(),
                one ? "? and ?" : "stretch.low and stretch.high",
                where.condition(),
                where.number());
    try (var statement = db.prepareStatement(sql)) {
      int at = 1;
      for (var stretch : in) {
        statement.setLong(at++, stretch.first());
        statement.setLong(at++, stretch.last());
      }
      for (var value : where.values()) {
        statement.setObject(at++, value);
      }
      // One more than asked for tells whether there is another page.
      statement.setInt(at, limit + 1);
      var calls = new ArrayList<CallRecord>();
      long last = 0;
      try (var row = statement.executeQuery()) {
        while (calls.size() < limit && row.next()) {
          last = row.getLong(1);
          calls.add(CallRows.call(row));
        }
        return new Rows(calls, last, row.next());
      }
    }
  }

  private static String places(int rows) {
    return String.join(",", Collections.nCopies(rows, "(?,?)"));
  }

  private static long number(Connection db, String sql) throws SQLException {
    try (var statement = db.createStatement();
        var row = statement.executeQuery(sql)) {
      return row.next() ? row.getLong(1) : 0;
    }
  }

  private static String cursor(long before) {
    return CURSOR + Long.toString(before, CURSOR_RADIX);
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
