package dev.mainstay.call;

import dev.mainstay.call.admission.AttemptPermit;
import dev.mainstay.call.answer.Relay;
import dev.mainstay.call.answer.ResponsePipeline;
import dev.mainstay.call.api.CallRequest;
import dev.mainstay.call.api.GuardedRecipient;
import dev.mainstay.call.api.ProviderSpec;
import dev.mainstay.call.api.UnexpectedError;
import dev.mainstay.call.attempt.Attempt;
import dev.mainstay.call.attempt.AttemptPlan;
import dev.mainstay.call.recording.AttemptLog;
import dev.mainstay.call.recording.CallRecorder;
import dev.mainstay.call.recording.HeaderRules;
import dev.mainstay.call.request.Continuation;
import dev.mainstay.call.request.RequestBodies;
import dev.mainstay.core.failure.Failure;
import dev.mainstay.core.recovery.Recovery;
import dev.mainstay.core.recovery.Stage;
import dev.mainstay.core.recovery.TargetId;
import dev.mainstay.core.verdict.Verdict;
import dev.mainstay.http.UpstreamRequest;
import io.netty.handler.codec.http.HttpHeaders;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The attempts of a call, one at a time: sends each, and at its end gives back what it held, writes
 * its log and settles what it cost, once. Belongs to the call's loop.
 */
final class CallAttempts {
  /** One attempt with what belongs to it. */
  private record RunningAttempt(
      Attempt attempt,
      AttemptLog log,
      AttemptPermit permit,
      ResponsePipeline pipeline,
      RequestBodies.Ready asked) {}

  /**
   * An attempt that has ended.
   *
   * @param asked the request as it was made
   * @param pipeline what became of its answer
   * @param stage what the client has received, or what was held back for it
   */
  record Ended(AttemptLog log, RequestBodies.Ready asked, ResponsePipeline pipeline, Stage stage) {}

  private final Attempt.Owner owner;
  private final CallRequest request;
  private final GuardedRecipient to;
  private final LongSupplier nanos;
  private final Recovery recovery;
  private final Relay relay;
  private final CallRecorder recorder;
  private final CallResources resources;
  private final ResponsePipelines pipelines;

  private @Nullable RunningAttempt current;
  private @Nullable Ended last;

  /** The answer of which it is known what made it. */
  private @Nullable String remembered;

  /** When what made that answer is on disk, or null before there is one. */
  private @Nullable CompletionStage<Boolean> remembering;

  CallAttempts(
      Attempt.Owner owner,
      CallRequest request,
      GuardedRecipient to,
      LongSupplier nanos,
      Recovery recovery,
      Relay relay,
      CallRecorder recorder,
      CallResources resources) {
    this.owner = owner;
    this.request = request;
    this.to = to;
    this.nanos = nanos;
    this.recovery = recovery;
    this.relay = relay;
    this.recorder = recorder;
    this.resources = resources;
    pipelines = new ResponsePipelines(request, relay, recorder, resources.memory());
  }

  /** The head of the answer to the attempt under way, or null where there is none yet. */
  @Nullable HttpHeaders headers() {
    return current == null ? null : current.attempt.headers();
  }

  /** The attempt that ended last, or null before the first has. */
  @Nullable Ended last() {
    return last;
  }

  /** The target of the attempt that ended last, or null before the first has. */
  @Nullable TargetId lastTarget() {
    return last == null ? null : last.log.target;
  }

  /**
   * Makes an attempt.
   *
   * @param permit given back at its end
   * @param waited nanoseconds before it, for whatever reason
   * @param continuation the answer that it goes on with, or null
   */
  void send(
      AttemptPermit permit,
      RequestBodies.Ready asked,
      long waited,
      long now,
      @Nullable Continuation continuation) {
    RunningAttempt made;
    try {
      made = made(permit, asked, waited, now, continuation);
    } catch (RuntimeException | Error e) {
      permit.released();
      resources.reservation().after(0L, true);
      throw e;
    }
    current = made;
    made.attempt.send(
        permit.provider,
        UpstreamRequest.of("POST", path(permit, asked), headers(made, now), asked.buffer()),
        permit.provider.spec.options().connect());
    if (!to.writable()) {
      made.attempt.pause();
    }
  }

