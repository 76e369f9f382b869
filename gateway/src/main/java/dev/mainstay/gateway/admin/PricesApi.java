package dev.mainstay.gateway.admin;

import dev.mainstay.config.Config;
import dev.mainstay.gateway.api.Cursors;
import dev.mainstay.gateway.api.Route;
import dev.mainstay.http.Role;
import dev.mainstay.wire.money.PriceRow;
import java.math.BigDecimal;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Locale;
import java.util.TreeSet;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** {@code GET /api/prices}: the table in force, and the targets that it has no price for. */
public final class PricesApi {
  private final Supplier<Config> config;

  public PricesApi(Supplier<Config> config) {
    this.config = config;
  }

  /**
   * The table.
   *
   * @param unpriced targets of the configuration whose price is unknown
   */
  record PriceTable(
      String version, List<Price> prices, List<String> unpriced, @Nullable String next) {}

  /**
   * A price.
   *
   * @param from the first day it holds
   * @param aboveTokens it holds for longer prompts than this
   */
  record Price(
      String model,
      String unit,
      BigDecimal usdPerMillion,
      String from,
      long aboveTokens,
      String source) {
    static Price of(PriceRow row) {
      return new Price(
          row.model(),
          row.unit().name().toLowerCase(Locale.ROOT),
          row.usdPerMillion(),
          row.from().toString(),
          row.above(),
          row.source());
    }
  }

  public Route route() {
    return Cursors.sliced(
            Route.get(
                "/api/prices",
                Role.VIEWER,
                "prices",
                "The prices in force with their sources, and the targets without a price",
                (Route.Handler.Blocking) asked -> Route.Reply.ok(table(asked))),
            "prices")
        .gives(PriceTable.class);
  }

  private PriceTable table(Route.ApiRequest asked) {
    var now = config.get();
    var prices = now.priceTable();
    var today = LocalDate.now(ZoneOffset.UTC);
    var unpriced = new TreeSet<String>();
    for (var model : now.models().values()) {
      for (var each : model.targets()) {
        if (!prices.known(each.target().provider(), each.target().model(), today)) {
          unpriced.add(each.target().toString());
        }
      }
    }
    var page = Cursors.slice("prices", prices.rows().stream().map(Price::of).toList(), asked);
    return new PriceTable(prices.version(), page.rows(), List.copyOf(unpriced), page.next());
  }
}
