package dev.mainstay.core.settings;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Numbers of bytes as people write them: {@code 65536}, {@code 512KiB}, {@code 20GiB}. */
public final class SizeText {
  private static final String[] UNITS = {"", "KiB", "MiB", "GiB", "TiB"};

  private SizeText() {}

  /** The number of bytes, or null where {@code text} is no size. */
  public static @Nullable Long parse(String text) {
    int digits = 0;
    while (digits < text.length() && text.charAt(digits) >= '0' && text.charAt(digits) <= '9') {
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

  /** The shortest text that {@link #parse} reads as {@code bytes}. */
  public static String format(long bytes) {
    int unit = 0;
    long count = bytes;
    while (unit < UNITS.length - 1 && count != 0 && count % 1024 == 0) {
      count /= 1024;
      unit++;
    }
    return count + UNITS[unit];
  }
}
