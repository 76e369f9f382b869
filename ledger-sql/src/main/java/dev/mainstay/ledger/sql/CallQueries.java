package dev.mainstay.ledger.sql;

import dev.mainstay.ledger.AttemptRecord;
import dev.mainstay.ledger.CallQuery;
import dev.mainstay.ledger.CallQuery.Field;
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
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
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
    try (var statement = db.prepareStatement(select(where))) {
      while (last >= first && calls.size() < query.limit() && now - begun < SCAN_NANOS) {
        var look = look(db, where, first, last, most);
        long began = now;
        // Each on its own: over all at once PostgreSQL reads the calls between them too.
        for (var stretch : look.stretches()) {
          var rows = rows(statement, where, stretch, query.limit() - calls.size());
          calls.addAll(rows.calls());
          if (rows.more()) {
            return new Page(calls, cursor(rows.last()));
          }
          last = stretch.first() - 1;
          now = System.nanoTime();
          if (calls.size() == query.limit() || now - begun >= SCAN_NANOS) {
            return new Page(calls, last >= first ? cursor(last + 1) : null);
          }
        }
        last = look.first() - 1;
        now = System.nanoTime();
        most = Math.min(MOST, now - began < QUICK_NANOS ? 2 * most : most);
      }
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

  private static String select(CallFilter where) {
    return "select %s from %s where %s%s order by %s desc limit ?"
        .formatted(
            CallRows.CALL_COLUMNS,
            where.from(),
            where.numbers().stream()
                .map(number -> number + " between ? and ?")
                .collect(Collectors.joining(" and ")),
            where.condition(),
            where.numbers().getFirst());
  }

  private static Rows rows(PreparedStatement statement, CallFilter where, Stretch in, int limit)
      throws SQLException {
    int at = 1;
    for (int i = 0; i < where.numbers().size(); i++) {
      statement.setLong(at++, in.first());
      statement.setLong(at++, in.last());
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

  /** Those of {@code runs} that have a call with all of these values. */
  public static Set<String> runsWith(
      Connection db, @Nullable String client, Collection<String> runs, Map<Field, String> call)
      throws SQLException {
    return CallRuns.with(db, client, runs, call);
  }

  /** The calls of {@code ids} that are kept, without their attempts, by id. */
  public static Map<String, CallRecord> callsById(Connection db, Collection<String> ids)
      throws SQLException {
    return found(db, "id in %s", InList::places, ids, CallRecord::id);
  }

  /** The last call of each of {@code runs} that has one, by run. */
  public static Map<String, CallRecord> lastCalls(Connection db, Collection<String> runs)
      throws SQLException {
    // The greatest number of each run is one look into its index, however many calls it has.
    return found(
        db,
        "seq in (with asked(name) as (%s) select (select max(seq) from calls where run = name)"
            + " from asked)",
        InList::rows,
        runs,
        CallRecord::run);
  }

  private static Map<String, CallRecord> found(
      Connection db,
      String condition,
      Function<InList, String> list,
      Collection<String> names,
      Function<CallRecord, @Nullable String> name)
      throws SQLException {
    var found = new HashMap<String, CallRecord>();
    if (names.isEmpty()) {
      return found;
    }
    var asked = InList.of(names);
    try (var statement =
        db.prepareStatement(
            "select %s from calls where %s"
                .formatted(CallRows.CALL_COLUMNS, condition.formatted(list.apply(asked))))) {
      int at = 1;
      for (var value : asked.values()) {
        statement.setString(at++, value);
      }
      try (var row = statement.executeQuery()) {
        while (row.next()) {
          var call = CallRows.call(row);
          found.put(Objects.requireNonNull(name.apply(call)), call);
        }
      }
    }
    return found;
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
