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

  /** Why the last operation failed, in words; null while all is well. */
  @Nullable String trouble();

  /** Finishes what was asked for before, then lets go of the file. */
  @Override
  void close();
}
