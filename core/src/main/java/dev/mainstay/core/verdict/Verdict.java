package dev.mainstay.core.verdict;

import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What the facts of a failure mean. Immutable.
 *
 * @param finding what went wrong
 * @param advice what can be done about it
 */
public record Verdict(Finding finding, Advice advice) {
  /**
   * What went wrong.
   *
   * @param failureClass what can be done about it at all
   * @param kind what went wrong
   * @param blame whose doing it is
   * @param rule the id of the rule that decided
   * @param because why, in one sentence, without anything from the prompt
   */
  public record Finding(
      FailureClass failureClass, Kind kind, Blame blame, String rule, String because) {
    public Finding {
      Objects.requireNonNull(failureClass, "failureClass");
      Objects.requireNonNull(kind, "kind");
      Objects.requireNonNull(blame, "blame");
      Objects.requireNonNull(rule, "rule");
      Objects.requireNonNull(because, "because");
    }
  }

  /**
   * What can be done about a failure.
   *
   * @param retrySame whether another attempt at the same target can help; on {@link
   *     FailureClass#LOGIC} it means that asking the model again can, with its mistake told to it
   * @param retryAfter how long the provider asked to wait, or null where it did not say
   * @param fallback whether another target could answer
   * @param repair the change that could make the next attempt succeed, or null
   * @param alert whether a person must know
   */
  public record Advice(
      boolean retrySame,
      @Nullable Duration retryAfter,
      boolean fallback,
      @Nullable Repair repair,
      boolean alert) {
    public Advice {
      if (retryAfter != null && retryAfter.isNegative()) {
        throw new IllegalArgumentException("retryAfter is negative: " + retryAfter);
      }
    }

    /** The same with a wait that the provider asked for, or none. */
    public Advice after(@Nullable Duration wait) {
      return new Advice(retrySame, wait, fallback, repair, alert);
    }

    /** The same with another repair, or none. */
    public Advice with(@Nullable Repair other) {
      return new Advice(retrySame, retryAfter, fallback, other, alert);
    }

    /** The same without another attempt at the same target. */
    public Advice once() {
      return new Advice(false, retryAfter, fallback, repair, alert);
    }
  }

  public Verdict {
    if (finding.failureClass == FailureClass.FATAL && advice.retrySame) {
      throw new IllegalArgumentException(
          "a FATAL verdict cannot ask for a retry (rule " + finding.rule + ")");
    }
  }

  /** What can be done about it at all. */
  public FailureClass failureClass() {
    return finding.failureClass;
  }

  /** What went wrong. */
  public Kind kind() {
    return finding.kind;
  }

  /** Whose doing it is. */
  public Blame blame() {
    return finding.blame;
  }

  /** The id of the rule that decided. */
  public String rule() {
    return finding.rule;
  }

  /** Why, in one sentence, without anything from the prompt. */
  public String because() {
    return finding.because;
  }

  /** Whether another attempt at the same target can help ({@link Advice#retrySame}). */
  public boolean retrySame() {
    return advice.retrySame;
  }

  /** How long the provider asked to wait, or null where it did not say. */
  public @Nullable Duration retryAfter() {
    return advice.retryAfter;
  }

  /** Whether another target could answer. */
  public boolean fallback() {
    return advice.fallback;
  }

  /** The change that could make the next attempt succeed, or null. */
  public @Nullable Repair repair() {
    return advice.repair;
  }

  /** Whether a person must know. */
  public boolean alert() {
    return advice.alert;
  }

  /** The same finding with other advice. */
  public Verdict with(Advice other) {
    return new Verdict(finding, other);
  }

  /** {@code CLASS/kind}, as in the header {@code x-mainstay-verdict}. */
  public String label() {
    return failureClass() + "/" + kind().wireName();
  }
}
