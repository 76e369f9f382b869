package dev.mainstay.call.passthrough;

import dev.mainstay.call.api.CallDecision;
import dev.mainstay.call.api.Services;
import dev.mainstay.call.api.UnexpectedError;
import dev.mainstay.call.recording.ErrorMapper;
import dev.mainstay.core.failure.Failure;
import dev.mainstay.core.verdict.Blame;
import dev.mainstay.core.verdict.Verdict;
import dev.mainstay.ledger.AttemptRecord;
import dev.mainstay.ledger.AttemptStart;
import dev.mainstay.ledger.Body;
import dev.mainstay.ledger.CallRecord;
import dev.mainstay.ledger.CallStart;
import dev.mainstay.ledger.Tokens;
import dev.mainstay.wire.money.MeteredUse;
import dev.mainstay.wire.money.Prices;
import io.netty.buffer.ByteBuf;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What is recorded of a request that passes through: a row with the size and the SHA-256 of each
 * body, and the bodies themselves up to 1 MiB where there is memory for them. Belongs to the
 * exchange's loop.
 */
final class PassThroughRecord {
  private final String id;
  private final PassThroughRequest request;
  private final Services services;
  private final Prices prices;

  /** Whether it is paid by a unit that its bodies tell. */
  private final boolean metered;

  private final PassingBody up;
  private final PassingBody down;
  private final Instant startedAt;
  private final long startedNanos;
  private final List<AttemptRecord> attempts = new ArrayList<>(1);
  private boolean started;
  private boolean underWay;

  /** The provider that was asked last, or "" before any was. */
  private String target = "";

  private Duration waited = Duration.ZERO;
  private long attemptNanos;
  private long headersNanos;
  private int status;
  private @Nullable Metered last;

  PassThroughRecord(String id, PassThroughRequest request, Services services) {
    this.id = id;
    this.request = request;
    this.services = services;
    prices = services.prices().get();
    startedAt = services.clock().instant();
    startedNanos = services.nanos().getAsLong();
    attemptNanos = startedNanos;
    metered = MeteredUse.on(request.path());
    up = new PassingBody(services.memory(), request.recordBodies(), metered);
    down = new PassingBody(services.memory(), request.recordBodies(), metered);
  }

  /** What an attempt came to that is paid by a unit of its own; null for any other. */
  private @Nullable Metered metered() {
    if (!metered || headersNanos == 0 || status < 200 || status > 299) {
      return null;
    }
    var use =
        MeteredUse.of(request.path(), up.beginning(), down.isWhole() ? down.beginning() : null);
    var day = LocalDate.ofInstant(startedAt, ZoneOffset.UTC);
    return new Metered(use, use == null ? null : prices.nanos(target, day, use));
  }

  /**
   * What was used and paid beside tokens.
   *
   * @param use null where the bodies do not tell
   * @param costNanos null where the use or its price is unknown
   */
  private record Metered(@Nullable MeteredUse use, @Nullable Long costNanos) {
    /** It used none, and its cost counts: sums say that it is missing where it is unknown. */
    static final Tokens NO_TOKENS = new Tokens(0, 0, 0, 0, 0, false);

    String words() {
      return use == null
          ? "; the provider did not report its usage"
          : "; %s %s of %s"
              .formatted(
                  use.count().toPlainString(), use.unit().wireName(), use.models().getFirst());
    }
  }

  String id() {
    return id;
  }

  /** Part of the request's body has come from the client; {@code part} stays as it is. */
  void sent(ByteBuf part) {
    up.add(part);
  }

  /** Part of the answer's body goes to the client; {@code part} stays as it is. */
  void received(ByteBuf part) {
    down.add(part);
  }

  /** The provider that was asked last, or "" before any was. */
  String target() {
    return target;
  }

  /** The call begins. */
  void started() {
    started = true;
    services.recorder().started(start(null));
  }

  private CallStart start(@Nullable String model) {
    return new CallStart(
        id,
        request.origin().run(),
        request.origin().parent(),
        request.origin().client(),
        startedAt,
        request.dialect().label(),
        request.origin().path(),
        model,
        false);
  }

