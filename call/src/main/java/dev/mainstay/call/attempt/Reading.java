package dev.mainstay.call.attempt;

import dev.mainstay.call.answer.ResponsePipeline;
import dev.mainstay.call.api.UnexpectedError;
import dev.mainstay.core.failure.ExceptionWalk;
import dev.mainstay.core.failure.Failure;
import dev.mainstay.core.failure.Failure.StreamEnding;
import dev.mainstay.wire.money.Usage;
import dev.mainstay.wire.stream.Answer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The reading of one attempt's answer, from its headers on: event by event, or whole. It keeps the
 * attempt's {@link AttemptTimeouts} set, and says when the answer has ended and how; what it says
 * after that does not count. Belongs to the call's loop.
 */
abstract sealed class Reading permits EventReading, WholeReading {
  /** How an answer ended. */
  sealed interface Ending {
    record Failed(Failure failure) implements Ending {}

    /** A stream ended well; what it held has been handed over. */
    record Streamed() implements Ending {}

    /** A whole answer that is one; {@code body} is what the client is to get. */
    @SuppressWarnings("ArrayRecordComponent") // written at once
    record Answered(byte[] body, Answer answer) implements Ending {}
  }

  /** Of an error's body no more is read: its beginning says what it is. */
  static final int MOST_OF_ERROR = 256 << 10;

  private static final Logger LOG = LoggerFactory.getLogger(Reading.class);

  private final String rules;
  private final ResponsePipeline pipeline;

  /**
   * @param rules the provider's name in the rule tables
   */
  Reading(String rules, ResponsePipeline pipeline) {
    this.rules = rules;
    this.pipeline = pipeline;
  }

  /** Takes more of it, which nobody may change any more; null where it goes on. */
  abstract @Nullable Ending take(byte[] bytes);

  /** It is read again after a pause. */
  void resumed() {}

  /** It is whole as far as HTTP can tell, or what else comes is not waited for. */
  abstract Ending end();

  /** The connection broke. */
  abstract Ending broken(Throwable cause);

  /**
   * Its time limit has passed.
   *
   * @param missed what did not come, in words
   */
  abstract Ending silent(Throwable missed);

  /** The attempt has ended: what was held for it can be let go. */
  void over() {}

  /** The id that it says it has, as far as it was read; or null. */
  abstract @Nullable String responseId();

  /** What came of it, as far as it is kept; empty where it is not. */
  abstract byte[] received();

  /**
   * What kind of bill it leaves.
   *
   * @param cancelled whether we ended it, so that its provider stops as well
   */
  abstract Attempt.Bill bill(boolean cancelled);

  /**
   * What it used: as the provider says, else an estimate where anything came, else null.
   *
   * @param requestBytes the size of the request's body
   */
  abstract @Nullable Usage usage(long requestBytes);

  // ---- failures

  final Ending.Failed failed(ResponsePipeline.Flaw flaw) {
    return failed(flaw.ending(), flaw.detail());
  }

  final Ending.Failed failed(StreamEnding how, @Nullable String detail) {
    return new Ending.Failed(new Failure.Stream(rules, pipeline.arrived(), how, detail));
  }

  /** What a provider sent was beyond what is written here: a failure of the attempt, and a bug. */
  final Ending.Failed unforeseen(RuntimeException e) {
    LOG.error("Mainstay could not deliver an answer of {}: {}", rules, UnexpectedError.where(e));
    return failed(StreamEnding.MALFORMED_EVENT, e.getClass().getSimpleName());
  }

  static Ending.Failed thrown(String rules, Throwable cause) {
    return new Ending.Failed(ExceptionWalk.standard().read(rules, cause));
  }
}
