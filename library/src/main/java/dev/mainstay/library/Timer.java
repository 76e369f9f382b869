package dev.mainstay.library;

/**
 * The time, and waiting. Replace it in tests by {@code dev.mainstay.library.testing.VirtualTimer}.
 * Implementations are thread-safe.
 */
public interface Timer {

  /** Nanoseconds on a clock that never goes back; only differences mean anything. */
  long nanoTime();

  /** Blocks the calling thread, which may be virtual, for {@code nanos}. */
  void sleep(long nanos) throws InterruptedException;

  /**
   * Runs {@code task} once after {@code nanos}, on a thread of the timer's choice, without holding
   * the caller's.
   */
  Cancellation after(long nanos, Runnable task);

  /** Takes back what {@link #after} promised; no effect once the task has begun. */
  @FunctionalInterface
  interface Cancellation {
    void cancel();
  }

  /** The system's clock; tasks run on a virtual thread of their own. */
  static Timer system() {
    return SystemTimer.INSTANCE;
  }

  /** The system's clock; tasks run on {@code scheduler}, which stays the caller's to shut down. */
  static Timer on(java.util.concurrent.ScheduledExecutorService scheduler) {
    return new SystemTimer.OnScheduler(scheduler);
  }
}
