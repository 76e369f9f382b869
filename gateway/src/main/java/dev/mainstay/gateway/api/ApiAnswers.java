package dev.mainstay.gateway.api;

import dev.mainstay.gateway.api.Route.Handler;
import dev.mainstay.gateway.api.Route.Reply;
import dev.mainstay.http.Exchange;
import dev.mainstay.http.Routes.Caller;
import dev.mainstay.ledger.LedgerBusyException;
import dev.mainstay.ledger.LedgerException;
import dev.mainstay.wire.json.Tree;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http.DefaultHttpHeaders;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.node.ObjectNode;

/** Answers of {@code /api}: what its routes reply, and the errors. */
public final class ApiAnswers {
  private static final Logger LOG = LoggerFactory.getLogger(ApiAnswers.class);

  private ApiAnswers() {}

  /** Calls the handler of the route, off the loop where it blocks. */
  public static void answer(Exchange exchange, RouteTable.Match match, Caller caller) {
    var route = match.route();
    read(
        exchange,
        route,
        (query, body) -> {
          var accept = exchange.headers().get("accept", "");
          answer(
              exchange, route, new Route.ApiRequest(caller, match.segments(), query, accept, body));
        });
  }

  /**
   * Reads the parameters and the body as the route's description demands, the body off the loop,
   * and goes on with them on the loop; what it does not demand is refused.
   */
  public static void read(
      Exchange exchange, Route route, BiConsumer<Map<String, String>, ObjectNode> then) {
    var query = RouteTable.parameters(route, exchange.query());
    var type = route.body();
    if (type == null) {
      then.accept(query, Tree.object());
      return;
    }
    var bytes = exchange.body().retainedDuplicate();
    exchange
        .loop()
        .blocking(
            () -> {
              try {
                return TypedBody.read(type, ByteBufUtil.getBytes(bytes));
              } finally {
                bytes.release();
              }
            },
            (body, thrown) -> {
              try {
                if (body == null) {
                  failed(exchange, thrown);
                } else {
                  then.accept(query, body);
                }
              } catch (RuntimeException e) {
                failed(exchange, e);
              }
            });
  }

  private static void answer(Exchange exchange, Route route, Route.ApiRequest asked) {
    switch (route.handler()) {
      case Handler.OnLoop handler -> handler.handle(exchange, asked);
      case Handler.Blocking handler ->
          exchange
              .loop()
              .blocking(
                  () -> handler.answer(asked),
                  (reply, thrown) -> {
                    if (reply != null) {
                      send(exchange, reply);
                    } else {
                      failed(exchange, thrown);
                    }
                  });
    }
  }

  private static void send(Exchange exchange, Reply reply) {
    var bytes =
        switch (reply.body()) {
          case byte[] raw -> raw;
          case String text -> text.getBytes(StandardCharsets.UTF_8);
          case Object json -> Json.of(json).getBytes(StandardCharsets.UTF_8);
        };
    exchange.respond(
        reply.status(),
        new DefaultHttpHeaders()
            .set("content-type", reply.contentType())
            .set("cache-control", "no-store"),
        Unpooled.wrappedBuffer(bytes));
  }

  /** What the store said, where a handler waited for it; else {@code thrown} itself. */
  private static @Nullable Throwable ofStore(@Nullable Throwable thrown) {
    for (var cause = thrown; cause != null; cause = cause.getCause()) {
      if (cause instanceof LedgerException) {
        return thrown instanceof ApiException ? thrown : cause;
      }
    }
    return thrown;
  }

  /** Says why there is no answer. */
  public static void failed(Exchange exchange, @Nullable Throwable thrown) {
    switch (ofStore(thrown)) {
      case ApiException e -> refuse(exchange, e);
      case LedgerBusyException e ->
          refuse(exchange, ApiException.of(503, "busy", String.valueOf(e.getMessage())));
      // Health says so as well, and the log once: pages ask again each second.
      case LedgerException e ->
          refuse(
              exchange, ApiException.of(503, "store_unavailable", String.valueOf(e.getMessage())));
      case null, default -> {
        LOG.error("Mainstay could not answer {}", exchange.path(), thrown);
        fault(exchange);
      }
    }
  }

  /** A fault of Mainstay's own, which the log has. */
  public static void fault(Exchange exchange) {
    error(exchange, 500, "Mainstay could not answer. The gateway's log gives the reason.");
  }

  public static void refuse(Exchange exchange, ApiException why) {
    exchange.respond(
        why.status(),
        why.headers(),
        Unpooled.copiedBuffer(Json.of(why.body()), StandardCharsets.UTF_8));
  }

  public static void error(Exchange exchange, int status, String why) {
    refuse(exchange, ApiException.of(status, ApiException.code(status), why));
  }
}
