package dev.mainstay.ledger.log;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.nio.charset.StandardCharsets.UTF_8;

import dev.mainstay.ledger.Tokens;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Reads what {@link EntryWriter} wrote, in the same order: small things from a window that moves
 * over the payload, a body in one copy.
 */
final class EntryReader {
  /** Most entries without their bodies fit in it. */
  private static final int WINDOW = 512;

  private final MemorySegment payload;
  private final byte[] window;
  private int at;

  /** Where the window's bytes end, in it and in the payload. */
  private int filled;

  private long passed;

  EntryReader(MemorySegment payload) {
    this.payload = payload;
    window = new byte[(int) Math.min(WINDOW, payload.byteSize())];
  }

  int get() {
    if (at == filled) {
      fill();
    }
    return window[at++];
  }

  private void fill() {
    int length = (int) Math.min(window.length, payload.byteSize() - passed);
    if (length == 0) {
      throw new IndexOutOfBoundsException("the entry ends before its last field");
    }
    MemorySegment.copy(payload, JAVA_BYTE, passed, window, 0, length);
    passed += length;
    at = 0;
    filled = length;
  }

  boolean flag() {
    return get() != 0;
  }

  long number() {
    long value = 0;
    for (int shift = 0; ; shift += 7) {
      int next = get();
      value |= (next & 0x7FL) << shift;
      if (next >= 0) {
        return value;
      }
    }
  }

  int count() {
    return Math.toIntExact(number());
  }

  @Nullable Long nullable() {
    return flag() ? (Long) number() : null;
  }

  @Nullable String text() {
    int length = count() - 1;
    if (length < 0) {
      return null;
    }
    if (length <= filled - at) {
      at += length;
      return new String(window, at - length, length, UTF_8);
    }
    return new String(raw(length), UTF_8);
  }

  String someText() {
    return Objects.requireNonNull(text());
  }

  byte[] raw(int length) {
    int here = Math.min(length, filled - at);
    long rest = length - (long) here;
    Objects.checkFromIndexSize(passed, rest, payload.byteSize());
    var raw = new byte[length];
    System.arraycopy(window, at, raw, 0, here);
    MemorySegment.copy(payload, JAVA_BYTE, passed, raw, here, (int) rest);
    at += here;
    passed += rest;
    return raw;
  }

  @Nullable Instant time() {
    return flag() ? someTime() : null;
  }

  private Instant someTime() {
    long seconds = number();
    return Instant.ofEpochSecond(seconds, number());
  }

  Instant knownTime() {
    return Objects.requireNonNull(time());
  }

  @Nullable Duration length() {
    var nanos = nullable();
    return nanos == null ? null : Duration.ofNanos(nanos);
  }

  Duration knownLength() {
    return Objects.requireNonNull(length());
  }

  @Nullable Tokens tokens() {
    int form = get();
    return form == 0
        ? null
        : new Tokens(number(), number(), number(), number(), number(), form == 2);
  }
}
