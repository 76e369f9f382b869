package dev.mainstay.ledger.log;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.mainstay.ledger.Tokens;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Bytes of an entry as they grow. Numbers are variable in length: seven bits a byte, low ones
 * first.
 */
final class EntryWriter {
  private byte[] bytes;
  private int size;

  EntryWriter(int capacity) {
    bytes = new byte[capacity];
  }

  byte[] bytes() {
    return bytes;
  }

  int size() {
    return size;
  }

  EntryWriter put(int oneByte) {
    room(1);
    bytes[size++] = (byte) oneByte;
    return this;
  }

  EntryWriter put(boolean value) {
    return put(value ? 1 : 0);
  }

  /** Any number; a small one that is not negative takes few bytes. */
  EntryWriter number(long value) {
    room(10);
    byte[] to = bytes;
    int at = size;
    while ((value & ~0x7FL) != 0) {
      to[at++] = (byte) (value | 0x80);
      value >>>= 7;
    }
    to[at++] = (byte) value;
    size = at;
    return this;
  }

  EntryWriter nullable(@Nullable Long value) {
    put(value != null);
    return value == null ? this : number(value);
  }

  EntryWriter text(@Nullable String text) {
    if (text == null) {
      return put(0);
    }
    var encoded = text.getBytes(UTF_8);
    number(encoded.length + 1L);
    return raw(encoded);
  }

  EntryWriter raw(byte[] more) {
    room(more.length);
    System.arraycopy(more, 0, bytes, size, more.length);
    size += more.length;
    return this;
  }

  EntryWriter time(@Nullable Instant time) {
    put(time != null);
    return time == null ? this : number(time.getEpochSecond()).number(time.getNano());
  }

  EntryWriter length(@Nullable Duration length) {
    return nullable(length == null ? null : (Long) length.toNanos());
  }

  EntryWriter tokens(@Nullable Tokens tokens) {
    put(tokens == null ? 0 : tokens.estimated() ? 2 : 1);
    return tokens == null
        ? this
        : number(tokens.input())
            .number(tokens.cachedInput())
            .number(tokens.cacheWrite())
            .number(tokens.output())
            .number(tokens.reasoning());
  }

  private void room(int more) {
    if (bytes.length - size < more) {
      bytes = Arrays.copyOf(bytes, Math.max(bytes.length * 2, size + more));
    }
  }
}
