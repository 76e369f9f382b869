package dev.mainstay.core.settings;

import java.math.BigDecimal;
import org.jspecify.annotations.Nullable;

/** US dollars above 0, held as nano-dollars. */
public final class Dollars implements ValueType<Long> {
  private static final BigDecimal MOST = BigDecimal.valueOf(1_000_000_000);

  /** The number, or null where {@code text} is none or has an unreasonable number of digits. */
  public static @Nullable BigDecimal decimal(String text) {
    if (text.length() > 30) {
      return null;
    }
    try {
      var number = new BigDecimal(text.strip().replace("_", ""));
      return Math.abs(number.scale()) > 20 ? null : number;
    } catch (NumberFormatException e) {
      return null;
    }
  }

  @Override
  public @Nullable Long parse(String text) {
    var usd = decimal(text);
    return usd == null || usd.signum() <= 0 || usd.compareTo(MOST) > 0
        ? null
        : (Long) usd.movePointRight(9).longValue();
  }

  @Override
  public String allowed() {
    return "dollars, above 0 and up to 1000000000, such as 50 or 0.25";
  }

  @Override
  public String format(Long nanos) {
    return BigDecimal.valueOf(nanos, 9).stripTrailingZeros().toPlainString();
  }

  @Override
  public Object show(Long nanos) {
    return new BigDecimal(format(nanos));
  }

  @Override
  public String schema() {
    return "number";
  }
}
