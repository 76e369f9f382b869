package dev.mainstay.call.passthrough;

import dev.mainstay.call.api.UnexpectedError;
import dev.mainstay.core.classify.KnownVerdicts;
import dev.mainstay.core.failure.Failure;
import dev.mainstay.core.verdict.Verdict;
import dev.mainstay.http.Exchange;
import dev.mainstay.wire.Dialect;
import io.netty.handler.codec.http.HttpHeaders;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The end of a request that passes through, once: its record, the last of its answer, and all that
 * it holds given back. Belongs to the exchange's loop.
 */
final class PassThroughEnding {
  private static final String ANSWERED = "the provider has answered";

  private final Dialect dialect;
  private final int maxAttempts;
  private final Exchange exchange;
  private final PassThroughRecord record;
  private final Runnable giveBack;
  private final Runnable whenOver;
  private boolean over;

  /**
   * @param giveBack gives back what the request holds
   * @param whenOver run last
   */
  PassThroughEnding(
      PassThroughRequest request,
      Exchange exchange,
      PassThroughRecord record,
      Runnable giveBack,
      Runnable whenOver) {
    dialect = request.dialect();
    maxAttempts = request.settings().policy().maxAttempts();
    this.exchange = exchange;
    this.record = record;
    this.giveBack = giveBack;
    this.whenOver = whenOver;
  }

  boolean isOver() {
    return over;
  }

  /**
   * Ends it before any attempt.
   *
   * @param answer tells the client, and records that
   */
  void refused(Runnable answer) {
    over = true;
    UnexpectedError.runAll(record.id(), giveBack, answer, whenOver);
  }

  /**
   * Ends it with the end of its provider's answer.
   *
   * @param refused what the answer means where it is an error
   */
  void answered(
      int status, @Nullable Verdict refused, @Nullable Failure refusal, HttpHeaders trailers) {
    finish(status, refused, refusal, refused == null ? "proceed" : "give_up", ANSWERED);
    exchange.end(trailers);
  }

  /**
   * Ends it with an error, or with a cut where an answer has begun.
   *
   * @param status what the provider answered with, or 0
   * @param repeatable whether the client may send the same again without harm
   */
  void failed(int status, Failure failure, Verdict verdict, String reason, boolean repeatable) {
    if (over) {
      return;
    }
    if (exchange.begun()) {
      finish(status, verdict, failure, "give_up", reason);
      exchange.abort();
      return;
    }
    var error = PassThroughErrors.of(record, dialect, failure, verdict, repeatable);
    finish(error.status(), verdict, failure, "give_up", reason);
    exchange.respond(error.status(), error.head(), error.body());
  }

  /**
   * Ends the request of a client that has left.
   *
   * @param status what the provider answered with, or 0
   */
  void gone(int status) {
    finish(
        status == 0 ? 499 : status,
        KnownVerdicts.clientLeft(),
        null,
        "cancelled",
        "the client left");
  }

  private void finish(
      int status,
      @Nullable Verdict verdict,
      @Nullable Failure failure,
      String decision,
      String reason) {
    over = true;
    UnexpectedError.runAll(
        record.id(),
        () -> {
          if (verdict != null && decision.equals("give_up")) {
            record.decided(verdict, decision, reason, Duration.ZERO, maxAttempts);
          }
        },
        giveBack,
        () -> record.finish(status, verdict, failure, decision, reason),
        whenOver);
  }
}
