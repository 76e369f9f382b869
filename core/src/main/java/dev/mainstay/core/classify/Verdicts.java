package dev.mainstay.core.classify;

import dev.mainstay.core.classify.Rule.Waiting;
import dev.mainstay.core.failure.Evidence;
import dev.mainstay.core.verdict.Blame;
import dev.mainstay.core.verdict.FailureClass;
import dev.mainstay.core.verdict.Kind;
import dev.mainstay.core.verdict.Verdict;
import dev.mainstay.core.verdict.Verdict.Advice;
import dev.mainstay.core.verdict.Verdict.Finding;
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
        && when.names().code().any()
        && when.names().type().any()
        && when.names().aws().any();
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
    return new Verdict(rule.then().finding(), rule.then().advice().after(wait));
  }

  /**
   * The same of a sender that says it is not to be sent again: a provider that knows better, or a
   * Mainstay that has retried it already. Another target may be asked.
   */
  static Verdict once(Verdict verdict) {
    return verdict.retrySame() ? verdict.with(verdict.advice().once()) : verdict;
  }

  /** What {@code rule} means where the provider says that its quota is back after {@code wait}. */
  static Verdict passing(Rule rule, Duration wait) {
    return new Verdict(
        new Finding(
            FailureClass.TRANSIENT,
            Kind.RATE_LIMIT,
            Blame.KEY,
            rule.id(),
            "The provider calls it a quota and says that it is back within the hour."),
        new Advice(true, wait, true, null, false));
  }

  /** What {@code rule} means where its limit is not lifted within the hour. */
  static Verdict usedUp(Rule rule, @Nullable Duration wait, RateLimitWindow window) {
    boolean never = window == RateLimitWindow.NEVER;
    return new Verdict(
        new Finding(
            FailureClass.FATAL,
            Kind.QUOTA_EXHAUSTED,
            Blame.KEY,
            rule.id(),
            never
                ? "The limit itself is zero for this account: no wait will lift it."
                : "The limit is for a day or longer, or the stated wait is over an hour: not worth"
                    + " waiting for."),
        new Advice(false, never ? null : wait, true, null, true));
  }

  /** Where no rule holds; {@code lasting} says that the words name a lasting cause. */
  static Verdict unknown(Evidence evidence, boolean lasting) {
    var status = evidence.status();
    if (!lasting && status != null && status >= 500 && status <= 599) {
      return new Verdict(
          new Finding(
              FailureClass.TRANSIENT,
              Kind.SERVER_ERROR,
              Blame.PROVIDER,
              UNKNOWN_SERVER_ERROR,
              "The provider answered with a 5xx status and nothing more is known."),
          new Advice(true, evidence.retryAfter(), true, null, false));
    }
    return new Verdict(
        new Finding(
            FailureClass.FATAL,
            Kind.OTHER,
            Blame.CALLER,
            UNKNOWN,
            "No rule knows this failure, so it is not repeated and a person should look at it."),
        new Advice(false, null, true, null, true));
  }
}
