package dev.mainstay.ledger.sqlite;

import dev.mainstay.ledger.AttemptRecord;
import dev.mainstay.ledger.Body;
import dev.mainstay.ledger.CallRecord;
import dev.mainstay.ledger.Recorder;
import java.io.IOException;
import java.sql.SQLException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The one thread that writes. It gathers calls for up to {@link #GATHER_NANOS} or {@link
 * #BATCH_CALLS}, writes them in one transaction, and tries again with growing pauses while the disk
 * refuses; meanwhile calls wait in the {@link Spool}.
 *
 * <p>Threads that record wake it only when it sleeps without a limit, which it does once nothing
 * came for a while: under load an event loop pays for a queue's node and no more.
 */
final class Writer implements Recorder {
  private static final Logger LOG = LoggerFactory.getLogger(Writer.class);

  static final int BATCH_CALLS = 500;
  private static final long GATHER_NANOS = TimeUnit.MILLISECONDS.toNanos(20);
  private static final long FIRST_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
  private static final long LAST_PAUSE_NANOS = TimeUnit.SECONDS.toNanos(5);
  private static final long RETAIN_EVERY_NANOS = TimeUnit.MINUTES.toNanos(1);

  /** A call that waits longer than this says that the disk is slow. */
  private static final long SLOW_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** How long a closing ledger goes on trying to write to a disk that refuses. */
  private static final Duration CLOSING_PATIENCE = Duration.ofSeconds(5);

  private final Store store;
  private final Spool spool;
  private final InstantSource clock;
  private final Thread thread;
  private final AtomicLong written = new AtomicLong();

  private volatile boolean idle;
  private volatile boolean hurry;
  private volatile boolean closed;
  private volatile @Nullable String failing;
  // When the oldest call not yet on disk was handed over; 0 while there is none.
  private volatile long oldestNanos;
  private volatile long giveUpNanos;

  Writer(Store store, Spool spool, InstantSource clock) {
    this.store = store;
    this.spool = spool;
    this.clock = clock;
    thread = Thread.ofPlatform().name("mainstay-ledger").daemon().unstarted(this::run);
  }

  void start() {
    thread.start();
  }

  @Override
  public void record(CallRecord call, List<AttemptRecord> attempts, List<Body> bodies) {
    if (closed) {
      spool.refused(bodies.size());
      return;
    }
    spool.put(call, attempts, bodies, System.nanoTime());
    wakeIfIdle();
  }

  @Override
  public boolean flush(Duration patience) throws InterruptedException {
    var reached = new CountDownLatch(1);
    spool.mark(reached::countDown);
    hurry = true;
    LockSupport.unpark(thread);
    return reached.await(patience.toNanos(), TimeUnit.NANOSECONDS);
  }

  @Override
  public Health health() {
    return new Health(
        trouble(),
        written.get(),
        spool.waiting(),
        spool.waitingBytes(),
        spool.droppedBodies(),
        spool.droppedCalls());
  }

  private @Nullable String trouble() {
    var reason = failing;
    long oldest = oldestNanos;
    if (reason == null && oldest != 0 && System.nanoTime() - oldest > SLOW_NANOS) {
      reason = "the disk is slow";
    }
    return reason == null
        ? null
        : "%s: %d calls wait in memory, %d were dropped, and %d bodies"
            .formatted(reason, spool.waiting(), spool.droppedCalls(), spool.droppedBodies());
  }

  private void wakeIfIdle() {
    if (idle) {
      idle = false;
      LockSupport.unpark(thread);
    }
  }

  private void run() {
    var batch = new ArrayList<Spool.Item.Call>(BATCH_CALLS);
    var marks = new ArrayList<Runnable>();
    long nextRetention = System.nanoTime();
    while (true) {
      sleepUntilThereIsWork(nextRetention);
      gather();
      take(batch, marks);
      if (!batch.isEmpty()) {
        write(batch);
      }
      marks.forEach(Runnable::run);
      marks.clear();
      batch.clear();
      oldestNanos = 0;
      if (System.nanoTime() - nextRetention >= 0) {
        nextRetention = System.nanoTime() + (retain() ? GATHER_NANOS : RETAIN_EVERY_NANOS);
      }
      if (closed && spool.isEmpty()) {
        return;
      }
    }
  }

  private void sleepUntilThereIsWork(long nextRetention) {
    while (spool.isEmpty() && !closed) {
      long left = nextRetention - System.nanoTime();
      if (left <= 0) {
        return;
      }
      idle = true;
      // Whoever put a call before it saw `idle` is seen here; whoever did so after wakes us.
      if (spool.isEmpty() && !closed) {
        LockSupport.parkNanos(this, left);
      }
      idle = false;
    }
  }

  private void gather() {
    long until = System.nanoTime() + GATHER_NANOS;
    while (!hurry && !closed && spool.waiting() < BATCH_CALLS) {
      long left = until - System.nanoTime();
      if (left <= 0) {
        return;
      }
      LockSupport.parkNanos(this, left);
    }
  }

  private void take(List<Spool.Item.Call> batch, List<Runnable> marks) {
    hurry = false;
    while (batch.size() < BATCH_CALLS) {
      switch (spool.take()) {
        case Spool.Item.Call call -> batch.add(call);
        // What is behind the mark belongs to the next batch.
        case Spool.Item.Mark mark -> {
          marks.add(mark.reached());
          return;
        }
        case null -> {
          return;
        }
      }
    }
  }

  private void write(List<Spool.Item.Call> batch) {
    oldestNanos = batch.getFirst().sinceNanos();
    long pause = FIRST_PAUSE_NANOS;
    while (true) {
      try {
        store.write(batch);
        done(batch);
        return;
      } catch (SQLException | IOException | RuntimeException e) {
        if (!Store.mayPass(e)) {
          drop(batch, e);
          return;
        }
        if (failing == null) {
          LOG.warn("The ledger cannot be written, calls wait in memory: {}", e.getMessage());
        }
        failing = "the ledger cannot be written (" + e.getMessage() + ")";
      }
      if (closed && System.nanoTime() - giveUpNanos >= 0) {
        batch.forEach(spool::drop);
        return;
      }
      LockSupport.parkNanos(this, pause);
      pause = Math.min(pause * 2, LAST_PAUSE_NANOS);
    }
  }

  private void done(List<Spool.Item.Call> batch) {
    batch.forEach(spool::release);
    written.addAndGet(batch.size());
    if (failing != null) {
      failing = null;
      LOG.info("The ledger is being written again; {} calls wait", spool.waiting());
    }
  }

  /** A batch that no patience can write: the call it is about is dropped, the others are kept. */
  private void drop(List<Spool.Item.Call> batch, Exception cause) {
    if (batch.size() == 1) {
      LOG.warn("Call {} cannot be kept: {}", batch.getFirst().call().id(), cause.getMessage());
      spool.drop(batch.getFirst());
    } else {
      batch.forEach(call -> write(List.of(call)));
    }
  }

  private boolean retain() {
    try {
      return store.retain(clock.instant());
    } catch (SQLException | IOException | RuntimeException e) {
      LOG.warn("Retention failed, and will be tried again: {}", e.getMessage());
      return false;
    }
  }

  /** Writes what waits, then ends the thread; the store is the caller's to close. */
  void close() throws InterruptedException {
    giveUpNanos = System.nanoTime() + CLOSING_PATIENCE.toNanos();
    closed = true;
    LockSupport.unpark(thread);
    thread.join();
    // What was handed over in the moment of closing.
    while (spool.take() instanceof Spool.Item item) {
      switch (item) {
        case Spool.Item.Call call -> spool.drop(call);
        case Spool.Item.Mark mark -> mark.reached().run();
      }
    }
    if (spool.droppedCalls() > 0) {
      LOG.warn(
          "The ledger closed with {} calls and {} bodies dropped, because the disk was slow or full",
          spool.droppedCalls(),
          spool.droppedBodies());
    }
  }
}
