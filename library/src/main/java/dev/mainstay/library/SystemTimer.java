package dev.mainstay.library;

import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/** Waits on virtual threads, which hold no carrier while they sleep. */
class SystemTimer implements Timer {
  static final Timer INSTANCE = new SystemTimer();

  private SystemTimer() {}

  @Override
  public long nanoTime() {
    return System.nanoTime();
  }

  @Override
  public void sleep(long nanos) throws InterruptedException {
    Thread.sleep(nanos / 1_000_000, (int) (nanos % 1_000_000));
  }

  @Override
  public Cancellation after(long nanos, Runnable task) {
    var begun = new AtomicBoolean();
    var thread =
        Thread.ofVirtual()
            .name("mainstay-wait")
            .start(
                () -> {
                  try {
                    sleep(nanos);
                  } catch (InterruptedException e) {
                    return;
                  }
                  if (begun.compareAndSet(false, true)) {
                    task.run();
                  }
                });
    return () -> {
      // Only the wait is interrupted, never what follows it.
      if (begun.compareAndSet(false, true)) {
        thread.interrupt();
      }
    };
  }

  static final class OnScheduler extends SystemTimer {
    private final ScheduledExecutorService scheduler;

    OnScheduler(ScheduledExecutorService scheduler) {
      this.scheduler = scheduler;
    }

    @Override
    public Cancellation after(long nanos, Runnable task) {
      var future = scheduler.schedule(task, nanos, TimeUnit.NANOSECONDS);
      return () -> future.cancel(false);
    }
  }
}
