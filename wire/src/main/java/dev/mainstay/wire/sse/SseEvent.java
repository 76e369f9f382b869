package dev.mainstay.wire.sse;

import java.nio.charset.StandardCharsets;

/**
 * One event as the scanner found it: a view into the scanner's buffer, good only until the next
 * call of {@link SseScanner#feed}. Not thread-safe.
 */
public final class SseEvent {
  byte[] buffer = {};
  int start;
  int end;
  String name = "";
  boolean hasData;
  byte[] data = {};
  int dataStart;
  int dataEnd;

  SseEvent() {}

  /** The bytes all offsets point into. */
  public byte[] buffer() {
    return buffer;
  }

  /** Where the event starts in {@link #buffer}, comments and blank lines before it included. */
  public int start() {
    return start;
  }

  /** Where it ends, the blank line that ends it included. */
  public int end() {
    return end;
  }

  /** The value of its {@code event:} line, or "". */
  public String name() {
    return name;
  }

  /** Whether it has data; a block of comments has none. */
  public boolean hasData() {
    return hasData;
  }

  /** The bytes that hold its data: the buffer itself, or a copy where data has several lines. */
  public byte[] data() {
    return data;
  }

  public int dataStart() {
    return dataStart;
  }

  public int dataLength() {
    return dataEnd - dataStart;
  }

  /** Its data as text. */
  public String dataText() {
    return new String(data, dataStart, dataLength(), StandardCharsets.UTF_8);
  }

  /** Whether its data is {@code text}, which is ASCII. */
  public boolean dataIs(String text) {
    if (dataLength() != text.length()) {
      return false;
    }
    for (int i = 0; i < text.length(); i++) {
      if (data[dataStart + i] != text.charAt(i)) {
        return false;
      }
    }
    return true;
  }
}
