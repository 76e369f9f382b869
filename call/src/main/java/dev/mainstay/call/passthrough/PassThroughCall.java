package dev.mainstay.call.passthrough;

import dev.mainstay.call.api.Services;
import dev.mainstay.call.api.UnexpectedError;
import dev.mainstay.call.recording.ErrorMapper;
import dev.mainstay.call.recording.HeaderRules;
import dev.mainstay.call.upstream.KeyPool;
import dev.mainstay.call.upstream.Provider;
import dev.mainstay.call.upstream.ProviderRedirect;
import dev.mainstay.core.classify.KnownVerdicts;
import dev.mainstay.core.failure.ExceptionWalk;
import dev.mainstay.core.failure.Failure;
import dev.mainstay.core.failure.Headers;
import dev.mainstay.core.recovery.Availability;
import dev.mainstay.core.recovery.Decision;
import dev.mainstay.core.recovery.FallbackOn;
import dev.mainstay.core.recovery.Limits;
import dev.mainstay.core.recovery.Outcome;
import dev.mainstay.core.recovery.Outlook;
import dev.mainstay.core.recovery.Recovery;
import dev.mainstay.core.recovery.Route;
import dev.mainstay.core.recovery.TargetId;
import dev.mainstay.core.verdict.FailureClass;
import dev.mainstay.core.verdict.Verdict;
import dev.mainstay.http.BodySink;
import dev.mainstay.http.Cancellable;
import dev.mainstay.http.Exchange;
import dev.mainstay.http.GuardedLoop;
import dev.mainstay.http.Lease;
import dev.mainstay.http.UpstreamCall;
import dev.mainstay.http.UpstreamFailure;
import dev.mainstay.http.UpstreamListener;
import dev.mainstay.http.UpstreamRequest;
import dev.mainstay.wire.error.ErrorWriter;
import dev.mainstay.wire.error.MainstayNote;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http.DefaultHttpHeaders;
import io.netty.handler.codec.http.EmptyHttpHeaders;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaders;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One request that passes through unread: its body streams to the provider and the answer streams
 * back, each as fast as the slower side takes it. What it asks for is unknown, so it is sent again
 * only where the provider cannot have acted on it and its body is still there: when no connection
 * came about, or, for a body that is sent in one piece, when it was not handed over whole.
 *
 * <p>A body that is streamed is read from the client once there is a connection, so that a provider
 * that cannot be reached costs no upload. Belongs to the exchange's loop.
 */
public final class PassThroughCall {
  /** What a key is refused for, where it is not for a model. */
  public static final String AS_MODEL = "pass-through";

  /** How often it looks whether one of the account's places has come free. */
  private static final Duration LOOK_AGAIN = Duration.ofMillis(50);

  private static final String ANSWERED = "the provider has answered";
  private static final String NOT_AGAIN =
      "the provider may have acted on it, or part of its body is gone, so it is not sent again";

  /** A body of up to so many bytes is sent in one piece, over a connection that is open already. */
  private static final int WHOLE = 64 << 10;

  /** So much of an error is read before it is judged and passed on: enough for any in JSON. */
  private static final int MOST_OF_ERROR = 64 << 10;

  /** What an answer may unpack to beyond what its client takes: more than any read brings. */
  private static final long MOST_AHEAD = 16 << 20;

  private static final Logger LOG = LoggerFactory.getLogger(PassThroughCall.class);

  private final PassThroughRequest request;
  private final Services services;
  private final Provider provider;
  private final KeyPool.@Nullable Key key;
  private final Exchange exchange;
  private final GuardedLoop loop;
  private final Lease lease;
  private final PassThroughRecord record;
  private final Recovery recovery;
  private final boolean streamed;

  /** What has come of the body and was not written: all of one that is sent in one piece. */
  private ByteBuf held = Unpooled.EMPTY_BUFFER;

  private @Nullable HttpHeaders bodyTrailers;
  private @Nullable UpstreamCall upstream;
  private boolean connected;
  private @Nullable Cancellable timer;
  private @Nullable Cancellable retry;
  private long movedAt;
  private boolean answered;
  private int status;
  private HttpHeaders head = EmptyHttpHeaders.INSTANCE;
  private HttpHeaders trailers = EmptyHttpHeaders.INSTANCE;
  private @Nullable ByteBuf error;
  private @Nullable Failure refusal;
  private @Nullable Verdict refused;
  private long ahead;
  private boolean safeToRepeat;
  private boolean entered;
  private boolean bodyThere;
  private boolean over;

