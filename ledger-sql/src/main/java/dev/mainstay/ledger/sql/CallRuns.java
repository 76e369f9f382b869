package dev.mainstay.ledger.sql;

import dev.mainstay.ledger.CallQuery.Field;
import dev.mainstay.ledger.CallRecord;
import dev.mainstay.ledger.Tokens;
import dev.mainstay.ledger.run.CallRun;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** A batch's sums by run on their way into {@code call_runs}, and back. For one thread. */
public final class CallRuns {
  /** The path of calls that Mainstay's own agents make: their runs have a journal. */
  private static final String IN_PROCESS = "in-process";

  private static final String COLUMNS =
      "client, run, parent, first_at, last_at, last_failed, calls, failed, attempts, input,"
          + " cached_input, cache_write, output, reasoning, cost_nanos, unpriced";

  /** Adds a row of sums to the table. */
  public static final String ADD =
      "insert into call_runs ("
          + COLUMNS
          + ") values (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?) on conflict (client, run) do update set"
          + " parent = coalesce(call_runs.parent, excluded.parent), first_at = case when"
          + " excluded.first_at < call_runs.first_at then excluded.first_at else"
          + " call_runs.first_at end, last_failed = case when excluded.last_at >="
          + " call_runs.last_at then excluded.last_failed else call_runs.last_failed end,"
          + " last_at = case when excluded.last_at > call_runs.last_at then excluded.last_at else"
          + " call_runs.last_at end, calls = call_runs.calls + excluded.calls, failed ="
          + " call_runs.failed + excluded.failed, attempts = call_runs.attempts +"
          + " excluded.attempts, input = call_runs.input + excluded.input, cached_input ="
          + " call_runs.cached_input + excluded.cached_input, cache_write ="
          + " call_runs.cache_write + excluded.cache_write, output = call_runs.output +"
          + " excluded.output, reasoning = call_runs.reasoning + excluded.reasoning, cost_nanos ="
          + " call_runs.cost_nanos + excluded.cost_nanos, unpriced = call_runs.unpriced +"
          + " excluded.unpriced";

  /** Rows deleted at a time, so that no batch waits long behind them. */
  private static final int DELETE_AT_ONCE = 500;

  /** Began and ended long ago: the index is on when they began. */
  private static final String DELETE =
      "delete from call_runs where (client, run) in (select client, run from call_runs where"
          + " first_at < ? and last_at < ? order by first_at limit "
          + DELETE_AT_ONCE
          + "%s)";

  /** In one order for all, so that two gateways that add to the same rows never deadlock. */
  private final Map<CallRun.Id, CallRun> sums =
      new TreeMap<>(Comparator.comparing(CallRun.Id::client).thenComparing(CallRun.Id::run));

  /** Adds a call that has ended. */
  public void add(CallRecord call) {
    if (call.run() == null || call.path().startsWith(IN_PROCESS)) {
      return;
    }
    var client = call.client() == null ? "" : call.client();
    sums.merge(new CallRun.Id(client, CallRows.kept(call.run())), one(call), CallRuns::both);
  }

  private static CallRun one(CallRecord call) {
    var tokens = call.tokens() == null ? NO_TOKENS : call.tokens();
    var cost = call.costNanos();
    boolean failed = call.verdict() != null;
    return new CallRun(
        new CallRun.Id("", ""),
        call.parent() == null ? null : CallRows.kept(call.parent()),
        call.startedAt(),
        call.startedAt().plus(call.total()),
        failed,
        new CallRun.Sums(
            1,
            failed ? 1 : 0,
            call.attempts(),
            tokens,
            cost == null ? 0 : cost,
            cost == null && call.tokens() != null ? 1 : 0));
  }

  private static final Tokens NO_TOKENS = new Tokens(0, 0, 0, 0, 0, false);

  private static CallRun both(CallRun a, CallRun b) {
    var last = b.lastAt().isBefore(a.lastAt()) ? a : b;
    var s = a.sums();
    var t = b.sums();
    return new CallRun(
        a.id(),
        a.parent() == null ? b.parent() : a.parent(),
        a.firstAt().isBefore(b.firstAt()) ? a.firstAt() : b.firstAt(),
        last.lastAt(),
        last.lastFailed(),
        new CallRun.Sums(
            s.calls() + t.calls(),
            s.failed() + t.failed(),
            s.attempts() + t.attempts(),
            new Tokens(
                s.tokens().input() + t.tokens().input(),
                s.tokens().cachedInput() + t.tokens().cachedInput(),
                s.tokens().cacheWrite() + t.tokens().cacheWrite(),
                s.tokens().output() + t.tokens().output(),
                s.tokens().reasoning() + t.tokens().reasoning(),
                false),
            s.costNanos() + t.costNanos(),
            s.unpriced() + t.unpriced()));
  }

