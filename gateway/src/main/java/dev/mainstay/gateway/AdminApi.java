package dev.mainstay.gateway;

import dev.mainstay.config.ConfigLoader;
import dev.mainstay.core.recovery.TargetId;
import dev.mainstay.engine.Generation;
import dev.mainstay.http.Exchange;
import dev.mainstay.http.Routes;
import dev.mainstay.ledger.CallQuery;
import dev.mainstay.ledger.LedgerException;
import dev.mainstay.ledger.LedgerReader;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http.DefaultHttpHeaders;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** {@code /api}: what people and the studio ask. Reading the ledger happens off the loop. */
final class AdminApi {
  private static final Logger LOG = LoggerFactory.getLogger(AdminApi.class);
  private static final int PAGE = 100;

  private final Supplier<Generation> current;
  private final Supplier<Access> access;
  private final @Nullable LedgerReader reader;
  private final LongSupplier nanos;
  private final StateApi state;
  private final List<Routes> more;
  private final CostsApi costs = new CostsApi(InstantSource.system());

  AdminApi(
      Supplier<Generation> current,
      Supplier<Access> access,
      @Nullable LedgerReader reader,
      LongSupplier nanos,
      StateApi state,
      List<Routes> more) {
    this.state = state;
    this.more = more;
    this.current = current;
    this.access = access;
    this.reader = reader;
    this.nanos = nanos;
  }

  void handle(Exchange exchange) {
    var refusal = access.get().adminRefusal(exchange);
    var routes = routes(exchange.path());
    if (refusal != null) {
      var client = routes == null ? null : clientName(exchange);
      if (routes != null && client != null) {
        routes.handle(exchange, new Routes.Caller(client));
      } else if (!state.ownAnswer(exchange)) {
        error(exchange, 401, refusal);
      }
      return;
    }
    if (routes != null) {
      // A client's key speaks for its client, also where anyone on this machine may ask.
      var client = clientName(exchange);
      routes.handle(
          exchange, client == null ? Routes.Caller.OPERATOR : new Routes.Caller(client));
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

  private @Nullable Routes routes(String path) {
    for (var each : more) {
      if (each.covers(path)) {
        return each;
      }
    }
    return null;
  }

  /** The name of the client whose key was given, or null. */
  private @Nullable String clientName(Exchange exchange) {
    return access.get().client(exchange) instanceof Access.Entry.In in && in.client() != null
        ? in.client().name()
        : null;
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
                unreadable(exchange, thrown);
              }
            });
  }

  private static void unreadable(Exchange exchange, @Nullable Throwable why) {
    LOG.error("{} could not be answered", exchange.path(), why);
    error(exchange, 500, "the ledger cannot be read: the gateway's log says why");
  }

  static void error(Exchange exchange, int status, String why) {
    exchange.respond(status, "application/json", Json.of(Map.of("error", Map.of("message", why))));
  }

  private Reply calls(String query) {
    var from = reader;
    if (from == null) {
      return new Reply(503, Map.of("error", Map.of("message", "no ledger is kept")));
    }
    var limit = parameter(query, "limit");
    var failed = parameter(query, "failed");
    if (limit != null && !limit.matches("\\d{1,9}")) {
      throw new IllegalArgumentException(
          "limit is a whole number from 1 to " + CallQuery.MAX_LIMIT);
    }
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
    return new Reply(200, CallJson.of(page));
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
    var body = new LinkedHashMap<String, Object>();
    if (kept != null) {
      body.putAll(kept);
    }
    body.putAll(CallJson.of(stored));
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
                unreadable(exchange, thrown);
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
    boolean known = name.indexOf('/') > 0 && current.get().guards().reset(TargetId.of(name));
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
