package dev.mainstay.engine;

import dev.mainstay.call.api.CallDecision;
import dev.mainstay.config.Alerts;
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

  /** Something about a call did not go well, and this is done next. */
  default void decided(CallDecision decision) {}

  /** A call has ended; its record is on its way to the ledger. */
  default void ended(CallRecord call, List<AttemptRecord> attempts) {}

  /**
   * A request was answered that needed no call of its own.
   *
   * @param how joined, joined_retry, replayed or conflict
   */
  default void answeredWithoutCall(String how) {}

  /**
   * A request was refused before any attempt.
   *
   * @param call its record
   * @param unrecorded how many like it were refused without a record since the last one with one;
   *     -1: this one has none either, because there are too many
   */
  default void refused(CallRecord call, CallRefusal refusal, long unrecorded) {}

  /**
   * Something happened that a person should see.
   *
   * @param cause what it is about; alerts of one cause are throttled together
   * @param message for people; nothing of a prompt, a key or a provider's words is in it
   */
  default void alert(Alerts.Topic topic, String cause, String message) {}
}
