package dev.mainstay.engine;

import dev.mainstay.core.failure.Failure;
import dev.mainstay.core.verdict.Verdict;
import dev.mainstay.ledger.AttemptRecord;
import dev.mainstay.ledger.CallRecord;
import java.util.List;

/** Hears what an engine does: for metrics, logs, traces and alerts. Thread-safe; must not block. */
public interface EngineListener {
  /** Hears nothing. */
  EngineListener NONE = new EngineListener() {};

  /** A failure was classified. */
  default void classified(Failure failure, Verdict verdict) {}

  /** A call has ended; its record is on its way to the ledger. */
  default void ended(CallRecord call, List<AttemptRecord> attempts) {}

  /**
   * A request was answered that needed no call of its own.
   *
   * @param how joined, joined_retry, replayed or conflict
   */
  default void answeredWithoutCall(String how) {}

  /** An account has no budget left for another call until its period ends. */
  default void budgetExhausted(String account, String message) {}

  /**
   * Something that a person should see, said by a user of the engine.
   *
   * @param cause what it is about; alerts of one cause are throttled together
   * @param kind what sort of alert it is, for programs
   * @param message for people; nothing of a prompt, a key or a provider's words is in it
   */
  default void alert(String cause, String kind, String message) {}
}
