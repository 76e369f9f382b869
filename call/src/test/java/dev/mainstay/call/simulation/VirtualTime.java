package dev.mainstay.call.simulation;

import dev.mainstay.http.Cancellable;
import dev.mainstay.http.Loop;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;

/** A clock and the tasks that wait for it; time passes only from one task to the next. */
final class VirtualTime implements InstantSource {
  private static final Instant EPOCH = Instant.parse("2026-01-01T00:00:00Z");

  private static final boolean TRACE = Boolean.getBoolean("mainstay.trace");

  private static final class Task {
    final long at;
    final long order;
    @Nullable Runnable run;

    Task(long at, long order, Runnable run) {
      this.at = at;
      this.order = order;
      this.run = run;
    }
  }

  private final PriorityQueue<Task> tasks =
      new PriorityQueue<>(
          Comparator.comparingLong((Task task) -> task.at).thenComparingLong(task -> task.order));
  private final long start;
  private long now;
  private long order;
  private long steps;

  /**
   * @param start where the clock of nanoseconds begins, which may be anywhere
   */
  VirtualTime(long start) {
    this.start = start;
    now = start;
  }

  /** Nanoseconds, on a clock that never goes back. */
  long nanos() {
    return now;
  }

  @Override
  public Instant instant() {
    return EPOCH.plusNanos(now - start);
  }

  /** {@code -Dmainstay.trace=true} tells a schedule step by step. */
  void trace(String what, Object... more) {
    if (TRACE) {
      System.err.println(elapsed() + " " + what + " " + List.of(more));
    }
  }

  /** Since the beginning. */
  Duration elapsed() {
    return Duration.ofNanos(now - start);
  }

  long steps() {
    return steps;
  }

  /** Runs {@code task} after {@code nanos}. */
  Cancellable in(long nanos, Runnable task) {
    var waiting = new Task(now + Math.max(0, nanos), order++, task);
    tasks.add(waiting);
    return () -> waiting.run = null;
  }

  /** Runs the next task; false where none waits. */
  boolean step() {
    var next = tasks.poll();
    if (next == null) {
      return false;
    }
    var run = next.run;
    if (run != null) {
      now = next.at;
      steps++;
      run.run();
    }
    return true;
  }

  /** A loop of this time. All loops of one time take turns. */
  Loop loop() {
    return new Loop() {
      @Override
      public boolean inLoop() {
        return true;
      }

      @Override
      public void execute(Runnable task) {
        in(0, task);
      }

      @Override
      public Cancellable schedule(Duration delay, Runnable task) {
        return in(delay.toNanos(), task);
      }

      @Override
      public <T extends @Nullable Object> void blocking(Callable<T> work, Done<? super T> then) {
        in(
            0,
            () -> {
              try {
                then.done(work.call(), null);
              } catch (Exception e) {
                then.done(null, e);
              }
            });
      }
    };
  }
}
