package dev.mainstay.config;

import dev.mainstay.core.recovery.TargetId;
import dev.mainstay.wire.money.PriceRow;
import dev.mainstay.wire.money.Prices;
import dev.mainstay.wire.money.Unit;
import dev.mainstay.wire.money.Usage;
import java.math.BigDecimal;
import java.net.URI;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Reads what is about money: prices, budgets, and the alerts that tell of them. */
final class MoneyReader {
  private static final String DOLLARS = "dollars, above 0 and up to 1000000000, such as 50 or 0.25";
  private static final BigDecimal MOST = BigDecimal.valueOf(1_000_000_000);

  private MoneyReader() {}

  // ---- prices

  static List<PriceRow> prices(Section top) {
    var rows = new ArrayList<PriceRow>();
    var units = new LinkedHashMap<String, Unit>();
    for (var unit : Unit.values()) {
      units.put(unit.wireName(), unit);
    }
    for (var element : top.elements("prices")) {
      var section = element.section();
      var model = section.text("model", "");
      if (model.isBlank()) {
        section.problem("model", "nothing", "provider/model, or a model at every provider");
      }
      if (!section.has("unit")) {
        section.problem("unit", "nothing", String.join(" | ", units.keySet()));
      }
      var unit = section.choice("unit", units, Unit.INPUT);
      var price = section.textOrNull("price");
      var usd = decimal(price);
      if (usd == null || usd.signum() < 0 || usd.stripTrailingZeros().scale() > 6) {
        section.problem(
            "price",
            price == null ? "nothing" : "\"" + price + "\"",
            "dollars for a million %s, 0 or more, with at most six decimals"
                .formatted(unit.isFee() ? "uses" : "tokens"));
        usd = BigDecimal.ZERO;
      }
      var from = day(section);
      int above = section.integer("above", 0, 0, Integer.MAX_VALUE);
      var source = section.text("source", "the configuration");
      section.finish();
      if (!model.isBlank()) {
        rows.add(new PriceRow(model, unit, usd, from, above, source));
      }
    }
    return rows;
  }

  private static LocalDate day(Section section) {
    var text = section.textOrNull("from");
    if (text == null) {
      return LocalDate.EPOCH;
    }
    try {
      return LocalDate.parse(text);
    } catch (DateTimeParseException e) {
      section.problem("from", "\"" + text + "\"", "a day such as 2026-01-31");
      return LocalDate.EPOCH;
    }
  }

  private static @Nullable BigDecimal decimal(@Nullable String text) {
    // A number of a thousand digits is no price, and costs time to read.
    if (text == null || text.length() > 30) {
      return null;
    }
    try {
      var number = new BigDecimal(text.replace("_", ""));
      return Math.abs(number.scale()) > 20 ? null : number;
    } catch (NumberFormatException e) {
      return null;
    }
  }

  // ---- budgets

  static @Nullable Budget budget(Section client) {
    var section = client.section("budget");
    if (!client.has("budget")) {
      return null;
    }
    var nanos = nanos(section, "usd", true);
    var per =
        section.choice(
            "per",
            Map.of("hour", Budget.Per.HOUR, "day", Budget.Per.DAY, "month", Budget.Per.MONTH),
            Budget.Per.DAY);
    section.finish();
    return new Budget(nanos == null ? 0 : nanos, per);
  }

  static @Nullable Long runBudget(Section client) {
    var section = client.section("run-budget");
    if (!client.has("run-budget")) {
      return null;
    }
    var nanos = nanos(section, "usd", true);
    section.finish();
    return nanos;
  }

  private static @Nullable Long nanos(Section section, String key, boolean needed) {
    var text = section.textOrNull(key);
    if (text == null) {
      if (needed) {
        section.problem(key, "nothing", DOLLARS);
      }
      return null;
    }
    var usd = decimal(text);
    if (usd == null || usd.signum() <= 0 || usd.compareTo(MOST) > 0) {
      section.problem(key, "\"" + text + "\"", DOLLARS);
      return null;
    }
    return usd.movePointRight(9).longValue();
  }

  /** Nobody can keep a budget in money where a price is unknown. */
  static void priced(
      Section client, List<String> allowed, Map<String, Config.Model> models, Prices prices) {
    var key = client.has("budget") ? "budget" : "run-budget";
    var today = LocalDate.now(ZoneOffset.UTC);
    for (var name : allowed.isEmpty() ? models.keySet() : allowed) {
      for (var target : targets(name, models)) {
        if (!known(prices, target, today)) {
          client.problem(
              key,
              "a budget in money, while the price of " + target + " is unknown",
              "models with a price; add rows to prices");
        }
      }
    }
  }

  private static List<TargetId> targets(String name, Map<String, Config.Model> models) {
    var model = models.get(name);
    if (model != null) {
      return model.targets().stream().map(Config.WeightedTarget::target).toList();
    }
    int slash = name.indexOf('/');
    return slash > 0 && slash < name.length() - 1
        ? List.of(new TargetId(name.substring(0, slash), name.substring(slash + 1)))
        : List.of();
  }

  private static boolean known(Prices prices, TargetId target, LocalDate day) {
    var both = new Usage(1, 0, 0, 1, 0, false);
    return prices.nanos(target.provider(), target.model(), day, both) != null;
  }

  // ---- alerts

  static Alerts alerts(Section section) {
    var defaults = Alerts.DEFAULTS;
    Alerts.Webhook webhook = null;
    if (section.has("webhook")) {
      var hook = section.section("webhook");
      var text = hook.text("url", "");
      var url = text.isBlank() ? null : webhookUrl(text);
      var secret = hook.secret("secret");
      if (url == null) {
        hook.problem(
            "url", text.isBlank() ? "nothing" : "what is no such URL", "an http or https URL");
      }
      if (secret.isEmpty()) {
        hook.problem("secret", "nothing", "a secret, with which deliveries are signed");
      }
      hook.finish();
      if (url != null) {
        webhook = new Alerts.Webhook(url, secret);
      }
    }
    section.leave("webhook");
    var throttle = section.duration("throttle", defaults.throttle());
    var spike = spike(section.section("cost-spike"));
    section.finish();
    return new Alerts(webhook, throttle, spike);
  }

  private static @Nullable URI webhookUrl(String text) {
    try {
      var url = URI.create(text.strip());
      boolean good =
          ("http".equalsIgnoreCase(url.getScheme()) || "https".equalsIgnoreCase(url.getScheme()))
              && url.getHost() != null
              && url.getRawUserInfo() == null;
      return good ? url : null;
    } catch (IllegalArgumentException e) {
      return null;
    }
  }

  private static Alerts.Spike spike(Section section) {
    var defaults = Alerts.DEFAULTS.spike();
    double factor = section.number("factor", defaults.factor(), 1, 1_000_000);
    var least = nanos(section, "at-least-usd", false);
    var window = section.duration("window", defaults.window());
    if (!window.isPositive()) {
      section.problem("window", "\"0\"", "a duration above 0");
      window = defaults.window();
    }
    section.finish();
    return new Alerts.Spike(factor, least == null ? defaults.atLeastNanos() : least, window);
  }
}
