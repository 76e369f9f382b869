package dev.mainstay.call;

import dev.mainstay.core.failure.ExceptionWalk;
import dev.mainstay.core.failure.Failure;
import dev.mainstay.core.failure.Headers;
import dev.mainstay.core.verdict.Blame;
import dev.mainstay.core.verdict.FailureClass;
import dev.mainstay.core.verdict.Verdict;
import dev.mainstay.http.BodySink;
import dev.mainstay.http.Cancellable;
import dev.mainstay.http.Exchange;
import dev.mainstay.http.Lease;
import dev.mainstay.http.UpstreamCall;
import dev.mainstay.http.UpstreamFailure;
import dev.mainstay.http.UpstreamListener;
import dev.mainstay.http.UpstreamRequest;
import dev.mainstay.ledger.AttemptRecord;
import dev.mainstay.ledger.AttemptStart;
import dev.mainstay.ledger.CallRecord;
import dev.mainstay.ledger.CallStart;
import dev.mainstay.wire.error.ErrorWriter;
import dev.mainstay.wire.error.MainstayNote;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http.DefaultHttpHeaders;
import io.netty.handler.codec.http.HttpHeaders;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One request that passes through unread: its body streams to the provider and the answer streams
 * back, byte for byte. What it asks for is unknown, so it is sent once; only the client below sends
 * it again, where nothing can have been acted on. Recorded like every call.
 *
 * <p>Belongs to the exchange's loop.
 */
final class PassThroughCall {
  private static final String ANSWERED = "the provider has answered";

  private static final List<String> KEPT =
      List.of("content-encoding", "content-length", "retry-after", "x-should-retry");

  private final String id;
  private final PassThroughRequest request;
  private final Services services;
  private final Provider provider;
  private final KeyPool.@Nullable Key key;
  private final Exchange exchange;
  private final Lease lease;
  private final Instant startedAt;
  private final long startedNanos;

  private @Nullable UpstreamCall upstream;
  private @Nullable Cancellable watch;
  private long movedAt;
  private long headersAt;
  private long sent;
  private long received;
  private int status;
  private @Nullable Verdict refused;
  private boolean over;

  PassThroughCall(
      String id,
      PassThroughRequest request,
      Services services,
      Provider provider,
      KeyPool.@Nullable Key key,
      Exchange exchange,
      Lease lease) {
    this.id = id;
    this.request = request;
    this.services = services;
    this.provider = provider;
    this.key = key;
    this.exchange = exchange;
    this.lease = lease;
    startedAt = services.clock().instant();
    startedNanos = now();
    movedAt = startedNanos;
  }

  private long now() {
    return services.nanos().getAsLong();
  }

  /** Sends it; called while the exchange is being admitted, before any of its body was read. */
  void start() {
    services
        .recorder()
        .started(
            new CallStart(
                id,
                request.run(),
                request.parent(),
                request.client(),
                startedAt,
                request.dialect().label(),
                request.shownPath(),
                null,
                false));
    services.recorder().attempted(new AttemptStart(id, 1, provider.spec.name(), startedAt));
    boolean bodiless = request.method().equals("GET") || request.method().equals("HEAD");
    var call =
        provider.client.send(
            new UpstreamRequest(
                request.method(),
                request.path(),
                upstreamHeaders(),
                Unpooled.EMPTY_BUFFER,
                !bodiless,
                false,
                false),
            exchange.loop(),
            new FromProvider());
    upstream = call;
    exchange.onGone(this::gone);
    exchange.onWritable(call::resume);
    exchange.streamBody(new FromClient(call, bodiless));
    if (!bodiless) {
      call.onWritable(exchange::resumeBody);
    }
    watchIn(limit());
  }

  private HttpHeaders upstreamHeaders() {
    var headers = new DefaultHttpHeaders();
    request.headers().forEach(headers::set);
    headers.set("user-agent", "mainstay");
    headers.set("x-mainstay-via", request.via());
    provider.spec.headers().forEach(headers::set);
    if (key != null) {
      HeaderRules.authorise(headers, provider.spec.api(), key.value);
    }
    return headers;
  }

  /** The request's body on its way up. */
  private final class FromClient implements BodySink {
    private final UpstreamCall call;
    private final boolean bodiless;

    FromClient(UpstreamCall call, boolean bodiless) {
      this.call = call;
      this.bodiless = bodiless;
    }

    @Override
    public void data(ByteBuf part) {
      if (over || bodiless) {
        part.release();
        return;
      }
      moved();
      sent += part.readableBytes();
      call.write(part);
      if (!call.writable()) {
        exchange.pauseBody();
      }
    }

    @Override
    public void end() {
      if (!over && !bodiless) {
        call.endBody();
      }
    }
  }

  /** The answer on its way down. */
  private final class FromProvider implements UpstreamListener {
    @Override
    public void headers(int newStatus, HttpHeaders headers) {
      if (over) {
        return;
      }
      moved();
      headersAt = now();
      status = newStatus;
      if (newStatus >= 400) {
        refused = services.classify().apply(refusal(newStatus, headers));
      }
      exchange.begin(newStatus, answerHeaders(headers));
    }

    @Override
    public void data(ByteBuf part) {
      if (over) {
        part.release();
        return;
      }
      moved();
      received += part.readableBytes();
      exchange.write(part);
      if (!exchange.writable() && upstream != null) {
        upstream.pause();
      }
    }

