package dev.mainstay.gateway.admin;

import dev.mainstay.config.Alerts;
import dev.mainstay.ledger.LedgerReader;
import dev.mainstay.ledger.stats.CallStats.Counter;
import dev.mainstay.ledger.stats.StatsQuery;
import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The hours on record that were spikes, by the settings in force: above the threshold, or so many
 * times the mean of the 24 hours before. All gateways' calls count, also those before a restart.
 */
final class CostSpikes {
  private static final Duration LONGEST = Duration.ofDays(62);
  private static final Duration HOUR = Duration.ofHours(1);
  private static final int TRAILING = 24;

  /** What is usual is not known before so many hours are on record. */
  private static final int LEAST_HISTORY = 6;

  private CostSpikes() {}

  /**
   * An hour that cost more than others.
   *
   * @param usualUsd the mean of the hours before it, up to 24; null where there are too few
   */
  record Spike(Instant at, BigDecimal spentUsd, @Nullable BigDecimal usualUsd) {}

  /** Those from {@code since} to {@code until}, of the last 62 days at most, the newest first. */
  static List<Spike> between(
      LedgerReader reader, Instant since, Instant until, Alerts.Spike settings) {
    var oldest = until.minus(LONGEST);
    var from = (since.isBefore(oldest) ? oldest : since).truncatedTo(ChronoUnit.HOURS);
    var hours = new TreeMap<Instant, Long>();
    var query =
        new StatsQuery(StatsQuery.By.ALL, from.minus(HOUR.multipliedBy(TRAILING)), until, HOUR);
    for (var row : reader.stats(query)) {
      hours.put(row.at(), row.stats().get(Counter.COST_NANOS));
    }
    var spikes = new ArrayList<Spike>();
    for (var hour : hours.tailMap(from, true).descendingMap().entrySet()) {
      long seen = Math.min(TRAILING, Duration.between(hours.firstKey(), hour.getKey()).toHours());
      var before = hours.subMap(hour.getKey().minus(HOUR.multipliedBy(TRAILING)), hour.getKey());
      long sum = before.values().stream().mapToLong(Long::longValue).sum();
      var usual = seen < LEAST_HISTORY ? null : (Long) (sum / seen);
      if (settings.isSpike(hour.getValue(), usual)) {
        spikes.add(
            new Spike(
                hour.getKey(),
                Objects.requireNonNull(CallJson.usd(hour.getValue())),
                CallJson.usd(usual)));
      }
    }
    return List.copyOf(spikes);
  }
}
