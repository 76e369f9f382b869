package dev.mainstay.ledger.state;

import dev.mainstay.ledger.run.RunReports;
import dev.mainstay.ledger.run.RunStore;
import org.jspecify.annotations.Nullable;

/**
 * State that decides what happens next, and so must be on disk before anything is done upon it;
 * unlike call records, of which a machine that dies may take the last moments. Thread-safe.
 *
 * <p>Any number of processes may have one store open where its kind allows that. What a process has
 * in hand is leased to it: see {@link Instances}.
 *
 * <p>Nothing here blocks: one thread performs all operations that wait in one transaction, and
 * their stages complete on that thread once the transaction is on disk. A stage fails where the
 * store does not confirm its operation in time. What ends an operation that the store confirmed
 * before (settling, keeping an answer, releasing, ending) waits for a store that is away, within a
 * bound of bytes, and is written when the store is back.
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

  /** Agents' runs and their journals. */
  RunStore runs();

  /** What agents outside Mainstay report of their runs. */
  RunReports runReports();

  /** Who did what. */
  AuditLog audit();

  /** How good runs and calls were. */
  Evaluations evaluations();

  /** Failures by what caused them. */
  FailureCases failureCases();

  /** What made the objects that providers keep. */
  ProviderObjects providerObjects();

  /** Who has signed in to the admin API. */
  SignIns signIns();

  /** The processes that write this store. */
  Instances instances();

  /** Hints between them. */
  Signals signals();

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
