package dev.mainstay.gateway;

import dev.mainstay.ledger.CostQuery;
import dev.mainstay.ledger.LedgerReader;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** {@code GET /api/costs?by=model|client|run|day}. Blocks on the ledger. */
final class CostsApi {
  /** What is asked for where nothing is said. */
  private static final Duration USUAL = Duration.ofDays(30);

  private final InstantSource clock;

  CostsApi(InstantSource clock) {
    this.clock = clock;
  }

  /**
   * @param by model, client, run or day; null for model
   * @param from an instant or a day, or null for 30 days ago
   * @param to an instant or a day, which then is counted whole, or null for now
   * @throws IllegalArgumentException where one of them is none
   */
  Map<String, Object> answer(
      LedgerReader reader, @Nullable String by, @Nullable String from, @Nullable String to) {
    var what = by == null ? CostQuery.By.MODEL : CostQuery.By.of(by);
    if (what == null) {
      throw new IllegalArgumentException("by is model, client, run or day");
    }
    var now = clock.instant();
    var query =
        new CostQuery(
            what,
            from == null ? now.minus(USUAL) : time(from, false),
            to == null ? now : time(to, true));
    var rows = new ArrayList<Object>();
    long nanos = 0;
    long unpriced = 0;
    for (var sum : reader.costs(query)) {
      nanos += sum.costNanos();
      unpriced += sum.unpriced();
      rows.add(row(sum));
    }
    var answer = new LinkedHashMap<String, Object>();
    answer.put("by", by == null ? "model" : by);
    answer.put("from", query.from());
    answer.put("to", query.to());
    answer.put("cost_usd", usd(nanos, unpriced));
    answer.put("rows", rows);
    return answer;
  }

  private static Map<String, Object> row(CostQuery.Sum sum) {
    var tokens = new LinkedHashMap<String, Object>();
    tokens.put("input", sum.tokens().input());
    tokens.put("cached_input", sum.tokens().cachedInput());
    tokens.put("cache_write", sum.tokens().cacheWrite());
    tokens.put("output", sum.tokens().output());
    tokens.put("reasoning", sum.tokens().reasoning());
    var row = new LinkedHashMap<String, Object>();
    row.put("key", sum.key());
    row.put("calls", sum.calls());
    row.put("failed", sum.failed());
    row.put("attempts", sum.attempts());
    row.put("tokens", tokens);
    row.put("cost_usd", usd(sum.costNanos(), sum.unpriced()));
    row.put("attempts_without_price", sum.unpriced());
    return row;
  }

  /** Of attempts that all have an unknown price the sum is unknown too, and not 0. */
  private static Json.@Nullable Raw usd(long nanos, long unpriced) {
    return CallJson.usd(nanos == 0 && unpriced > 0 ? null : (Long) nanos);
  }

  private static Instant time(String text, boolean end) {
    try {
      if (text.length() == 10) {
        var day = LocalDate.parse(text);
        var from = (end ? day.plusDays(1) : day).atStartOfDay(ZoneOffset.UTC).toInstant();
        return end ? from.minusMillis(1) : from;
      }
      return Instant.parse(text);
    } catch (DateTimeParseException e) {
      throw new IllegalArgumentException(
          "a time is a day such as 2026-11-21 or an instant such as 2026-11-21T12:00:00Z", e);
    }
  }
}
