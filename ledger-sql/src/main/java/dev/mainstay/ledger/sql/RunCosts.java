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
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * What the calls of each run came to, whoever made them: a batch's on its way into {@code
 * run_costs}, and by day of UTC into {@code run_cost_days}, and back. Costs by run read the dearest
 * runs there, where they would have to add up each call of a month. For one thread.
 */
public final class RunCosts {
  /** What is added up, in the order of the columns. */
  private static final String SUMS =
      "calls, failed, attempts, input, cached_input, cache_write, output, reasoning, cost_nanos,"
          + " unpriced";

  private static final int SUM_COLUMNS = 10;

  /** The statement for {@link #bind} that adds to the runs. */
  public static final String ADD =
      "insert into run_costs (run, first_at, last_at, "
          + SUMS
          + ") values (?,?,?,?,?,?,?,?,?,?,?,?,?) on conflict (run) do update set first_at = case"
          + " when excluded.first_at < run_costs.first_at then excluded.first_at else"
          + " run_costs.first_at end, last_at = case when excluded.last_at > run_costs.last_at then"
          + " excluded.last_at else run_costs.last_at end, "
          + each("%s = run_costs.%1$s + excluded.%1$s");

  /** The statement for {@link #bind} that adds to the days of the runs. */
  public static final String ADD_DAYS =
      "insert into run_cost_days (run, day, "
          + SUMS
          + ") values (?,?,?,?,?,?,?,?,?,?,?,?) on conflict (run, day) do update set "
          + each("%s = run_cost_days.%1$s + excluded.%1$s");

  /** What a call adds to each sum. */
  private static final String OF_CALL =
      "1 as calls, case when verdict is not null then 1 else 0 end as failed, attempts,"
          + " coalesce(input, 0) as input, coalesce(cached_input, 0) as cached_input,"
          + " coalesce(cache_write, 0) as cache_write, coalesce(output, 0) as output,"
          + " coalesce(reasoning, 0) as reasoning, coalesce(cost_nanos, 0) as cost_nanos, case when"
          + " input is not null and cost_nanos is null then 1 else 0 end as unpriced";

  private static final String ADDED_UP = "select run, " + each("sum(%s)") + " from (";

  /** The numbers of the calls that started in some hours. */
  private static final String NUMBERED =
      "seq between (select min(first_seq) from call_hours where hour between ? and ?) and (select"
          + " max(last_seq) from call_hours where hour between ? and ?) and started_at between ?"
          + " and ?";

  private static final String OF_OVERLAPPING_CALLS =
      " union all select c.run, "
          + OF_CALL
          + " from r cross join calls c where c.run = r.run and "
          + NUMBERED;

  /** Calls that are added up one by one: some 50 ms. */
  private static final long FEW = 50_000;

  /** Rows deleted at a time, so that no batch waits long behind them. */
  private static final int DELETE_AT_ONCE = 500;

  /** The migrations that make {@code run_cost_days} divide by it too. */
  private static final long MICROS_A_DAY = 86_400_000_000L;

  private static final Comparator<Sum> DEAREST =
      Comparator.comparingLong(Sum::costNanos).thenComparingLong(Sum::attempts).reversed();

  private record Key(String run, long day) {}

  /** In one order for all, so that two gateways that add to the same rows never deadlock. */
  private final Map<Key, Costs> runs =
      new TreeMap<>(Comparator.comparing(Key::run).thenComparingLong(Key::day));

  /** Of one run and day in a batch: when its calls began, in microseconds, and their sums. */
  private static final class Costs {
    private long first = Long.MAX_VALUE;
    private long last = Long.MIN_VALUE;
    private final long[] sums = new long[SUM_COLUMNS];

    void add(long at, CallRecord call) {
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

    void bind(PreparedStatement add, int from) throws SQLException {
      for (int i = 0; i < SUM_COLUMNS; i++) {
        add.setLong(from + i, sums[i]);
      }
      add.addBatch();
    }
  }

  /** {@code pattern} for each sum. */
  private static String each(String pattern) {
    return Stream.of(SUMS.split(", ")).map(pattern::formatted).collect(Collectors.joining(", "));
  }

  /** Adds a call that has ended. */
  public void add(CallRecord call) {
    if (call.run() != null) {
      long at = Micros.of(call.startedAt());
      runs.computeIfAbsent(new Key(CallRows.kept(call.run()), day(at)), key -> new Costs())
          .add(at, call);
    }
  }

  private static long day(long micros) {
    return Math.floorDiv(micros, MICROS_A_DAY);
  }

  /** Hands all sums to {@code add} and {@code addDays}, whose batches are then to be executed. */
  public void bind(PreparedStatement add, PreparedStatement addDays) throws SQLException {
    for (var each : runs.entrySet()) {
      var key = each.getKey();
      var costs = each.getValue();
      add.setString(1, key.run());
      add.setLong(2, costs.first);
      add.setLong(3, costs.last);
      costs.bind(add, 4);
      addDays.setString(1, key.run());
      addDays.setLong(2, key.day());
      costs.bind(addDays, 3);
    }
  }

