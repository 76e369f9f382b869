package dev.mainstay.ledger.sql;

import dev.mainstay.ledger.state.DurableState;
import java.time.Instant;

/** A store of one kind, empty at first, for the contract that all kinds keep. */
public interface TestStore extends AutoCloseable {
  /** Room for what is kept that no test fills. */
  long ROOMY = 1L << 30;

  /**
   * A process's state on the store.
   *
   * @param now the time by its clock, which stands still
   */
  Opened open(Instant now, long maxBytes) throws Exception;

  /**
   * A process's part of a store.
   *
   * @param close ends the process in order
   */
  record Opened(DurableState state, Runnable close) {}

  /** The database itself. */
  Database database();

  /** A number that {@code sql} asks of the store. */
  long number(String sql) throws Exception;

  @Override
  void close() throws Exception;
}
