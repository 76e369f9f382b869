package dev.mainstay.call.passthrough;

import dev.mainstay.call.admission.AdmissionControl;
import dev.mainstay.call.admission.AttemptPermit;
import dev.mainstay.call.admission.ProviderState;
import dev.mainstay.call.api.RunningCall;
import dev.mainstay.call.api.Services;
import dev.mainstay.call.api.UnexpectedError;
import dev.mainstay.call.passthrough.PassThroughRouter.Destination;
import dev.mainstay.call.upstream.RouteLease;
import dev.mainstay.core.classify.Circumstances;
import dev.mainstay.core.classify.KnownVerdicts;
import dev.mainstay.core.failure.ExceptionWalk;
import dev.mainstay.core.failure.Failure;
import dev.mainstay.core.recovery.Availability;
import dev.mainstay.core.recovery.Decision;
import dev.mainstay.core.recovery.Outcome;
import dev.mainstay.core.verdict.Blame;
import dev.mainstay.core.verdict.FailureClass;
import dev.mainstay.core.verdict.Verdict;
import dev.mainstay.http.Exchange;
import dev.mainstay.http.GuardedLoop;
import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.http.HttpHeaders;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One request that passes through unread: its body streams to the provider and the answer streams
 * back, each as fast as the slower side takes it. Its attempts are admitted as those of a model
 * call. What it asks for is unknown, so it is sent again only where the provider cannot have acted
 * on it and its body is still there. Belongs to the exchange's loop.
 */
