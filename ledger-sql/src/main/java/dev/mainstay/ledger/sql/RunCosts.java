package dev.mainstay.ledger.sql;

import dev.mainstay.ledger.CallRecord;
import dev.mainstay.ledger.CostQuery;
import dev.mainstay.ledger.CostQuery.Sum;
import dev.mainstay.ledger.Tokens;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;

/**
 * What the calls of each run came to, whoever made them: a batch's on its way into {@code
 * run_costs}, and back. Costs by run read the dearest runs there, where they would have to add up
 * each call of a month. For one thread.
 */
public final class RunCosts {
  /** What is added up, in the order of the columns. */
  private static final String SUMS =
      "calls, failed, attempts, input, cached_input, cache_write, output, reasoning, cost_nanos,"
          + " unpriced";

  private static final int SUM_COLUMNS = 10;

  /** The statement for {@link #bind}. */
  public static final String ADD =
      "insert into run_costs (run, first_at, last_at, "
          + SUMS
          + ") values (?,?,?,?,?,?,?,?,?,?,?,?,?) on conflict (run) do update set first_at = case"
          + " when excluded.first_at < run_costs.first_at then excluded.first_at else"
          + " run_costs.first_at end, last_at = case when excluded.last_at > run_costs.last_at then"
          + " excluded.last_at else run_costs.last_at end, "
          + added();

  /** What calls come to by run; what follows says of which. */
  private static final String OF_CALLS =
      "select run, count(*), sum(case when verdict is not null then 1 else 0 end), sum(attempts),"
          + " coalesce(sum(input), 0), coalesce(sum(cached_input), 0), coalesce(sum(cache_write),"
          + " 0), coalesce(sum(output), 0), coalesce(sum(reasoning), 0), coalesce(sum(cost_nanos),"
          + " 0), sum(case when input is not null and cost_nanos is null then 1 else 0 end) from"
          + " calls";

  /** Calls that are added up one by one: some 50 ms. */
  private static final long FEW = 50_000;

  /** Calls of a run from which on it is cheaper to look which of them are fewer: some 2 ms. */
  private static final long LONG = 1_000;

  /** Runs that overlap two instants and cost as much as the last of those within. */
  private static final String OVERLAP =
      " run_costs where cost_nanos >= ? and first_at <= ? and last_at >= ? and (first_at < ? or"
          + " last_at > ?)";

  /** Rows deleted at a time, so that no batch waits long behind them. */
  private static final int DELETE_AT_ONCE = 500;

  private static final Comparator<Sum> DEAREST =
      Comparator.comparingLong(Sum::costNanos).thenComparingLong(Sum::attempts).reversed();

  /** In one order for all, so that two gateways that add to the same rows never deadlock. */
  private final Map<String, Costs> runs = new TreeMap<>();

  /** Of one run in a batch: when its calls began, in microseconds, and what they add up to. */
  private static final class Costs {
    private long first = Long.MAX_VALUE;
    private long last = Long.MIN_VALUE;
    private final long[] sums = new long[SUM_COLUMNS];

    void add(CallRecord call) {
      long at = Micros.of(call.startedAt());
      first = Math.min(first, at);
      last = Math.max(last, at);
      sums[0]++;
      sums[1] += call.verdict() == null ? 0 : 1;
      sums[2] += call.attempts();
      var tokens = call.tokens();
      if (tokens != null) {
        sums[3] += tokens.input();
        sums[4] += tokens.cachedInput();
        sums[5] += tokens.cacheWrite();
        sums[6] += tokens.output();
        sums[7] += tokens.reasoning();
      }
      var cost = call.costNanos();
      sums[8] += cost == null ? 0 : cost;
      sums[9] += cost == null && tokens != null ? 1 : 0;
    }
  }

  private static String added() {
    var set = new ArrayList<String>();
    for (var column : SUMS.split(", ")) {
      set.add("%s = run_costs.%s + excluded.%s".formatted(column, column, column));
    }
    return String.join(", ", set);
  }

  /** Adds a call that has ended. */
  public void add(CallRecord call) {
    if (call.run() != null) {
      runs.computeIfAbsent(CallRows.kept(call.run()), run -> new Costs()).add(call);
    }
  }

  /** Hands all sums to {@code add}, whose batch is then to be executed. */
  public void bind(PreparedStatement add) throws SQLException {
    for (var each : runs.entrySet()) {
      var costs = each.getValue();
      add.setString(1, each.getKey());
      add.setLong(2, costs.first);
      add.setLong(3, costs.last);
      for (int i = 0; i < SUM_COLUMNS; i++) {
        add.setLong(4 + i, costs.sums[i]);
      }
      add.addBatch();
    }
  }

  /**
   * Deletes some of the runs whose last call began before {@code oldest}; whether there is more.
   *
   * @param skipLocked what stands behind a select that leaves out rows in another one's hand
   */
  public static boolean retain(Connection db, Instant oldest, String skipLocked)
      throws SQLException {
    try (var delete =
        db.prepareStatement(
            "delete from run_costs where run in (select run from run_costs where last_at < ? limit"
                + " %d%s)".formatted(DELETE_AT_ONCE, skipLocked))) {
      delete.setLong(1, Micros.of(oldest));
      return delete.executeUpdate() == DELETE_AT_ONCE;
    }
  }

  /** Those that cost most between two instants, first. */
  static List<Sum> read(Connection db, CostQuery query) throws SQLException {
    var sums = isShort(db, query) ? ofCalls(db, query) : ofRuns(db, query, LONG);
    sums.sort(DEAREST);
    return sums.size() > CostQuery.MAX_ROWS ? sums.subList(0, CostQuery.MAX_ROWS) : sums;
  }

