package dev.mainstay.ledger.sql;

import java.time.Instant;

/** Times as they are in rows: microseconds since 1970. */
public final class Micros {
  private Micros() {}

  /** The microseconds of {@code time}. */
  public static long of(Instant time) {
    return time.getEpochSecond() * 1_000_000 + time.getNano() / 1000;
  }

  /** The time of {@code micros}. */
  public static Instant instant(long micros) {
    return Instant.ofEpochSecond(
        Math.floorDiv(micros, 1_000_000), Math.floorMod(micros, 1_000_000L) * 1000L);
  }
}