  /** An attempt at {@code provider} begins. */
  void began(String provider, Duration after) {
    target = provider;
    underWay = true;
    waited = after;
    attemptNanos = services.nanos().getAsLong();
    services.recorder().attempted(new AttemptStart(id, attempts(), target, at(attemptNanos)));
  }

  /** Whether an attempt has begun and not ended. */
  boolean underWay() {
    return underWay;
  }

  /** The answer's head has come. */
  void headers(int newStatus) {
    status = newStatus;
    headersNanos = services.nanos().getAsLong();
  }

  /** Attempts that have ended, and the one under way. */
  int attempts() {
    return attempts.size() + (underWay ? 1 : 0);
  }

  /**
   * Tells of a decision upon the attempt under way.
   *
   * @param of attempts that may be made
   */
  void decided(Verdict verdict, String decision, String reason, Duration waits, int of) {
    var made =
        new CallDecision(
            id,
            CallDecision.Cause.of(target.isEmpty() ? null : target, verdict),
            decision,
            reason,
            decision.equals("retry") ? target : null,
            waits,
            false,
            attempts(),
            of);
    UnexpectedError.runAll(id, () -> services.listener().decided(made));
  }

  /** The attempt under way has ended. */
  void ended(@Nullable Verdict verdict, @Nullable Failure failure, String decision, String reason) {
    var paid = metered();
    last = paid;
    attempts.add(
        new AttemptRecord(
            id,
            attempts(),
            target(paid),
            new AttemptRecord.Times(
                waited,
                at(attemptNanos),
                headersNanos == 0 ? null : at(headersNanos),
                null,
                at(services.nanos().getAsLong())),
            new AttemptRecord.Outcome(
                headersNanos == 0 ? null : (Integer) status,
                failure == null ? null : ErrorMapper.facts(failure, request.recordBodies()),
                verdict == null ? null : verdict.label(),
                // A client that asks for a file that is not there is no reason for an alert.
                verdict == null || verdict.blame() == Blame.CALLER ? null : verdict.rule(),
                decision,
                paid == null ? reason : reason + paid.words()),
            new AttemptRecord.Use(
                up.size(),
                down.size(),
                paid == null ? null : Metered.NO_TOKENS,
                paid == null ? null : paid.costNanos())));
    underWay = false;
  }

  /** The provider, with the model where the request tells one. */
  private String target(@Nullable Metered paid) {
    return paid == null || paid.use() == null
        ? target
        : target + "/" + paid.use().models().getLast();
  }

  private Instant at(long nanos) {
    return startedAt.plusNanos(nanos - startedNanos);
  }

  /** The last attempt has ended, and with it the call. */
  void finish(
      int clientStatus,
      @Nullable Verdict verdict,
      @Nullable Failure failure,
      String decision,
      String reason) {
    if (!started) {
      started();
    }
    if (underWay) {
      ended(
          verdict, failure, decision, reason + up.described("request") + down.described("answer"));
    }
    var paid = last;
    var use = paid == null ? null : paid.use();
    var call =
        new CallRecord(
            start(use == null ? null : use.models().getLast()),
            new CallRecord.Outcome(
                verdict == null && clientStatus < 400 ? target(paid) : null,
                clientStatus,
                verdict == null ? null : verdict.label(),
                attempts.size() > 1 ? List.of("retry") : List.of(),
                attempts.size(),
                null,
                Duration.ofNanos(services.nanos().getAsLong() - startedNanos)),
            new CallRecord.Cost(
                paid == null ? null : Metered.NO_TOKENS,
                paid == null ? null : paid.costNanos(),
                paid == null || paid.costNanos() == null ? null : prices.version()));
    var bodies = new ArrayList<Body>(2);
    up.keep(bodies, Body.Part.REQUEST);
    down.keep(bodies, Body.Part.RESPONSE);
    services.listener().ending(call);
    services.listener().ended(call, attempts);
    services.recorder().record(call, attempts, bodies);
  }
}
