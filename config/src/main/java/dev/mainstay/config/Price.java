package dev.mainstay.config;

import dev.mainstay.core.settings.Setting;
import dev.mainstay.wire.money.PriceRow;
import dev.mainstay.wire.money.Unit;
import java.math.BigDecimal;
import java.time.LocalDate;

/** One price, of a model and a unit: for those, only rows of the configuration count. */
public record Price(
    @Setting(
            value =
                "`provider/model`, or a model's name alone for every provider; for a fee also a"
                    + " beginning, as in `openai/*`.",
            required = true)
        String model,
    @Setting(value = "What it is for.", required = true) Unit unit,
    @Setting(
            value = "US dollars for a million tokens or uses.",
            type = Types.PerMillion.class,
            required = true)
        BigDecimal price,
    @Setting(
            value = "The first day on which it holds, UTC.",
            byDefault = "1970-01-01",
            type = Types.Day.class)
        LocalDate from,
    @Setting(value = "It holds for prompts of more tokens than this.", byDefault = "0", least = "0")
        int above,
    @Setting(value = "Where it can be read.", byDefault = "the configuration") String source) {

  /** The row of the table that it is. */
  public PriceRow row() {
    return new PriceRow(model, unit, price, from, above, source);
  }
}