  /** Hands all sums to {@code add}, whose batch is then to be executed. */
  public void bind(PreparedStatement add) throws SQLException {
    for (var each : sums.entrySet()) {
      var run = each.getValue();
      var tokens = run.sums().tokens();
      add.setString(1, each.getKey().client());
      add.setString(2, each.getKey().run());
      add.setString(3, run.parent());
      add.setLong(4, Micros.of(run.firstAt()));
      add.setLong(5, Micros.of(run.lastAt()));
      add.setInt(6, run.lastFailed() ? 1 : 0);
      int at = 7;
      for (long value :
          new long[] {
            run.sums().calls(),
            run.sums().failed(),
            run.sums().attempts(),
            tokens.input(),
            tokens.cachedInput(),
            tokens.cacheWrite(),
            tokens.output(),
            tokens.reasoning(),
            run.sums().costNanos(),
            run.sums().unpriced()
          }) {
        add.setLong(at++, value);
      }
      add.addBatch();
    }
  }

  /** Runs that {@code query} asks for, the newest first. */
  static List<CallRun> read(Connection db, CallRun.Query query) throws SQLException {
    var where = new ArrayList<String>();
    var values = new ArrayList<Object>();
    add("run = ?", query.run(), where, values);
    add("client = ?", query.client(), where, values);
    add("parent = ?", query.parent(), where, values);
    add("first_at >= ?", query.from() == null ? null : Micros.of(query.from()), where, values);
    add("first_at < ?", query.to() == null ? null : Micros.of(query.to()), where, values);
    var before = query.before();
    if (before != null) {
      where.add("(first_at < ? or (first_at = ? and run < ?))");
      values.add(Micros.of(before.at()));
      values.add(Micros.of(before.at()));
      values.add(before.run());
    }
    var sql =
        "select %s from call_runs%s order by first_at desc, run desc limit %d"
            .formatted(
                COLUMNS,
                where.isEmpty() ? "" : " where " + String.join(" and ", where),
                query.limit());
    try (var statement = db.prepareStatement(sql)) {
      for (int i = 0; i < values.size(); i++) {
        statement.setObject(i + 1, values.get(i));
      }
      var runs = new ArrayList<CallRun>();
      try (var row = statement.executeQuery()) {
        while (row.next()) {
          runs.add(run(row));
        }
      }
      return runs;
    }
  }

  /**
   * Those of {@code runs} that have a call with all of these values. The first such call of a run
   * ends the look at it.
   */
  static Set<String> with(
      Connection db, @Nullable String client, Collection<String> runs, Map<Field, String> call)
      throws SQLException {
    if (runs.isEmpty()) {
      return Set.of();
    }
    var of = CallFilter.ofRun(call);
    var sql =
        "with asked(name) as (%s) select name from asked where exists (select 1 from calls"
            + " where run = name%s%s)";
    var names = InList.of(runs);
    try (var statement =
        db.prepareStatement(
            sql.formatted(
                names.rows(),
                client == null ? "" : " and coalesce(client, '') = ?",
                of.condition()))) {
      int at = 1;
      for (var name : names.values()) {
        statement.setString(at++, name);
      }
      if (client != null) {
        statement.setString(at++, client);
      }
      for (var value : of.values()) {
        statement.setObject(at++, value);
      }
      var found = new HashSet<String>();
      try (var row = statement.executeQuery()) {
        while (row.next()) {
          found.add(row.getString(1));
        }
      }
      return found;
    }
  }

  /**
   * Deletes some of the runs whose last call ended before {@code oldest}; whether there is more.
   *
   * @param skipLocked what stands behind a select that leaves out rows in another one's hand
   */
  public static boolean retain(Connection db, Instant oldest, String skipLocked)
      throws SQLException {
    try (var delete = db.prepareStatement(DELETE.formatted(skipLocked))) {
      delete.setLong(1, Micros.of(oldest));
      delete.setLong(2, Micros.of(oldest));
      return delete.executeUpdate() == DELETE_AT_ONCE;
    }
  }

  private static void add(
      String condition, @Nullable Object value, List<String> where, List<Object> values) {
    if (value != null) {
      where.add(condition);
      values.add(value);
    }
  }

  private static CallRun run(ResultSet row) throws SQLException {
    return new CallRun(
        new CallRun.Id(row.getString(1), row.getString(2)),
        row.getString(3),
        Micros.instant(row.getLong(4)),
        Micros.instant(row.getLong(5)),
        row.getInt(6) != 0,
        new CallRun.Sums(
            row.getLong(7),
            row.getLong(8),
            row.getLong(9),
            new Tokens(
                row.getLong(10),
                row.getLong(11),
                row.getLong(12),
                row.getLong(13),
                row.getLong(14),
                false),
            row.getLong(15),
            row.getLong(16)));
  }
}
