package dev.mainstay.agent;

import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;

/**
 * Time and threads, as runs see them. Everything in a run that waits or runs beside something else
 * does so here: with another implementation, whole runs go through virtual time on one thread.
 */
public interface Timing {
  /** The time. */
  InstantSource clock();

  /** Waits. */
  void sleep(Duration duration) throws InterruptedException;

  /**
   * Carries {@code tasks} out, at most {@code parallel} at once, and waits for all.
   *
   * @return their results in the order of the tasks
   * @throws InterruptedException when the calling thread, or a task, was interrupted; the others
   *     are interrupted then
   */
  <T> List<T> all(List<Callable<T>> tasks, int parallel) throws InterruptedException;

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
    public <T> List<T> all(List<Callable<T>> tasks, int parallel) throws InterruptedException {
      var places = new Semaphore(parallel);
      try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
        var running = new ArrayList<Future<T>>();
        for (var task : tasks) {
          running.add(
              threads.submit(
                  () -> {
                    places.acquire();
                    try {
                      return task.call();
                    } finally {
                      places.release();
                    }
                  }));
        }
        try {
          var results = new ArrayList<T>();
          for (var each : running) {
            results.add(each.get());
          }
          return results;
        } catch (ExecutionException e) {
          threads.shutdownNow();
          if (e.getCause() instanceof InterruptedException) {
            throw new InterruptedException();
          }
          throw e.getCause() instanceof RuntimeException unchecked
              ? unchecked
              : new IllegalStateException(e.getCause());
        } catch (InterruptedException e) {
          threads.shutdownNow();
          throw e;
        }
      }
    }
  }
}
