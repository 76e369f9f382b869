package dev.mainstay.gateway;

import dev.mainstay.core.recovery.TargetId;
import dev.mainstay.gateway.config.ConfigLoader;
import dev.mainstay.http.Exchange;
import dev.mainstay.ledger.AttemptRecord;
import dev.mainstay.ledger.CallQuery;
import dev.mainstay.ledger.CallRecord;
import dev.mainstay.ledger.LedgerException;
import dev.mainstay.ledger.LedgerReader;
import dev.mainstay.ledger.Tokens;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http.DefaultHttpHeaders;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** {@code /api}: what people and the studio ask. Reading the ledger happens off the loop. */
final class AdminApi {
  private static final int PAGE = 100;

  private final Supplier<Generation> current;
  private final @Nullable LedgerReader reader;
  private final LongSupplier nanos;
  private final StateApi state;
  private final CostsApi costs = new CostsApi(InstantSource.system());

  AdminApi(
      Supplier<Generation> current,
      @Nullable LedgerReader reader,
      LongSupplier nanos,
      StateApi state) {
    this.state = state;
    this.current = current;
    this.reader = reader;
    this.nanos = nanos;
  }

  void handle(Exchange exchange) {
    var refusal = current.get().access().adminRefusal(exchange);
    if (refusal != null) {
      if (!state.ownAnswer(exchange)) {
        error(exchange, 401, refusal);
      }
      return;
    }
    if (state.handle(exchange)) {
      return;
    }
    var path = exchange.path();
    boolean get = exchange.method().equals("GET");
    if (get && path.equals("/api/calls")) {
      off(exchange, () -> calls(exchange.query()));
    } else if (get && path.startsWith("/api/calls/") && path.contains("/bodies/")) {
      body(exchange, path);
    } else if (get && path.equals("/api/costs")) {
      off(exchange, () -> costs(exchange.query()));
    } else if (get && path.equals("/api/openapi.json")) {
      exchange.respond(200, "application/json", OpenApi.text());
    } else if (get && path.startsWith("/api/calls/")) {
      var id = path.substring("/api/calls/".length());
      off(exchange, () -> call(id));
    } else if (get && path.equals("/api/breakers")) {
      exchange.respond(200, "application/json", Json.of(Map.of("breakers", breakers())));
    } else if (path.startsWith("/api/breakers/") && path.endsWith("/reset")) {
      reset(exchange, path);
    } else if (get && path.equals("/api/config/schema")) {
      exchange.respond(200, "application/schema+json", ConfigLoader.schema());
    } else if (get && path.equals("/api/config")) {
      exchange.respond(200, "application/json", Json.of(ConfigView.of(current.get().config())));
    } else {
      error(exchange, 404, "nothing is offered at this path");
    }
  }

  /** An answer of the API: what to say, with which status. */
  private record Reply(int status, Object body) {}

  private void off(Exchange exchange, Callable<Reply> work) {
    exchange
        .loop()
        .blocking(
            work,
            (reply, thrown) -> {
              if (reply != null) {
                exchange.respond(reply.status(), "application/json", Json.of(reply.body()));
              } else if (thrown instanceof IllegalArgumentException e) {
                error(exchange, 400, String.valueOf(e.getMessage()));
              } else {
                error(exchange, 500, "the ledger cannot be read");
              }
            });
  }

  private static void error(Exchange exchange, int status, String why) {
    exchange.respond(status, "application/json", Json.of(Map.of("error", Map.of("message", why))));
  }

  private Reply calls(String query) {
    var from = reader;
    if (from == null) {
      return new Reply(503, Map.of("error", Map.of("message", "no ledger is kept")));
    }
    var limit = parameter(query, "limit");
    var failed = parameter(query, "failed");
    int size = limit == null ? PAGE : Math.clamp(Long.parseLong(limit), 1, CallQuery.MAX_LIMIT);
    var page =
        from.calls(
            new CallQuery(
                size,
                parameter(query, "cursor"),
                parameter(query, "run"),
                parameter(query, "client"),
                parameter(query, "target"),
                failed == null ? null : (Boolean) Boolean.parseBoolean(failed)));
    var calls = new ArrayList<Object>(page.calls().size());
    page.calls().forEach(call -> calls.add(call(call)));
    var body = new LinkedHashMap<String, Object>();
    body.put("calls", calls);
    body.put("next", page.next());
    return new Reply(200, body);
  }

