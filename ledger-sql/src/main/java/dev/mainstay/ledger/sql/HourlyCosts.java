package dev.mainstay.ledger.sql;

import dev.mainstay.ledger.AttemptRecord;
import dev.mainstay.ledger.CallRecord;
import dev.mainstay.ledger.CostQuery;
import dev.mainstay.ledger.Tokens;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The hourly sums of a batch on their way into {@code costs_hourly}. For one thread. */
public final class HourlyCosts {
  /** How long sums are kept, whatever the retention of calls: a year and a month. */
  public static final Duration KEPT = Duration.ofDays(400);

  private static final long MICROS_AN_HOUR = 3_600_000_000L;
  private static final int CALLS = 0;
  private static final int FAILED = 1;
  private static final int ATTEMPTS = 2;
  private static final int INPUT = 3;
  private static final int CACHED = 4;
  private static final int CACHE_WRITE = 5;
  private static final int OUTPUT = 6;
  private static final int REASONING = 7;
  private static final int COST = 8;
  private static final int UNPRICED = 9;
  private static final int COLUMNS = 10;

  /** Adds a row of sums to the table. */
  public static final String ADD =
      "insert into costs_hourly values (?,?,?,?,?,?,?,?,?,?,?,?,?)"
          + " on conflict (hour, client, target) do update set calls = costs_hourly.calls + excluded.calls,"
          + " failed = costs_hourly.failed + excluded.failed, attempts = costs_hourly.attempts + excluded.attempts,"
          + " input = costs_hourly.input + excluded.input, cached_input = costs_hourly.cached_input + excluded.cached_input,"
          + " cache_write = costs_hourly.cache_write + excluded.cache_write, output = costs_hourly.output + excluded.output,"
          + " reasoning = costs_hourly.reasoning + excluded.reasoning,"
          + " cost_nanos = costs_hourly.cost_nanos + excluded.cost_nanos,"
          + " unpriced = costs_hourly.unpriced + excluded.unpriced";

  private static final String SUMS =
      ", sum(calls), sum(failed), sum(attempts), sum(input), sum(cached_input), sum(cache_write),"
          + " sum(output), sum(reasoning), sum(cost_nanos), sum(unpriced) from costs_hourly"
          + " where hour between ? and ? group by 1 order by ";

  private record Key(long hour, String client, String target) {}

  /** In one order for all, so that two gateways that add to the same rows never deadlock. */
  private final Map<Key, long[]> sums =
      new TreeMap<>(
          Comparator.comparingLong(Key::hour)
              .thenComparing(Key::client)
              .thenComparing(Key::target));

  /** Adds a call that has ended. */
  public void add(CallRecord call, List<AttemptRecord> attempts) {
    long hour = hour(call.startedAt());
    var client = call.client() == null ? "" : call.client();
    var row = row(hour, client, call.target());
    row[CALLS]++;
    row[FAILED] += call.verdict() == null ? 0 : 1;
    for (var attempt : attempts) {
      add(row(hour, client, attempt.target()), attempt);
    }
  }

  private long[] row(long hour, String client, @Nullable String target) {
    return sums.computeIfAbsent(
        new Key(hour, client, target == null ? "" : target), key -> new long[COLUMNS]);
  }

  private static void add(long[] row, AttemptRecord attempt) {
    row[ATTEMPTS]++;
    var tokens = attempt.tokens();
    if (tokens != null) {
      row[INPUT] += tokens.input();
      row[CACHED] += tokens.cachedInput();
      row[CACHE_WRITE] += tokens.cacheWrite();
      row[OUTPUT] += tokens.output();
      row[REASONING] += tokens.reasoning();
    }
    var cost = attempt.costNanos();
    if (cost != null) {
      row[COST] += cost;
    } else if (tokens != null) {
      row[UNPRICED]++;
    }
  }

  /** Hands all sums to {@code add}, whose batch is then to be executed. */
  public void bind(PreparedStatement add) throws SQLException {
    for (var each : sums.entrySet()) {
      add.setLong(1, each.getKey().hour());
      add.setString(2, each.getKey().client());
      add.setString(3, each.getKey().target());
      for (int i = 0; i < COLUMNS; i++) {
        add.setLong(4 + i, each.getValue()[i]);
      }
      add.addBatch();
    }
  }

  /** The hour of {@code time}, since 1970. */
  public static long hour(Instant time) {
    return Math.floorDiv(Micros.of(time), MICROS_AN_HOUR);
  }

  /** The question of {@code query}, with two places for its times and one for most rows. */
  static String select(CostQuery.By by, String day) {
    return switch (by) {
      case MODEL -> "select nullif(target, '')" + SUMS + "10 desc, 4 desc limit ?";
      case CLIENT -> "select nullif(client, '')" + SUMS + "10 desc, 4 desc limit ?";
      case DAY -> "select " + day + SUMS + "1 desc limit ?";
      case RUN ->
          "select run, count(*), sum(case when verdict is not null then 1 else 0 end), sum(attempts),"
              + " coalesce(sum(input), 0), coalesce(sum(cached_input), 0),"
              + " coalesce(sum(cache_write), 0), coalesce(sum(output), 0),"
              + " coalesce(sum(reasoning), 0), coalesce(sum(cost_nanos), 0),"
              + " sum(case when input is not null and cost_nanos is null then 1 else 0 end)"
              + " from calls where run is not null and started_at between ? and ?"
              + " group by run order by 10 desc, 4 desc limit ?";
    };
  }

  static CostQuery.Sum sum(ResultSet row) throws SQLException {
    int at = 2;
    return new CostQuery.Sum(
        row.getString(1),
        row.getLong(at + CALLS),
        row.getLong(at + FAILED),
        row.getLong(at + ATTEMPTS),
        new Tokens(
            row.getLong(at + INPUT),
            row.getLong(at + CACHED),
            row.getLong(at + CACHE_WRITE),
            row.getLong(at + OUTPUT),
            row.getLong(at + REASONING),
            false),
        row.getLong(at + COST),
        row.getLong(at + UNPRICED));
  }
}
