package dev.mainstay.ledger;

import dev.mainstay.ledger.state.DurableState;

/** A store that this process writes: the recorder of calls, a reader, and the durable state. */
public interface Ledger extends AutoCloseable {

  /** Where calls are written. */
  Recorder recorder();

  /** Reads what has been written; records still on their way are not seen. */
  LedgerReader reader();

  /** What must be on disk before something is done upon it. */
  DurableState state();

  /** Writes everything that was handed over, then lets go of the files. */
  @Override
  void close();
}
