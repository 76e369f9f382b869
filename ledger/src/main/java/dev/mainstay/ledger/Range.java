package dev.mainstay.ledger;

import java.math.BigDecimal;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Which values of a {@link Measure} to let through, in the unit of its name. A value that is
 * unknown is in no range.
 *
 * @param min the least, or null
 * @param max the most, or null
 */
public record Range(@Nullable BigDecimal min, @Nullable BigDecimal max) {
  private static final String MIN = "_min";
  private static final String MAX = "_max";

  public Range {
    if (min != null && max != null && min.compareTo(max) > 0) {
      throw new IllegalArgumentException("the least is %s, above the most, %s".formatted(min, max));
    }
  }

  /** Whether {@code value} is one of these. */
  public boolean includes(@Nullable BigDecimal value) {
    return value != null
        && (min == null || value.compareTo(min) >= 0)
        && (max == null || value.compareTo(max) <= 0);
  }

  /** The parameters of an API that ask for {@code measures}, each with what it does. */
  public static Map<String, String> parameters(Set<Measure> measures, String rows) {
    var all = new LinkedHashMap<String, String>();
    for (var each : measures) {
      var only = "only %s with at %%s so many %s".formatted(rows, each.words());
      all.put(each.wireName() + MIN, only.formatted("least"));
      all.put(each.wireName() + MAX, only.formatted("most"));
    }
    return all;
  }

  /**
   * The ranges that a caller's parameters ask for.
   *
   * @param given the value of a parameter, or null where it is not given
   * @throws IllegalArgumentException for a value that is no number of its measure; says so in words
   */
  public static Map<Measure, Range> of(
      Set<Measure> measures, Function<String, @Nullable String> given) {
    var ranges = new EnumMap<Measure, Range>(Measure.class);
    for (var each : measures) {
      var min = number(each, MIN, given);
      var max = number(each, MAX, given);
      if (min != null && max != null && min.compareTo(max) > 0) {
        throw new IllegalArgumentException(
            "%s_min is %s, above %1$s_max, %s"
                .formatted(each.wireName(), min.toPlainString(), max.toPlainString()));
      }
      if (min != null || max != null) {
        ranges.put(each, new Range(min, max));
      }
    }
    return ranges;
  }

  /** These ranges as a caller's parameters. */
  public static Map<String, String> parameters(Map<Measure, Range> ranges) {
    var all = new LinkedHashMap<String, String>();
    ranges.forEach(
        (measure, range) -> {
          if (range.min() != null) {
            all.put(measure.wireName() + MIN, range.min().toPlainString());
          }
          if (range.max() != null) {
            all.put(measure.wireName() + MAX, range.max().toPlainString());
          }
        });
    return all;
  }

  private static @Nullable BigDecimal number(
      Measure measure, String end, Function<String, @Nullable String> given) {
    var name = measure.wireName() + end;
    var text = given.apply(name);
    if (text == null) {
      return null;
    }
    int decimals = measure.decimals();
    if (!text.matches("\\d{1,9}" + (decimals == 0 ? "" : "(\\.\\d{1," + decimals + "})?"))) {
      throw new IllegalArgumentException(
          "%s is a %s from 0 to 999999999, not %s"
              .formatted(name, decimals == 0 ? "whole number" : "number of dollars", text));
    }
    return new BigDecimal(text);
  }
}