    @Override
    public void end() {
      if (!over) {
        if (key != null && status < 400) {
          provider.keys.succeeded(key);
        }
        finish(status, refused, null, refused == null ? "proceed" : "give_up", ANSWERED);
        exchange.end();
      }
    }

    @Override
    public void failed(UpstreamFailure failure) {
      fail(failure.cause());
    }
  }

  /** The body is not read: an error is judged by its status and headers alone. */
  private Failure refusal(int newStatus, HttpHeaders headers) {
    var values = new HashMap<String, String>();
    headers.forEach(header -> values.putIfAbsent(header.getKey(), header.getValue()));
    return new Failure.Reply(provider.spec.rules(), newStatus, new Headers(values), "");
  }

  private HttpHeaders answerHeaders(HttpHeaders from) {
    var headers = HeaderRules.answer(from);
    if (refused != null) {
      headers.set("x-mainstay-verdict", refused.label());
      // Nobody has retried it yet: the SDK may.
      headers.set("x-should-retry", refused.failureClass() == FailureClass.TRANSIENT);
      if (status == 429 || status == 503) {
        var wait = ErrorMapper.retryAfter(null, refused);
        headers.set("retry-after", Math.max(1, wait.plusMillis(999).toSeconds()));
        headers.set("retry-after-ms", Math.max(1, wait.toMillis()));
      }
    }
    // The body is not unpacked here, so what says how it is packed stays; so does what the provider
    // says of a retry.
    for (var name : KEPT) {
      var value = from.get(name);
      if (value != null) {
        headers.set(name, value);
      }
    }
    headers.set("x-mainstay-call", id);
    headers.set("x-mainstay-attempts", 1);
    headers.set("x-mainstay-target", provider.spec.name());
    return headers;
  }

  private void moved() {
    movedAt = now();
  }

  // ---- its end

  private Duration limit() {
    return headersAt == 0
        ? request.settings().policy().deadline()
        : request.settings().timeouts().idle();
  }

  private void watchIn(Duration delay) {
    watch = exchange.loop().schedule(delay, this::watched);
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
      if (upstream != null) {
        upstream.cancel();
      }
      fail(new SocketTimeoutException("nothing came for " + limit().toSeconds() + " s"));
    }
  }

  private void gone() {
    if (!over) {
      if (upstream != null) {
        upstream.cancel();
      }
      finish(
          headersAt == 0 ? 499 : status,
          CallRecorder.CANCELLED,
          null,
          "cancelled",
          "the client left");
    }
  }

  private void fail(Throwable cause) {
    if (over) {
      return;
    }
    Failure failure = ExceptionWalk.standard().read(provider.spec.rules(), cause);
    var verdict = services.classify().apply(failure);
    var why = "what it asked for is unknown, so it is not sent again";
    if (exchange.begun()) {
      finish(status, verdict, failure, "give_up", why);
      exchange.abort();
      return;
    }
    int told = ErrorMapper.status(failure, verdict);
    var note =
        new MainstayNote(
            id,
            verdict.failureClass().name(),
            verdict.kind().wireName(),
            verdict.blame().wireName(),
            List.of(
                new MainstayNote.Attempt(
                    provider.spec.name(), null, verdict.kind().wireName(), "give_up", 0)),
            ErrorMapper.nextStep(verdict));
    var headers = new DefaultHttpHeaders();
    headers.set("content-type", "application/json");
    headers.set("x-mainstay-call", id);
    headers.set("x-mainstay-attempts", 1);
    headers.set("x-mainstay-verdict", verdict.label());
    headers.set("x-should-retry", "false");
    finish(told, verdict, failure, "give_up", why);
    exchange.respond(
        told,
        headers,
        Unpooled.wrappedBuffer(
            ErrorWriter.body(request.dialect(), told, ErrorMapper.error(failure, verdict), note)));
  }

  private void finish(
      int clientStatus,
      @Nullable Verdict verdict,
      @Nullable Failure failure,
      String decision,
      String reason) {
    over = true;
    if (watch != null) {
      watch.cancel();
    }
    lease.close();
    var total = Duration.ofNanos(now() - startedNanos);
    var attempt =
        new AttemptRecord(
            id,
            1,
            provider.spec.name(),
            Duration.ZERO,
            startedAt,
            headersAt == 0 ? null : startedAt.plusNanos(headersAt - startedNanos),
            null,
            startedAt.plus(total),
            headersAt == 0 ? null : (Integer) status,
            failure == null ? null : ErrorMapper.facts(failure, false),
            verdict == null ? null : verdict.label(),
            // Nobody is alerted because a client asked for a file that is not there.
            verdict == null || verdict.blame() == Blame.CALLER ? null : verdict.rule(),
            decision,
            reason,
            sent,
            received,
            null,
            null);
    var call =
        new CallRecord(
            id,
            request.run(),
            request.parent(),
            request.client(),
            startedAt,
            request.dialect().label(),
            request.shownPath(),
            null,
            verdict == null && status < 400 ? provider.spec.name() : null,
            false,
            clientStatus,
            verdict == null ? null : verdict.label(),
            List.of(),
            1,
            null,
            null,
            null,
            null,
            total);
    services.recorder().record(call, List.of(attempt), List.of());
    services.listener().ended(call, List.of(attempt));
  }
}
