package dev.mainstay.config;

import dev.mainstay.core.settings.Setting;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.temporal.ChronoUnit;
import org.jspecify.annotations.Nullable;

/** What a client may spend. */
public record Budget(
    @Setting(value = "US dollars per period.", name = "usd", unit = "USD", required = true)
        long nanos,
    @Setting(value = "The period, in UTC.", byDefault = "day") Per per,
    @Setting(
            value = "The output tokens to reserve for a call that sets no limit.",
            otherwise = "the model's most",
            least = "1")
        @Nullable Integer reserve) {

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
