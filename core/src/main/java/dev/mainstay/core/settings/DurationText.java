package dev.mainstay.core.settings;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Durations as people write them: {@code 500ms}, {@code 30s}, {@code 9m30s}, {@code 2h}, {@code
 * 1d}.
 */
public final class DurationText {
  private DurationText() {}

  /**
   * @throws IllegalArgumentException with what was found and what is allowed
   */
  public static Duration parse(String text) {
    String rest = text.strip();
    if (rest.equals("0")) {
      return Duration.ZERO;
    }
    var sum = Duration.ZERO;
    int at = 0;
    try {
      while (at < rest.length()) {
        int unitAt = at;
        while (unitAt < rest.length() && isDigit(rest.charAt(unitAt))) {
          unitAt++;
        }
        int end = unitAt;
        while (end < rest.length() && !isDigit(rest.charAt(end))) {
          end++;
        }
        long count = Long.parseLong(rest.substring(at, unitAt));
        sum = sum.plus(of(count, rest.substring(unitAt, end)));
        at = end;
      }
    } catch (ArithmeticException | NumberFormatException e) {
      throw no(text, e);
    }
    if (rest.isEmpty()) {
      throw no(text, null);
    }
    return sum;
  }

  private static boolean isDigit(char c) {
    return c >= '0' && c <= '9';
  }

  private static Duration of(long count, String unit) {
    return switch (unit) {
      case "ms" -> Duration.ofMillis(count);
      case "s" -> Duration.ofSeconds(count);
      case "m" -> Duration.ofMinutes(count);
      case "h" -> Duration.ofHours(count);
      case "d" -> Duration.ofDays(count);
      default -> throw new NumberFormatException(unit);
    };
  }

  private static IllegalArgumentException no(String text, @Nullable Throwable cause) {
    return new IllegalArgumentException(
        "\"" + text + "\" is not a duration such as 500ms, 30s, 9m30s, 2h or 1d", cause);
  }

  /**
   * The shortest text that {@link #parse} reads as {@code duration}; below a millisecond is cut
   * off.
   */
  public static String format(Duration duration) {
    if (duration.isZero()) {
      return "0";
    }
    var text = new StringBuilder();
    append(text, duration.toDays(), "d");
    append(text, duration.toHoursPart(), "h");
    append(text, duration.toMinutesPart(), "m");
    append(text, duration.toSecondsPart(), "s");
    append(text, duration.toMillisPart(), "ms");
    return text.isEmpty() ? "0" : text.toString();
  }

  private static void append(StringBuilder text, long count, String unit) {
    if (count != 0) {
      text.append(count).append(unit);
    }
  }
}
