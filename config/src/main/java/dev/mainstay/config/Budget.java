package dev.mainstay.config;

import java.time.Instant;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.temporal.ChronoUnit;

/**
 * What a client may spend.
 *
 * @param nanos nano-dollars a period
 * @param per the period, in UTC; default a day
 */
public record Budget(long nanos, Per per) {

  /** How often a budget is full again. */
  public enum Per {
    HOUR,
    DAY,
    MONTH;

    /** When the period that {@code now} lies in began. */
    public Instant start(Instant now) {
      return switch (this) {
        case HOUR -> now.truncatedTo(ChronoUnit.HOURS);
        case DAY -> now.truncatedTo(ChronoUnit.DAYS);
        case MONTH -> month(now).toInstant();
      };
    }

    /** When it ends. */
    public Instant end(Instant now) {
      return switch (this) {
        case HOUR -> start(now).plus(1, ChronoUnit.HOURS);
        case DAY -> start(now).plus(1, ChronoUnit.DAYS);
        case MONTH -> month(now).plusMonths(1).toInstant();
      };
    }

    private static ZonedDateTime month(Instant now) {
      return now.atZone(ZoneOffset.UTC).truncatedTo(ChronoUnit.DAYS).withDayOfMonth(1);
    }
  }
}
