package dev.mainstay.wire.json;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Strings for the bytes that come again and again: names of fields and events, types, roles. A
 * table of fixed size in which a newcomer takes the place of whoever is there, so that no input
 * fills memory. Thread-safe without locks: an entry never changes, and a lost race costs a string.
 *
 * <p>The first eight bytes and the last eight, which may overlap, are all of a word of up to
 * sixteen: it is found by comparing two numbers.
 */
public final class InternedStrings {
  private static final int LONGEST = 48;
  private static final int BITS = 10;
  private static final long GOLDEN = 0x9E3779B97F4A7C15L;
  private static final VarHandle EIGHT =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

  @SuppressWarnings("ArrayRecordComponent") // never given out
  private record Word(long head, long tail, byte[] bytes, String text) {}

  private static final @Nullable Word[] TABLE = new Word[1 << BITS];

  private InternedStrings() {}

  /** The UTF-8 in {@code bytes} from {@code start} up to, not including, {@code end}. */
  public static String of(byte[] bytes, int start, int end) {
    int length = end - start;
    if (length == 0) {
      return "";
    }
    if (length > LONGEST) {
      return new String(bytes, start, length, StandardCharsets.UTF_8);
    }
    long head;
    long tail = 0;
    if (length > Long.BYTES) {
      head = (long) EIGHT.get(bytes, start);
      tail = (long) EIGHT.get(bytes, end - Long.BYTES);
    } else {
      head = few(bytes, start, length);
    }
    int slot = (int) ((head + Long.rotateLeft(tail, 29) + length) * GOLDEN >>> Long.SIZE - BITS);
    var known = TABLE[slot];
    if (known == null
        || known.head != head
        || known.tail != tail
        || known.bytes.length != length
        || (length > 2 * Long.BYTES && !Arrays.equals(known.bytes, 0, length, bytes, start, end))) {
      byte[] own = Arrays.copyOfRange(bytes, start, end);
      known = new Word(head, tail, own, new String(own, StandardCharsets.UTF_8));
      TABLE[slot] = known;
    }
    return known.text;
  }

  /** Up to eight bytes as a number. */
  private static long few(byte[] bytes, int start, int length) {
    if (start + Long.BYTES <= bytes.length) {
      return (long) EIGHT.get(bytes, start) & -1L >>> Long.SIZE - length * Byte.SIZE;
    }
    long few = 0;
    for (int i = length - 1; i >= 0; i--) {
      few = few << Byte.SIZE | bytes[start + i] & 0xff;
    }
    return few;
  }

  /** Whether the bytes from {@code start} up to, not including, {@code end} are {@code ascii}. */
  static boolean same(String ascii, byte[] bytes, int start, int end) {
    if (end - start != ascii.length()) {
      return false;
    }
    for (int i = 0; i < ascii.length(); i++) {
      if (bytes[start + i] != ascii.charAt(i)) {
        return false;
      }
    }
    return true;
  }
}