public final class PassThroughCall
    implements AdmissionControl.Owner<PassThroughRouter.ProviderPath>,
        PassThroughAttempt.Owner,
        PassThroughBody.Owner,
        RunningCall {
  private static final String NOT_AGAIN =
      "the provider may have acted on the request, or part of its body is gone, so Mainstay does"
          + " not retry it";
  private static final Logger LOG = LoggerFactory.getLogger(PassThroughCall.class);

  private final PassThroughRequest request;
  private final Services services;
  private final ProviderState providers;
  private final PassThroughRouter router;
  private final Exchange exchange;
  private final GuardedLoop loop;
  private final PassThroughBody body;
  private final PassThroughRecord record;
  private final SilenceTimer silence;
  private final PassThroughEnding ending;

  /** Where it goes, once that is known. */
  private @Nullable PassThroughRoute routed;

  private @Nullable AttemptPermit permit;
  private @Nullable PassThroughAttempt attempt;

  /**
   * @param lease keeps the clients of the providers open that it can go to
   * @param whenOver run last
   */
  public PassThroughCall(
      String id,
      PassThroughRequest request,
      Services services,
      ProviderState providers,
      PassThroughRouter router,
      Exchange exchange,
      RouteLease lease,
      Runnable whenOver) {
    this.request = request;
    this.services = services;
    this.providers = providers;
    this.router = router;
    this.exchange = exchange;
    loop = new GuardedLoop(exchange.loop(), this::threw);
    body = new PassThroughBody(exchange, loop, this, request.length());
    record = new PassThroughRecord(id, request, services);
    silence =
        new SilenceTimer(
            loop, services.nanos(), this::limit, () -> !exchange.writable(), this::silent);
    ending =
        new PassThroughEnding(
            request,
            exchange,
            record,
            () -> UnexpectedError.runAll(id, silence::stop, body::close, lease::close),
            whenOver);
  }

  private long now() {
    return services.nanos().getAsLong();
  }

  /** Begins; called while the exchange is being admitted, before any of its body was read. */
  public void start() {
    exchange.onGone(loop.guarded(this::gone));
    exchange.onWritable(loop.guarded(this::clientTakes));
    body.start();
    silence.start();
    if (body.isStreamed()) {
      route();
    }
  }

  // ---- where it goes

  @Override
  public void received(ByteBuf part) {
    moved();
    record.sent(part);
  }

  @Override
  public void whole() {
    moved();
    if (!body.isStreamed()) {
      route();
    }
  }

  private void route() {
    loop.then(router.route(body.ids()), this::routed);
  }

  private void routed(Destination destination) {
    if (ending.isOver()) {
      return;
    }
    switch (destination) {
      case Destination.Refused refused -> ending.refused(refused.answer());
      case Destination.To to -> {
        record.started();
        routed = new PassThroughRoute(to, request, services, providers, this, loop);
        carry(routed.recovery.first(now()), null, null);
      }
    }
  }

  private PassThroughRoute underWay() {
    if (routed == null) {
      throw new IllegalStateException("an attempt of a request that has no way");
    }
    return routed;
  }

  // ---- carrying out decisions

  private void carry(Decision decision, @Nullable Verdict verdict, @Nullable Failure failure) {
    var way = underWay();
    switch (decision) {
      case Decision.Proceed go -> admit(go.waitNanos(), go.reason(), null, null);
      case Decision.Retry again -> {
        if (verdict != null) {
          var wait = Duration.ofNanos(again.waitNanos());
          record.decided(verdict, "retry", again.reason(), wait, way.recovery.maxAttempts());
          record.ended(verdict, failure, "retry", again.reason());
        }
        admit(again.waitNanos(), again.reason(), verdict, failure);
      }
      case Decision.GiveUp end -> giveUp(end.reason(), end.retryAfter(), verdict, failure);
      // There is one target, nothing is repaired, and nothing is gone on with.
      case Decision.Fallback _, Decision.RetryRepaired _, Decision.Continue _ ->
          throw new IllegalStateException("a decision for a model call: " + decision);
    }
  }

  /** Its client holds a body in hand: beyond patience it is told to come back. */
  private void admit(
      long wait, String reason, @Nullable Verdict verdict, @Nullable Failure failure) {
    if (wait > request.settings().policy().retry().patience().toNanos()) {
      giveUp(reason, Duration.ofNanos(wait), verdict, failure);
    } else {
      underWay().admission.admit(wait, 0, false);
    }
  }

  @Override
  public void refused(Availability why) {
    carry(underWay().recovery.next(new Outcome.Refused(why), now()), null, null);
  }

  @Override
  public void permitted(
      AttemptPermit taken, PassThroughRouter.ProviderPath way, long waited, long now) {
    permit = taken;
    record.began(way.provider(), Duration.ofNanos(waited));
    var made =
        new PassThroughAttempt(this, request, underWay().to, taken, body, exchange, loop, record);
    attempt = made;
    made.send();
  }

  private void giveUp(
      String reason,
      @Nullable Duration retryAfter,
      @Nullable Verdict verdict,
      @Nullable Failure failure) {
    if (verdict != null && failure != null) {
      fail(failure, verdict, reason, true);
      return;
    }
    var unasked = underWay().unavailable(reason, retryAfter, now());
    fail(thrown(new IOException(unasked.because())), unasked, reason, true);
  }

  // ---- what becomes of an attempt

  @Override
  public void moved() {
    silence.moved();
  }

  @Override
  public Verdict judge(Failure failure) {
    var verdict = verdict(failure);
    settle(verdict);
    return verdict;
  }

  @Override
  public void answered(
      int status, @Nullable Verdict refused, @Nullable Failure refusal, HttpHeaders trailers) {
    var held = permit;
    permit = null;
    if (held != null) {
      held.succeeded(now());
    }
    ending.answered(status, refused, refusal, trailers);
  }

  @Override
  public void unusable(Failure failure, @Nullable Verdict known) {
    var verdict = known == null ? verdict(failure) : known;
    settle(verdict);
    fail(failure, verdict, verdict.because(), false);
  }

  @Override
  public void lost(Throwable cause, boolean mayHaveActed) {
    var failure = thrown(cause);
    var verdict = verdict(failure);
    settle(verdict);
    if (mayHaveActed || !body.isThere()) {
      // The client still has the body.
      fail(failure, verdict, NOT_AGAIN, !mayHaveActed);
    } else {
      carry(underWay().recovery.next(Outcome.failed(verdict), now()), verdict, failure);
    }
  }

  private Verdict verdict(Failure failure) {
    return KnownVerdicts.judge(failure, services.classify(), new Circumstances.Unread());
  }

  /** Gives back what the attempt held. */
  private void settle(Verdict verdict) {
    var held = permit;
    permit = null;
    if (held == null) {
      return;
    }
    // A limit of one path says nothing of the others: of a key only what is for good counts.
    if (verdict.blame() == Blame.KEY && verdict.failureClass() != FailureClass.FATAL) {
      held.released();
    } else {
      held.failed(verdict, now());
    }
  }

  private Failure thrown(Throwable cause) {
    var provider = routed == null ? null : providers.upstreams().spec(routed.to.way().provider());
    return ExceptionWalk.standard().read(provider == null ? "" : provider.rules(), cause);
  }

  // ---- the client

  private void clientTakes() {
    if (attempt != null) {
      attempt.clientTakes();
    }
  }

  private void gone() {
    if (!ending.isOver()) {
      cancel();
      ending.gone(status());
    }
  }

  private int status() {
    return attempt == null ? 0 : attempt.status();
  }

  @Override
  public void stop(String why) {
    loop.execute(
        () -> {
          if (!ending.isOver()) {
            cancel();
            fail(
                thrown(new IOException(why)),
                KnownVerdicts.unavailable(Blame.GATEWAY, why),
                why,
                false);
          }
        });
  }

  // ---- its end

  private Duration limit() {
    return status() == 0
        ? request.settings().policy().deadline()
        : request.settings().timeouts().idle();
  }

  private void silent() {
    var words = "nothing came for " + limit().toSeconds() + " s";
    var failure = thrown(new SocketTimeoutException(words));
    var verdict = verdict(failure);
    settle(verdict);
    cancel();
    fail(failure, verdict, NOT_AGAIN, false);
  }

  /** Ends what is under way without judging it. */
  private void cancel() {
    if (routed != null) {
      routed.admission.leave();
    }
    if (attempt != null) {
      attempt.cancel();
    }
    if (permit != null) {
      permit.released();
      permit = null;
    }
  }

  private void threw(Throwable thrown) {
    var fault = "a fault of this gateway's own";
    LOG.error("{}: {}: {}", record.id(), fault, UnexpectedError.where(thrown));
    if (!ending.isOver()) {
      UnexpectedError.runAll(
          record.id(),
          this::cancel,
          () -> fail(thrown(new IOException(fault)), KnownVerdicts.fault(), fault, false),
          exchange::abort);
    }
  }

  private void fail(Failure failure, Verdict verdict, String reason, boolean repeatable) {
    ending.failed(status(), failure, verdict, reason, repeatable);
  }
}
