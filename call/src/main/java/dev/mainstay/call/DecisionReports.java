package dev.mainstay.call;

import dev.mainstay.call.answer.Relay;
import dev.mainstay.call.api.CallDecision;
import dev.mainstay.call.recording.CallRecorder;
import dev.mainstay.core.recovery.Decision;
import dev.mainstay.core.recovery.Recovery;
import dev.mainstay.core.recovery.Route;
import dev.mainstay.core.recovery.TargetId;
import dev.mainstay.core.verdict.Kind;
import dev.mainstay.core.verdict.Verdict;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Reports a call's decisions to the listener. Belongs to the call's loop. */
final class DecisionReports {
  private final CallRecorder recorder;
  private final Recovery recovery;
  private final Route route;
  private final Relay relay;

  DecisionReports(CallRecorder recorder, Recovery recovery, Route route, Relay relay) {
    this.recorder = recorder;
    this.recovery = recovery;
    this.route = route;
    this.relay = relay;
  }

  /**
   * Reports what is done next. A first attempt at the first target, and what a repair came to, go
   * without saying.
   *
   * @param verdict on the failure that led to it, or null where it follows on no attempt's failure
   * @param failed the target of the last attempt, or null where there was none
   */
  void next(Decision decision, @Nullable Verdict verdict, @Nullable TargetId failed) {
    var target =
        switch (decision) {
          case Decision.Proceed go when go.target() == 0 || recovery.attempts() > 1 -> null;
          case Decision.Proceed go -> route.target(go.target());
          case Decision.Retry again -> route.target(again.target());
          case Decision.Fallback other -> route.target(other.target());
          case Decision.RetryRepaired mend -> route.target(mend.target());
          case Decision.Continue on -> route.target(on.target());
          case Decision.GiveUp _ -> null;
        };
    if (target == null) {
      return;
    }
    recorder.report(
        new CallDecision(
            recorder.id(),
            verdict == null || failed == null
                ? null
                : CallDecision.Cause.of(failed.toString(), verdict),
            decision.wireName(),
            decision.reason(),
            target.toString(),
            Duration.ofNanos(decision.waitNanos()),
            relay.begun() || verdict != null && isBrokenStream(verdict.kind()),
            recorder.attempts(),
            recovery.maxAttempts()));
  }

  /**
   * Reports that nothing more is tried.
   *
   * @param failed the target of the last attempt, or null where there was none
   */
  void gaveUp(String reason, Verdict verdict, @Nullable TargetId failed) {
    recorder.report(
        new CallDecision(
            recorder.id(),
            CallDecision.Cause.of(failed == null ? null : failed.toString(), verdict),
            "give_up",
            reason,
            null,
            Duration.ZERO,
            false,
            recorder.attempts(),
            recovery.maxAttempts()));
  }

  private static boolean isBrokenStream(Kind kind) {
    return kind == Kind.STREAM_INTERRUPTED || kind == Kind.STREAM_ERROR_EVENT;
  }
}
