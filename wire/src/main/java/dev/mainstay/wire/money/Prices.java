package dev.mainstay.wire.money;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * What tokens and uses of providers' tools cost. Immutable; safe for use by many threads.
 *
 * <p>A price that is not in the table is unknown and makes the cost null, never 0. A row for {@code
 * provider/model} counts before one for the model alone; a dated name that has no row of its own
 * ({@code gpt-4o-2024-08-06}, {@code claude-sonnet-4-5-20250929}, {@code …-latest}) has the price
 * of the name without its date.
 */
public final class Prices {
  private static final Pattern DATED = Pattern.compile("-(\\d{4}-\\d{2}-\\d{2}|\\d{8}|latest)$");
  private static final BigDecimal MOST_NANOS = BigDecimal.valueOf(Long.MAX_VALUE / 1000);
  private static final Unit[] UNITS = Unit.values();

  private final String version;
  private final Map<String, Map<Unit, List<PriceRow>>> byModel;
  private final Map<String, String> vendors;

  private Prices(
      String version, Map<String, Map<Unit, List<PriceRow>>> byModel, Map<String, String> vendors) {
    this.version = version;
    this.byModel = byModel;
    this.vendors = Map.copyOf(vendors);
  }

  private Prices(String version, List<PriceRow> rows) {
    this(version, new HashMap<>(), Map.of());
    for (var row : rows) {
      byModel
          .computeIfAbsent(row.model(), model -> new EnumMap<>(Unit.class))
          .computeIfAbsent(row.unit(), unit -> new ArrayList<>())
          .add(row);
    }
    byModel
        .values()
        .forEach(units -> units.values().forEach(list -> list.sort(Prices::firstThatHolds)));
  }

  /**
   * The newest day first, and the highest tier first among rows of one day. By hand: Comparator's
   * own can be written to a stream, and such lambdas are made anew at each start.
   */
  private static int firstThatHolds(PriceRow a, PriceRow b) {
    int byDay = b.from().compareTo(a.from());
    return byDay != 0 ? byDay : Long.compare(b.above(), a.above());
  }

  /** The table that ships. */
  public static Prices shipped() {
    return Shipped.PRICES;
  }

  /** All rows, by model and unit, the newest first. */
  public List<PriceRow> rows() {
    return byModel.values().stream()
        .flatMap(units -> units.values().stream())
        .flatMap(List::stream)
        .sorted(Comparator.comparing(PriceRow::model).thenComparing(PriceRow::unit))
        .toList();
  }

  /** No prices: every cost is unknown. */
  public static Prices none() {
    return new Prices("none", List.of());
  }

  static Prices of(String version, List<PriceRow> rows) {
    return new Prices(version, rows);
  }

  /**
   * This table with rows added. For a model and unit that {@code added} names, only the added rows
   * count; a model named without its provider is meant at every provider.
   */
  public Prices with(List<PriceRow> added) {
    if (added.isEmpty()) {
      return this;
    }
    var rows = new ArrayList<>(added);
    byModel.forEach(
        (model, units) ->
            units.forEach(
                (unit, kept) -> {
                  var instead =
                      added.stream().filter(a -> a.unit() == unit && meant(a, model)).toList();
                  if (instead.isEmpty()) {
                    rows.addAll(kept);
                  } else {
                    instead.stream()
                        .filter(a -> !a.model().equals(model))
                        .forEach(a -> rows.add(a.at(model)));
                  }
                }));
    return new Prices(version + "+" + Integer.toHexString(added.hashCode()), rows)
        .forVendors(vendors);
  }

  /**
   * This table for providers whose models are another's: {@code openai-eu} has OpenAI's prices.
   *
   * @param names the vendor of each provider, by the provider's name
   */
  public Prices forVendors(Map<String, String> names) {
    return new Prices(version, byModel, names);
  }

  private static boolean meant(PriceRow added, String model) {
    return added.model().equals(model)
        || (added.model().indexOf('/') < 0 && model.endsWith("/" + added.model()));
  }

  /** Which table this is: the day it was looked up, and a digest of what was added to it. */
  public String version() {
    return version;
  }

  /** Whether input and output of {@code model} at {@code provider} have a price on {@code day}. */
  public boolean known(String provider, String model, LocalDate day) {
    return row(provider, model, Unit.INPUT, day, 0) != null
        && row(provider, model, Unit.OUTPUT, day, 0) != null;
  }

  /**
   * What {@code usage} cost on {@code day}, in nano-dollars rounded half up, or null where a price
   * it takes is unknown or a count is beyond belief.
   */
  public @Nullable Long nanos(String provider, String model, LocalDate day, Usage usage) {
    var pico = usage.believable() ? pico(provider, model, day, usage) : null;
    // Nothing used costs nothing only where something would have cost something.
    return pico == null || (pico == 0 && !known(provider, model, day)) ? null : rounded(pico);
  }

