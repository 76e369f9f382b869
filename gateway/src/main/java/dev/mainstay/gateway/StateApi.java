package dev.mainstay.gateway;

import dev.mainstay.http.Exchange;
import dev.mainstay.ledger.state.AlertLog.Alert;
import dev.mainstay.ledger.state.Budgets.Account;
import dev.mainstay.ledger.state.DurableState;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** What of the admin API reads and changes the durable state. */
final class StateApi {
  private static final int NEWEST = 100;

  private final @Nullable DurableState state;

  /**
   * @param state null where nothing is kept
   */
  StateApi(@Nullable DurableState state) {
    this.state = state;
  }

  /** Whether it answered: the path is one of its own. */
  boolean handle(Exchange exchange) {
    boolean get = exchange.method().equals("GET");
    var path = exchange.path();
    if (get && path.equals("/api/alerts")) {
      list(exchange, "alerts", from -> from.alerts().newest(NEWEST), StateApi::alert);
    } else if (get && path.equals("/api/budgets")) {
      list(exchange, "accounts", from -> from.budgets().accounts(), StateApi::account);
    } else {
      return false;
    }
    return true;
  }

  private <T> void list(
      Exchange exchange,
      String name,
      Function<DurableState, CompletionStage<List<T>>> read,
      Function<T, Map<String, Object>> write) {
    if (state == null) {
      error(exchange, 503, "this gateway has no store");
      return;
    }
    read.apply(state)
        .whenComplete(
            (rows, failed) -> {
              if (rows == null) {
                error(exchange, 500, "the store cannot be read");
              } else {
                exchange.respond(
                    200,
                    "application/json",
                    Json.of(Map.of(name, rows.stream().map(write).toList())));
              }
            });
  }

  static void error(Exchange exchange, int status, String why) {
    exchange.respond(status, "application/json", Json.of(Map.of("error", Map.of("message", why))));
  }

  private static Map<String, Object> alert(Alert alert) {
    var map = new LinkedHashMap<String, Object>();
    map.put("id", alert.id());
    map.put("kind", alert.kind());
    map.put("cause", alert.cause());
    map.put("message", alert.message());
    map.put("raised_at", alert.raisedAt());
    map.put("suppressed", alert.suppressed());
    map.put("delivery", alert.delivery().name().toLowerCase(Locale.ROOT));
    map.put("tries", alert.tries());
    map.put("next_at", alert.nextAt());
    map.put("trouble", alert.trouble());
    return map;
  }

  private static Map<String, Object> account(Account account) {
    var map = new LinkedHashMap<String, Object>();
    map.put("account", account.account());
    map.put("period", account.period() == 0 ? null : Instant.ofEpochSecond(account.period()));
    map.put("spent_usd", AdminApi.usd(account.spent()));
    map.put("reserved_usd", AdminApi.usd(account.reserved()));
    return map;
  }
}
