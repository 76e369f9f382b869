package dev.mainstay.gateway.api;

import dev.mainstay.http.QueryTimes;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Times as the API's parameters give them. */
public final class Times {
  private static final Pattern LENGTH = Pattern.compile("([1-9][0-9]{0,3})([hd])");

  private Times() {}

  /**
   * An instant, or a day of UTC: its beginning, or where it is the end of a range the beginning of
   * the next.
   *
   * @return null of null
   */
  public static @Nullable Instant of(String name, @Nullable String text, boolean end) {
    if (text == null) {
      return null;
    }
    try {
      return QueryTimes.parse(text, end);
    } catch (DateTimeException e) {
      throw ApiException.invalid(
          name + " is a day or an instant of the years 1970 to 9999, not " + text,
          "2026-11-21",
          "2026-11-21T12:00:00Z");
    }
  }

  /** A whole number of hours or days, such as {@code 1h}. */
  public static Duration bucket(String text) {
    var match = LENGTH.matcher(text);
    if (!match.matches()) {
      throw ApiException.invalid(
          "bucket must be a number of hours or days, not " + text, "1h", "6h", "1d", "7d");
    }
    long number = Long.parseLong(match.group(1));
    return match.group(2).equals("h") ? Duration.ofHours(number) : Duration.ofDays(number);
  }
}
