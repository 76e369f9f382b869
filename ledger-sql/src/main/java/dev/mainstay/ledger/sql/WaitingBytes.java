package dev.mainstay.ledger.sql;

import java.util.concurrent.atomic.AtomicLong;

/** What operations that wait for the database hold in memory. Thread-safe. */
final class WaitingBytes {
  /** Of an operation beside what it carries. */
  private static final int EACH = 512;

  private final long most;
  private final AtomicLong bytes = new AtomicLong();
  private final AtomicLong count = new AtomicLong();

  WaitingBytes(long most) {
    this.most = most;
  }

  /** Whether there was room; one thread alone calls it. */
  boolean joins(long size) {
    if (bytes.get() + EACH + size > most) {
      return false;
    }
    bytes.addAndGet(EACH + size);
    count.incrementAndGet();
    return true;
  }

  void left(long size) {
    bytes.addAndGet(-EACH - size);
    count.decrementAndGet();
  }

  long count() {
    return count.get();
  }
}