  public PassThroughCall(
      String id,
      PassThroughRequest request,
      Services services,
      Provider provider,
      KeyPool.@Nullable Key key,
      Exchange exchange,
      Lease lease) {
    this.request = request;
    this.services = services;
    this.provider = provider;
    this.key = key;
    this.exchange = exchange;
    loop = new GuardedLoop(exchange.loop(), this::threw);
    this.lease = lease;
    record = new PassThroughRecord(id, request, provider.spec.name(), services);
    streamed = request.length() < 0 || request.length() > WHOLE;
    movedAt = now();
    var policy = request.settings().policy().withFallback(FallbackOn.OFF);
    recovery =
        Recovery.start(
            policy,
            Route.of(new TargetId(provider.spec.name(), "")),
            new Retries(),
            services.random(),
            movedAt,
            Limits.NONE);
  }

  /** The provider's retry budget is the only thing to ask: nothing is known of any model. */
  private final class Retries implements Outlook {
    @Override
    public Availability of(TargetId target, long nowNanos) {
      return Availability.READY;
    }

    @Override
    public boolean takeRetry(TargetId target, long nowNanos) {
      return provider.retries.tryRetry(nowNanos);
    }
  }

  private long now() {
    return services.nanos().getAsLong();
  }

  /** Begins; called while the exchange is being admitted, before any of its body was read. */
  public void start() {
    record.started();
    recovery.first(now());
    exchange.onGone(loop.guarded(this::gone));
    exchange.onWritable(loop.guarded(this::clientTakes));
    exchange.streamBody(new FromClient());
    watchIn(limit());
    if (streamed) {
      exchange.pauseBody();
    }
    enter(Duration.ZERO);
  }

  /**
   * Takes a place within the limits of the provider's account, or waits for one within patience.
   *
   * @param waited how long it has waited before
   */
  private void enter(Duration waited) {
    if (over) {
      return;
    }
    var limit = provider.limiter.take(provider.limits(), now());
    if (limit == null) {
      entered = true;
      provider.retries.request(now());
      record.began(waited);
      if (streamed || bodyThere) {
        send();
      }
      return;
    }
    var wait = limit.time().isZero() ? LOOK_AGAIN : limit.time();
    var longer = waited.plus(wait);
    if (longer.compareTo(request.settings().policy().retry().patience()) <= 0) {
      retry = loop.schedule(wait, () -> enter(longer));
    } else {
      safeToRepeat = true;
      var words = "the account of this provider has reached its limit here, " + limit.limit();
      fail(thrown(new IOException(words)), KnownVerdicts.limitsUsed(words, wait), words);
    }
  }

  private void send() {
    connected = false;
    var headers = upstreamHeaders();
    // Of a part nothing can be unpacked, and of no body neither.
    boolean unpack = !request.method().equals("HEAD") && !request.headers().containsKey("range");
    var sending =
        new UpstreamRequest(
            request.method(),
            request.path(),
            headers,
            streamed ? Unpooled.EMPTY_BUFFER : held.retainedDuplicate(),
            streamed,
            unpack,
            false);
    var call = provider.send(sending, loop, new FromProvider());
    upstream = call;
    call.onWritable(exchange::resumeBody);
  }

  private HttpHeaders upstreamHeaders() {
    var headers = new DefaultHttpHeaders();
    request.headers().forEach(headers::set);
    headers.set(HttpHeaderNames.USER_AGENT, "mainstay");
    headers.set("x-mainstay-via", request.via());
    if (streamed && request.length() >= 0) {
      headers.set(HttpHeaderNames.CONTENT_LENGTH, request.length());
    }
    provider.spec.headers().forEach(headers::set);
    if (key != null) {
      HeaderRules.authorise(headers, provider.spec.api(), key.value);
    }
    return headers;
  }

  /** The request's body on its way up. */
  private final class FromClient implements BodySink {
    @Override
    public void data(ByteBuf part) {
      loop.run(() -> take(part));
    }

    @Override
    public void end(HttpHeaders fields) {
      loop.run(() -> whole(fields));
    }

    private void take(ByteBuf part) {
      if (over) {
        part.release();
        return;
      }
      moved();
      record.sent(part);
      if (streamed && connected && upstream != null) {
        upstream.write(part);
        if (!upstream.writable()) {
          exchange.pauseBody();
        }
      } else {
        held = held.isReadable() ? held : Unpooled.buffer();
        held.writeBytes(part);
        part.release();
      }
    }

    private void whole(HttpHeaders fields) {
      if (over) {
        return;
      }
      bodyTrailers = fields;
      bodyThere = true;
      if (streamed) {
        if (connected && upstream != null) {
          upstream.endBody(fields);
        }
      } else if (entered) {
        send();
      }
    }
  }

