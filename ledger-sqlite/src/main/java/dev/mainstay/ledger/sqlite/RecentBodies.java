package dev.mainstay.ledger.sqlite;

import java.util.LinkedHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The bodies written or met again last, by their places, up to {@link #MOST} bytes: most twins come
 * soon after one another, an agent's turns or the same prompt again, and are compared without
 * reading the file.
 */
final class RecentBodies {
  /** 2 MiB. */
  private static final int MOST = 2 << 20;

  private final LinkedHashMap<Long, byte[]> bodies = new LinkedHashMap<>(16, 0.75f, true);
  private long held;

  byte @Nullable [] get(long offset) {
    return bodies.get(offset);
  }

  void put(long offset, byte[] bytes) {
    if (bytes.length > MOST / 4) {
      return;
    }
    bodies.put(offset, bytes);
    held += bytes.length;
    while (held > MOST) {
      var eldest = bodies.pollFirstEntry();
      held -= eldest.getValue().length;
    }
  }

  void clear() {
    bodies.clear();
    held = 0;
  }
}