  /**
   * What {@code uses} cost on {@code day} beside their tokens, in nano-dollars rounded half up, or
   * null where a price is unknown.
   */
  public @Nullable Long fees(String provider, String model, LocalDate day, ToolUses uses) {
    var pico = pico(provider, model, day, new Usage(0, 0, 0, 0, 0, false, uses));
    return pico == null ? null : rounded(pico);
  }

  /**
   * What {@code use} cost on {@code day} at {@code provider}, in nano-dollars rounded half up, or
   * null where its price is unknown.
   */
  public @Nullable Long nanos(String provider, LocalDate day, MeteredUse use) {
    for (var model : use.models()) {
      var row = row(provider, model, use.unit(), day, 0);
      if (row != null) {
        // A dollar for a million is a thousand nano-dollars for one.
        var nanos = row.usdPerMillion().movePointRight(3).multiply(use.count());
        return nanos.min(MOST_NANOS).setScale(0, RoundingMode.HALF_UP).longValueExact();
      }
    }
    return null;
  }

  private static Long rounded(long pico) {
    return pico > Long.MAX_VALUE - 500 ? Long.MAX_VALUE / 1000 : (pico + 500) / 1000;
  }

  private @Nullable Long pico(String provider, String model, LocalDate day, Usage usage) {
    long pico = 0;
    for (var unit : UNITS) {
      long count = usage.of(unit);
      if (count > 0) {
        var one = picoForOne(provider, model, unit, day, usage.prompt());
        if (one == null) {
          return null;
        }
        // No sum of money is beyond this: what is, counts as the most that can be written.
        long high = Math.multiplyHigh(count, one);
        long cost = high != 0 || count * one < 0 ? Long.MAX_VALUE : count * one;
        pico = pico > Long.MAX_VALUE - cost ? Long.MAX_VALUE : pico + cost;
      }
    }
    return pico;
  }

  private @Nullable Long picoForOne(
      String provider, String model, Unit unit, LocalDate day, long prompt) {
    var row = row(provider, model, unit, day, prompt);
    if (row != null) {
      return row.picoForOne();
    }
    // "1-hour cache write tokens are 2 times the base input tokens price":
    // https://platform.claude.com/docs/en/build-with-claude/prompt-caching#pricing
    var input = unit == Unit.CACHE_WRITE_1H ? row(provider, model, Unit.INPUT, day, prompt) : null;
    return input == null ? null : (Long) Math.min(input.picoForOne(), Long.MAX_VALUE / 2) * 2;
  }

  private @Nullable PriceRow row(
      String provider, String model, Unit unit, LocalDate day, long prompt) {
    var row = named(provider, model, unit, day, prompt);
    if (row == null) {
      var undated = DATED.matcher(model).replaceFirst("");
      row = undated.equals(model) ? null : named(provider, undated, unit, day, prompt);
    }
    if (row == null && unit == Unit.REASONING) {
      return row(provider, model, Unit.OUTPUT, day, prompt);
    }
    if (row == null && unit.isFee()) {
      row = fee(provider + "/" + model, unit, day);
      var vendor = row == null ? vendors.get(provider) : null;
      return vendor == null ? row : fee(vendor + "/" + model, unit, day);
    }
    return row;
  }

  private @Nullable PriceRow named(
      String provider, String model, Unit unit, LocalDate day, long prompt) {
    var row = holding(provider + "/" + model, unit, day, prompt);
    var vendor = row == null ? vendors.get(provider) : null;
    if (vendor != null) {
      row = holding(vendor + "/" + model, unit, day, prompt);
    }
    return row == null ? holding(model, unit, day, prompt) : row;
  }

  /** The price of a fee that many models share: that of the longest beginning the target has. */
  private @Nullable PriceRow fee(String target, Unit unit, LocalDate day) {
    for (int length = target.length(); length > 0; length--) {
      var row = holding(target.substring(0, length) + "*", unit, day, 0);
      if (row != null) {
        return row;
      }
    }
    return null;
  }

  private @Nullable PriceRow holding(String name, Unit unit, LocalDate day, long prompt) {
    var units = byModel.get(name);
    for (var row : units == null ? List.<PriceRow>of() : units.getOrDefault(unit, List.of())) {
      if (!row.from().isAfter(day) && (row.above() == 0 || prompt > row.above())) {
        return row;
      }
    }
    return null;
  }

  /** Loaded when the first caller needs it. */
  private static final class Shipped {
    static final Prices PRICES = PriceTable.load("prices.tsv", "fees.tsv");
  }
}
