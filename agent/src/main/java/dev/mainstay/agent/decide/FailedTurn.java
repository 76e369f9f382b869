package dev.mainstay.agent.decide;

import dev.mainstay.agent.journal.CallFailure;
import dev.mainstay.agent.journal.JournalEntry;
import dev.mainstay.agent.journal.RunState;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What follows a failed model call. The engine has retried what can be retried; left are a stream
 * that broke in the middle of an answer, and a conversation that is too long. All of a turn's
 * attempts share the agent's {@code recovery.max-attempts}.
 */
final class FailedTurn {
  private static final Set<String> TOO_LONG = Set.of("context_length", "payload_too_large");
  private static final Set<String> REFUSED = Set.of("content_filter", "safety_refusal");

  private FailedTurn() {}

  /** What to do; null to call the model again. */
  static @Nullable NextAction decide(RunState state, JournalEntry.TurnFailed failed, long now) {
    var attempts = state.attempts();
    var policy = state.definition().recovery().policy();
    var failure = failed.failure();
    boolean spent = attempts.requests() >= policy.maxAttempts();
    if (TOO_LONG.contains(failure.kind())) {
      var shorter =
          spent || attempts.compactions() >= policy.bounds().compactions()
              ? null
              : Compaction.of(state, now);
      return shorter != null
          ? new NextAction.Append(shorter)
          : end(
              "failed",
              "context-overflow",
              "after %d compactions: %s".formatted(attempts.compactions(), at(state, failure)),
              now);
    }
    if (failure.kind().equals("empty_response")) {
      return end("failed", "empty-answer", at(state, failure), now);
    }
    // The call had no more time than the run: its end there is the deadline's doing.
    var over = failure.kind().equals("timeout") ? LimitCheck.deadline(state, now) : null;
    if (over != null) {
      return end("failed", over.reason(), over.words(), now);
    }
    if (failure.isTransient()) {
      boolean again = failed.broke() && attempts.restarts() < policy.bounds().streamRestarts();
      return again && !spent
          ? null
          : end("dead_letter", "permanent-error", at(state, failure), now);
    }
    var limit = state.answers().isLast() ? LimitCheck.last(state, now) : null;
    if (limit != null && failure.failureClass().equals("LOGIC")) {
      // Asked for its last answer, the model called a tool instead.
      return end("failed", limit.reason(), limit.words(), now);
    }
    return end("failed", reason(failure.kind()), at(state, failure), now);
  }

  private static String reason(String kind) {
    return REFUSED.contains(kind)
        ? "refused"
        : kind.equals("budget_exceeded") ? "money-budget" : "permanent-error";
  }

  /** What failed, without the provider's words: those are for the run's owner alone. */
  static String name(CallFailure failure) {
    return "%s/%s in call %s".formatted(failure.failureClass(), failure.kind(), failure.callId());
  }

  private static String at(RunState state, CallFailure failure) {
    return "step %d: %s: %s".formatted(state.lastStep(), name(failure), failure.message());
  }

  private static NextAction end(String status, String reason, String words, long now) {
    return new NextAction.End(new JournalEntry.Ended(status, reason, words, null, now));
  }
}
