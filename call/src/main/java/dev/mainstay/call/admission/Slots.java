package dev.mainstay.call.admission;

import dev.mainstay.call.settings.InFlight;
import dev.mainstay.http.Cancellable;
import dev.mainstay.http.Loop;
import java.time.Duration;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/**
 * The places for attempts under way at one target, and the bounded queue for one. Thread-safe; who
 * waits is called back on its own loop.
 */
final class Slots {
  /** A place that was asked for. */
  interface Waiter {
    /** The place is yours: {@link Slots#release} it. Called on the loop. */
    void granted();

    /** There was none in time. Called on the loop. */
    void refused();
  }

  private final InFlight bounds;
  private final ArrayDeque<Waiting> queue = new ArrayDeque<>();
  private int busy;

  Slots(InFlight bounds) {
    this.bounds = bounds;
  }

  /** Takes a place if one is free and nobody waits for it. */
  synchronized boolean tryAcquire() {
    if (busy >= bounds.perTarget() || !queue.isEmpty()) {
      return false;
    }
    busy++;
    return true;
  }

  /** Whether one could be had or waited for now. */
  synchronized boolean room() {
    return busy < bounds.perTarget() || queue.size() < bounds.queue();
  }

  synchronized int busy() {
    return busy;
  }

  long waitNanos() {
    return bounds.maxWait().toNanos();
  }

  /**
   * Waits for a place, no longer than {@code atMost} and the queue's own limit; null where the
   * queue is full. Cancelling leaves the queue.
   */
  @Nullable Cancellable await(Loop loop, Duration atMost, Waiter waiter) {
    var waiting = new Waiting(loop, waiter);
    synchronized (this) {
      if (queue.size() >= bounds.queue()) {
        return null;
      }
      queue.add(waiting);
    }
    waiting.timer =
        loop.schedule(
            atMost.compareTo(bounds.maxWait()) < 0 ? atMost : bounds.maxWait(),
            () -> {
              if (leave(waiting)) {
                waiter.refused();
              }
            });
    return () -> {
      var timer = waiting.timer;
      if (timer != null) {
        timer.cancel();
      }
      if (!leave(waiting) && waiting.cancelGrant()) {
        release();
      }
    };
  }

  private synchronized boolean leave(Waiting waiting) {
    return queue.remove(waiting);
  }

  /** Gives a place back; the next in the queue gets it. */
  void release() {
    Waiting next;
    synchronized (this) {
      next = queue.poll();
      if (next == null) {
        busy--;
        return;
      }
    }
    next.grant();
  }

  private static final class Waiting {
    private final Loop loop;
    private final Waiter waiter;
    private volatile @Nullable Cancellable timer;
    private boolean settled;

    Waiting(Loop loop, Waiter waiter) {
      this.loop = loop;
      this.waiter = waiter;
    }

    void grant() {
      var running = timer;
      if (running != null) {
        running.cancel();
      }
      loop.execute(
          () -> {
            if (settle()) {
              waiter.granted();
            }
          });
    }

    /** Whether a grant was on its way and is now nobody's. */
    boolean cancelGrant() {
      return settle();
    }

    private synchronized boolean settle() {
      boolean first = !settled;
      settled = true;
      return first;
    }
  }
}
