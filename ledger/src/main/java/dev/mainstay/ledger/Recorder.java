package dev.mainstay.ledger;

import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The small port through which calls are written. Safe for use by many threads.
 *
 * <p>What was handed over outlives the process: after a kill -9 the next start finds each call that
 * had ended as it ended, and each that had not as interrupted. When the store is slow, full or
 * away, records wait within a bound of bytes; beyond it bodies are dropped first and records after
 * them, both counted in {@link #health()}. Nothing is thrown at the caller for it.
 */
public interface Recorder {

  /**
   * Notes that a call is under way; {@link #record} ends it. Never blocks. A recorder whose records
   * do not outlive its process has nothing to note.
   */
  default void started(CallStart call) {}

  /** Notes that a request is about to be sent for a call that is under way. Never blocks. */
  default void attempted(AttemptStart attempt) {}

  /**
   * Records a call that has ended, with its attempts and bodies; called before the last byte of its
   * answer is handed to the client's socket. Never blocks and makes no system call in the usual
   * case, so that an event loop may call it.
   */
  void record(CallRecord call, List<AttemptRecord> attempts, List<Body> bodies);

  /**
   * Waits until everything handed over before is in the store or counted as dropped; for tests and
   * shutdown, never from an event loop. Returns whether it is so within {@code patience}.
   */
  boolean flush(Duration patience) throws InterruptedException;

  /** How the writing goes. Cheap; may be asked at any rate. */
  Health health();

  /**
   * How the writing goes, counted since the ledger was opened.
   *
   * @param trouble why records are waiting or being dropped, in words; null while all is well
   * @param written calls in the store
   * @param waiting calls that are kept, but not yet in the store
   * @param waitingBytes what they hold, bodies included
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

    /** Whether records reach the store. */
    public boolean ok() {
      return trouble == null;
    }
  }
}
