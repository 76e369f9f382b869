package dev.mainstay.engine.model;

import dev.mainstay.core.verdict.Blame;
import dev.mainstay.core.verdict.FailureClass;
import dev.mainstay.core.verdict.Kind;
import dev.mainstay.ledger.AttemptRecord;
import dev.mainstay.ledger.CallRecord;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What came of a model request. */
public sealed interface ModelOutcome {
  /** What the ledger holds of it. */
  Evidence evidence();

  /**
   * The call as recorded.
   *
   * @param callId the call's id, also where the engine refused the request and made no call
   * @param call usage, cost and times; null where the engine refused the request
   * @param attempts every upstream request in order, failed ones included
   */
  record Evidence(String callId, @Nullable CallRecord call, List<AttemptRecord> attempts) {
    public Evidence {
      attempts = List.copyOf(attempts);
    }

    /** All attempts together in nano-dollars; 0 where no call was made, null where unknown. */
    public @Nullable Long costNanos() {
      return call == null ? (Long) 0L : call.costNanos();
    }
  }

  /**
   * The model answered.
   *
   * @param message the answer, as it goes back into the conversation
   * @param ending why the model stopped
   */
  record Answered(Message message, Ending ending, Evidence evidence) implements ModelOutcome {}

  /**
   * The request failed, after whatever recovery the configuration allows.
   *
   * @param status the HTTP status that a client would get
   * @param failureClass what can be done about it at all
   * @param kind what went wrong
   * @param blame whose doing it is
   * @param message the provider's words, with what looks like a key masked
   * @param nextStep what the caller can do about it
   * @param retryAfter how long to wait before the next request, or null
   */
  record Failed(
      int status,
      FailureClass failureClass,
      Kind kind,
      Blame blame,
      String message,
      String nextStep,
      @Nullable Duration retryAfter,
      Evidence evidence)
      implements ModelOutcome {
    /** Whether the same request may succeed later. */
    public boolean isTransient() {
      return failureClass == FailureClass.TRANSIENT;
    }
  }

  /** Why a model stopped. */
  enum Ending {
    /** It was done. */
    STOP,
    /** It waits for the results of its tool calls. */
    TOOL_CALLS,
    /** It reached the limit of tokens, or the context was full. */
    LENGTH,
    /** The provider's filter, or the model, refused. */
    REFUSED,
    OTHER
  }
}
