package dev.mainstay.app.terminal;

import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Values as a person reads them. */
public final class Values {
  private static final DateTimeFormatter TIME =
      DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss.SSS", Locale.ROOT);

  private Values() {}

  /** A moment in the local time zone, to the millisecond. */
  public static String time(Instant time) {
    return TIME.format(time.atZone(ZoneId.systemDefault()));
  }

  /** {@code 0.4 ms}, {@code 12 ms}, {@code 1.23 s}, {@code 2 min 5 s}. */
  public static String length(Duration length) {
    double millis = length.toNanos() / 1e6;
    if (millis < 10) {
      return String.format(Locale.ROOT, "%.1f ms", millis);
    }
    if (millis < 1000) {
      return String.format(Locale.ROOT, "%.0f ms", millis);
    }
    if (millis < 60_000) {
      return String.format(Locale.ROOT, "%.2f s", millis / 1000);
    }
    return "%d min %d s".formatted(length.toMinutes(), length.toSecondsPart());
  }

  /** Dollars with as many digits as are needed; a dash where the price is unknown. */
  public static String cost(@Nullable Long nanos) {
    if (nanos == null) {
      return "-";
    }
    var dollars = BigDecimal.valueOf(nanos, 9).stripTrailingZeros();
    return "$" + dollars.setScale(Math.max(2, dollars.scale())).toPlainString();
  }

  /** The value, or a dash where there is none. */
  public static String orDash(@Nullable Object value) {
    return value == null ? "-" : value.toString();
  }

  /** An HTTP status, coloured by what it means. */
  public static String status(int status, Style style) {
    var text = Integer.toString(status);
    return status < 400 ? style.good(text) : status == 499 ? style.warn(text) : style.bad(text);
  }
}
