package dev.mainstay.call;

import java.io.ByteArrayOutputStream;

/** Keeps a copy of a body, up to 4 MiB; beyond that the copy ends. */
final class BodyTee {
  /** Enough for the longest answers of today's models, 4 MiB. */
  private static final int MOST = 4 << 20;

  private final ByteArrayOutputStream copy;
  private final boolean on;
  private boolean cut;

  BodyTee(boolean on) {
    this.on = on;
    copy = new ByteArrayOutputStream(on ? 2048 : 0);
  }

  void write(byte[] bytes, int offset, int length) {
    if (on) {
      int kept = Math.min(length, MOST - copy.size());
      copy.write(bytes, offset, kept);
      cut |= kept < length;
    }
  }

  byte[] bytes() {
    return copy.toByteArray();
  }

  /** Whether the copy ends before what was written does. */
  boolean cut() {
    return cut;
  }

  boolean isEmpty() {
    return copy.size() == 0;
  }
}
