package dev.mainstay.wire.money;

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
 * What tokens cost. Immutable; safe for use by many threads.
 *
 * <p>A price that is not in the table is unknown and makes the cost null, never 0. A row for {@code
 * provider/model} counts before one for the model alone; a dated name that has no row of its own
 * ({@code gpt-4o-2024-08-06}, {@code claude-sonnet-4-5-20250929}, {@code …-latest}) has the price
 * of the name without its date.
 */
public final class Prices {
  private static final Pattern DATED = Pattern.compile("-(\\d{4}-\\d{2}-\\d{2}|\\d{8}|latest)$");
  private static final Unit[] UNITS = Unit.values();
  // The newest day first, and the highest tier first among rows of one day: the first that holds.
  private static final Comparator<PriceRow> FIRST_THAT_HOLDS =
      Comparator.comparing(PriceRow::from).thenComparing(PriceRow::above).reversed();

  private final String version;
  private final Map<String, Map<Unit, List<PriceRow>>> byModel;

  private Prices(String version, List<PriceRow> rows) {
    this.version = version;
    byModel = new HashMap<>();
    for (var row : rows) {
      byModel
          .computeIfAbsent(row.model(), model -> new EnumMap<>(Unit.class))
          .computeIfAbsent(row.unit(), unit -> new ArrayList<>())
          .add(row);
    }
    byModel.values().forEach(units -> units.values().forEach(list -> list.sort(FIRST_THAT_HOLDS)));
  }

  /** The table that ships. */
  public static Prices shipped() {
    return Shipped.PRICES;
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
    return new Prices(version + "+" + Integer.toHexString(added.hashCode()), rows);
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
    var units = units(provider, model);
    return row(units, Unit.INPUT, day, 0) != null && row(units, Unit.OUTPUT, day, 0) != null;
  }

  /**
   * What {@code usage} cost on {@code day}, in nano-dollars rounded half up, or null where a price
   * it takes is unknown.
   */
  public @Nullable Long nanos(String provider, String model, LocalDate day, Usage usage) {
    var units = units(provider, model);
    long pico = 0;
    for (var unit : UNITS) {
      long tokens = usage.of(unit);
      if (tokens > 0) {
        var row = row(units, unit, day, usage.prompt());
        if (row == null) {
          return null;
        }
        pico = Math.addExact(pico, Math.multiplyExact(tokens, row.picoPerToken()));
      }
    }
    // Nothing used costs nothing only where something would have cost something.
    return pico == 0 && !known(provider, model, day) ? null : (Long) ((pico + 500) / 1000);
  }

  private Map<Unit, List<PriceRow>> units(String provider, String model) {
    var found = named(provider, model);
    if (found == null) {
      var undated = DATED.matcher(model).replaceFirst("");
      found = undated.equals(model) ? null : named(provider, undated);
    }
    return found == null ? Map.of() : found;
  }

  private @Nullable Map<Unit, List<PriceRow>> named(String provider, String model) {
    var found = byModel.get(provider + "/" + model);
    return found == null ? byModel.get(model) : found;
  }

  private static @Nullable PriceRow row(
      Map<Unit, List<PriceRow>> units, Unit unit, LocalDate day, long prompt) {
    var row = holding(units.getOrDefault(unit, List.of()), day, prompt);
    return row == null && unit == Unit.REASONING
        ? holding(units.getOrDefault(Unit.OUTPUT, List.of()), day, prompt)
        : row;
  }

  private static @Nullable PriceRow holding(List<PriceRow> rows, LocalDate day, long prompt) {
    for (var row : rows) {
      if (!row.from().isAfter(day) && (row.above() == 0 || prompt > row.above())) {
        return row;
      }
    }
    return null;
  }

  /** Loaded when the first caller needs it. */
  private static final class Shipped {
    static final Prices PRICES = PriceTable.load("prices.tsv");
  }
}
