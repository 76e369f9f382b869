package dev.mainstay.library.testing;

import dev.mainstay.library.Timer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;

/**
 * A timer whose time stands still until somebody sleeps or {@link #advance}s it: sleeping takes no
 * real time, and every wait can be read. Thread-safe.
 */
public final class VirtualTimer implements Timer {
  private record Task(long at, long order, Runnable run) {}

  private final PriorityQueue<Task> tasks =
      new PriorityQueue<>(Comparator.comparingLong(Task::at).thenComparingLong(Task::order));
  private final List<Duration> waits = new ArrayList<>();
  private long now;
  private long order;

  @Override
  public synchronized long nanoTime() {
    return now;
  }

  /** Moves the time, and throws at once where the thread is interrupted, as a real sleep does. */
  @Override
  public void sleep(long nanos) throws InterruptedException {
    if (Thread.interrupted()) {
      throw new InterruptedException();
    }
    synchronized (this) {
      waits.add(Duration.ofNanos(nanos));
    }
    advance(Duration.ofNanos(nanos));
  }

  @Override
  public synchronized Cancellation after(long nanos, Runnable run) {
    waits.add(Duration.ofNanos(nanos));
    var task = new Task(now + nanos, order++, run);
    tasks.add(task);
    return () -> cancel(task);
  }

  private synchronized void cancel(Task task) {
    tasks.remove(task);
  }

  /** Moves the time by {@code duration} and runs what comes due, on this thread, in order. */
  public void advance(Duration duration) {
    long until;
    synchronized (this) {
      until = now + duration.toNanos();
    }
    for (var task = due(until); task != null; task = due(until)) {
      task.run().run();
    }
    synchronized (this) {
      now = Math.max(now, until);
    }
  }

  private synchronized @org.jspecify.annotations.Nullable Task due(long until) {
    var next = tasks.peek();
    if (next == null || next.at() > until) {
      return null;
    }
    tasks.remove();
    now = Math.max(now, next.at());
    return next;
  }

  /** Every wait that was begun, in order. */
  public synchronized List<Duration> waits() {
    return List.copyOf(waits);
  }

  /** How many tasks wait for their time. */
  public synchronized int pending() {
    return tasks.size();
  }
}
