package dev.mainstay.agent;

import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionService;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorCompletionService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Time and threads, as runs see them. Everything in a run that waits or runs beside something else
 * does so here: with another implementation, whole runs go through virtual time on one thread.
 */
public interface Timing {
  /** The time. */
  InstantSource clock();

  /** Waits. */
  void sleep(Duration duration) throws InterruptedException;

  /** Work that grows while it is carried out. */
  @FunctionalInterface
  interface Work {
    /** What can begin now, besides what has begun. Called by one thread at a time. */
    List<? extends Callable<?>> begin() throws InterruptedException;
  }

  /**
   * Carries {@code work} out, at most {@code parallel} tasks at once: asks it what can begin, again
   * whenever a task has ended, and at least once a second meanwhile. Returns when nothing runs and
   * nothing can begin.
   *
   * @throws InterruptedException when the calling thread, or a task, was interrupted; the others
   *     are interrupted then
   */
  void all(Work work, int parallel) throws InterruptedException;

  /** Carries {@code tasks} out, at most {@code parallel} at once, and waits for all. */
  default void all(List<? extends Callable<?>> tasks, int parallel) throws InterruptedException {
    var first = new AtomicBoolean(true);
    all(() -> first.getAndSet(false) ? tasks : List.of(), parallel);
  }

  /** The system's clock, and virtual threads. */
  static Timing system() {
    return new SystemTiming();
  }

  /** The system's clock, and virtual threads. */
  final class SystemTiming implements Timing {
    private SystemTiming() {}

    @Override
    public InstantSource clock() {
      return InstantSource.system();
    }

    @Override
    public void sleep(Duration duration) throws InterruptedException {
      Thread.sleep(duration);
    }

    @Override
    public void all(Work work, int parallel) throws InterruptedException {
      var places = new Semaphore(parallel);
      try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
        try {
          all(work, places, new ExecutorCompletionService<>(threads));
        } catch (ExecutionException e) {
          threads.shutdownNow();
          if (e.getCause() instanceof InterruptedException) {
            throw new InterruptedException();
          }
          throw e.getCause() instanceof RuntimeException unchecked
              ? unchecked
              : new IllegalStateException(e.getCause());
        } catch (InterruptedException | RuntimeException e) {
          threads.shutdownNow();
          throw e;
        }
      }
    }

    private static void all(Work work, Semaphore places, CompletionService<Object> threads)
        throws InterruptedException, ExecutionException {
      int running = 0;
      while (true) {
        for (var task : work.begin()) {
          running++;
          threads.submit(
              () -> {
                places.acquire();
                try {
                  return task.call();
                } finally {
                  places.release();
                }
              });
        }
        if (running == 0) {
          return;
        }
        var ended = threads.poll(1, TimeUnit.SECONDS);
        if (ended != null) {
          running--;
          ended.get();
        }
      }
    }
  }
}
