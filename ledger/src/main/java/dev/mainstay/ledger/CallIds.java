package dev.mainstay.ledger;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.time.InstantSource;
import java.util.random.RandomGenerator;

/**
 * Makes ids of calls: {@code call_} and 26 characters that sort by time, 10 of milliseconds and 16
 * random ones (80 bits). Safe for use by many threads where {@code random} is.
 */
public final class CallIds {
  private static final String PREFIX = "call_";
  // Crockford's base 32, in lower case: no i, l, o or u, so that an id survives being read aloud.
  private static final byte[] DIGITS = "0123456789abcdefghjkmnpqrstvwxyz".getBytes(ISO_8859_1);

  private final InstantSource clock;
  private final RandomGenerator random;

  public CallIds(InstantSource clock, RandomGenerator random) {
    this.clock = clock;
    this.random = random;
  }

  /** A new id. */
  public String next() {
    var id = new byte[PREFIX.length() + 26];
    for (int i = 0; i < PREFIX.length(); i++) {
      id[i] = (byte) PREFIX.charAt(i);
    }
    encode(id, PREFIX.length(), 10, clock.millis());
    encode(id, PREFIX.length() + 10, 8, random.nextLong());
    encode(id, PREFIX.length() + 18, 8, random.nextLong());
    return new String(id, ISO_8859_1);
  }

  private static void encode(byte[] into, int at, int digits, long value) {
    for (int i = digits - 1; i >= 0; i--) {
      into[at + i] = DIGITS[(int) (value & 31)];
      value >>>= 5;
    }
  }
}
