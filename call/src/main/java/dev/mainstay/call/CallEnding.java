package dev.mainstay.call;

import dev.mainstay.call.answer.Relay;
import dev.mainstay.call.api.GuardedRecipient;
import dev.mainstay.call.api.UnexpectedError;
import dev.mainstay.call.recording.CallErrors;
import dev.mainstay.call.recording.CallRecorder;
import dev.mainstay.call.recording.CallRows;
import dev.mainstay.core.classify.KnownVerdicts;
import dev.mainstay.core.verdict.Verdict;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http.HttpHeaders;
import org.jspecify.annotations.Nullable;

/**
 * The end of a call, once: its record, the last of its answer to the client, and everything that it
 * holds given back. Every step is taken, whatever another one throws. Belongs to the call's loop.
 */
final class CallEnding {
  private final GuardedRecipient to;
  private final Relay relay;
  private final CallRecorder recorder;
  private final CallErrors errors;
  private final CallRows rows;
  private final KeepAlive keepAlive;
  private final CallResources resources;
  private final Runnable whenOver;
  private boolean over;

  /**
   * @param whenOver run last
   */
  CallEnding(
      GuardedRecipient to,
      Relay relay,
      CallRecorder recorder,
      CallErrors errors,
      CallRows rows,
      KeepAlive keepAlive,
      CallResources resources,
      Runnable whenOver) {
    this.to = to;
    this.relay = relay;
    this.recorder = recorder;
    this.errors = errors;
    this.rows = rows;
    this.keepAlive = keepAlive;
    this.resources = resources;
    this.whenOver = whenOver;
  }

  boolean isOver() {
    return over;
  }

  /** Ends a stream at its protocol's own ending, all of which has been relayed. */
  void streamed() {
    relay.complete();
    finish(200, null, to::end);
  }

  /** Ends the call with a whole answer. */
  void answered(int status, HttpHeaders head, byte[] body) {
    respond(status, head, body, null);
  }

  /** Ends the call with an error: as an event where a stream has begun. */
  void error(CallErrors.Shown shown) {
    if (relay.begun()) {
      relay.write(shown.event());
      finish(200, shown.verdict(), to::end);
    } else {
      respond(shown.status(), shown.head(), shown.body(), shown.verdict());
    }
  }

  /** Ends the call of a client that has left. */
  void gone() {
    finish(relay.begun() ? 200 : 499, KnownVerdicts.clientLeft(), () -> {});
  }

  /** Ends the call after a fault of this gateway's own. */
  void fault() {
    finish(relay.begun() ? 200 : 500, KnownVerdicts.fault(), this::answerFault);
  }

  private void respond(int status, HttpHeaders head, byte[] body, @Nullable Verdict verdict) {
    recorder.answerTee().keep(body);
    finish(status, verdict, () -> to.respond(status, head, Unpooled.wrappedBuffer(body)));
  }

  /**
   * @param last hands the last of its answer to the client, which may then count on its record
   */
  private void finish(int status, @Nullable Verdict verdict, Runnable last) {
    if (over) {
      return;
    }
    over = true;
    UnexpectedError.runAll(
        recorder.id(),
        () -> rows.record(status, verdict),
        rows::ending,
        () -> {
          try {
            last.run();
          } catch (RuntimeException | Error e) {
            answerFault();
            throw e;
          }
        },
        keepAlive::stop,
        resources.lease()::close,
        resources.memory()::close,
        rows::finish,
        whenOver);
  }

  private void answerFault() {
    var shown = errors.fault();
    if (relay.begun()) {
      relay.write(shown.event());
      to.end();
    }
    // Where the answer had not begun, or the head never reached the recipient.
    to.respond(shown.status(), shown.head(), Unpooled.wrappedBuffer(shown.body()));
  }
}
