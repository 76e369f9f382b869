package dev.mainstay.core.classify;

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

  /** Whether the window of the limit decides what {@code rule} means. */
  static boolean isLimit(Rule rule) {
    var then = rule.then();
    return then.kind() == Kind.RATE_LIMIT
        && then.failureClass() == FailureClass.TRANSIENT
        && then.windows();
  }

  /**
   * Whether {@code rule} takes a quota for spent because of words, which a stated wait outweighs.
   */
  static boolean isQuotaByWords(Rule rule) {
    var when = rule.when();
    return rule.then().kind() == Kind.QUOTA_EXHAUSTED
        && when.code().any()
        && when.type().any()
        && when.aws().any();
  }

  /**
   * Whether waiting can help, or a limit will be lifted by itself: a wait means something there.
   */
  static boolean lifts(Rule rule) {
    var then = rule.then();
    return then.waiting() == Waiting.KEEP
        && (then.failureClass() == FailureClass.TRANSIENT || then.kind() == Kind.QUOTA_EXHAUSTED);
  }

  static Verdict of(Rule rule, @Nullable Duration wait) {
    var then = rule.then();
    return new Verdict(
        then.failureClass(),
        then.kind(),
        then.blame(),
        then.retrySame(),
        wait,
        then.fallback(),
        then.repair(),
        then.alert(),
        rule.id(),
        then.because());
  }

  /**
   * The same of a sender that says it is not to be sent again: a provider that knows better, or a
   * Mainstay that has retried it already. Another target may be asked.
   */
  static Verdict once(Verdict verdict) {
    return verdict.retrySame()
        ? new Verdict(
            verdict.failureClass(),
            verdict.kind(),
            verdict.blame(),
            false,
            verdict.retryAfter(),
            verdict.fallback(),
            verdict.repair(),
            verdict.alert(),
            verdict.rule(),
            verdict.because())
        : verdict;
  }

  /** What {@code rule} means where the provider says that its quota is back after {@code wait}. */
  static Verdict passing(Rule rule, Duration wait) {
    return new Verdict(
        FailureClass.TRANSIENT,
        Kind.RATE_LIMIT,
        Blame.KEY,
        true,
        wait,
        true,
        null,
        false,
        rule.id(),
        "The provider calls it a quota and says that it is back within the hour.");
  }

  /** What {@code rule} means where its limit is not lifted within the hour. */
  static Verdict usedUp(Rule rule, @Nullable Duration wait, Windows window) {
    boolean never = window == Windows.NEVER;
    return new Verdict(
        FailureClass.FATAL,
        Kind.QUOTA_EXHAUSTED,
        Blame.KEY,
        false,
        never ? null : wait,
        true,
        null,
        true,
        rule.id(),
        never
            ? "The limit itself is zero for this account: no wait will lift it."
            : "The limit is for a day or longer, or the stated wait is over an hour: not worth"
                + " waiting for.");
  }

  /** Where no rule holds; {@code lasting} says that the words name a lasting cause. */
  static Verdict unknown(Evidence evidence, boolean lasting) {
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