  private static boolean isShort(Connection db, CostQuery query) throws SQLException {
    try (var statement =
        db.prepareStatement(
            "select coalesce(max(last_seq) - min(first_seq), 0) from call_hours where hour between"
                + " ? and ?")) {
      statement.setLong(1, HourlyStats.hour(query.from()));
      statement.setLong(2, HourlyStats.hour(query.to()));
      try (var row = statement.executeQuery()) {
        return row.next() && row.getLong(1) <= FEW;
      }
    }
  }

  static List<Sum> ofCalls(Connection db, CostQuery query) throws SQLException {
    long from = HourlyStats.hour(query.from());
    long to = HourlyStats.hour(query.to());
    return sums(
        db,
        OF_CALLS
            + " where run is not null and seq between (select min(first_seq) from call_hours where"
            + " hour between ? and ?) and (select max(last_seq) from call_hours where hour between"
            + " ? and ?) and started_at between ? and ? group by run",
        List.of(from, to, from, to, Micros.of(query.from()), Micros.of(query.to())));
  }

  /**
   * Of runs that lie between the instants as a whole, the dearest. Of those that overlap them the
   * calls count, where the run as a whole costs as much as the last of these.
   *
   * @param most calls of an overlapping run that are added up whatever it takes
   */
  static List<Sum> ofRuns(Connection db, CostQuery query, long most) throws SQLException {
    long from = Micros.of(query.from());
    long to = Micros.of(query.to());
    var sums =
        sums(
            db,
            "select run, "
                + SUMS
                + " from run_costs where first_at >= ? and last_at <= ? order by cost_nanos desc,"
                + " attempts desc limit "
                + CostQuery.MAX_ROWS,
            List.of(from, to));
    long least = sums.size() < CostQuery.MAX_ROWS ? 0 : sums.getLast().costNanos();
    sums.addAll(
        sums(
            db,
            OF_CALLS
                + " where run in (select run from"
                + OVERLAP
                + " and calls <= ?) and started_at between ? and ? group by run",
            List.of(least, to, from, from, to, most, from, to)));
    var whole =
        sums(
            db,
            "select run, " + SUMS + " from" + OVERLAP + " and calls > ?",
            List.of(least, to, from, from, to, most));
    for (var run : whole) {
      sums.addAll(within(db, run, query));
    }
    return sums;
  }

  /**
   * What of a run lies between the instants: its calls there, or the run without those outside,
   * whichever are fewer. None where no call does.
   */
  private static List<Sum> within(Connection db, Sum run, CostQuery query) throws SQLException {
    var key = Objects.requireNonNull(run.key());
    long from = Micros.of(query.from());
    long to = Micros.of(query.to());
    // The hours say which numbers the calls can have that started before and after.
    long before =
        number(
            db,
            "select coalesce(max(last_seq), -1) from call_hours where hour <= ?",
            List.of(HourlyStats.hour(query.from())));
    long after =
        number(
            db,
            "select coalesce(min(first_seq), "
                + Long.MAX_VALUE
                + ") from call_hours where hour >= ?",
            List.of(HourlyStats.hour(query.to())));
    var counted = "select count(*) from calls where run = ?";
    long outside =
        number(db, counted + " and seq <= ?", List.of(key, before))
            + number(db, counted + " and seq >= ?", List.of(key, after));
    boolean kept = number(db, counted, List.of(key)) == run.calls();
    if (!kept || outside > run.calls() / 2) {
      return sums(
          db,
          OF_CALLS + " where run = ? and started_at between ? and ? group by run",
          List.of(key, from, to));
    }
    var rest = run;
    for (var each :
        sums(
            db,
            OF_CALLS + " where run = ? and seq <= ? and started_at < ? group by run",
            List.of(key, before, from))) {
      rest = without(rest, each);
    }
    for (var each :
        sums(
            db,
            OF_CALLS + " where run = ? and seq >= ? and started_at > ? group by run",
            List.of(key, after, to))) {
      rest = without(rest, each);
    }
    return rest.calls() == 0 ? List.of() : List.of(rest);
  }

  private static Sum without(Sum run, Sum part) {
    var a = run.tokens();
    var b = part.tokens();
    return new Sum(
        run.key(),
        run.calls() - part.calls(),
        run.failed() - part.failed(),
        run.attempts() - part.attempts(),
        new Tokens(
            a.input() - b.input(),
            a.cachedInput() - b.cachedInput(),
            a.cacheWrite() - b.cacheWrite(),
            a.output() - b.output(),
            a.reasoning() - b.reasoning(),
            false),
        run.costNanos() - part.costNanos(),
        run.unpriced() - part.unpriced());
  }

  private static long number(Connection db, String sql, List<?> values) throws SQLException {
    try (var statement = bound(db, sql, values);
        var row = statement.executeQuery()) {
      return row.next() ? row.getLong(1) : 0;
    }
  }

  private static PreparedStatement bound(Connection db, String sql, List<?> values)
      throws SQLException {
    var statement = db.prepareStatement(sql);
    for (int i = 0; i < values.size(); i++) {
      statement.setObject(i + 1, values.get(i));
    }
    return statement;
  }

  private static List<Sum> sums(Connection db, String sql, List<?> values) throws SQLException {
    try (var statement = bound(db, sql, values);
        var row = statement.executeQuery()) {
      var sums = new ArrayList<Sum>();
      while (row.next()) {
        sums.add(sum(row));
      }
      return sums;
    }
  }

  private static Sum sum(ResultSet row) throws SQLException {
    return new Sum(
        row.getString(1),
        row.getLong(2),
        row.getLong(3),
        row.getLong(4),
        new Tokens(
            row.getLong(5), row.getLong(6), row.getLong(7), row.getLong(8), row.getLong(9), false),
        row.getLong(10),
        row.getLong(11));
  }
}
