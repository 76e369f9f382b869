package dev.mainstay.call;

import dev.mainstay.call.admission.AdmissionControl;
import dev.mainstay.call.admission.AttemptPermit;
import dev.mainstay.call.admission.AttemptPreparation;
import dev.mainstay.call.admission.CallOutlook;
import dev.mainstay.call.admission.KeyChoice;
import dev.mainstay.call.admission.ProviderState;
import dev.mainstay.call.answer.Relay;
import dev.mainstay.call.api.CallMemory;
import dev.mainstay.call.api.CallRequest;
import dev.mainstay.call.api.GuardedRecipient;
import dev.mainstay.call.api.Recipient;
import dev.mainstay.call.api.RunningCall;
import dev.mainstay.call.api.Services;
import dev.mainstay.call.api.UnexpectedError;
import dev.mainstay.call.attempt.Attempt;
import dev.mainstay.call.recording.AnswerHeads;
import dev.mainstay.call.recording.CallErrors;
import dev.mainstay.call.recording.CallRecorder;
import dev.mainstay.call.recording.CallRows;
import dev.mainstay.call.request.Continuation;
import dev.mainstay.call.request.RequestBodies;
import dev.mainstay.call.request.RequestCircumstances;
import dev.mainstay.call.upstream.Upstreams;
import dev.mainstay.core.classify.KnownVerdicts;
import dev.mainstay.core.failure.Failure;
import dev.mainstay.core.guard.PoisonMemory;
import dev.mainstay.core.recovery.Availability;
import dev.mainstay.core.recovery.Decision;
import dev.mainstay.core.recovery.Outcome;
import dev.mainstay.core.recovery.Recovery;
import dev.mainstay.core.recovery.RepairOption;
import dev.mainstay.core.verdict.Verdict;
import dev.mainstay.http.GuardedLoop;
import dev.mainstay.wire.stream.Answer;
import io.netty.handler.codec.http.HttpHeaders;
import java.time.Duration;
import java.util.concurrent.CompletionStage;
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
public final class Call
    implements Attempt.Owner, AdmissionControl.Owner<RequestBodies.Ready>, RunningCall {
  private static final Logger LOG = LoggerFactory.getLogger(Call.class);
  private static final String NO_MEMORY = "this gateway's memory for requests and answers is full";

  private final CallRequest request;
  private final Services services;
  private final Upstreams upstreams;
  private final PoisonMemory<CallErrors.Shown> poison;
  private final GuardedRecipient to;
  private final CallRecorder recorder;
  private final AnswerHeads heads;
  private final CallErrors errors;
  private final CallRows rows;
  private final CallOutlook outlook;
  private final Recovery recovery;
  private final Relay relay;
  private final RequestBodies bodies;
  private final AdmissionControl<RequestBodies.Ready> admission;
  private final CallAttempts attempts;
  private final DecisionReports reports;
  private final KeepAlive keepAlive;
  private final CallEnding ending;
  private @Nullable Continuation continuation;

  /** Hands over the answer that waits until it is on disk what made it. */
  private @Nullable Runnable held;

  /**
   * @param providers the generation it belongs to
   * @param poison the requests that failed for good
   * @param resources given back at its end, but for the reservation
   * @param whenOver run last
   */
  Call(
      String id,
      CallRequest request,
      Services services,
      ProviderState providers,
      PoisonMemory<CallErrors.Shown> poison,
      Recipient to,
      CallResources resources,
      Runnable whenOver) {
    this.request = request;
    this.services = services;
    this.poison = poison;
    upstreams = providers.upstreams();
    this.to = new GuardedRecipient(to, new GuardedLoop(to.loop(), this::threw));
    var plan = request.plan();
    recorder = new CallRecorder(id, request, services, resources.memory());
    heads = new AnswerHeads(recorder);
    errors = new CallErrors(recorder, heads, () -> upstreams.secrets(plan.route()));
    rows = new CallRows(recorder);
    var head = request.content().head();
    outlook =
        new CallOutlook(
            plan.route(),
            new KeyChoice(head.conversation(), head.objects().named(), plan.objects().key()),
            providers,
            recorder::noRoom);
    recovery =
        Recovery.start(
            plan.settings().policy(),
            plan.route(),
            outlook,
            services.random(),
            now(),
            plan.limits());
    relay =
        new Relay(
            this.to,
            request.content().dialect(),
            () -> heads.streamHead(headers()),
            () -> recorder.committed(now()),
            recorder.answerTee(),
            services.nanos());
    bodies = new RequestBodies(request, services.learned());
    admission =
        new AdmissionControl<>(
            this,
            outlook,
            new AttemptPreparation(
                plan.route(), bodies, resources.reservation(), recorder, () -> continuation),
            services.nanos(),
            this.to.loop(),
            plan.settings().policy().retry().patience(),
            recovery.attemptsUntilNanos());
    attempts =
        new CallAttempts(
            this, request, this.to, services.nanos(), recovery, relay, recorder, resources);
    reports = new DecisionReports(recorder, recovery, plan.route(), relay);
    keepAlive =
        new KeepAlive(
            this.to.loop(),
            services.nanos(),
            relay,
            plan.settings().keepAlive(),
            "mainstay waits for " + plan.route().target(0).provider());
    ending = new CallEnding(this.to, relay, recorder, errors, rows, keepAlive, resources, whenOver);
  }

  private long now() {
    return services.nanos().getAsLong();
  }

  private @Nullable HttpHeaders headers() {
    return attempts.headers();
  }

  void start() {
    to.loop().run(this::begin);
  }

  private void begin() {
    to.onGone(this::gone);
    to.onWritable(attempts::resume);
    if (ending.isOver()) {
      return;
    }
    rows.start();
    if (!poison.isEmpty()) {
      var known = poison.answer(recorder.poisonKey(), now());
      if (known != null) {
        reports.gaveUp("the same request has already failed permanently", known.verdict(), null);
        ending.error(errors.again(known));
        return;
      }
    }
    if (request.content().stream()) {
      keepAlive.start();
    }
    carry(recovery.first(now()), null);
  }

  // ---- carrying out decisions

  private void carry(Decision decision, @Nullable Verdict verdict) {
    reports.next(decision, verdict, attempts.lastTarget());
    switch (decision) {
      case Decision.Proceed go -> {
        if (go.target() > 0) {
          // Those before it are out: what answers is a fallback, though nothing was asked before.
          recorder.recovered("fallback");
        }
        admission.admit(go.waitNanos(), go.target(), false);
      }
      case Decision.Retry again -> {
        recorder.recovered("retry");
        admission.admit(again.waitNanos(), again.target(), again.otherKey());
      }
      case Decision.Fallback other -> {
        recorder.recovered("fallback");
        admission.admit(other.waitNanos(), other.target(), false);
      }
      case Decision.RetryRepaired mend -> mend(mend);
      case Decision.Continue on -> {
        recorder.recovered("continuation");
        admission.admit(on.waitNanos(), on.target(), on.otherKey());
      }
      case Decision.GiveUp end -> giveUp(end);
    }
  }

  private void next(Outcome outcome) {
    var decision = recovery.next(outcome, now());
    recorder.redecided(decision);
    carry(decision, null);
  }

  /** The repair is made now; the wait that came with it is part of the decision upon it. */
  private void mend(Decision.RetryRepaired mend) {
    var last = attempts.last();
    var failure = last == null ? null : last.log().failure;
    var outcome =
        continuation != null && continuation.correct(mend.repair(), failure)
            ? Outcome.Repaired.changed(mend.repair())
            : bodies.mend(
                mend.repair(), mend.target(), failure, last == null ? null : last.asked());
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
    attempts.send(taken, sayable, waited, now, continuation);
  }

  // ---- what becomes of an attempt

  @Override
  public void firstToken() {
    attempts.firstToken(now());
  }

  @Override
  public void streamed() {
    var remembered = attempts.rememberAnswer(attempts.responseId());
    succeeded();
    end(remembered, ending::streamed);
  }

  @Override
  public void answered(int status, HttpHeaders headers, byte[] body, Answer answer) {
    var remembered = attempts.rememberAnswer(answer.responseId());
    succeeded();
    recorder.committed(now());
    end(remembered, () -> ending.answered(status, heads.wholeHead(headers), body));
  }

  /** Its client may name an answer as soon as it has it: what made it is on disk before that. */
  private void end(@Nullable CompletionStage<Boolean> remembered, Runnable answer) {
    if (remembered == null) {
      answer.run();
    } else {
      held = answer;
      to.loop().then(remembered, _ -> letGo());
    }
  }

  private void letGo() {
    var answer = held;
    held = null;
    if (answer != null && !ending.isOver()) {
      answer.run();
    }
  }

  private void succeeded() {
    long now = now();
    var ended = attempts.succeeded(now);
    var log = ended.log();
    log.decided(recovery.next(Outcome.answered(), now));
    if (!recorder.mended().isEmpty()) {
      log.reason += "; repaired: " + String.join(", ", recorder.mended());
    }
    var seam = ended.pipeline().seam();
    if (seam != null) {
      log.reason += "; it goes on with what was delivered: " + seam;
    }
    if (!poison.isEmpty()) {
      poison.succeeded(recorder.poisonKey());
    }
  }

  @Override
  public void failed(Failure failure) {
    long now = now();
    var asked = attempts.asked();
    if (continuation != null) {
      continuation.failed(failure, asked);
    }
    var verdict =
        KnownVerdicts.judge(
            failure,
            services.classify(),
            new RequestCircumstances(failure, attempts.provider(), bodies, asked, continuation));
    var ended = attempts.failed(failure, verdict, now);
    outlook.failed(asked.target(), verdict);
    boolean continuable = true;
    if (ended.stage().committed()) {
      if (continuation == null) {
        continuation = new Continuation(request, services.learned());
      }
      continuation.broke(relay, asked, upstreams.spec(asked.target().provider()), recorder.usage());
      continuable = continuation.possible();
    }
    var decision = recovery.next(new Outcome.Failed(verdict, ended.stage(), continuable), now);
    ended.log().decided(decision);
    if (!continuable && decision instanceof Decision.GiveUp && continuation != null) {
      ended.log().reason += ": " + continuation.why();
    }
    carry(decision, verdict);
  }

  private void giveUp(Decision.GiveUp end) {
    long now = now();
    if (outlook.onlyKeysRest(now)) {
      recorder.keysRest();
    }
    var shown = errors.shown(recovery.shown(), end);
    reports.gaveUp(end.reason(), shown.verdict(), attempts.lastTarget());
    if (!relay.begun() && PoisonMemory.isPermanent(shown.verdict()) && !recorder.isUnaffordable()) {
      poison.failed(recorder.poisonKey(), shown.verdict(), shown, now);
    }
    ending.error(shown);
  }

  // ---- the recipient

  private void gone() {
    if (ending.isOver()) {
      return;
    }
    abandon("the client left");
    if (!recovery.ended()) {
      recovery.next(Outcome.cancelled(), now());
    }
    ending.gone();
  }

  @Override
  public void stop(String why) {
    to.loop().execute(() -> stopped(why));
  }

  /** Ends it with an error of this gateway's own, which another attempt would not mend. */
  private void stopped(String why) {
    if (held != null) {
      letGo();
    } else if (!ending.isOver()) {
      recorder.stopped();
      abandon(why);
      giveUp(new Decision.GiveUp(Duration.ofSeconds(1), why));
    }
  }

  /** Ends the attempt under way, or the wait for one, without judging it. */
  private void abandon(String why) {
    admission.leave();
    attempts.cancel(why);
  }

  /** Called after each piece of an answer, so that a slow client slows its provider. */
  @Override
  public void moved() {
    if (!to.writable()) {
      attempts.pause();
    }
  }

  /**
   * Something of this gateway's own threw: the call ends now with an error, and gives back all that
   * it holds, each thing by itself.
   */
  private void threw(Throwable thrown) {
    if (thrown instanceof CallMemory.Shortage) {
      to.loop().run(() -> stopped(NO_MEMORY));
      return;
    }
    LOG.error(
        "{}: a fault of this gateway's own: {}", recorder.id(), UnexpectedError.where(thrown));
    if (ending.isOver()) {
      return;
    }
    UnexpectedError.runAll(recorder.id(), admission::leave, attempts::fault);
    ending.fault();
  }
}