  /** The answer on its way down. */
  private final class FromProvider implements UpstreamListener {
    @Override
    public void connected(boolean reused) {
      if (over) {
        return;
      }
      moved();
      connected = true;
      var call = upstream;
      if (!streamed || call == null) {
        return;
      }
      call.write(held);
      held = Unpooled.EMPTY_BUFFER;
      if (bodyTrailers != null) {
        call.endBody(bodyTrailers);
      } else if (call.writable()) {
        exchange.resumeBody();
      }
    }

    @Override
    public void headers(int newStatus, HttpHeaders headers) {
      if (over) {
        return;
      }
      moved();
      answered = true;
      status = newStatus;
      head = headers;
      record.headers(newStatus);
      var elsewhere = PassThroughAnswer.leadsElsewhere(headers, base(), request.self());
      if (ProviderRedirect.is(newStatus, headers.get(HttpHeaderNames.LOCATION))) {
        cancelUpstream();
        fail(ProviderRedirect.failure(rules(), newStatus));
      } else if (elsewhere != null) {
        cancelUpstream();
        var verdict = ProviderRedirect.elsewhere(elsewhere);
        fail(ProviderRedirect.failure(rules(), newStatus), verdict, verdict.because());
      } else if (newStatus >= 400 && !request.method().equals("HEAD")) {
        error = Unpooled.buffer();
      } else {
        if (newStatus >= 400) {
          judge("");
        }
        begin();
      }
    }

    @Override
    public void data(ByteBuf part) {
      if (over) {
        part.release();
        return;
      }
      moved();
      record.received(part);
      if (error != null && error.readableBytes() < MOST_OF_ERROR) {
        error.writeBytes(part);
        part.release();
        return;
      }
      passOnError();
      int size = part.readableBytes();
      exchange.write(part);
      if (!exchange.writable()) {
        slowDown(size);
      }
    }

    @Override
    public void trailers(HttpHeaders fields) {
      trailers = HeaderRules.answer(fields);
    }

    @Override
    public void end() {
      if (!over) {
        passOnError();
        if (key != null && status < 400) {
          provider.keys.succeeded(key);
        }
        var verdict = refused;
        finish(status, verdict, refusal, verdict == null ? "proceed" : "give_up", ANSWERED);
        exchange.end(trailers);
      }
    }

    @Override
    public void failed(UpstreamFailure failure) {
      if (!over) {
        lost(failure);
      }
    }
  }

  private String rules() {
    return provider.spec.rules();
  }

  private URI base() {
    return provider.spec.options().baseUrl();
  }

  // ---- an answer

  private void judge(String body) {
    var values = new HashMap<String, String>();
    head.forEach(
        header -> values.putIfAbsent(header.getKey().toLowerCase(Locale.ROOT), header.getValue()));
    var failure = new Failure.Reply(rules(), status, new Headers(values), body);
    var verdict = services.classify().apply(failure);
    refusal = failure;
    refused = verdict;
    // A limit of one path says nothing of the others: only what is refused for good counts.
    if (key != null && verdict.failureClass() == FailureClass.FATAL) {
      provider.keys.failed(key, AS_MODEL, verdict, now());
    }
  }

  private void begin() {
    var headers = PassThroughAnswer.head(status, head, refused, base(), request.self());
    headers.set("x-mainstay-call", record.id());
    headers.set("x-mainstay-attempts", record.attempts());
    headers.set("x-mainstay-target", provider.spec.name());
    exchange.begin(status, headers);
  }

  /** Enough of an error is there to know what it means. */
  private void passOnError() {
    var read = error;
    error = null;
    if (read != null) {
      judge(read.toString(StandardCharsets.UTF_8));
      begin();
      exchange.write(read);
    }
  }

  // ---- a slow client

  private void slowDown(int size) {
    ahead += size;
    if (ahead > MOST_AHEAD) {
      cancelUpstream();
      fail(thrown(new IOException("the answer unpacks to far more than its client takes")));
    } else if (upstream != null) {
      upstream.pause();
    }
  }

  private void clientTakes() {
    ahead = 0;
    if (upstream != null) {
      upstream.resume();
    }
  }

  private void moved() {
    movedAt = now();
  }

  // ---- its end

  private Duration limit() {
    return answered ? request.settings().timeouts().idle() : request.settings().policy().deadline();
  }

  private void watchIn(Duration delay) {
    timer = loop.schedule(delay, this::watched);
  }

