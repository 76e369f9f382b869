package dev.mainstay.engine;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;

/**
 * Bodies in memory of calls that go on without their client: nothing else counts them, and a
 * process that comes back may find more of them on its disk than it has memory. What has to wait
 * begins in order, as others end. Thread-safe.
 */
final class PendingBodyLimit {
  private record Waiting(long bytes, Runnable begin) {}

  private final long most;

  // Guarded by this.
  private final Queue<Waiting> waiting = new ArrayDeque<>();
  private long taken;

  /**
   * @param most in bytes; one that is larger than this is taken where there is no other
   */
  PendingBodyLimit(long most) {
    this.most = most;
  }

  /** Takes so many bytes, if there are and nobody waits. */
  synchronized boolean take(long bytes) {
    boolean takes = waiting.isEmpty() && fits(bytes);
    if (takes) {
      taken += bytes;
    }
    return takes;
  }

  /** Takes so many bytes that are in memory already. */
  synchronized void add(long bytes) {
    taken += bytes;
  }

  /** Takes so many bytes and runs {@code begin}: now, or once there is room. */
  void whenItFits(long bytes, Runnable begin) {
    synchronized (this) {
      waiting.add(new Waiting(bytes, begin));
    }
    give(0);
  }

  /** Gives so many bytes back. */
  void give(long bytes) {
    List<Runnable> next = new ArrayList<>();
    synchronized (this) {
      taken -= bytes;
      for (var first = waiting.peek();
          first != null && fits(first.bytes());
          first = waiting.peek()) {
        waiting.remove();
        taken += first.bytes();
        next.add(first.begin());
      }
    }
    next.forEach(Runnable::run);
  }

  private boolean fits(long bytes) {
    return taken == 0 || taken + bytes <= most;
  }
}
