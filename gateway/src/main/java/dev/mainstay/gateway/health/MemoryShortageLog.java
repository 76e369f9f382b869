package dev.mainstay.gateway.health;

import dev.mainstay.http.MemoryBudget;
import dev.mainstay.http.MemoryBudget.Use;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A line in the log while memory is short, at most one in half a minute. Thread-safe. */
public final class MemoryShortageLog implements Runnable {
  private static final Logger LOG = LoggerFactory.getLogger(MemoryShortageLog.class);
  private static final long PAUSE = Duration.ofSeconds(30).toNanos();

  private final MemoryBudget budget;
  private final LongSupplier nanos;
  private final AtomicLong toldAt;

  public MemoryShortageLog(MemoryBudget budget, LongSupplier nanos) {
    this.budget = budget;
    this.nanos = nanos;
    toldAt = new AtomicLong(nanos.getAsLong() - PAUSE);
  }

  @Override
  public void run() {
    long now = nanos.getAsLong();
    long told = toldAt.get();
    if (now - told >= PAUSE && toldAt.compareAndSet(told, now)) {
      LOG.warn(
          "Memory is short: Mainstay refuses new requests or ends held answers. It holds {} of {}"
              + " MiB ({} MiB cache, {} requests, {} answers, {} output). A larger heap (-Xmx)"
              + " raises the limit",
          budget.used() >> 20,
          budget.limit() >> 20,
          budget.used(Use.CACHE) >> 20,
          budget.used(Use.REQUEST) >> 20,
          budget.used(Use.ANSWER) >> 20,
          budget.used(Use.OUTPUT) >> 20);
    }
  }
}
