package dev.mainstay.ledger.state;

import org.jspecify.annotations.Nullable;

/**
 * State that decides what happens next, and so must be on disk before anything is done upon it;
 * unlike call records, of which a machine that dies may take the last moments. Thread-safe.
 *
 * <p>Nothing here blocks: each operation is done by the one thread that writes, together with those
 * that wait beside it, and its stage completes on that thread once it is on disk. A stage that
 * fails says that the store cannot be written now, and nothing of its operation was done.
 */
public interface DurableState extends AutoCloseable {

  /** Idempotency keys. */
  Claims claims();

  /** Money. */
  Budgets budgets();

  /** Alerts on their way. */
  AlertLog alerts();

  /** Calls that must not be lost. */
  KeptCalls keptCalls();

  /**
   * Why operations fail, in words; null while all is well. While there is trouble a write is tried
   * every minute, so that its end is seen without anybody asking for something.
   */
  @Nullable String trouble();

  /** Operations that failed since the state was opened. */
  long failed();

  /**
   * What is kept to be given or made again: answers under idempotency keys, and calls that must not
   * be lost.
   *
   * @param bytes that it takes
   * @param maxBytes that it may take
   * @param forgotten answers that went before their time because the room was full, since the state
   *     was opened
   * @param refused calls that were not accepted because calls that are owed filled it
   * @param full whether the newest call was refused, and nothing has made room since
   */
  record Kept(long bytes, long maxBytes, long forgotten, long refused, boolean full) {}

  /** How full the room is for what is kept. */
  Kept kept();

  /** Finishes what was asked for before, then lets go of the file. */
  @Override
  void close();
}
