package dev.mainstay.config;

import dev.mainstay.core.settings.DurationText;
import java.time.Duration;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Durations ({@code 500ms}, {@code 9m30s}) and sizes ({@code 64MiB}) as people write them. */
public final class Units {
  static final String DURATION = "a duration such as 500ms, 30s, 5m or 9m30s";
  static final String SIZE = "a size such as 65536, 512KiB, 64MiB or 20GiB";

  /** Nanoseconds in a long end at 292 years. */
  private static final Duration LONGEST = Duration.ofDays(36_500);

  private Units() {}

  /** The duration, or null where {@code text} is none, or one of more than a hundred years. */
  public static @Nullable Duration duration(String text) {
    try {
      var duration = DurationText.parse(text);
      return duration.compareTo(LONGEST) > 0 ? null : duration;
    } catch (IllegalArgumentException e) {
      return null;
    }
  }

  /** The number of bytes, or null where {@code text} is no size. */
  public static @Nullable Long size(String text) {
    int digits = 0;
    while (digits < text.length() && isDigit(text.charAt(digits))) {
      digits++;
    }
    if (digits == 0 || digits > 15) {
      return null;
    }
    long count = Long.parseLong(text.substring(0, digits));
    int shift =
        switch (text.substring(digits).strip().toLowerCase(Locale.ROOT)) {
          case "", "b" -> 0;
          case "k", "kib" -> 10;
          case "m", "mib" -> 20;
          case "g", "gib" -> 30;
          case "t", "tib" -> 40;
          default -> -1;
        };
    return shift < 0 || count > Long.MAX_VALUE >> shift ? null : (Long) (count << shift);
  }

  private static boolean isDigit(char c) {
    return c >= '0' && c <= '9';
  }
}