  /**
   * Deletes some of the days that ended before {@code oldest}, and of the runs whose last call
   * began before these; whether there is more.
   *
   * @param skipLocked what stands behind a select that leaves out rows in another one's hand
   */
  public static boolean retain(Connection db, Instant oldest, String skipLocked)
      throws SQLException {
    long first = day(Micros.of(oldest));
    // The days before the run: they never come to more than it does.
    return delete(db, "run_cost_days", "run, day", "day < " + first, skipLocked)
        || delete(db, "run_costs", "run", "last_at < " + first * MICROS_A_DAY, skipLocked);
  }

  private static boolean delete(
      Connection db, String table, String key, String where, String skipLocked)
      throws SQLException {
    try (var statement = db.createStatement()) {
      return statement.executeUpdate(
              "delete from %s where (%s) in (select %2$s from %1$s where %s limit %d%s)"
                  .formatted(table, key, where, DELETE_AT_ONCE, skipLocked))
          == DELETE_AT_ONCE;
    }
  }

  /** Those that cost most between two instants, first. */
  static List<Sum> read(Connection db, CostQuery query) throws SQLException {
    var sums = new ArrayList<>(isShort(db, query) ? ofCalls(db, query) : ofRuns(db, query));
    sums.sort(DEAREST);
    return sums.size() > CostQuery.MAX_ROWS ? sums.subList(0, CostQuery.MAX_ROWS) : sums;
  }

  private static boolean isShort(Connection db, CostQuery query) throws SQLException {
    return number(
            db,
            "select coalesce(max(last_seq) - min(first_seq), 0) from call_hours where hour between"
                + " ? and ?",
            HourlyStats.hour(query.from()),
            HourlyStats.hour(query.to()))
        <= FEW;
  }

  static List<Sum> ofCalls(Connection db, CostQuery query) throws SQLException {
    var values = new ArrayList<Long>();
    addRange(values, Micros.of(query.from()), Micros.of(query.to()));
    return sums(
        db,
        ADDED_UP
            + "select run, "
            + OF_CALL
            + " from calls where run is not null and "
            + NUMBERED
            + ") c group by run",
        values);
  }

  /** The values of {@link #NUMBERED}. */
  private static void addRange(List<Long> to, long first, long last) {
    long from = HourlyStats.hour(Micros.instant(first));
    long until = HourlyStats.hour(Micros.instant(last));
    to.addAll(List.of(from, until, from, until, first, last));
  }

  /**
   * Of runs that lie between the instants as a whole, the dearest. Of those that overlap an end and
   * as a whole cost as much as the last of these: the sums of their days, and the calls of the day
   * that this end is in.
   */
  static List<Sum> ofRuns(Connection db, CostQuery query) throws SQLException {
    long to = Micros.of(query.to());
    // What came before the first day that is kept is gone from the days, but not from the run.
    long kept = number(db, "select coalesce(min(day), 0) from run_cost_days");
    long from = Math.max(Micros.of(query.from()), kept * MICROS_A_DAY);
    if (from > to) {
      return List.of();
    }
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
    sums.addAll(ofOverlapping(db, from, to, least));
    return sums;
  }

  private static List<Sum> ofOverlapping(Connection db, long from, long to, long least)
      throws SQLException {
    long firstDay = day(from);
    long lastDay = day(to);
    var sql =
        new StringBuilder("with r as (select run, first_at, last_at from run_costs where")
            .append(" cost_nanos >= ? and first_at <= ? and last_at >= ? and (first_at < ? or")
            .append(" last_at > ?)) ")
            .append(ADDED_UP)
            .append("select d.run, ")
            .append(each("d.%s"))
            .append(" from r cross join run_cost_days d where d.run = r.run and d.day between ?")
            .append(" and ? and (d.day > ? or r.first_at >= ?) and (d.day < ? or r.last_at <= ?)");
    var values = new ArrayList<>(List.of(least, to, from, from, to));
    values.addAll(List.of(firstDay, lastDay, firstDay, from, lastDay, to));
    if (firstDay == lastDay) {
      sql.append(OF_OVERLAPPING_CALLS);
      addRange(values, from, to);
    } else {
      sql.append(OF_OVERLAPPING_CALLS).append(" and r.first_at < ?");
      addRange(values, from, (firstDay + 1) * MICROS_A_DAY - 1);
      values.add(from);
      sql.append(OF_OVERLAPPING_CALLS).append(" and r.last_at > ?");
      addRange(values, lastDay * MICROS_A_DAY, to);
      values.add(to);
    }
    return sums(db, sql.append(") s group by run").toString(), values);
  }

  private static long number(Connection db, String sql, long... values) throws SQLException {
    try (var statement = db.prepareStatement(sql)) {
      for (int i = 0; i < values.length; i++) {
        statement.setLong(i + 1, values[i]);
      }
      try (var row = statement.executeQuery()) {
        return row.next() ? row.getLong(1) : 0;
      }
    }
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