  private Reply call(String id) {
    var from = reader;
    var stored = from == null ? null : from.call(id);
    var kept = state.kept(id);
    if (stored == null) {
      return kept == null
          ? new Reply(404, Map.of("error", Map.of("message", "there is no call of that id")))
          : new Reply(200, kept);
    }
    var attempts = new ArrayList<Object>(stored.attempts().size());
    stored.attempts().forEach(attempt -> attempts.add(attempt(attempt)));
    var body = new LinkedHashMap<String, Object>();
    if (kept != null) {
      body.putAll(kept);
    }
    body.put("call", call(stored.call()));
    body.put("attempts", attempts);
    var bodies = new ArrayList<Object>(stored.bodies().size());
    for (var part : stored.bodies()) {
      var map = new LinkedHashMap<String, Object>();
      map.put("attempt", part.attempt());
      map.put("part", part.part().wireName());
      map.put("bytes", part.length());
      bodies.add(map);
    }
    body.put("bodies", bodies);
    return new Reply(200, body);
  }

  private Reply costs(String query) {
    var from = reader;
    return from == null
        ? new Reply(503, Map.of("error", Map.of("message", "no ledger is kept")))
        : new Reply(
            200,
            costs.answer(
                from, parameter(query, "by"), parameter(query, "from"), parameter(query, "to")));
  }

  /** {@code /api/calls/ID/bodies/ATTEMPT/PART}: the bytes as they are kept. */
  private void body(Exchange exchange, String path) {
    var parts = path.substring("/api/calls/".length()).split("/", -1);
    exchange
        .loop()
        .blocking(
            () -> parts.length == 4 ? bytes(parts[0], parts[2], parts[3]) : null,
            (bytes, thrown) -> {
              if (bytes != null) {
                exchange.respond(
                    200,
                    new DefaultHttpHeaders().set("content-type", "application/octet-stream"),
                    Unpooled.wrappedBuffer(bytes));
              } else if (thrown == null || thrown instanceof LedgerException) {
                error(exchange, 404, "no such body is kept");
              } else {
                error(exchange, 500, "the ledger cannot be read");
              }
            });
  }

  private byte @Nullable [] bytes(String id, String attempt, String part) {
    var from = reader;
    var stored = from == null ? null : from.call(id);
    if (from == null || stored == null) {
      return null;
    }
    for (var kept : stored.bodies()) {
      if (Integer.toString(kept.attempt()).equals(attempt) && kept.part().wireName().equals(part)) {
        return from.body(kept);
      }
    }
    return null;
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

  static Json.@Nullable Raw usd(@Nullable Long nanos) {
    return nanos == null
        ? null
        : new Json.Raw(java.math.BigDecimal.valueOf(nanos, 9).stripTrailingZeros().toPlainString());
  }

  private static @Nullable Long millis(@Nullable Duration duration) {
    return duration == null ? null : (Long) duration.toMillis();
  }

  private static @Nullable Long since(Instant start, @Nullable Instant end) {
    return end == null ? null : (Long) Duration.between(start, end).toMillis();
  }

  private List<Object> breakers() {
    long now = nanos.getAsLong();
    var list = new ArrayList<Object>();
    current.get().guards().states(now).forEach(state -> list.add(Health.breaker(state, now)));
    return list;
  }

  private void reset(Exchange exchange, String path) {
    if (!exchange.method().equals("POST")) {
      error(exchange, 405, "only POST resets a breaker");
      return;
    }
    var name =
        decoded(path.substring("/api/breakers/".length(), path.length() - "/reset".length()));
    int slash = name.indexOf('/');
    boolean known =
        slash > 0
            && current
                .get()
                .guards()
                .reset(new TargetId(name.substring(0, slash), name.substring(slash + 1)));
    if (known) {
      exchange.respond(200, "application/json", Json.of(Map.of("target", name, "state", "closed")));
    } else {
      error(exchange, 404, "no call has gone to such a target");
    }
  }

  private static @Nullable String parameter(String query, String name) {
    var value = Access.query(query, name);
    return value == null || value.isEmpty() ? null : decoded(value);
  }

  private static String decoded(String text) {
    return URLDecoder.decode(text, StandardCharsets.UTF_8);
  }
}