  private void watched() {
    if (over) {
      return;
    }
    var left = limit().minusNanos(now() - movedAt);
    if (left.isPositive()) {
      watchIn(left);
    } else if (!exchange.writable()) {
      // The client is the slow one.
      watchIn(limit());
    } else {
      cancelUpstream();
      fail(thrown(new SocketTimeoutException("nothing came for " + limit().toSeconds() + " s")));
    }
  }

  private void cancelUpstream() {
    if (retry != null) {
      retry.cancel();
    }
    if (upstream != null) {
      upstream.cancel();
    }
  }

  private void gone() {
    if (!over) {
      cancelUpstream();
      finish(
          answered ? status : 499,
          KnownVerdicts.clientLeft(),
          null,
          "cancelled",
          "the client left");
    }
  }

  private void threw(Throwable thrown) {
    var fault = "a fault of this gateway's own";
    LOG.error("{}: {}: {}", record.id(), fault, UnexpectedError.where(thrown));
    if (!over) {
      UnexpectedError.runAll(
          record.id(),
          this::cancelUpstream,
          () -> fail(thrown(new IOException(fault)), KnownVerdicts.fault(), fault),
          exchange::abort);
    }
  }

  private Failure thrown(Throwable cause) {
    return ExceptionWalk.standard().read(rules(), cause);
  }

  /** There will be no whole answer to this attempt. */
  private void lost(UpstreamFailure lost) {
    var failure = thrown(lost.cause());
    boolean bodyThere = !connected || !streamed;
    if (lost.mayHaveActed() || !bodyThere) {
      // The client still has the body.
      safeToRepeat = !lost.mayHaveActed();
      fail(failure);
      return;
    }
    var verdict = services.classify().apply(failure);
    switch (recovery.next(Outcome.failed(verdict), now())) {
      case Decision.Retry again -> {
        var wait = Duration.ofNanos(again.waitNanos());
        record.decided(verdict, "retry", again.reason(), wait, recovery.maxAttempts());
        record.ended(verdict, failure, "retry", again.reason());
        record.began(wait);
        retry = loop.schedule(wait, this::send);
      }
      case Decision other -> fail(failure, verdict, other.reason());
    }
  }

  private void fail(Failure failure) {
    var redirect = ProviderRedirect.verdict(failure);
    var verdict = redirect == null ? services.classify().apply(failure) : redirect;
    fail(failure, verdict, redirect == null ? NOT_AGAIN : redirect.because());
  }

  private void fail(Failure failure, Verdict verdict, String reason) {
    if (over) {
      return;
    }
    if (error != null) {
      passOnError();
    }
    if (exchange.begun()) {
      finish(status, verdict, failure, "give_up", reason);
      exchange.abort();
      return;
    }
    int told = ErrorMapper.status(failure, verdict);
    var note =
        new MainstayNote(
            record.id(),
            verdict.failureClass().name(),
            verdict.kind().wireName(),
            verdict.blame().wireName(),
            record.underWay()
                ? List.of(
                    new MainstayNote.Attempt(
                        provider.spec.name(), null, verdict.kind().wireName(), "give_up", 0))
                : List.of(),
            ErrorMapper.nextStep(verdict));
    var headers = new DefaultHttpHeaders();
    headers.set("content-type", "application/json");
    headers.set("x-mainstay-call", record.id());
    headers.set("x-mainstay-attempts", record.attempts());
    headers.set("x-mainstay-verdict", verdict.label());
    headers.set("x-should-retry", Boolean.toString(safeToRepeat));
    if (told == 429 || told == 503) {
      var after = ErrorMapper.retryAfter(null, verdict);
      headers.set("retry-after", Math.max(1, after.plusMillis(999).toSeconds()));
      headers.set("retry-after-ms", Math.max(1, after.toMillis()));
    }
    var body = ErrorWriter.body(request.dialect(), told, ErrorMapper.error(failure, verdict), note);
    finish(told, verdict, failure, "give_up", reason);
    exchange.respond(told, headers, Unpooled.wrappedBuffer(body));
  }

  private void finish(
      int clientStatus,
      @Nullable Verdict verdict,
      @Nullable Failure failure,
      String decision,
      String reason) {
    over = true;
    if (entered) {
      provider.limiter.ended();
    }
    if (timer != null) {
      timer.cancel();
    }
    held.release();
    held = Unpooled.EMPTY_BUFFER;
    lease.close();
    if (verdict != null && decision.equals("give_up")) {
      record.decided(verdict, decision, reason, Duration.ZERO, recovery.maxAttempts());
    }
    record.finish(clientStatus, verdict, failure, decision, reason);
  }
}