  private RunningAttempt made(
      AttemptPermit permit,
      RequestBodies.Ready asked,
      long waited,
      long now,
      @Nullable Continuation continuation) {
    recorder.degraded(asked.degraded());
    var pipeline = pipelines.of(asked, continuation);
    var attempt =
        new Attempt(
            owner,
            to.loop(),
            nanos,
            new AttemptPlan(
                asked.operation(),
                request.content().stream(),
                permit.provider.spec.rules(),
                request.plan().settings().timeouts(),
                recovery.deadlineNanos(),
                request.plan().recordBodies()),
            relay,
            pipeline,
            resources.memory());
    var log = recorder.began(attempt, permit.target(), waited, now, asked.body().length());
    return new RunningAttempt(attempt, log, permit, pipeline, asked);
  }

  private String path(AttemptPermit permit, RequestBodies.Ready asked) {
    var operation = asked.operation();
    var model = permit.target().model();
    return operation.path(
        permit.provider.spec.api(),
        operation.modelInPath() ? RequestBodies.pathSegment(model) : model,
        request.content().stream());
  }

  private HttpHeaders headers(RunningAttempt made, long now) {
    var key = made.permit.key();
    return HeaderRules.request(
        request,
        made.permit.provider.spec,
        made.asked.crosses(),
        made.log.number,
        key == null ? null : key.value,
        Math.max(1, recovery.maxAttempts() - recovery.attempts() + 1),
        Math.max(1, (recovery.deadlineNanos() - now) / 1_000_000));
  }

  /** The id of the answer to the attempt under way, or null where none has come. */
  @Nullable String responseId() {
    return current == null ? null : current.attempt.responseId();
  }

  /**
   * Remembers what made the answer {@code id}, where its provider keeps it; once for each id.
   *
   * @return when that is on disk, or null where there is nothing to wait for
   */
  @Nullable CompletionStage<Boolean> rememberAnswer(@Nullable String id) {
    if (id != null && id.equals(remembered)) {
      return remembering;
    }
    if (id == null
        || current == null
        || current.asked.crosses()
        || !request.content().head().objects().made()) {
      return null;
    }
    remembered = id;
    var key = current.permit.key();
    remembering =
        request
            .plan()
            .objects()
            .made(current.permit.target(), key == null ? "" : key.name(), List.of(id));
    return remembering;
  }

  /** The first content, reasoning or tool call of the attempt under way has come. */
  void firstToken(long now) {
    if (current != null) {
      rememberAnswer(responseId());
      current.permit.firstToken(now - current.attempt.sentAt(), now);
    }
  }

  /** The attempt under way has succeeded. */
  Ended succeeded(long now) {
    var made = underWay();
    made.permit.succeeded(now);
    return settled(made, now);
  }

  /** The request of the attempt under way. */
  RequestBodies.Ready asked() {
    return underWay().asked;
  }

  /** The provider of the attempt under way. */
  ProviderSpec provider() {
    return underWay().permit.provider.spec;
  }

  private RunningAttempt underWay() {
    if (current == null) {
      throw new IllegalStateException("an attempt has ended twice");
    }
    return current;
  }

  /** The attempt under way has failed. */
  Ended failed(Failure failure, Verdict verdict, long now) {
    var made = underWay();
    made.permit.failed(verdict, now);
    made.log.failure = failure;
    made.log.verdict = verdict;
    return settled(made, now);
  }

  private Ended settled(RunningAttempt made, long now) {
    recorder.ended(made.log, now, false, resources.reservation());
    made.permit.used(made.log.usage);
    last = over(made);
    return last;
  }

  private Ended over(RunningAttempt made) {
    var delivered = relay.delivered();
    var stage =
        delivered == Stage.NOTHING && made.pipeline.holdsToolCall()
            ? Stage.HELD_TOOL_CALL
            : delivered;
    current = null;
    return new Ended(made.log, made.asked, made.pipeline, stage);
  }

  /** Ends the attempt under way without judging it; nothing where there is none. */
  void cancel(String why) {
    var made = current;
    if (made != null) {
      made.attempt.cancel();
      made.permit.released();
      cancelled(made, "cancelled", why);
      made.permit.used(made.log.usage);
    }
  }

  /** Ends the attempt under way after a fault, each step whatever another one throws. */
  void fault() {
    var made = current;
    if (made != null) {
      UnexpectedError.runAll(
          recorder.id(),
          made.attempt::cancel,
          made.permit::released,
          () -> cancelled(made, "give_up", "a fault of this gateway's own"));
    }
  }

  private void cancelled(RunningAttempt made, String decision, String why) {
    last = over(made);
    made.log.decision = decision;
    made.log.reason = why;
    recorder.ended(made.log, nanos.getAsLong(), true, resources.reservation());
  }

  /** Reads no more of the answer under way. */
  void pause() {
    if (current != null) {
      current.attempt.pause();
    }
  }

  /** Reads on. */
  void resume() {
    if (current != null) {
      current.attempt.resume();
    }
  }
}
