package dev.mainstay.gateway.telemetry;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;

/**
 * Writes one protobuf message (https://protobuf.dev/programming-guides/encoding/), as far as OTLP
 * needs it. For one thread.
 */
final class Proto {
  private static final int VARINT = 0;
  private static final int FIXED64 = 1;
  private static final int BYTES = 2;
  private static final int FIXED32 = 5;

  private final ByteArrayOutputStream out = new ByteArrayOutputStream(256);

  Proto text(int field, String value) {
    return bytes(field, value.getBytes(StandardCharsets.UTF_8));
  }

  Proto message(int field, Proto value) {
    return bytes(field, value.toBytes());
  }

  Proto bytes(int field, byte[] value) {
    tag(field, BYTES);
    varint(value.length);
    out.writeBytes(value);
    return this;
  }

  Proto number(int field, long value) {
    tag(field, VARINT);
    varint(value);
    return this;
  }

  Proto fixed64(int field, long value) {
    tag(field, FIXED64);
    for (int shift = 0; shift < 64; shift += 8) {
      out.write((int) (value >>> shift));
    }
    return this;
  }

  Proto fixed32(int field, int value) {
    tag(field, FIXED32);
    for (int shift = 0; shift < 32; shift += 8) {
      out.write(value >>> shift);
    }
    return this;
  }

  private void tag(int field, int type) {
    varint(((long) field << 3) | type);
  }

  private void varint(long value) {
    while ((value & ~0x7FL) != 0) {
      out.write((int) ((value & 0x7F) | 0x80));
      value >>>= 7;
    }
    out.write((int) value);
  }

  byte[] toBytes() {
    return out.toByteArray();
  }
}
