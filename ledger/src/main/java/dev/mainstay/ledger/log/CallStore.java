package dev.mainstay.ledger.log;

import java.time.Instant;
import java.util.List;

/** Where the log's calls go: SQLite or PostgreSQL. Used by the log's one thread; may block. */
public interface CallStore {

  /**
   * Writes calls, all of them or none.
   *
   * @param repeated whether some of them may be in the store already, because a process ended or a
   *     connection broke before it knew: those are skipped by their id
   * @throws Exception where none was written; {@link #mayPass} says whether to try again
   */
  void write(List<EndedCall> calls, boolean repeated) throws Exception;

  /** Whether a failure may pass, as that of a full disk does, or will be the same for ever. */
  boolean mayPass(Exception failure);

  /** Deletes a little of what is too old or too much; returns whether there is more to do. */
  boolean retain(Instant now) throws Exception;
}
