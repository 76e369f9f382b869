package dev.mainstay.agent;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.concurrent.Callable;
import java.util.function.IntUnaryOperator;

/** A clock that only sleeping moves, and one thread. */
final class VirtualTime implements Timing, InstantSource {
  private final IntUnaryOperator pick;
  private Instant now;

  /**
   * @param pick of so many tasks that could be the next, which one is
   */
  VirtualTime(Instant start, IntUnaryOperator pick) {
    now = start;
    this.pick = pick;
  }

  @Override
  public InstantSource clock() {
    return this;
  }

  @Override
  public Instant instant() {
    return now;
  }

  @Override
  public void sleep(Duration duration) {
    now = now.plus(duration);
  }

  @Override
  public void all(Work work, int parallel) throws InterruptedException {
    var waiting = new ArrayList<Callable<?>>(work.begin());
    while (!waiting.isEmpty()) {
      try {
        waiting.remove(pick.applyAsInt(waiting.size())).call();
      } catch (InterruptedException | RuntimeException e) {
        throw e;
      } catch (Exception e) {
        throw new IllegalStateException(e);
      }
      waiting.addAll(work.begin());
    }
  }
}
