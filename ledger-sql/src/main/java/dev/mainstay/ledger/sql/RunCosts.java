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
    var sums = isShort(db, query) ? ofCalls(db, query) : ofRuns(db, query);
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
   */
  static List<Sum> ofRuns(Connection db, CostQuery query) throws SQLException {
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
                + " where run in (select run from run_costs where cost_nanos >= ? and first_at <= ?"
                + " and last_at >= ? and (first_at < ? or last_at > ?)) and started_at between ?"
                + " and ? group by run",
            List.of(least, to, from, from, to, from, to)));
    return sums;
  }

  private static List<Sum> sums(Connection db, String sql, List<Long> values) throws SQLException {
    try (var statement = db.prepareStatement(sql)) {
      for (int i = 0; i < values.size(); i++) {
        statement.setLong(i + 1, values.get(i));
      }
      var sums = new ArrayList<Sum>();
      try (var row = statement.executeQuery()) {
        while (row.next()) {
          sums.add(sum(row));
        }
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
