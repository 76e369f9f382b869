package dev.mainstay.http;

import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;

/** Times in the queries of an API. */
public final class QueryTimes {
  /** Calendars and databases differ from here on. */
  private static final Instant LATEST = Instant.parse("+10000-01-01T00:00:00Z");

  private static final int DAY_LENGTH = "2026-11-21".length();

  private QueryTimes() {}

  /**
   * An instant such as {@code 2026-11-21T12:00:00Z}, or a day of UTC such as {@code 2026-11-21}:
   * its beginning, or the beginning of the next.
   *
   * @param end whether it is the end of a range, so that a day counts as a whole
   * @throws DateTimeException where it is neither, or not of the years 1970 to 9999
   */
  public static Instant parse(String text, boolean end) {
    Instant at;
    if (text.length() == DAY_LENGTH) {
      LocalDate day = LocalDate.parse(text);
      at = (end ? day.plusDays(1) : day).atStartOfDay(ZoneOffset.UTC).toInstant();
    } else {
      at = Instant.parse(text);
    }
    if (at.isBefore(Instant.EPOCH) || at.isAfter(LATEST)) {
      throw new DateTimeException("outside of the years 1970 to 9999");
    }
    return at;
  }
}
