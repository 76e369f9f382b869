package dev.mainstay.core.recovery;

import java.time.Duration;

/** Arithmetic on the clock that is passed in: nanoseconds that saturate and never wrap. */
final class Nanos {
  /** About 73 years: long enough to mean "for ever", short enough to add to any clock. */
  static final long FOREVER = Long.MAX_VALUE / 4;

  private Nanos() {}

  static long of(Duration duration) {
    return duration.compareTo(Duration.ofNanos(FOREVER)) >= 0 ? FOREVER : duration.toNanos();
  }

  /** How long from {@code now} until {@code instant}; 0 where that is past. */
  static long until(long instant, long now) {
    long left = instant - now;
    boolean overflow = ((instant ^ now) & (instant ^ left)) < 0;
    if (overflow) {
      return instant > now ? FOREVER : 0;
    }
    return Math.clamp(left, 0, FOREVER);
  }

  /** For people: {@code 250 ms}, {@code 1.5 s}, {@code 2 min 5 s}. */
  static String text(long nanos) {
    long millis = Math.ceilDiv(nanos, 1_000_000L);
    if (millis < 1000) {
      return millis + " ms";
    }
    if (millis < 60_000) {
      return millis % 1000 == 0 ? millis / 1000 + " s" : millis / 100 / 10.0 + " s";
    }
    long seconds = millis / 1000;
    return seconds % 60 == 0 ? seconds / 60 + " min" : seconds / 60 + " min " + seconds % 60 + " s";
  }
}
