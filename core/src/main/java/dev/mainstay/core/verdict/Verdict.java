package dev.mainstay.core.verdict;

import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What the facts of a failure mean. Immutable.
 *
 * @param failureClass what can be done about it at all
 * @param kind what went wrong
 * @param blame whose doing it is
 * @param retrySame whether another attempt at the same target can help; on {@link
 *     FailureClass#LOGIC} it means that asking the model again can, with its mistake told to it
 * @param retryAfter how long the provider asked to wait, or null where it did not say
 * @param fallback whether another target could answer
 * @param repair the change that could make the next attempt succeed, or null
 * @param alert whether a person must know
 * @param rule the id of the rule that decided
 * @param because why, in one sentence, without anything from the prompt
 */
public record Verdict(
    FailureClass failureClass,
    Kind kind,
    Blame blame,
    boolean retrySame,
    @Nullable Duration retryAfter,
    boolean fallback,
    @Nullable Repair repair,
    boolean alert,
    String rule,
    String because) {

  public Verdict {
    Objects.requireNonNull(failureClass, "failureClass");
    Objects.requireNonNull(kind, "kind");
    Objects.requireNonNull(blame, "blame");
    Objects.requireNonNull(rule, "rule");
    Objects.requireNonNull(because, "because");
    if (failureClass == FailureClass.FATAL && retrySame) {
      throw new IllegalArgumentException(
          "a FATAL verdict cannot ask for a retry (rule " + rule + ")");
    }
    if (retryAfter != null && retryAfter.isNegative()) {
      throw new IllegalArgumentException("retryAfter is negative: " + retryAfter);
    }
  }

  /** {@code CLASS/kind}, as in the header {@code x-mainstay-verdict}. */
  public String label() {
    return failureClass + "/" + kind.wireName();
  }
}
