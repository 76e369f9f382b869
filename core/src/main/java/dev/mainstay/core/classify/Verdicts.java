package dev.mainstay.core.classify;

import dev.mainstay.core.classify.Rule.Outcome;
import dev.mainstay.core.classify.Rule.Waiting;
import dev.mainstay.core.failure.Evidence;
import dev.mainstay.core.verdict.Blame;
import dev.mainstay.core.verdict.FailureClass;
import dev.mainstay.core.verdict.Kind;
import dev.mainstay.core.verdict.Verdict;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** From the rule that decided, or none, to the verdict. */
final class Verdicts {
  static final String UNKNOWN_SERVER_ERROR = "unknown-5xx";
  static final String UNKNOWN = "unknown";

  private Verdicts() {}

  static Verdict of(@Nullable Rule rule, Evidence evidence, boolean lasting, Windows window) {
    if (rule == null) {
      return unknown(evidence, lasting);
    }
    var then = rule.then();
    if (then.kind() == Kind.RATE_LIMIT
        && then.failureClass() == FailureClass.TRANSIENT
        && then.windows()
        && window != Windows.SHORT) {
      return usedUp(rule, evidence, window);
    }
    return new Verdict(
        then.failureClass(),
        then.kind(),
        then.blame(),
        then.retrySame(),
        then.waiting() == Waiting.DROP ? null : wait(then, evidence),
        then.fallback(),
        then.repair(),
        then.alert(),
        rule.id(),
        then.because());
  }

  /** A wait means something where waiting can help, and where a limit will be lifted by itself. */
  private static @Nullable Duration wait(Outcome then, Evidence evidence) {
    boolean lifts =
        then.failureClass() == FailureClass.TRANSIENT || then.kind() == Kind.QUOTA_EXHAUSTED;
    return lifts ? evidence.retryAfter() : null;
  }

  private static Verdict usedUp(Rule rule, Evidence evidence, Windows window) {
    boolean never = window == Windows.NEVER;
    return new Verdict(
        FailureClass.FATAL,
        Kind.QUOTA_EXHAUSTED,
        Blame.KEY,
        false,
        never ? null : evidence.retryAfter(),
        true,
        null,
        true,
        rule.id(),
        never
            ? "The limit itself is zero for this account: no wait will lift it."
            : "The limit is for a day or longer, or the stated wait is over an hour: not worth"
                + " waiting for.");
  }

  private static Verdict unknown(Evidence evidence, boolean lasting) {
    var status = evidence.status();
    if (!lasting && status != null && status >= 500 && status <= 599) {
      return new Verdict(
          FailureClass.TRANSIENT,
          Kind.SERVER_ERROR,
          Blame.PROVIDER,
          true,
          evidence.retryAfter(),
          true,
          null,
          false,
          UNKNOWN_SERVER_ERROR,
          "The provider answered with a 5xx status and nothing more is known.");
    }
    return new Verdict(
        FailureClass.FATAL,
        Kind.OTHER,
        Blame.CALLER,
        false,
        null,
        true,
        null,
        true,
        UNKNOWN,
        "No rule knows this failure, so it is not repeated and a person should look at it.");
  }
}
