package dev.mainstay.call.passthrough;

import dev.mainstay.call.admission.AttemptPermit;
import dev.mainstay.call.recording.HeaderRules;
import dev.mainstay.call.upstream.ProviderRedirect;
import dev.mainstay.core.failure.Failure;
import dev.mainstay.core.failure.Headers;
import dev.mainstay.core.recovery.TargetId;
import dev.mainstay.core.verdict.Verdict;
import dev.mainstay.http.Exchange;
import dev.mainstay.http.GuardedLoop;
import dev.mainstay.http.UpstreamCall;
import dev.mainstay.http.UpstreamFailure;
import dev.mainstay.http.UpstreamListener;
import dev.mainstay.wire.request.ObjectIds;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http.EmptyHttpHeaders;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaders;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * One upstream request of a request that passes through, and its answer on the way down. The answer
 * streams, but for the beginning of an error, which is judged first, and of an answer that tells
 * what was made, which is remembered first. Belongs to the exchange's loop.
 */
final class PassThroughAttempt implements UpstreamListener {
  /** Told what becomes of it. */
  interface Owner {
    /** Bytes move, in either direction. */
    void moved();

    /** The provider has answered with an error; says what it means. */
    Verdict judge(Failure failure);

    /**
     * The whole answer has been handed over, but for its end.
     *
     * @param refused what it means where it is an error
     * @param refusal that error
     */
    void answered(
        int status, @Nullable Verdict refused, @Nullable Failure refusal, HttpHeaders trailers);

    /** What it answers cannot be passed on. */
    void unusable(Failure failure, @Nullable Verdict verdict);

    /** There will be no whole answer. */
    void lost(Throwable cause, boolean mayHaveActed);
  }

  /** So much of an answer is read before it is passed on: enough for any error or object. */
  private static final int MOST_HELD = 64 << 10;

  /** What an answer may unpack to beyond what its client takes: more than any read brings. */
  private static final long MOST_AHEAD = 16 << 20;

  private final Owner owner;
  private final PassThroughRequest request;
  private final PassThroughRouter.Destination.To to;
  private final AttemptPermit permit;
  private final PassThroughBody body;
  private final Exchange exchange;
  private final GuardedLoop loop;
  private final PassThroughRecord record;

  private @Nullable UpstreamCall upstream;
  private boolean over;
  private int status;
  private HttpHeaders head = EmptyHttpHeaders.INSTANCE;
  private HttpHeaders trailers = EmptyHttpHeaders.INSTANCE;
  private @Nullable Failure refusal;
  private @Nullable Verdict refused;

  /** The beginning of an answer that is read before it is passed on. */
  private @Nullable ByteBuf held;

  /** What it made is on its way to the disk. */
  private boolean remembering;

  private boolean ended;
  private long ahead;

  PassThroughAttempt(
      Owner owner,
      PassThroughRequest request,
      PassThroughRouter.Destination.To to,
      AttemptPermit permit,
      PassThroughBody body,
      Exchange exchange,
      GuardedLoop loop,
      PassThroughRecord record) {
    this.owner = owner;
    this.request = request;
    this.to = to;
    this.permit = permit;
    this.body = body;
    this.exchange = exchange;
    this.loop = loop;
    this.record = record;
  }

  void send() {
    var sending = UpstreamRequests.of(request, to.way(), permit, body);
    var call = permit.provider.send(sending, loop, this);
    upstream = call;
    call.onWritable(exchange::resumeBody);
  }

  private boolean isHead() {
    return request.method().equals("HEAD");
  }

  /** The status that the provider answered with, or 0. */
  int status() {
    return status;
  }

  private String rules() {
    return permit.provider.spec.rules();
  }

  private URI base() {
    return permit.provider.spec.options().baseUrl();
  }

  @Override
  public void connected(boolean reused) {
    if (!over && upstream != null) {
      owner.moved();
      body.connected(upstream);
    }
  }

