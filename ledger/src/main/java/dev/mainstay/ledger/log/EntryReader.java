package dev.mainstay.ledger.log;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.mainstay.ledger.Tokens;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Reads what {@link EntryWriter} wrote, in the same order. */
final class EntryReader {
  private final byte[] bytes;
  private int at;

  EntryReader(byte[] bytes) {
    this.bytes = bytes;
  }

  int get() {
    return bytes[at++];
  }

  boolean flag() {
    return get() != 0;
  }

  long number() {
    long value = 0;
    for (int shift = 0; ; shift += 7) {
      byte next = bytes[at++];
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
    return length < 0 ? null : new String(bytes, skip(length), length, UTF_8);
  }

  String someText() {
    return Objects.requireNonNull(text());
  }

  byte[] raw(int length) {
    int start = skip(length);
    return Arrays.copyOfRange(bytes, start, start + length);
  }

  private int skip(int length) {
    int start = at;
    at = Math.addExact(at, length);
    return Objects.checkFromIndexSize(start, length, bytes.length);
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
