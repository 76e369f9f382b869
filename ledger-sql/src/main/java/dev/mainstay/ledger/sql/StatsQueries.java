package dev.mainstay.ledger.sql;

import dev.mainstay.ledger.CostQuery;
import dev.mainstay.ledger.stats.CallStats;
import dev.mainstay.ledger.stats.CallStats.Counter;
import dev.mainstay.ledger.stats.StatsQuery;
import dev.mainstay.ledger.stats.StatsQuery.By;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What calls came to, from the hourly sums. Each question is asked on the connection it is given.
 */
public final class StatsQueries {
  private static final Duration HOUR = Duration.ofHours(1);
  private static final Duration DAY = Duration.ofDays(1);

  /** As long as any sums are kept: one bucket for all. */
  private static final Duration EVER = Duration.ofDays(1_000_000);

  private static final Comparator<CostQuery.Sum> DEAREST =
      Comparator.comparingLong(CostQuery.Sum::costNanos)
          .thenComparingLong(CostQuery.Sum::attempts)
          .reversed();

  private StatsQueries() {}

  private record Place(long at, String key) {}

  /** Sums in buckets, those of the first bucket first. */
  public static List<StatsQuery.Row> stats(Connection db, StatsQuery query) throws SQLException {
    long hours = query.bucket().dividedBy(HOUR);
    var sums = new LinkedHashMap<Place, CallStats>();
    try (var statement =
        db.prepareStatement(
            "select hour, name, stats from stats_hourly where what = ? and hour between ? and ?"
                + " order by hour, name")) {
      statement.setString(1, query.by().wireName());
      statement.setLong(2, HourlyStats.hour(query.from()));
      statement.setLong(3, HourlyStats.hour(query.to()));
      statement.setFetchSize(1000);
      try (var row = statement.executeQuery()) {
        while (row.next()) {
          long at = row.getLong(1) / hours * hours;
          sums.computeIfAbsent(new Place(at, row.getString(2)), key -> new CallStats())
              .merge(row.getBytes(3));
        }
      }
    }
    var rows = new ArrayList<StatsQuery.Row>(sums.size());
    for (var each : sums.entrySet()) {
      rows.add(
          new StatsQuery.Row(
              Instant.EPOCH.plus(HOUR.multipliedBy(each.getKey().at())),
              each.getKey().key(),
              each.getValue()));
    }
    return rows;
  }

  /** Sums of what was used and paid: those that cost most first, or the newest day. */
  public static List<CostQuery.Sum> costs(Connection db, CostQuery query) throws SQLException {
    var sums =
        switch (query.by()) {
          case RUN -> RunCosts.read(db, query);
          case MODEL -> by(db, query, By.TARGET);
          case CLIENT -> by(db, query, By.CLIENT);
          case AGENT -> by(db, query, By.AGENT);
          case DAY -> byDay(db, query);
        };
    return sums.size() > CostQuery.MAX_ROWS ? sums.subList(0, CostQuery.MAX_ROWS) : sums;
  }

  private static List<CostQuery.Sum> by(Connection db, CostQuery query, By by) throws SQLException {
    return stats(db, new StatsQuery(by, query.from(), query.to(), EVER)).stream()
        .map(row -> sum(row.key().isEmpty() ? null : row.key(), row.stats()))
        .sorted(DEAREST)
        .toList();
  }

  private static List<CostQuery.Sum> byDay(Connection db, CostQuery query) throws SQLException {
    return stats(db, new StatsQuery(By.ALL, query.from(), query.to(), DAY)).reversed().stream()
        .map(row -> sum(row.at().atOffset(ZoneOffset.UTC).toLocalDate().toString(), row.stats()))
        .toList();
  }

  private static CostQuery.Sum sum(@Nullable String key, CallStats of) {
    return new CostQuery.Sum(
        key,
        of.get(Counter.CALLS),
        of.get(Counter.FAILED),
        of.get(Counter.ATTEMPTS),
        of.tokens(),
        of.get(Counter.COST_NANOS),
        of.get(Counter.UNPRICED));
  }
}
