package dev.mainstay.ledger;

import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * One upstream request made for a call, what came of it, and what was decided then. Immutable, and
 * written once, with its call.
 *
 * @param call the call's id
 * @param number 1 for the call's first
 * @param target {@code provider/model}
 * @param times when what happened
 * @param outcome what came of it, and what was done next
 * @param use what it sent, received and cost
 */
public record AttemptRecord(
    String call, int number, String target, Times times, Outcome outcome, Use use) {

  public AttemptRecord {
    Objects.requireNonNull(call, "call");
    Objects.requireNonNull(target, "target");
    if (number < 1) {
      throw new IllegalArgumentException("an attempt's number begins at 1, not " + number);
    }
  }

  /**
   * When what happened to an attempt.
   *
   * @param waited what was waited before it, by the decision that led to it
   * @param startedAt when its request was sent
   * @param headersAt when the reply's headers were there, or null
   * @param firstTokenAt when the first content, reasoning or tool-call byte was there, or null
   * @param endedAt when its answer had ended, or it had failed
   */
  public record Times(
      Duration waited,
      Instant startedAt,
      @Nullable Instant headersAt,
      @Nullable Instant firstTokenAt,
      Instant endedAt) {
    public Times {
      Objects.requireNonNull(waited, "waited");
      Objects.requireNonNull(startedAt, "startedAt");
      Objects.requireNonNull(endedAt, "endedAt");
    }
  }

  /**
   * What came of an attempt, and what was done next.
   *
   * @param status the provider's HTTP status, or null where none arrived
   * @param failure the facts of the failure as one JSON object, what looks like a key in it masked;
   *     null where it did not fail
   * @param verdict {@code CLASS/kind}, or null where it did not fail
   * @param rule the id of the rule that decided the verdict, or null
   * @param decision what was done next: {@code proceed}, {@code retry}, {@code fallback}, {@code
   *     repair:NAME}, {@code continue}, {@code give_up}, {@code cancelled}
   * @param reason the decision's reason, in words a person can read
   */
  public record Outcome(
      @Nullable Integer status,
      @Nullable String failure,
      @Nullable String verdict,
      @Nullable String rule,
      String decision,
      String reason) {
    public Outcome {
      Objects.requireNonNull(decision, "decision");
      Objects.requireNonNull(reason, "reason");
    }
  }

  /**
   * What an attempt sent, received and cost.
   *
   * @param bytesSent request body bytes sent upstream
   * @param bytesReceived reply body bytes received
   * @param tokens what it used, or null where that is not known
   * @param costNanos nano-dollars, or null where the price or the use is unknown; never 0 for
   *     unknown
   */
  public record Use(
      long bytesSent, long bytesReceived, @Nullable Tokens tokens, @Nullable Long costNanos) {}

  /** See {@link Times}. */
  public Duration waited() {
    return times.waited();
  }

  /** See {@link Times}. */
  public Instant startedAt() {
    return times.startedAt();
  }

  /** See {@link Times}. */
  public @Nullable Instant headersAt() {
    return times.headersAt();
  }

  /** See {@link Times}. */
  public @Nullable Instant firstTokenAt() {
    return times.firstTokenAt();
  }

  /** See {@link Times}. */
  public Instant endedAt() {
    return times.endedAt();
  }

  /** See {@link Outcome}. */
  public @Nullable Integer status() {
    return outcome.status();
  }

  /** See {@link Outcome}. */
  public @Nullable String failure() {
    return outcome.failure();
  }

  /** See {@link Outcome}. */
  public @Nullable String verdict() {
    return outcome.verdict();
  }

  /** See {@link Outcome}. */
  public @Nullable String rule() {
    return outcome.rule();
  }

  /** See {@link Outcome}. */
  public String decision() {
    return outcome.decision();
  }

  /** See {@link Outcome}. */
  public String reason() {
    return outcome.reason();
  }

  /** See {@link Use}. */
  public long bytesSent() {
    return use.bytesSent();
  }

  /** See {@link Use}. */
  public long bytesReceived() {
    return use.bytesReceived();
  }

  /** See {@link Use}. */
  public @Nullable Tokens tokens() {
    return use.tokens();
  }

  /** See {@link Use}. */
  public @Nullable Long costNanos() {
    return use.costNanos();
  }

  /** This record with other facts of its failure. */
  public AttemptRecord withFailure(@Nullable String facts) {
    return new AttemptRecord(
        call,
        number,
        target,
        times,
        new Outcome(
            outcome.status(),
            facts,
            outcome.verdict(),
            outcome.rule(),
            outcome.decision(),
            outcome.reason()),
        use);
  }
}
