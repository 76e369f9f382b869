package dev.mainstay.ledger;

/** A store of calls that this process writes: its recorder, and a reader beside it. */
public interface Ledger extends AutoCloseable {

  /** Where calls are written. */
  Recorder recorder();

  /** Reads what has been written; records still on their way are not seen. */
  LedgerReader reader();

  /** Writes everything that was handed over, then lets go of the files. */
  @Override
  void close();
}
