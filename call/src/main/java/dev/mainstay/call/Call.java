package dev.mainstay.call;

import dev.mainstay.call.admission.AdmissionControl;
import dev.mainstay.call.admission.AttemptPermit;
import dev.mainstay.call.admission.CallOutlook;
import dev.mainstay.call.admission.Guards;
import dev.mainstay.call.answer.Relay;
import dev.mainstay.call.answer.ResponsePipeline;
import dev.mainstay.call.api.BudgetReservation;
import dev.mainstay.call.api.CallDecision;
import dev.mainstay.call.api.CallMemory;
import dev.mainstay.call.api.CallRequest;
import dev.mainstay.call.api.GuardedRecipient;
import dev.mainstay.call.api.Recipient;
import dev.mainstay.call.api.RunningCall;
import dev.mainstay.call.api.Services;
import dev.mainstay.call.api.UnexpectedError;
import dev.mainstay.call.attempt.Attempt;
import dev.mainstay.call.attempt.AttemptPlan;
import dev.mainstay.call.recording.AnswerHeads;
import dev.mainstay.call.recording.AttemptLog;
import dev.mainstay.call.recording.CallErrors;
import dev.mainstay.call.recording.CallRecorder;
import dev.mainstay.call.recording.CallRows;
import dev.mainstay.call.recording.HeaderRules;
import dev.mainstay.call.request.Continuation;
import dev.mainstay.call.request.RequestBodies;
import dev.mainstay.call.upstream.BaseUrls;
import dev.mainstay.call.upstream.ProviderRedirect;
import dev.mainstay.call.upstream.RouteLease;
import dev.mainstay.call.upstream.Upstreams;
import dev.mainstay.core.classify.KnownVerdicts;
import dev.mainstay.core.failure.Failure;
import dev.mainstay.core.guard.PoisonMemory;
import dev.mainstay.core.recovery.Availability;
import dev.mainstay.core.recovery.Decision;
import dev.mainstay.core.recovery.Outcome;
import dev.mainstay.core.recovery.Recovery;
import dev.mainstay.core.recovery.RepairOption;
import dev.mainstay.core.recovery.Stage;
import dev.mainstay.core.verdict.Kind;
import dev.mainstay.core.verdict.Verdict;
import dev.mainstay.http.Cancellable;
import dev.mainstay.http.GuardedLoop;
import dev.mainstay.http.UpstreamRequest;
import dev.mainstay.wire.stream.Answer;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http.HttpHeaders;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One call from its first attempt to its end: makes the attempts that {@link Recovery} decides on,
 * waits when it says so, and hands over one clean answer or one error. Nothing here decides what a
 * failure means or what is done about it.
 *
 * <p>Everything happens on the recipient's loop; nothing blocks. Whatever is called back passes one
 * guard: what it throws is logged and ends the call ({@link #threw}).
 */
public final class Call implements Attempt.Owner, AdmissionControl.Owner, RunningCall {
  private static final Logger LOG = LoggerFactory.getLogger(Call.class);
  private static final String NO_MEMORY =
      "this gateway holds as much of requests and answers as its memory allows";

  private final CallRequest request;
  private final Services services;
  private final Upstreams upstreams;
  private final PoisonMemory<CallErrors.Shown> poison;
  private final GuardedRecipient to;
  private final BudgetReservation reservation;
  private final CallMemory memory;
  private final CallRecorder recorder;
  private final AnswerHeads heads;
  private final CallErrors errors;
  private final CallRows rows;
  private final CallOutlook outlook;
  private final Recovery recovery;
  private final Relay relay;
  private final RequestBodies bodies;
  private final ResponsePipelines pipelines;
  private final AdmissionControl admission;
  private final RouteLease lease;
  private final Runnable whenOver;

  // Of the attempt under way.
  private @Nullable Attempt attempt;
  private @Nullable AttemptLog log;
  private @Nullable AttemptPermit permit;
  private @Nullable ResponsePipeline pipeline;
  private RequestBodies.@Nullable Ready ready;

  /** The failure that the last decision is about. */
  private @Nullable Failure lastFailure;

  /** What was asked of the target that failed. */
  private RequestBodies.@Nullable Ready lastAsked;

  private @Nullable Continuation continuation;
  private @Nullable Cancellable keepAlive;
  private boolean over;

  Call(
      String id,
      CallRequest request,
      Services services,
      Upstreams upstreams,
      Guards guards,
      PoisonMemory<CallErrors.Shown> poison,
      Recipient to,
      BudgetReservation reservation,
      RouteLease lease,
      CallMemory memory,
      Runnable whenOver) {
    this.request = request;
    this.services = services;
    this.upstreams = upstreams;
    this.poison = poison;
    this.to = new GuardedRecipient(to, new GuardedLoop(to.loop(), this::threw));
    this.reservation = reservation;
    this.lease = lease;
    this.whenOver = whenOver;
    this.memory = memory;
    recorder = new CallRecorder(id, request, services, memory);
    heads = new AnswerHeads(recorder);
    errors = new CallErrors(recorder, heads);
    rows = new CallRows(recorder);
    outlook = new CallOutlook(request, upstreams, guards, recorder::noRoom);
    recovery =
        Recovery.start(
            request.plan().settings().policy(),
            request.plan().route(),
            outlook,
            services.random(),
            now(),
            request.plan().limits());
    relay =
        new Relay(
            this.to,
            request.content().dialect(),
            () -> heads.streamHead(headers()),
            () -> recorder.committed(now()),
            recorder.answerTee(),
            services.nanos());
    bodies = new RequestBodies(request, services.learnt());
    pipelines = new ResponsePipelines(request, relay, recorder, memory);
    admission =
        new AdmissionControl(
            this,
            outlook,
            services.nanos(),
            bodies,
            reservation,
            recorder,
            this.to.loop(),
            recovery.attemptsUntilNanos());
  }

  private long now() {
    return services.nanos().getAsLong();
  }

  void start() {
    to.loop().run(this::begin);
  }

  private void begin() {
    to.onGone(this::gone);
    to.onWritable(this::writable);
    if (over) {
      return;
    }
    rows.start();
    if (!poison.isEmpty()) {
      var known = poison.answer(recorder.poisonKey(), now());
      if (known != null) {
        recorder.told(gaveUp("the same request failed for good before", known.verdict()));
        tell(errors.again(known, masks()));
        return;
      }
    }
    if (request.content().stream()) {
      keepAliveIn(request.plan().settings().keepAlive().toNanos());
    }
    carry(recovery.first(now()), null);
  }

  // ---- carrying out decisions

  private void carry(Decision decision, @Nullable Verdict verdict) {
    tell(decision, verdict);
    switch (decision) {
      case Decision.Proceed go -> admission.admit(go.waitNanos(), go.target(), false, continuation);
      case Decision.Retry again -> {
        recorder.recovered("retry");
        admission.admit(again.waitNanos(), again.target(), again.otherKey(), continuation);
      }
      case Decision.Fallback other -> {
        recorder.recovered("fallback");
        admission.admit(other.waitNanos(), other.target(), false, continuation);
      }
      case Decision.Mend mend -> mend(mend);
      case Decision.Continue on -> {
        recorder.recovered("continuation");
        admission.admit(on.waitNanos(), on.target(), on.otherKey(), continuation);
      }
      case Decision.GiveUp end -> giveUp(end);
    }
  }

  /** A first attempt at the first target, and what a repair came to, go without saying. */
  private void tell(Decision decision, @Nullable Verdict verdict) {
    boolean said =
        !(decision instanceof Decision.GiveUp)
            && !(decision instanceof Decision.Proceed go
                && (go.target() == 0 || recovery.attempts() > 1));
    if (!said) {
      return;
    }
    var failed = log;
    recorder.told(
        new CallDecision(
            recorder.id(),
            verdict == null || failed == null
                ? null
                : CallDecision.Cause.of(failed.target.toString(), verdict),
            AttemptLog.name(decision),
            decision.reason(),
            request.plan().route().target(targetOf(decision)).toString(),
            Duration.ofNanos(decision.waitNanos()),
            relay.begun() || verdict != null && isBrokenStream(verdict.kind()),
            recorder.attempts(),
            recovery.maxAttempts()));
  }

  private static boolean isBrokenStream(Kind kind) {
    return kind == Kind.STREAM_INTERRUPTED || kind == Kind.STREAM_ERROR_EVENT;
  }

  private static int targetOf(Decision decision) {
    return switch (decision) {
      case Decision.Proceed go -> go.target();
      case Decision.Retry again -> again.target();
      case Decision.Fallback other -> other.target();
      case Decision.Mend mend -> mend.target();
      case Decision.Continue on -> on.target();
      case Decision.GiveUp _ -> throw new IllegalArgumentException("giving up has no target");
    };
  }

  private CallDecision gaveUp(String reason, Verdict verdict) {
    var failed = log;
    return new CallDecision(
        recorder.id(),
        CallDecision.Cause.of(failed == null ? null : failed.target.toString(), verdict),
        "give_up",
        reason,
        null,
        Duration.ZERO,
        false,
        recorder.attempts(),
        recovery.maxAttempts());
  }

  private void next(Outcome outcome) {
    var decision = recovery.next(outcome, now());
    recorder.redecided(decision);
    carry(decision, null);
  }

  /** The repair is made now; the wait that came with it is part of the decision upon it. */
  private void mend(Decision.Mend mend) {
    var outcome =
        continuation != null && continuation.correct(mend.repair(), lastFailure)
            ? Outcome.Repaired.changed(mend.repair())
            : bodies.mend(mend.repair(), mend.target(), lastFailure, lastAsked);
    if (outcome instanceof Outcome.Repaired) {
      recorder.recovered("repair:" + RepairOption.nameOf(mend.repair()));
    }
    next(outcome);
  }

  @Override
  public void refused(Availability why) {
    next(new Outcome.Refused(why));
  }

  @Override
  public void permitted(AttemptPermit taken, RequestBodies.Ready sayable, long waited, long now) {
    permit = taken;
    send(taken, sayable, waited, now);
  }

  private void send(AttemptPermit taken, RequestBodies.Ready asked, long waited, long now) {
    var spec = taken.provider.spec;
    var target = taken.target();
    ready = asked;
    recorder.degraded(asked.degraded());
    var way = pipelines.of(asked, continuation);
    pipeline = way;
    var made =
        new Attempt(
            this,
            to.loop(),
            services.nanos(),
            new AttemptPlan(
                asked.operation(),
                request.content().stream(),
                spec.rules(),
                request.plan().settings().timeouts(),
                recovery.deadlineNanos(),
                request.plan().recordBodies()),
            relay,
            way,
            memory);
    attempt = made;
    var key = taken.key();
    log = recorder.began(made, target, waited, now, asked.body().length());
    var headers =
        HeaderRules.request(
            request,
            spec,
            asked.foreign(),
            log.number,
            key == null ? null : key.value,
            Math.max(1, recovery.maxAttempts() - recovery.attempts() + 1),
            Math.max(1, (recovery.deadlineNanos() - now) / 1_000_000));
    var operation = asked.operation();
    var path =
        operation.path(
            spec.api(),
            operation.modelInPath() ? RequestBodies.pathSegment(target.model()) : target.model(),
            request.content().stream());
    made.send(
        taken.provider,
        UpstreamRequest.of("POST", path, headers, asked.buffer()),
        spec.options().connect());
    if (!to.writable()) {
      made.pause();
    }
  }

  private @Nullable HttpHeaders headers() {
    return attempt == null ? null : attempt.headers();
  }

  // ---- what becomes of an attempt

  @Override
  public void firstToken() {
    long now = now();
    if (permit != null && attempt != null) {
      permit.firstToken(now - attempt.sentAt(), now);
    }
  }

  @Override
  public void streamed() {
    succeeded();
    relay.complete();
    finish(200, null, to::end);
  }

  @Override
  public void answered(int status, HttpHeaders headers, byte[] body, Answer answer) {
    succeeded();
    recorder.committed(now());
    respond(status, heads.wholeHead(headers), body, null);
  }

  private void succeeded() {
    long now = now();
    if (permit != null) {
      permit.succeeded(now);
    }
    if (log != null) {
      recorder.ended(log, now, false, reservation);
      if (permit != null) {
        permit.used(log.usage);
      }
      log.decided(recovery.next(Outcome.answered(), now));
      if (!recorder.mended().isEmpty()) {
        log.reason += "; repaired: " + String.join(", ", recorder.mended());
      }
      if (pipeline != null && pipeline.seam() != null) {
        log.reason += "; it goes on with what was delivered: " + pipeline.seam();
      }
    }
    if (!poison.isEmpty()) {
      poison.succeeded(recorder.poisonKey());
    }
    attempt = null;
    permit = null;
  }

  @Override
  public void failed(Failure failure) {
    long now = now();
    var held = permit;
    var ended = log;
    var asked = ready;
    if (held == null || ended == null || asked == null) {
      throw new IllegalStateException("a failure without an attempt");
    }
    var verdict = ProviderRedirect.verdict(failure);
    verdict = verdict == null ? BaseUrls.verdict(held.provider.spec, failure) : verdict;
    verdict = verdict == null ? services.classify().apply(failure) : verdict;
    verdict = bodies.probing(verdict, failure, asked);
    if (continuation != null) {
      verdict = continuation.judge(verdict, failure, asked.manner());
    }
    held.failed(verdict, now);
    outlook.failed(asked.target(), verdict);
    ended.failure = failure;
    ended.verdict = verdict;
    recorder.ended(ended, now, false, reservation);
    held.used(ended.usage);
    var stage = stage();
    attempt = null;
    permit = null;
    lastFailure = failure;
    lastAsked = asked;
    boolean continuable = true;
    if (stage.committed()) {
      if (continuation == null) {
        continuation = new Continuation(request, services.learnt());
      }
      continuation.broke(relay, asked, upstreams.spec(asked.target().provider()), recorder.usage());
      continuable = continuation.possible();
    }
    var decision = recovery.next(new Outcome.Failed(verdict, stage, continuable), now);
    ended.decided(decision);
    if (!continuable && decision instanceof Decision.GiveUp && continuation != null) {
      ended.reason += ": " + continuation.why();
    }
    carry(decision, verdict);
  }

  /** What the client has received, or what is held back for it. */
  private Stage stage() {
    var delivered = relay.delivered();
    return delivered == Stage.NOTHING && pipeline != null && pipeline.holdsToolCall()
        ? Stage.HELD_TOOL_CALL
        : delivered;
  }

  private void giveUp(Decision.GiveUp end) {
    if (outlook.onlyKeysRest(now())) {
      recorder.keysRest();
    }
    var shown = errors.shown(recovery.shown(), end, masks());
    recorder.told(gaveUp(end.reason(), shown.verdict()));
    if (relay.begun()) {
      relay.write(shown.event());
      finish(200, shown.verdict(), to::end);
    } else {
      if (PoisonMemory.isPermanent(shown.verdict()) && !recorder.isUnaffordable()) {
        poison.failed(recorder.poisonKey(), shown.verdict(), shown, now());
      }
      tell(shown);
    }
  }

  private void tell(CallErrors.Shown shown) {
    respond(shown.status(), shown.head(), shown.body(), shown.verdict());
  }

  private void respond(int status, HttpHeaders head, byte[] body, @Nullable Verdict verdict) {
    recorder.answerTee().keep(body);
    finish(status, verdict, () -> to.respond(status, head, Unpooled.wrappedBuffer(body)));
  }

  /** Values that must not be in anything that is shown. */
  private List<String> masks() {
    var values = new ArrayList<String>();
    for (var target : request.plan().route().targets()) {
      var spec = upstreams.spec(target.provider());
      if (spec != null) {
        values.addAll(spec.keys());
        values.addAll(spec.headers().values());
      }
    }
    return values;
  }

  // ---- the recipient

  private void gone() {
    if (over) {
      return;
    }
    abandon("the client left");
    if (!recovery.ended()) {
      recovery.next(Outcome.cancelled(), now());
    }
    finish(relay.begun() ? 200 : 499, KnownVerdicts.clientLeft(), () -> {});
  }

  @Override
  public void stop(String why) {
    to.loop().execute(() -> ended(why));
  }

  /** Ends it with an error of this gateway's own, which another attempt would not mend. */
  private void ended(String why) {
    if (!over) {
      recorder.stopped();
      abandon(why);
      giveUp(new Decision.GiveUp(Duration.ofSeconds(1), why));
    }
  }

  /** Ends the attempt under way without judging it. */
  private void abandon(String why) {
    admission.leave();
    if (attempt != null) {
      attempt.cancel();
      if (permit != null) {
        permit.released();
      }
      if (log != null) {
        log.decision = "cancelled";
        log.reason = why;
        recorder.ended(log, now(), true, reservation);
        if (permit != null) {
          permit.used(log.usage);
        }
      }
      attempt = null;
      permit = null;
    }
  }

  private void writable() {
    if (attempt != null) {
      attempt.resume();
    }
  }

  /** Called after each piece of an answer, so that a slow client slows its provider. */
  @Override
  public void moved() {
    if (attempt != null && !to.writable()) {
      attempt.pause();
    }
  }

  private void keepAliveIn(long nanos) {
    keepAlive = to.loop().schedule(Duration.ofNanos(nanos), this::keepAlive);
  }

  private void keepAlive() {
    if (over) {
      return;
    }
    long interval = request.plan().settings().keepAlive().toNanos();
    long silent = now() - relay.lastWriteAt();
    if (silent >= interval) {
      relay.comment("mainstay waits for " + request.plan().route().target(0).provider());
      silent = 0;
    }
    keepAliveIn(interval - silent);
  }

  /**
   * Ends the call.
   *
   * @param last hands the last of its answer to the client, which may then count on its record
   */
  private void finish(int status, @Nullable Verdict verdict, Runnable last) {
    if (over) {
      return;
    }
    over = true;
    UnexpectedError.runAll(
        recorder.id(),
        () -> rows.record(status, verdict, services.nanos()),
        () -> {
          try {
            last.run();
          } catch (RuntimeException | Error e) {
            answerFault();
            throw e;
          }
        },
        () -> {
          if (keepAlive != null) {
            keepAlive.cancel();
          }
        },
        lease::close,
        memory::close,
        rows::finish,
        whenOver);
  }

  /**
   * Something of this gateway's own threw: the call ends now with an error, and gives back all that
   * it holds, each thing by itself.
   */
  private void threw(Throwable thrown) {
    if (thrown instanceof CallMemory.Shortage) {
      to.loop().run(() -> ended(NO_MEMORY));
      return;
    }
    LOG.error(
        "{}: a fault of this gateway's own: {}", recorder.id(), UnexpectedError.where(thrown));
    if (over) {
      return;
    }
    UnexpectedError.runAll(
        recorder.id(),
        admission::leave,
        () -> {
          if (attempt != null) {
            attempt.cancel();
          }
        },
        () -> {
          if (permit != null) {
            permit.released();
          }
        },
        () -> {
          if (log != null && attempt != null) {
            log.decision = "give_up";
            log.reason = "a fault of this gateway's own";
            recorder.ended(log, now(), true, reservation);
          }
        });
    attempt = null;
    permit = null;
    finish(relay.begun() ? 200 : 500, KnownVerdicts.fault(), this::answerFault);
  }

  private void answerFault() {
    var shown = errors.fault(masks());
    if (relay.begun()) {
      relay.write(shown.event());
      to.end();
    }
    // Where the answer had not begun, or the head never reached the recipient.
    to.respond(shown.status(), shown.head(), Unpooled.wrappedBuffer(shown.body()));
  }
}
