package dev.mainstay.ledger;

import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The small port through which calls are written. Safe for use by many threads.
 *
 * <p>What is handed over is on disk within 100 ms while the disk keeps up. When it does not, or is
 * full, records wait in memory within a bound of bytes; beyond it bodies are dropped first and
 * records after them, both counted in {@link #health()}. Nothing is thrown at the caller for it.
 */
public interface Recorder {

  /**
   * Hands over a call that has ended, with its attempts and bodies. Never blocks and does no I/O,
   * so that an event loop may call it.
   */
  void record(CallRecord call, List<AttemptRecord> attempts, List<Body> bodies);

  /**
   * Waits until everything handed over before is on disk or counted as dropped; for tests and
   * shutdown, never from an event loop. Returns whether it is so within {@code patience}.
   */
  boolean flush(Duration patience) throws InterruptedException;

  /** How the writing goes. Cheap; may be asked at any rate. */
  Health health();

  /**
   * How the writing goes, counted since the ledger was opened.
   *
   * @param trouble why records are waiting or being dropped, in words; null while all is well
   * @param written calls on disk
   * @param waiting calls in memory, not yet on disk
   * @param waitingBytes what they hold in memory, bodies included
   * @param droppedBodies bodies given up on so that the records could be kept
   * @param droppedCalls calls of which nothing was kept
   */
  record Health(
      @Nullable String trouble,
      long written,
      long waiting,
      long waitingBytes,
      long droppedBodies,
      long droppedCalls) {

    /** Whether records reach the disk. */
    public boolean ok() {
      return trouble == null;
    }
  }
}
