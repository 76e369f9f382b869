package dev.mainstay.app;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Lines of bytes out of a stream, one at a time in one buffer that grows to at most {@value #MAX}
 * bytes; a longer line is skipped to its end and told as too long.
 */
final class LineReader {
  static final int MAX = 16 * 1024 * 1024;

  private final InputStream in;
  private final byte[] chunk = new byte[64 * 1024];
  private byte[] line = new byte[16 * 1024];
  private int chunkAt;
  private int chunkEnd;
  private int length;
  private long number;
  private boolean tooLong;

  LineReader(InputStream in) {
    this.in = in;
  }

  /** Reads the next line; false where the input has ended. */
  boolean next() throws IOException {
    length = 0;
    tooLong = false;
    boolean any = false;
    while (true) {
      if (chunkAt == chunkEnd) {
        chunkAt = 0;
        chunkEnd = in.read(chunk);
        if (chunkEnd < 0) {
          chunkEnd = 0;
          number += any ? 1 : 0;
          return any;
        }
      }
      any = true;
      int newline = chunkAt;
      while (newline < chunkEnd && chunk[newline] != '\n') {
        newline++;
      }
      append(newline);
      chunkAt = newline;
      if (newline < chunkEnd) {
        chunkAt++;
        number++;
        return true;
      }
    }
  }

  private void append(int end) {
    int more = end - chunkAt;
    if (tooLong || more > MAX - length) {
      tooLong = true;
      return;
    }
    if (length + more > line.length) {
      line = Arrays.copyOf(line, Math.min(MAX, Math.max(length + more, 2 * line.length)));
    }
    System.arraycopy(chunk, chunkAt, line, length, more);
    length += more;
  }

  /** Whether more can be had without waiting. */
  boolean hasMore() throws IOException {
    return chunkAt < chunkEnd || in.available() > 0;
  }

  /** The line's bytes, from 0 to {@link #length()}; valid until the next one is read. */
  byte[] bytes() {
    return line;
  }

  int length() {
    return length;
  }

  /** The line as text. */
  String text() {
    return new String(line, 0, length, StandardCharsets.UTF_8);
  }

  /** The line's number, from 1. */
  long number() {
    return number;
  }

  boolean tooLong() {
    return tooLong;
  }

  boolean blank() {
    for (int i = 0; i < length; i++) {
      if (line[i] != ' ' && line[i] != '\t' && line[i] != '\r') {
        return false;
      }
    }
    return !tooLong;
  }
}
