package dev.mainstay.gateway.admin;

import static dev.mainstay.gateway.api.Route.Reply.ok;

import dev.mainstay.gateway.admin.CallJson.TokenCounts;
import dev.mainstay.gateway.api.ApiException;
import dev.mainstay.gateway.api.Route;
import dev.mainstay.gateway.api.Times;
import dev.mainstay.http.Role;
import dev.mainstay.http.Routes.Flat;
import dev.mainstay.ledger.LedgerReader;
import dev.mainstay.ledger.stats.CallStats;
import dev.mainstay.ledger.stats.CallStats.Counter;
import dev.mainstay.ledger.stats.LatencyHistogram;
import dev.mainstay.ledger.stats.StatsQuery;
import dev.mainstay.ledger.stats.StatsQuery.By;
import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** {@code GET /api/stats}: what calls came to, from the hourly sums. Blocks on the ledger. */
final class StatsApi {
  /** What is asked for where nothing is said. */
  private static final Duration USUAL = Duration.ofDays(1);

  /** Beyond it a page would wait for more than it can draw. */
  private static final int MOST_BUCKETS = 20_000;

  private final Supplier<LedgerReader> reader;
  private final InstantSource clock;

  StatsApi(Supplier<LedgerReader> reader, InstantSource clock) {
    this.reader = reader;
    this.clock = clock;
  }

  /** 50 %, 95 % and 99 % were as quick as this, or quicker; null where there was none. */
  record Percentiles(@Nullable Long p50, @Nullable Long p95, @Nullable Long p99) {
    static Percentiles of(LatencyHistogram from) {
      return new Percentiles(
          from.percentileMillis(0.5), from.percentileMillis(0.95), from.percentileMillis(0.99));
    }
  }

  /**
   * How many calls there were, and how they ended.
   *
   * @param recovered calls that were delivered although an attempt failed
   * @param failedByKind calls that ended in an error, by its kind
   */
  record CallCounts(
      long calls, long delivered, long recovered, long failed, Map<String, Long> failedByKind) {
    static CallCounts of(CallStats of) {
      return new CallCounts(
          of.get(Counter.CALLS),
          of.get(Counter.DELIVERED),
          of.get(Counter.RECOVERED),
          of.get(Counter.FAILED),
          of.failedCalls());
    }
  }

  /**
   * How many attempts their calls took.
   *
   * @param failedAttemptsByKind attempts that failed, those that others made good included
   */
  record AttemptCounts(long attempts, long failedAttempts, Map<String, Long> failedAttemptsByKind) {
    static AttemptCounts of(CallStats of) {
      return new AttemptCounts(
          of.get(Counter.ATTEMPTS), of.get(Counter.FAILED_ATTEMPTS), of.failedAttempts());
    }
  }

  /**
   * What calls came to. Its JSON is flat.
   *
   * @param attemptsWithoutPrice attempts that used tokens at an unknown price: their cost is not in
   *     the sum
   */
  record Sums(
      @Flat CallCounts callCounts,
      @Flat AttemptCounts attemptCounts,
      TokenCounts tokens,
      @Nullable BigDecimal costUsd,
      long attemptsWithoutPrice,
      Percentiles firstTokenMs,
      Percentiles totalMs) {
    static Sums of(CallStats of) {
      long cost = of.get(Counter.COST_NANOS);
      long unpriced = of.get(Counter.UNPRICED);
      var tokens = of.tokens();
      return new Sums(
          CallCounts.of(of),
          AttemptCounts.of(of),
          new TokenCounts(
              tokens.input(),
              tokens.cachedInput(),
              tokens.cacheWrite(),
              tokens.output(),
              tokens.reasoning(),
              false),
          // Of attempts that all have an unknown price the sum is unknown too, and not 0.
          CallJson.usd(cost == 0 && unpriced > 0 ? null : (Long) cost),
          unpriced,
          Percentiles.of(of.firstToken()),
          Percentiles.of(of.total()));
    }
  }

  /** The sums of one model, client, …; the key is null for calls that have none. */
  record Row(@Nullable String key, @Flat Sums sums) {}

  /** The sums of one bucket of time. */
  record Bucket(Instant at, @Nullable String key, @Flat Sums sums) {}

  /**
   * The answer.
   *
   * @param bucketS seconds of a bucket
   * @param total of all calls
   * @param rows one for each model, client, …, those with most calls first
   * @param buckets the same by time, the first first
   */
  record Stats(
      Instant from,
      Instant to,
      String by,
      long bucketS,
      Sums total,
      List<Row> rows,
      List<Bucket> buckets) {}

  Route route() {
    return Route.get(
            "/api/stats",
            Role.VIEWER,
            "stats",
            "Sums over calls: outcomes, failures, tokens, cost, latencies",
            (Route.Handler.Blocking) this::answer)
        .with("from", "string", "a day or an instant; default a day ago. Hours count in full")
        .with("to", "string", "a day, which counts in full, or an instant; default now")
        .with("by", "string", "all (default), model, client, target, kind or agent")
        .with("bucket", "string", "hours or days, such as 1h (default), 6h, 1d")
        .gives(Stats.class);
  }

  private Route.Reply answer(Route.ApiRequest asked) {
    var now = clock.instant();
    var to = Times.of("to", asked.query("to"), true);
    var until = to == null ? now : to;
    var from = Times.of("from", asked.query("from"), false);
    var since = from == null ? until.minus(USUAL) : from;
    if (!until.isAfter(since)) {
      throw ApiException.invalid("to is before from");
    }
    var by = by(asked.query("by"));
    var bucket = Times.bucket(asked.query("bucket") == null ? "1h" : asked.query("bucket"));
    // The end is not in the range: a range to midnight has no hour of the next day.
    var rows =
        reader
            .get()
            .stats(
                new StatsQuery(
                    by, since, until.isAfter(since) ? until.minusNanos(1000) : until, bucket));
    if (rows.size() > MOST_BUCKETS) {
      throw ApiException.invalid(
          rows.size() + " rows are too many; use a larger bucket or a shorter time", "1d");
    }
    var total = new CallStats();
    var byKey = new LinkedHashMap<String, CallStats>();
    var buckets = new ArrayList<Bucket>(rows.size());
    for (var row : rows) {
      byKey.computeIfAbsent(row.key(), key -> new CallStats()).merge(row.stats());
      buckets.add(new Bucket(row.at(), key(row.key()), Sums.of(row.stats())));
    }
    if (by == By.KIND || by == By.AGENT) {
      // A call may have failed in several ways, and most have no agent.
      var all = new StatsQuery(By.ALL, since, until, Duration.ofDays(1_000));
      reader.get().stats(all).forEach(row -> total.merge(row.stats()));
    } else {
      byKey.values().forEach(total::merge);
    }
    var list =
        byKey.entrySet().stream()
            .map(each -> new Row(key(each.getKey()), Sums.of(each.getValue())))
            .sorted(
                Comparator.comparingLong((Row row) -> row.sums().callCounts().calls()).reversed())
            .toList();
    return ok(
        new Stats(since, until, by.wireName(), bucket.toSeconds(), Sums.of(total), list, buckets));
  }

  private static By by(@Nullable String name) {
    try {
      return By.of(name == null ? "all" : name);
    } catch (IllegalArgumentException e) {
      throw ApiException.invalid(
          "by is not " + name, "all", "model", "client", "target", "kind", "agent");
    }
  }

  private static @Nullable String key(String key) {
    return key.isEmpty() ? null : key;
  }
}
