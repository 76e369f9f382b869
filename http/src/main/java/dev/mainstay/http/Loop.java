package dev.mainstay.http;

import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * One event loop: a single thread on which everything that belongs to one client connection
 * happens, its upstream requests included. Nothing may block on it. Tasks run in the order in which
 * they were handed over.
 */
public interface Loop extends Executor {
  /** Whether the calling thread is this loop's. */
  boolean inLoop();

  /**
   * Whether new work can be taken on: not where requests have waited long and this loop cannot keep
   * up. To be asked on the loop, once for each request.
   */
  default boolean takesOn() {
    return true;
  }

  /**
   * Runs {@code task} on this loop after {@code delay}; one of zero or less runs it on the next
   * turn. May be called from any thread. A task still waiting when the loops are closed never runs.
   */
  Cancellable schedule(Duration delay, Runnable task);

  /**
   * Runs {@code work} on a virtual thread and then {@code then} on this loop, with the result or
   * with what was thrown (exactly one of them, unless the result itself is null). May be called
   * from any thread.
   */
  <T extends @Nullable Object> void blocking(Callable<T> work, Done<? super T> then);

  /** Takes what {@link #blocking} came to. */
  @FunctionalInterface
  interface Done<T extends @Nullable Object> {
    /** Called once, on the loop; {@code thrown} is null where the work succeeded. */
    void done(@Nullable T result, @Nullable Throwable thrown);
  }
}
