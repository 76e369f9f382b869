package dev.mainstay.engine.idempotency;

import dev.mainstay.wire.sse.SseScanner;
import java.io.ByteArrayOutputStream;
import org.jspecify.annotations.Nullable;

/** Leaves out the first events of a stream, which its client has already. Belongs to one loop. */
final class EventSkip {
  private final SseScanner scanner = new SseScanner();
  private final long events;
  private long seen;

  private EventSkip(long events) {
    this.events = events;
  }

  /** Leaves out events up to the one of this id; null where there are none to leave out. */
  static @Nullable EventSkip after(@Nullable String lastEventId) {
    if (lastEventId == null || lastEventId.isEmpty() || lastEventId.length() > 18) {
      return null;
    }
    for (int i = 0; i < lastEventId.length(); i++) {
      if (lastEventId.charAt(i) < '0' || lastEventId.charAt(i) > '9') {
        return null;
      }
    }
    long events = Long.parseLong(lastEventId);
    return events == 0 ? null : new EventSkip(events);
  }

  /** What of {@code bytes} is new. */
  byte[] left(byte[] bytes) {
    if (seen >= events) {
      return bytes;
    }
    var out = new ByteArrayOutputStream();
    scanner.feed(
        bytes,
        0,
        bytes.length,
        event -> {
          if (seen >= events) {
            out.write(event.buffer(), event.start(), event.end() - event.start());
          } else if (event.hasData()) {
            seen++;
          }
          return true;
        });
    if (seen >= events) {
      out.writeBytes(scanner.rest());
    }
    return out.toByteArray();
  }
}
