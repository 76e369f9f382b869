package dev.mainstay.engine.idempotency;

import dev.mainstay.wire.sse.SseScanner;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;

/**
 * Adds an {@code id:} line to every event of a stream: its number, from 1. The line is the event's
 * last, because Gemini's own client skips a block that does not begin with {@code data:}. Comments
 * have no number. Belongs to one loop.
 */
final class EventIds {
  private final SseScanner scanner = new SseScanner();
  private long number;

  /** The events that {@code bytes} complete, with their ids. */
  byte[] added(byte[] bytes) {
    var out = new ByteArrayOutputStream(bytes.length + 16);
    scanner.feed(
        bytes,
        0,
        bytes.length,
        event -> {
          int end = event.end();
          if (!event.hasData()) {
            out.write(event.buffer(), event.start(), end - event.start());
            return true;
          }
          number++;
          int blank = blankLine(event.buffer(), event.start(), end);
          out.write(event.buffer(), event.start(), blank - event.start());
          var line = "id: " + number + (event.buffer()[end - 1] == '\n' ? "\n" : "\r");
          out.writeBytes(line.getBytes(StandardCharsets.US_ASCII));
          out.write(event.buffer(), blank, end - blank);
          return true;
        });
    return out.toByteArray();
  }

  /** What belongs to no whole event. */
  byte[] rest() {
    return scanner.rest();
  }

  /** Where the blank line begins that ends an event. */
  private static int blankLine(byte[] buffer, int start, int end) {
    int at = end - 1;
    // LF alone, CR alone, or both.
    if (at > start && buffer[at] == '\n' && buffer[at - 1] == '\r') {
      at--;
    }
    return at;
  }
}