  @Override
  public void headers(int newStatus, HttpHeaders headers) {
    if (over) {
      return;
    }
    owner.moved();
    status = newStatus;
    head = headers;
    record.headers(newStatus);
    var elsewhere = PassThroughAnswer.leadsElsewhere(headers, base(), to.way().self());
    if (ProviderRedirect.is(newStatus, headers.get(HttpHeaderNames.LOCATION))) {
      cancel();
      owner.unusable(ProviderRedirect.failure(rules(), newStatus), null);
    } else if (elsewhere != null) {
      cancel();
      owner.unusable(
          ProviderRedirect.failure(rules(), newStatus), ProviderRedirect.elsewhere(elsewhere));
    } else if (newStatus >= 400 && isHead()) {
      judge("");
      begin();
    } else if (newStatus >= 400 || (to.makes() && !isHead())) {
      held = Unpooled.buffer();
    } else {
      begin();
    }
  }

  @Override
  public void data(ByteBuf part) {
    if (over) {
      part.release();
      return;
    }
    owner.moved();
    record.received(part);
    if (held != null) {
      int size = part.readableBytes();
      held.writeBytes(part);
      part.release();
      if (remembering) {
        slowDown(size);
      } else if (held.readableBytes() >= MOST_HELD) {
        read(held);
      }
      return;
    }
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
    if (over) {
      return;
    }
    ended = true;
    if (held != null && !remembering) {
      read(held);
    }
    if (!remembering) {
      complete();
    }
  }

  private void complete() {
    over = true;
    owner.answered(status, refused, refusal, trailers);
  }

  @Override
  public void failed(UpstreamFailure failure) {
    if (!over) {
      passOnHeld();
      over = true;
      owner.lost(failure.cause(), failure.mayHaveActed());
    }
  }

  // ---- the beginning of an answer

  private void read(ByteBuf beginning) {
    if (status >= 400) {
      judge(beginning.toString(StandardCharsets.UTF_8));
      passOn();
      return;
    }
    var ids = ObjectIds.made(ByteBufUtil.getBytes(beginning));
    if (ids.isEmpty()) {
      passOn();
      return;
    }
    // Its client may name the object as soon as it has the answer: it is on disk before that.
    remembering = true;
    if (upstream != null) {
      upstream.pause();
    }
    var key = permit.key();
    var by = new TargetId(to.way().provider(), "");
    loop.then(
        to.objects().made(by, key == null ? "" : key.name(), ids),
        _ -> {
          remembering = false;
          if (!over) {
            passOn();
            clientTakes();
            if (ended) {
              complete();
            }
          }
        });
  }

  private void judge(String words) {
    var values = new HashMap<String, String>();
    head.forEach(
        header -> values.putIfAbsent(header.getKey().toLowerCase(Locale.ROOT), header.getValue()));
    var failure = new Failure.Reply(rules(), status, new Headers(values), words);
    refusal = failure;
    refused = owner.judge(failure);
  }

  private void begin() {
    var headers = PassThroughAnswer.head(status, head, refused, base(), to.way().self());
    headers.set("x-mainstay-call", record.id());
    headers.set("x-mainstay-attempts", record.attempts());
    headers.set("x-mainstay-target", to.way().provider());
    exchange.begin(status, headers);
  }

  private void passOn() {
    var beginning = held;
    held = null;
    if (beginning != null) {
      begin();
      exchange.write(beginning);
    }
  }

  /** What was read of an answer that does not come whole is passed on as it is. */
  private void passOnHeld() {
    var beginning = held;
    if (beginning != null && status >= 400 && refused == null) {
      judge(beginning.toString(StandardCharsets.UTF_8));
    }
    passOn();
  }

  // ---- a slow client

  private void slowDown(int size) {
    ahead += size;
    if (ahead > MOST_AHEAD) {
      cancel();
      owner.lost(
          new IOException("the decompressed answer is far larger than its client accepts"), true);
    } else if (upstream != null) {
      upstream.pause();
    }
  }

  /** The client takes more. */
  void clientTakes() {
    ahead = 0;
    if (upstream != null && !remembering) {
      upstream.resume();
    }
  }

  /** Ends it without a word to its owner. */
  void cancel() {
    passOnHeldError();
    over = true;
    if (upstream != null) {
      upstream.cancel();
    }
  }

  private void passOnHeldError() {
    if (held != null && status >= 400 && !exchange.over()) {
      passOnHeld();
    } else if (held != null) {
      held.release();
      held = null;
    }
  }
}
