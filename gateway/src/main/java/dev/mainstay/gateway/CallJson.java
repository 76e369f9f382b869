package dev.mainstay.gateway;

import dev.mainstay.ledger.AttemptRecord;
import dev.mainstay.ledger.CallRecord;
import dev.mainstay.ledger.LedgerReader.Page;
import dev.mainstay.ledger.LedgerReader.StoredCall;
import dev.mainstay.ledger.Tokens;
import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Recorded calls as {@code /api/calls} gives them, and the command line with {@code --json}: one
 * shape, whichever way they are read. Times are whole milliseconds, money is dollars.
 */
public final class CallJson {
  private CallJson() {}

  /** The JSON of a page of calls. */
  public static String text(Page page) {
    return Json.of(of(page));
  }

  /** The JSON of a call with its attempts and what is kept of its bodies. */
  public static String text(StoredCall stored) {
    return Json.of(of(stored));
  }

  static Map<String, Object> of(Page page) {
    var body = new LinkedHashMap<String, Object>();
    body.put("calls", page.calls().stream().map(CallJson::call).toList());
    body.put("next", page.next());
    return body;
  }

  static Map<String, Object> of(StoredCall stored) {
    var bodies = new ArrayList<Object>(stored.bodies().size());
    for (var part : stored.bodies()) {
      var map = new LinkedHashMap<String, Object>();
      map.put("attempt", part.attempt());
      map.put("part", part.part().wireName());
      map.put("bytes", part.length());
      bodies.add(map);
    }
    var body = new LinkedHashMap<String, Object>();
    body.put("call", call(stored.call()));
    body.put("attempts", stored.attempts().stream().map(CallJson::attempt).toList());
    body.put("bodies", bodies);
    return body;
  }

  private static Map<String, Object> call(CallRecord call) {
    var map = new LinkedHashMap<String, Object>();
    map.put("id", call.id());
    map.put("run", call.run());
    map.put("parent", call.parent());
    map.put("client", call.client());
    map.put("started_at", call.startedAt());
    map.put("dialect", call.dialect());
    map.put("path", call.path());
    map.put("model", call.modelAsked());
    map.put("target", call.target());
    map.put("stream", call.stream());
    map.put("status", call.status());
    map.put("verdict", call.verdict());
    map.put("recovery", call.recovery());
    map.put("attempts", call.attempts());
    map.put("tokens", tokens(call.tokens()));
    map.put("cost_usd", usd(call.costNanos()));
    map.put("price_version", call.priceVersion());
    map.put("first_token_ms", millis(call.firstToken()));
    map.put("total_ms", millis(call.total()));
    return map;
  }

  private static Map<String, Object> attempt(AttemptRecord attempt) {
    var map = new LinkedHashMap<String, Object>();
    map.put("number", attempt.number());
    map.put("target", attempt.target());
    map.put("waited_ms", attempt.waited().toMillis());
    map.put("started_at", attempt.startedAt());
    map.put("headers_ms", since(attempt.startedAt(), attempt.headersAt()));
    map.put("first_token_ms", since(attempt.startedAt(), attempt.firstTokenAt()));
    map.put("total_ms", since(attempt.startedAt(), attempt.endedAt()));
    map.put("status", attempt.status());
    var failure = attempt.failure();
    map.put("failure", failure == null ? null : new Json.Raw(failure));
    map.put("verdict", attempt.verdict());
    map.put("rule", attempt.rule());
    map.put("decision", attempt.decision());
    map.put("reason", attempt.reason());
    map.put("bytes_sent", attempt.bytesSent());
    map.put("bytes_received", attempt.bytesReceived());
    map.put("tokens", tokens(attempt.tokens()));
    map.put("cost_usd", usd(attempt.costNanos()));
    return map;
  }

  private static @Nullable Map<String, Object> tokens(@Nullable Tokens tokens) {
    if (tokens == null) {
      return null;
    }
    var map = new LinkedHashMap<String, Object>();
    map.put("input", tokens.input());
    map.put("cached_input", tokens.cachedInput());
    map.put("cache_write", tokens.cacheWrite());
    map.put("output", tokens.output());
    map.put("reasoning", tokens.reasoning());
    map.put("estimated", tokens.estimated());
    return map;
  }

  /** Nano-dollars as dollars; null where the price is unknown. */
  static Json.@Nullable Raw usd(@Nullable Long nanos) {
    return nanos == null
        ? null
        : new Json.Raw(BigDecimal.valueOf(nanos, 9).stripTrailingZeros().toPlainString());
  }

  private static @Nullable Long millis(@Nullable Duration duration) {
    return duration == null ? null : (Long) duration.toMillis();
  }

  private static @Nullable Long since(Instant start, @Nullable Instant end) {
    return end == null ? null : (Long) Duration.between(start, end).toMillis();
  }
}
