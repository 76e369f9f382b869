package dev.mainstay.ledger.sqlite;

import dev.mainstay.ledger.AttemptRecord;
import dev.mainstay.ledger.Body;
import dev.mainstay.ledger.CallRecord;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Calls on their way to the writer, bounded by bytes: when the bound for bodies is reached a call
 * waits without its bodies, when the bound for records is reached it is dropped. Both are counted.
 * Many threads put, one takes; nothing blocks.
 */
final class Spool {
  // What a record holds on the heap apart from its long strings, measured roughly; bounds need no
  // more.
  private static final int CALL_BYTES = 600;
  private static final int ATTEMPT_BYTES = 400;

  private final long maxBodyBytes;
  private final long maxRecordBytes;
  private final ConcurrentLinkedQueue<Item> queue = new ConcurrentLinkedQueue<>();
  private final AtomicInteger waiting = new AtomicInteger();
  private final AtomicLong bodyBytes = new AtomicLong();
  private final AtomicLong recordBytes = new AtomicLong();
  private final AtomicLong droppedBodies = new AtomicLong();
  private final AtomicLong droppedCalls = new AtomicLong();

  Spool(long maxBodyBytes, long maxRecordBytes) {
    this.maxBodyBytes = maxBodyBytes;
    this.maxRecordBytes = maxRecordBytes;
  }

  /** What waits: a call, or a mark that tells when all before it has been dealt with. */
  sealed interface Item {
    /** A call and what it holds in memory. */
    record Call(
        CallRecord call,
        List<AttemptRecord> attempts,
        List<Body> bodies,
        long bodyBytes,
        long recordBytes,
        long sinceNanos)
        implements Item {}

    /** Runs {@code reached} once everything put before it is on disk. */
    record Mark(Runnable reached) implements Item {}
  }

  /** Whether the call will be written; without its bodies where those do not fit. */
  boolean put(CallRecord call, List<AttemptRecord> attempts, List<Body> bodies, long nowNanos) {
    long records = CALL_BYTES + (long) ATTEMPT_BYTES * attempts.size();
    for (var attempt : attempts) {
      records += length(attempt.failure()) + attempt.reason().length();
    }
    if (recordBytes.addAndGet(records) > maxRecordBytes) {
      recordBytes.addAndGet(-records);
      droppedCalls.incrementAndGet();
      droppedBodies.addAndGet(bodies.size());
      return false;
    }
    long size = 0;
    for (var body : bodies) {
      size += body.bytes().length;
    }
    if (size > 0 && bodyBytes.addAndGet(size) > maxBodyBytes) {
      bodyBytes.addAndGet(-size);
      droppedBodies.addAndGet(bodies.size());
      bodies = List.of();
      size = 0;
    }
    waiting.incrementAndGet();
    queue.add(new Item.Call(call, attempts, bodies, size, records, nowNanos));
    return true;
  }

  void mark(Runnable reached) {
    queue.add(new Item.Mark(reached));
  }

  @Nullable Item take() {
    return queue.poll();
  }

  /** Frees the room of a call that is on disk, or that is given up on. */
  void release(Item.Call call) {
    waiting.decrementAndGet();
    bodyBytes.addAndGet(-call.bodyBytes());
    recordBytes.addAndGet(-call.recordBytes());
  }

  /** Gives up on everything that waits, counted. */
  void drop(Item.Call call) {
    release(call);
    droppedCalls.incrementAndGet();
    droppedBodies.addAndGet(call.bodies().size());
  }

  boolean isEmpty() {
    return queue.isEmpty();
  }

  int waiting() {
    return waiting.get();
  }

  long waitingBytes() {
    return bodyBytes.get() + recordBytes.get();
  }

  long droppedBodies() {
    return droppedBodies.get();
  }

  long droppedCalls() {
    return droppedCalls.get();
  }

  void refused(int bodies) {
    droppedCalls.incrementAndGet();
    droppedBodies.addAndGet(bodies);
  }

  private static int length(@Nullable String text) {
    return text == null ? 0 : text.length();
  }
}
