package dev.mainstay.wire.money;

import java.math.BigDecimal;
import java.time.LocalDate;
import java.util.Objects;

/**
 * One price: what a million of one unit cost at one model, from a day on.
 *
 * @param model {@code provider/model}, or a model's name alone for every provider that serves it;
 *     for a fee also a beginning and {@code *}, as in {@code openai/*}
 * @param unit what it is for
 * @param usdPerMillion US dollars for a million, 0 or more, with at most six decimals
 * @param from the first day it holds, UTC
 * @param above it holds for prompts of more tokens than this; 0 for all
 * @param source where it can be read
 */
public record PriceRow(
    String model, Unit unit, BigDecimal usdPerMillion, LocalDate from, long above, String source) {

  public PriceRow {
    Objects.requireNonNull(unit, "unit");
    Objects.requireNonNull(from, "from");
    Objects.requireNonNull(source, "source");
    if (model.isBlank()) {
      throw new IllegalArgumentException("model is empty");
    }
    if (usdPerMillion.signum() < 0 || usdPerMillion.stripTrailingZeros().scale() > 6) {
      throw new IllegalArgumentException(
          "price of %s is %s, not 0 or more with at most six decimals"
              .formatted(model, usdPerMillion));
    }
    if (above < 0) {
      throw new IllegalArgumentException("above is negative for " + model + ": " + above);
    }
  }

  /** Pico-dollars for one: a dollar for a million is a million of them. */
  long picoForOne() {
    return usdPerMillion.movePointRight(6).longValueExact();
  }

  PriceRow at(String otherModel) {
    return new PriceRow(otherModel, unit, usdPerMillion, from, above, source);
  }
}
