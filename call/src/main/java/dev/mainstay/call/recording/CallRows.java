package dev.mainstay.call.recording;

import dev.mainstay.call.api.UnexpectedError;
import dev.mainstay.core.classify.KnownVerdicts;
import dev.mainstay.core.verdict.Verdict;
import dev.mainstay.ledger.AttemptRecord;
import dev.mainstay.ledger.Body;
import dev.mainstay.ledger.CallRecord;
import dev.mainstay.ledger.CallStart;
import dev.mainstay.ledger.Tokens;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The rows of a call in the ledger. Belongs to the call's loop. */
public final class CallRows {
  private static final Logger LOG = LoggerFactory.getLogger(CallRows.class);

  private final CallRecorder call;
  private List<AttemptRecord> records = List.of();
  private @Nullable CallRecord recorded;

  public CallRows(CallRecorder call) {
    this.call = call;
  }

  /** Notes that the call is under way. */
  public void start() {
    call.services.recorder().started(begun());
  }

  /**
   * Records the call, before the last byte of its answer is handed to the client. Where its record
   * cannot be made, one that says less is.
   */
  public void record(int status, @Nullable Verdict verdict) {
    CallRecord row;
    try {
      records = attempts();
      row = made(status, verdict, call.services.nanos().getAsLong());
    } catch (RuntimeException | Error e) {
      LOG.error(
          "{}: Mainstay recorded the call without its attempts: {}",
          call.id,
          UnexpectedError.where(e));
      records = List.of();
      row = record(status, KnownVerdicts.fault().label(), null, null, call.startedNanos);
    }
    recorded = row;
    call.services.recorder().record(row, records, bodies());
  }

  private List<AttemptRecord> attempts() {
    var made = new ArrayList<AttemptRecord>(call.attempts.size());
    for (var attempt : call.attempts) {
      made.add(attempt.record(call.id, call.request.plan().recordBodies()));
    }
    return made;
  }

  /** Tells the listener that the last of the answer comes next. */
  public void ending() {
    if (recorded != null) {
      call.services.listener().ending(recorded);
    }
  }

  /** Tells the listener, after the answer: what else the call holds is given back there. */
  public void finish() {
    if (recorded != null) {
      call.services.listener().ended(recorded, records);
    }
  }

  private CallRecord made(int status, @Nullable Verdict verdict, long now) {
    Tokens tokens = null;
    Long cost = 0L;
    for (var made : call.attempts) {
      var used = AttemptLog.tokens(made.usage);
      if (used != null) {
        tokens = tokens == null ? used : tokens.plus(used);
        cost = cost == null || made.costNanos == null ? null : sum(cost, made.costNanos);
      }
    }
    return record(
        status,
        verdict == null ? null : verdict.label(),
        tokens,
        tokens == null ? null : cost,
        now);
  }

  private CallStart begun() {
    return new CallStart(
        call.id,
        call.request.origin().run(),
        call.request.origin().parent(),
        call.request.origin().client(),
        call.startedAt,
        call.request.content().dialect().label(),
        call.request.origin().path(),
        call.request.content().modelAsked(),
        call.request.content().stream());
  }

  private CallRecord record(
      int status,
      @Nullable String verdict,
      @Nullable Tokens tokens,
      @Nullable Long cost,
      long now) {
    return new CallRecord(
        begun(),
        new CallRecord.Outcome(
            verdict == null && call.answeredBy != null ? call.answeredBy.toString() : null,
            status,
            verdict,
            List.copyOf(call.recovered),
            call.attempts.size(),
            call.committedNanos == 0
                ? null
                : Duration.ofNanos(call.committedNanos - call.startedNanos),
            Duration.ofNanos(now - call.startedNanos)),
        new CallRecord.Cost(tokens, cost, cost == null ? null : call.prices.version()));
  }

  private static Long sum(long a, long b) {
    return a > Long.MAX_VALUE - b ? Long.MAX_VALUE : a + b;
  }

  private List<Body> bodies() {
    if (!call.request.plan().recordBodies()) {
      return List.of();
    }
    var bodies = new ArrayList<Body>(3);
    bodies.add(new Body(0, Body.Part.REQUEST, call.request.content().body()));
    if (!call.answerTee.isEmpty()) {
      bodies.add(new Body(0, Body.Part.RESPONSE, call.answerTee.bytes()));
    }
    for (var made : call.attempts) {
      // What answered the client is there already.
      if (made.failure != null) {
        var received = made.attempt.received();
        if (received.length > 0) {
          bodies.add(new Body(made.number, Body.Part.RESPONSE, received));
        }
      }
    }
    return bodies;
  }
}
