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
                "`provider/model`, or only a model's name for every provider. For a fee, you can"
                    + " also give a prefix, as in `openai/*`.",
            required = true)
        String model,
    @Setting(value = "The unit that the price is for.", required = true) Unit unit,
    @Setting(
            value = "US dollars per million tokens or uses.",
            type = ConfigTypes.PerMillion.class,
            required = true)
        BigDecimal price,
    @Setting(
            value = "The first day on which the price applies, in UTC.",
            byDefault = "1970-01-01",
            type = ConfigTypes.Day.class)
        LocalDate from,
    @Setting(
            value = "The price applies to prompts of more tokens than this.",
            byDefault = "0",
            least = "0")
        int above,
    @Setting(value = "The source of the price.", byDefault = "the configuration") String source) {

  /** The row of the table that it is. */
  public PriceRow row() {
    return new PriceRow(model, unit, price, from, above, source);
  }
}
