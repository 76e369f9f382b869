package dev.mainstay.wire.sse;

import dev.mainstay.wire.json.InternedStrings;
import java.io.ByteArrayOutputStream;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * Cuts a stream of bytes into Server-Sent Events, wherever the pieces it arrives in are cut: inside
 * a line, between CR and LF, inside a UTF-8 character. Lines end in LF, CRLF or CR; a byte order
 * mark at the very beginning is left out. No other byte is changed: an event knows the bytes it
 * came as.
 *
 * <p>Not thread-safe: one scanner per stream. Holds at most {@code maxEvent} bytes.
 */
public final class SseScanner {
  /** The default bound of one event, 16 MiB: an image in base64 fits, a runaway does not. */
  public static final int MAX_EVENT = 16 << 20;

  private static final VarHandle EIGHT =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
  private static final long ONES = 0x0101010101010101L;
  private static final long HIGHS = 0x8080808080808080L;
  private static final long LINE_FEEDS = '\n' * ONES;
  private static final long RETURNS = '\r' * ONES;

  private static final byte[] BOM = {(byte) 0xef, (byte) 0xbb, (byte) 0xbf};

  /** Takes the events; returning false ends the scan of this piece. */
  @FunctionalInterface
  public interface Sink {
    boolean event(SseEvent event);
  }

  private final int maxEvent;
  private final SseEvent event = new SseEvent();
  private byte[] buffer = new byte[1024];
  private int size;

  /** Everything before this was handed out as events. */
  private int consumed;

  /** The start of the line that is being scanned. */
  private int line;

  /** How far the scan has come. */
  private int at;

  private boolean anyLine;
  private boolean afterCr;
  private boolean first = true;

  public SseScanner() {
    this(MAX_EVENT);
  }

  /**
   * @param maxEvent the most bytes one event may have
   */
  public SseScanner(int maxEvent) {
    this.maxEvent = maxEvent;
    reset();
  }

  private void reset() {
    event.name = "";
    event.hasData = false;
    event.data = buffer;
    event.dataStart = 0;
    event.dataEnd = 0;
    anyLine = false;
  }

  /**
   * Takes the next piece and hands every event that it completes to {@code sink}.
   *
   * @throws EventTooLarge where an event exceeds the bound; the scanner is of no use afterwards
   */
  public void feed(byte[] piece, int offset, int length, Sink sink) {
    append(piece, offset, length);
    while (at < size) {
      skipToLineEnd();
      if (at == size) {
        break;
      }
      byte b = buffer[at];
      if (b == '\n' && afterCr) {
        // The second half of a CRLF: it belongs to the line before, also where the pieces part.
        afterCr = false;
        at++;
        line = at;
        continue;
      }
      afterCr = false;
      int lineEnd = at;
      at++;
      boolean crlf = b == '\r' && at < size && buffer[at] == '\n';
      if (crlf) {
        at++;
      } else {
        afterCr = b == '\r';
      }
      boolean blank = lineEnd == line;
      if (!blank) {
        line(line, lineEnd);
      }
      line = at;
      if (blank && anyLine && !dispatch(sink)) {
        return;
      }
    }
    if (size - consumed > maxEvent) {
      throw new EventTooLarge(maxEvent);
    }
  }

  /** Most bytes are inside of lines: eight at a time are looked at, as {@code JsonWalk} does. */
  private void skipToLineEnd() {
    byte[] bytes = buffer;
    int end = size;
    int last = end - Long.BYTES;
    int i = at;
    while (i <= last) {
      long eight = (long) EIGHT.get(bytes, i);
      long feed = eight ^ LINE_FEEDS;
      long carriage = eight ^ RETURNS;
      long stops = ((feed - ONES & ~feed) | (carriage - ONES & ~carriage)) & HIGHS;
      if (stops != 0) {
        i += Long.numberOfTrailingZeros(stops) >>> 3;
        last = i - Long.BYTES;
      } else {
        i += Long.BYTES;
      }
    }
    while (i < end && bytes[i] != '\n' && bytes[i] != '\r') {
      i++;
    }
    if (i > at) {
      afterCr = false;
      at = i;
    }
  }

  /** The bytes that arrived and belong to no complete event yet. */
  public int pending() {
    return size - consumed;
  }

  /** Whether what is pending is more than blank lines: an event that was cut. */
  public boolean cut() {
    for (int i = consumed; i < size; i++) {
      if (buffer[i] != '\n' && buffer[i] != '\r') {
        return true;
      }
    }
    return false;
  }

  /** The bytes that arrived and belong to no complete event. */
  public byte[] rest() {
    return Arrays.copyOfRange(buffer, consumed, size);
  }

  private boolean dispatch(Sink sink) {
    event.buffer = buffer;
    event.start = consumed;
    event.end = at;
    consumed = at;
    boolean goOn = sink.event(event);
    reset();
    return goOn;
  }

  private void line(int start, int end) {
    if (first) {
      first = false;
      if (end - start >= 3 && Arrays.equals(buffer, start, start + 3, BOM, 0, 3)) {
        // Nor does it go on: clients that do not know of it would not know the first field either.
        start += 3;
        consumed = start;
      }
    }
    anyLine = true;
    if (start == end || buffer[start] == ':') {
      return;
    }
    int colon = start;
    while (colon < end && buffer[colon] != ':') {
      colon++;
    }
    int value = Math.min(colon + 1, end);
    if (value < end && buffer[value] == ' ') {
      value++;
    }
    if (is(start, colon, "data")) {
      data(value, end);
    } else if (is(start, colon, "event")) {
      event.name = InternedStrings.of(buffer, value, end);
    }
  }

  private void data(int start, int end) {
    if (!event.hasData) {
      event.hasData = true;
      event.data = buffer;
      event.dataStart = start;
      event.dataEnd = end;
      return;
    }
    var joined = new ByteArrayOutputStream(event.dataLength() + end - start + 1);
    joined.write(event.data, event.dataStart, event.dataLength());
    joined.write('\n');
    joined.write(buffer, start, end - start);
    event.data = joined.toByteArray();
    event.dataStart = 0;
    event.dataEnd = event.data.length;
  }

  private boolean is(int start, int end, String name) {
    if (end - start != name.length()) {
      return false;
    }
    for (int i = 0; i < name.length(); i++) {
      if (buffer[start + i] != name.charAt(i)) {
        return false;
      }
    }
    return true;
  }

  @SuppressWarnings("ReferenceEquality") // the very same array
  private void append(byte[] piece, int offset, int length) {
    if (size + length > buffer.length) {
      var old = buffer;
      int kept = size - consumed;
      int shift = consumed;
      if (kept + length > buffer.length) {
        buffer = new byte[Math.max(buffer.length * 2, kept + length)];
      }
      System.arraycopy(old, consumed, buffer, 0, kept);
      size = kept;
      consumed = 0;
      line -= shift;
      at -= shift;
      if (event.hasData && event.data == old) {
        event.data = buffer;
        event.dataStart -= shift;
        event.dataEnd -= shift;
      } else if (!event.hasData) {
        event.data = buffer;
      }
    }
    System.arraycopy(piece, offset, buffer, size, length);
    size += length;
  }

  /** An event larger than the bound. */
  public static final class EventTooLarge extends RuntimeException {
    EventTooLarge(int max) {
      super("an event of the stream is larger than " + max + " bytes");
    }
  }
}
