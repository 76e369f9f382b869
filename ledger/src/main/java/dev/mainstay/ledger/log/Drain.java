package dev.mainstay.ledger.log;

import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The one thread that moves calls from the log to the store. It gathers for up to {@link
 * #GATHER_NANOS}, under load {@link #GATHER_MORE_NANOS}, or {@link #BATCH_CALLS}.
 *
 * <p>Threads that record wake it only when it sleeps without a limit, which it does once nothing
 * came for a while.
 */
final class Drain {
  private static final Logger LOG = LoggerFactory.getLogger(Drain.class);

  static final int BATCH_CALLS = 500;

  /** What a batch may hold on the heap, bodies included: 4 MiB, or one call. */
  private static final int BATCH_BYTES = 4 << 20;

  private static final long GATHER_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

  /**
   * A batch writes some pages whatever it holds: where calls come fast, fewer batches cost less.
   */
  private static final long GATHER_MORE_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

  /** A batch of so many calls says that they come fast: 1,000 a second. */
  private static final int MANY_CALLS = 20;

  /**
   * How often a log that could not be extended is tried again, and the file says while calls are
   * under way that this process is alive.
   */
  private static final long LOOK_EVERY_NANOS = TimeUnit.SECONDS.toNanos(1);

  private static final long RETAIN_EVERY_NANOS = TimeUnit.MINUTES.toNanos(1);

  private final SegmentedLog log;
  private final StoreWriter store;
  private final InstantSource clock;
  private final Duration closingPatience;
  private final List<EndedCall> interrupted;
  private final OpenCalls open = new OpenCalls();
  private final Thread thread;

  // Of the thread alone: what is read next, and the batch under way.
  private @Nullable LogSegment segment;
  private int offset;
  private final List<EndedCall> batch = new ArrayList<>(BATCH_CALLS);
  private final List<LogSegment> passed = new ArrayList<>(1);

  /** Files up to this one are an earlier process's: the store may have their calls already. */
  private final long lastLeftBehind;

  private boolean repeated;
  private boolean full;

  private final ConcurrentLinkedQueue<Mark> marks = new ConcurrentLinkedQueue<>();
  private volatile boolean idle;
  private volatile boolean hurry;

  private record Mark(long position, CountDownLatch reached) {}

  Drain(
      SegmentedLog log,
      CallStore store,
      InstantSource clock,
      PreviousLog left,
      Duration closingPatience) {
    this.log = log;
    this.store = new StoreWriter(store, clock, log::prepare);
    this.clock = clock;
    this.closingPatience = closingPatience;
    interrupted = left.interrupted();
    lastLeftBehind = left.lastNumber();
    thread = Thread.ofPlatform().name("mainstay-ledger").daemon().unstarted(this::run);
  }

  void start() {
    thread.start();
  }

  /** Something was appended. */
  void wake() {
    if (idle) {
      idle = false;
      LockSupport.unpark(thread);
    }
  }

  /** Waits until all before a position is in the store or given up on. */
  boolean await(long target, Duration patience) throws InterruptedException {
    var reached = new CountDownLatch(1);
    marks.add(new Mark(target, reached));
    hurry = true;
    LockSupport.unpark(thread);
    return reached.await(patience.toNanos(), TimeUnit.NANOSECONDS);
  }

  /** Drains what is there, within its patience, and ends the thread. */
  void finish() throws InterruptedException {
    store.close(closingPatience);
    LockSupport.unpark(thread);
    thread.join();
  }

  /** What is written, and what is not. */
  StoreWriter store() {
    return store;
  }

  // ---- the thread

  private void run() {
    if (!writeInterrupted(interrupted)) {
      return;
    }
    long nextRetention = System.nanoTime();
    while (true) {
      log.prepare();
      take();
      if (!store.write(batch, repeated)) {
        return;
      }
      settle();
      if (store.closing() && !more()) {
        // Nothing ends them any more.
        writeInterrupted(open.interrupted(clock.instant()));
        return;
      }
      if (System.nanoTime() - nextRetention >= 0) {
        nextRetention = System.nanoTime() + (store.retain() ? GATHER_NANOS : RETAIN_EVERY_NANOS);
      }
      if (!full) {
        sleepUntilThereIsMore(
            log.trouble() == null && open.isEmpty()
                ? nextRetention
                : Math.min(nextRetention, System.nanoTime() + LOOK_EVERY_NANOS));
        gather();
      }
    }
  }

  /** Before the files are given back that alone say that these calls began. */
  private boolean writeInterrupted(List<EndedCall> calls) {
    for (int from = 0; from < calls.size(); from += BATCH_CALLS) {
      int to = Math.min(calls.size(), from + BATCH_CALLS);
      if (!store.write(calls.subList(from, to), true)) {
        return false;
      }
    }
    return true;
  }

  private boolean more() {
    var from = segment;
    return from == null
        ? log.after(null) != null
        : offset < from.end() || (from.sealed() && log.after(from) != null);
  }

  private void sleepUntilThereIsMore(long until) {
    while (!more() && !store.closing() && marks.isEmpty()) {
      long left = until - System.nanoTime();
      if (left <= 0) {
        return;
      }
      idle = true;
      // What was appended before its thread saw `idle` is seen here; after that it wakes us.
      if (!more() && !store.closing() && marks.isEmpty()) {
        LockSupport.parkNanos(this, left);
      }
      idle = false;
    }
  }

  private void gather() {
    long until = System.nanoTime() + (batch.size() < MANY_CALLS ? GATHER_NANOS : GATHER_MORE_NANOS);
    while (!hurry && !store.closing()) {
      long left = until - System.nanoTime();
      if (left <= 0) {
        return;
      }
      LockSupport.parkNanos(this, left);
    }
  }

  /** Reads the next batch. */
  private void take() {
    hurry = false;
    batch.clear();
    repeated = false;
    int bytes = 0;
    while (batch.size() < BATCH_CALLS && bytes < BATCH_BYTES) {
      var from = segment == null ? next(null) : segment;
      if (from == null) {
        break;
      }
      // Asked first: what is sealed has come to its end.
      boolean sealed = from.sealed();
      if (offset < from.end()) {
        bytes += take(from);
      } else if (!sealed || next(from) == null) {
        break;
      } else {
        passed.add(from);
      }
    }
    full = batch.size() >= BATCH_CALLS || bytes >= BATCH_BYTES;
  }

  private @Nullable LogSegment next(@Nullable LogSegment before) {
    var next = log.after(before);
    if (next != null) {
      segment = next;
      offset = Math.max(LogSegment.HEADER, next.drained());
    }
    return next;
  }

  private int take(LogSegment from) {
    boolean old = from.number() <= lastLeftBehind;
    try {
      var payload = from.payload(offset);
      offset = from.next(offset);
      if (Entry.kind(payload) == Entry.END) {
        var call = Entry.end(payload);
        open.ended(call.call().id());
        batch.add(call);
        repeated |= old;
      } else if (!old) {
        open.read(payload, from);
      }
      return (int) payload.byteSize();
    } catch (RuntimeException | InternalError e) {
      LOG.error(
          "Mainstay cannot read {} after byte {} and gives up the rest of it: {}",
          from.path(),
          offset,
          e.toString());
      offset = from.end();
      return 0;
    }
  }

  /** Says what has been dealt with, and gives back the files whose last entry that was. */
  private void settle() {
    var at = segment;
    if (at == null) {
      reach(0);
      return;
    }
    at.setDrained(offset);
    at.setAlive(clock.instant());
    for (var old : passed) {
      var carried = open.only(old);
      carried.removeIf(log::append);
      log.release(old);
      // The log was full, and has room now.
      carried.forEach(log::append);
    }
    passed.clear();
    reach(at.position(offset));
  }

  private void reach(long position) {
    marks.removeIf(
        mark -> {
          boolean there = mark.position() <= position;
          if (there) {
            mark.reached().countDown();
          }
          return there;
        });
  }
}
