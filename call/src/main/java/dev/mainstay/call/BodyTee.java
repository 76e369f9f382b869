package dev.mainstay.call;

import java.io.ByteArrayOutputStream;

/** Keeps a copy of a body for the record, up to a bound; beyond it the copy ends. */
final class BodyTee {
  /** Enough for the longest answers of today's models, 4 MiB. */
  private static final int MOST = 4 << 20;

  private final ByteArrayOutputStream copy;
  private final boolean on;

  BodyTee(boolean on) {
    this.on = on;
    copy = new ByteArrayOutputStream(on ? 2048 : 0);
  }

  void write(byte[] bytes, int offset, int length) {
    if (on && copy.size() < MOST) {
      copy.write(bytes, offset, Math.min(length, MOST - copy.size()));
    }
  }

  byte[] bytes() {
    return copy.toByteArray();
  }

  boolean isEmpty() {
    return copy.size() == 0;
  }
}
