package dev.mainstay.ledger.log;

import dev.mainstay.ledger.OutageLog;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes batches to the store, and tries again with growing pauses while it refuses. For one
 * thread, save for the counts and {@link #close}.
 */
final class StoreWriter {
  private static final Logger LOG = LoggerFactory.getLogger(StoreWriter.class);
  private static final long FIRST_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
  private static final long LAST_PAUSE_NANOS = TimeUnit.SECONDS.toNanos(5);

  /** A batch that takes longer than this says that the store is slow. */
  private static final long SLOW_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final CallStore store;
  private final InstantSource clock;
  private final Runnable meanwhile;
  private final AtomicLong written = new AtomicLong();
  private final AtomicLong refused = new AtomicLong();
  private volatile boolean closing;
  private volatile long giveUpNanos;
  private final OutageLog writing =
      new OutageLog(LOG, "Mainstay cannot write the ledger", "Mainstay writes the ledger again");
  private final OutageLog retention =
      new OutageLog(
          LOG,
          "Mainstay cannot delete what is older than recording.retention",
          "Mainstay deletes what is older than recording.retention again");

  // When the batch under way was begun; 0 while there is none.
  private volatile long sinceNanos;

  /**
   * @param meanwhile done before each pause
   */
  StoreWriter(CallStore store, InstantSource clock, Runnable meanwhile) {
    this.store = store;
    this.clock = clock;
    this.meanwhile = meanwhile;
  }

  /** From now on a store that refuses is given up on after {@code patience}. */
  void close(Duration patience) {
    giveUpNanos = System.nanoTime() + patience.toNanos();
    closing = true;
  }

  boolean closing() {
    return closing;
  }

  /** Calls in the store. */
  long written() {
    return written.get();
  }

  /** Calls that the store refused for themselves. */
  long refused() {
    return refused.get();
  }

  /** Why the store does not keep up, in words, or null. */
  @Nullable String trouble() {
    var reason = writing.now();
    if (reason != null) {
      return reason;
    }
    long since = sinceNanos;
    return since != 0 && System.nanoTime() - since > SLOW_NANOS
        ? "the store is slow"
        : retention.now();
  }

  /**
   * Writes calls, however long the store refuses; false where the log is closed meanwhile.
   *
   * @param repeated as in {@link CallStore#write}
   */
  boolean write(List<EndedCall> calls, boolean repeated) {
    if (calls.isEmpty()) {
      return true;
    }
    sinceNanos = System.nanoTime();
    boolean unsure = repeated;
    long pause = FIRST_PAUSE_NANOS;
    while (true) {
      try {
        store.write(calls, unsure);
        written.addAndGet(calls.size());
        sinceNanos = 0;
        writing.healed();
        return true;
      } catch (Exception e) {
        if (!store.mayPass(e)) {
          return drop(calls, unsure, e);
        }
        writing.failed(e);
      }
      // Whether it was written may not be known.
      unsure = true;
      if (closing && System.nanoTime() - giveUpNanos >= 0) {
        return false;
      }
      meanwhile.run();
      LockSupport.parkNanos(this, pause);
      pause = Math.min(pause * 2, LAST_PAUSE_NANOS);
    }
  }

  /** A batch that no patience can write: the call it is about is dropped, the others are kept. */
  private boolean drop(List<EndedCall> calls, boolean repeated, Exception cause) {
    if (calls.size() > 1) {
      for (var call : calls) {
        if (!write(List.of(call), repeated)) {
          return false;
        }
      }
      return true;
    }
    LOG.warn("Mainstay cannot store call {}: {}", calls.getFirst().call().id(), cause.getMessage());
    refused.incrementAndGet();
    sinceNanos = 0;
    return true;
  }

  /** Deletes what is too old; whether there is more to do. */
  boolean retain() {
    try {
      boolean more = store.retain(clock.instant());
      retention.healed();
      return more;
    } catch (Exception e) {
      retention.failed(e);
      return false;
    }
  }
}
