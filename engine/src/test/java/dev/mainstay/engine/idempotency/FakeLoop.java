package dev.mainstay.engine.idempotency;

import dev.mainstay.http.Cancellable;
import dev.mainstay.http.Loop;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/** A loop that turns when the test says so, with a time of its own. */
final class FakeLoop implements Loop {
  private record Timer(long at, Runnable task, AtomicBoolean off) {}

  private final Deque<Runnable> tasks = new ArrayDeque<>();
  private final List<Timer> timers = new ArrayList<>();
  private long now;

  @Override
  public boolean inLoop() {
    return false;
  }

  @Override
  public void execute(Runnable task) {
    tasks.add(task);
  }

  @Override
  public Cancellable schedule(Duration delay, Runnable task) {
    var timer = new Timer(now + delay.toNanos(), task, new AtomicBoolean());
    timers.add(timer);
    return () -> timer.off().set(true);
  }

  @Override
  public <T extends @Nullable Object> void blocking(Callable<T> work, Done<? super T> then) {
    throw new UnsupportedOperationException();
  }

  /** Runs one task, if there is one. */
  boolean turn() {
    var task = tasks.poll();
    if (task != null) {
      task.run();
    }
    return task != null;
  }

  void settle() {
    while (turn()) {}
  }

  void pass(Duration time) {
    settle();
    now += time.toNanos();
    for (var timer : List.copyOf(timers)) {
      if (timer.at() <= now) {
        timers.remove(timer);
        if (!timer.off().get()) {
          timer.task().run();
        }
      }
    }
    settle();
  }
}
