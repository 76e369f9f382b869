package dev.mainstay.gateway;

import dev.mainstay.http.Role;
import dev.mainstay.ledger.CostQuery;
import dev.mainstay.ledger.LedgerReader;
import java.math.BigDecimal;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** {@code GET /api/costs?by=model|client|run|day}. Blocks on the ledger. */
final class CostsApi {
  /** What is asked for where nothing is said. */
  private static final Duration USUAL = Duration.ofDays(30);

  private final Supplier<LedgerReader> reader;
  private final InstantSource clock;

  CostsApi(Supplier<LedgerReader> reader, InstantSource clock) {
    this.reader = reader;
    this.clock = clock;
  }

  Route route() {
    return Route.get(
            "/api/costs",
            Role.VIEWER,
            "costs",
            "What was used and paid",
            (Route.Handler.Blocking) this::answer)
        .with("by", "string", "model (default), client, run, agent or day")
        .with("from", "string", "a day or an instant; default 30 days ago")
        .with("to", "string", "a day, which counts whole, or an instant; default now");
  }

  private Route.Reply answer(Route.Asked asked) {
    var by = asked.query("by");
    var what = by == null ? CostQuery.By.MODEL : CostQuery.By.of(by);
    if (what == null) {
      throw ApiException.invalid("by is not " + by, "model", "client", "run", "agent", "day");
    }
    var now = clock.instant();
    var from = Times.of("from", asked.query("from"), false);
    var to = Times.of("to", asked.query("to"), true);
    var until = to == null ? now : to.minusNanos(1000);
    var since = from == null ? until.minus(USUAL) : from;
    if (until.isBefore(since)) {
      throw ApiException.invalid("to is before from");
    }
    var query = new CostQuery(what, since, until);
    var rows = new ArrayList<Object>();
    long nanos = 0;
    long unpriced = 0;
    for (var sum : reader.get().costs(query)) {
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
    return Route.Reply.ok(answer);
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
  private static @Nullable BigDecimal usd(long nanos, long unpriced) {
    return CallJson.usd(nanos == 0 && unpriced > 0 ? null : (Long) nanos);
  }
}
