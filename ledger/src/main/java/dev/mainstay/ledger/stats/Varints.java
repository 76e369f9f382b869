package dev.mainstay.ledger.stats;

import java.nio.ByteBuffer;

/** Whole numbers of 0 and more in as few bytes as they need, seven bits each (LEB128). */
final class Varints {
  static final int MOST_BYTES = 10;

  private Varints() {}

  static void write(ByteBuffer to, long value) {
    long rest = value;
    while ((rest & ~0x7fL) != 0) {
      to.put((byte) (rest & 0x7f | 0x80));
      rest >>>= 7;
    }
    to.put((byte) rest);
  }

  static long read(ByteBuffer from) {
    long value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      byte next = from.get();
      value |= (long) (next & 0x7f) << shift;
      if (next >= 0) {
        return value;
      }
    }
    throw new IllegalArgumentException("a number of more than 64 bits");
  }
}
