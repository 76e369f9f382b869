package dev.mainstay.ledger.sqlite;

import dev.mainstay.ledger.AttemptRecord;
import dev.mainstay.ledger.CallRecord;
import dev.mainstay.ledger.CostQuery;
import dev.mainstay.ledger.Tokens;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The hourly sums of a batch on their way into {@code costs_hourly}. For one thread. */
final class Costs {
  /** How long sums are kept, whatever the retention of calls: a year and a month. */
  static final Duration KEPT = Duration.ofDays(400);

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

  static final String ADD =
      "insert into costs_hourly values (?,?,?,?,?,?,?,?,?,?,?,?,?)"
          + " on conflict (hour, client, target) do update set calls = calls + excluded.calls,"
          + " failed = failed + excluded.failed, attempts = attempts + excluded.attempts,"
          + " input = input + excluded.input, cached_input = cached_input + excluded.cached_input,"
          + " cache_write = cache_write + excluded.cache_write, output = output + excluded.output,"
          + " reasoning = reasoning + excluded.reasoning,"
          + " cost_nanos = cost_nanos + excluded.cost_nanos,"
          + " unpriced = unpriced + excluded.unpriced";

  private static final String SUMS =
      ", sum(calls), sum(failed), sum(attempts), sum(input), sum(cached_input), sum(cache_write),"
          + " sum(output), sum(reasoning), sum(cost_nanos), sum(unpriced) from costs_hourly"
          + " where hour between ? and ? group by 1 order by ";

  private record Key(long hour, String client, String target) {}

  private final Map<Key, long[]> sums = new HashMap<>();

  void add(CallRecord call, List<AttemptRecord> attempts) {
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
  void bind(PreparedStatement add) throws SQLException {
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

  static long hour(Instant time) {
    return Math.floorDiv(Rows.micros(time), MICROS_AN_HOUR);
  }

  /** The question of {@code query}, with two places for its times and one for most rows. */
  static String select(CostQuery.By by) {
    return switch (by) {
      case MODEL -> "select nullif(target, '')" + SUMS + "10 desc, 4 desc limit ?";
      case CLIENT -> "select nullif(client, '')" + SUMS + "10 desc, 4 desc limit ?";
      case DAY -> "select date(hour * 3600, 'unixepoch')" + SUMS + "1 desc limit ?";
      case RUN ->
          "select run, count(*), sum(verdict is not null), sum(attempts),"
              + " coalesce(sum(input), 0), coalesce(sum(cached_input), 0),"
              + " coalesce(sum(cache_write), 0), coalesce(sum(output), 0),"
              + " coalesce(sum(reasoning), 0), coalesce(sum(cost_nanos), 0),"
              + " sum(input is not null and cost_nanos is null)"
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
