package dev.mainstay.core.failure;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Durations as people and Go write them: {@code 6m0s}, {@code 8h44m7s}, {@code 644ms}, {@code 26
 * seconds}, {@code 5 days 22 hours}, {@code about 1.5 minutes}; a bare number is seconds.
 */
final class Durations {
  private static final String[] FILLERS = {
    "about ", "approximately ", "around ", "~", "at least ", "another ", "for ", "\"", "'", "`"
  };

  private static final String[] ONE = {"an ", "a ", "one "};

  private Durations() {}

  /** The duration at {@code from} in {@code lower}, which is in lower case, or null. */
  static @Nullable Duration at(String lower, int from) {
    int i = skipFillers(lower, from);
    double seconds = 0;
    boolean any = false;
    while (i < lower.length()) {
      int article = articleEnd(lower, i);
      int end = article > 0 ? article : numberEnd(lower, i);
      if (end == i || end - i > 18) {
        break;
      }
      double number = article > 0 ? 1 : Double.parseDouble(lower.substring(i, end));
      int unit = end;
      while (unit < lower.length() && (lower.charAt(unit) == ' ' || lower.charAt(unit) == '-')) {
        unit++;
      }
      int unitEnd = unit;
      while (unitEnd < lower.length() && Character.isLetter(lower.charAt(unitEnd))) {
        unitEnd++;
      }
      double factor = factor(lower.substring(unit, Math.min(unitEnd, unit + 12)));
      if (factor < 0) {
        if (any || article > 0 || isAttached(lower, end, unit, unitEnd)) {
          break;
        }
        return Duration.ofNanos(Math.round(number * 1e9));
      }
      seconds += number * factor;
      any = true;
      i = skipJoin(lower, unitEnd);
    }
    return any && seconds < 1e9 ? Duration.ofNanos(Math.round(seconds * 1e9)) : null;
  }

  /** Whether a number belongs to something else: a date, a clock time, a count of tokens. */
  private static boolean isAttached(String lower, int end, int unit, int unitEnd) {
    if (end < lower.length() && "-/:_%".indexOf(lower.charAt(end)) >= 0) {
      return true;
    }
    return unitEnd > unit;
  }

  /** Where "an" of "an hour" ends, or 0: a word instead of the number one. */
  private static int articleEnd(String lower, int from) {
    for (var one : ONE) {
      if (lower.startsWith(one, from)) {
        return from + one.length() - 1;
      }
    }
    return 0;
  }

  private static int numberEnd(String lower, int from) {
    int end = from;
    while (end < lower.length() && (isDigit(lower.charAt(end)) || isPoint(lower, end, from))) {
      end++;
    }
    return end;
  }

  private static boolean isPoint(String lower, int i, int from) {
    return lower.charAt(i) == '.'
        && i > from
        && i + 1 < lower.length()
        && isDigit(lower.charAt(i + 1))
        && lower.indexOf('.', from, i) < 0;
  }

  private static boolean isDigit(char c) {
    return c >= '0' && c <= '9';
  }

  private static int skipFillers(String lower, int from) {
    int i = from;
    boolean skipped = true;
    while (skipped) {
      skipped = false;
      while (i < lower.length() && lower.charAt(i) == ' ') {
        i++;
      }
      for (var filler : FILLERS) {
        if (lower.startsWith(filler, i)) {
          i += filler.length();
          skipped = true;
        }
      }
    }
    return i;
  }

  private static int skipJoin(String lower, int from) {
    int i = from;
    while (i < lower.length() && (lower.charAt(i) == ' ' || lower.charAt(i) == ',')) {
      i++;
    }
    return lower.startsWith("and ", i) ? i + 4 : i;
  }

  private static double factor(String unit) {
    return switch (unit) {
      case "ns" -> 1e-9;
      case "us", "µs", "μs" -> 1e-6;
      case "ms", "millisecond", "milliseconds", "millis" -> 1e-3;
      case "s", "sec", "secs", "second", "seconds" -> 1;
      case "m", "min", "mins", "minute", "minutes" -> 60;
      case "h", "hr", "hrs", "hour", "hours" -> 3_600;
      case "d", "day", "days" -> 86_400;
      case "w", "week", "weeks" -> 604_800;
      default -> ofChinese(unit);
    };
  }

  /** Chinese writes no blank behind a unit: "30秒后重试" (try again after 30 seconds). */
  private static double ofChinese(String unit) {
    if (unit.startsWith("秒")) {
      return 1;
    } else if (unit.startsWith("分钟")) {
      return 60;
    } else if (unit.startsWith("小时")) {
      return 3_600;
    }
    return unit.startsWith("天") ? 86_400 : -1;
  }
}
