package dev.mainstay.call.attempt;

import dev.mainstay.call.answer.Relay;
import dev.mainstay.call.answer.ResponsePipeline;
import dev.mainstay.call.api.CallMemory;
import dev.mainstay.call.upstream.Provider;
import dev.mainstay.call.upstream.ProviderRedirect;
import dev.mainstay.core.failure.Failure;
import dev.mainstay.http.GuardedLoop;
import dev.mainstay.http.UpstreamCall;
import dev.mainstay.http.UpstreamFailure;
import dev.mainstay.http.UpstreamListener;
import dev.mainstay.http.UpstreamRequest;
import dev.mainstay.wire.money.Usage;
import dev.mainstay.wire.stream.Answer;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaders;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Objects;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * One upstream request: sends it, and tells its owner once how it ended. How long it may take is
 * its {@link AttemptTimeouts}'s, what its answer means its {@link Reading}'s.
 *
 * <p>Belongs to the call's loop.
 */
public final class Attempt implements UpstreamListener {
  /** What an attempt came to; exactly one of the last three is called, once. */
  public interface Owner {
    /** The first content, reasoning or tool call has come. */
    void firstToken();

    /** More of the answer has been handed to the relay. */
    void moved();

    /** A stream has ended well; what it held has been handed over. */
    void streamed();

    /** A whole answer has come that is one. */
    void answered(int status, HttpHeaders headers, byte[] body, Answer answer);

    /** It has failed. */
    void failed(Failure failure);
  }

  private final Owner owner;
  private final GuardedLoop loop;
  private final LongSupplier nanos;
  private final AttemptPlan plan;
  private final AttemptTimeouts timer;
  private final Relay relay;
  private final ResponsePipeline pipeline;
  private final CallMemory memory;

  private @Nullable UpstreamCall upstream;
  private boolean settled;
  private boolean draining;
  private boolean sent;
  private long sentAt;
  private long headersAt;
  private long bytesReceived;
  private int status;
  private @Nullable HttpHeaders headers;
  private @Nullable Reading reading;

  /**
   * @param pipeline what becomes of its answer
   * @param memory what is held of its answer is taken from
   */
  public Attempt(
      Owner owner,
      GuardedLoop loop,
      LongSupplier nanos,
      AttemptPlan plan,
      Relay relay,
      ResponsePipeline pipeline,
      CallMemory memory) {
    this.owner = owner;
    this.loop = loop;
    this.nanos = nanos;
    this.plan = plan;
    timer = new AttemptTimeouts(loop, nanos, plan.timeouts(), plan.deadline(), this::silent);
    this.relay = relay;
    this.pipeline = pipeline;
    this.memory = memory;
  }

  /**
   * Sends it; the owner holds a lease on the client until the call has ended.
   *
   * @param connect the client's own limit for connecting
   */
  public void send(Provider provider, UpstreamRequest request, Duration connect) {
    sentAt = nanos.getAsLong();
    timer.connecting(sentAt, connect);
    upstream = provider.send(request, loop, this);
  }

  /** Ends it without a word to its owner; the connection is closed at once. */
  public void cancel() {
    if (settle() && upstream != null) {
      upstream.cancel();
    }
  }

  // ---- what the client tells

  @Override
  public void connected(boolean reused) {
    if (!settled) {
      timer.connected();
    }
  }

  @Override
  public void sent() {
    sent = true;
    if (headersAt == 0) {
      sentAt = nanos.getAsLong();
      timer.sent(sentAt, plan.stream());
    }
  }

  @Override
  public void headers(int newStatus, HttpHeaders newHeaders) {
    if (settled) {
      return;
    }
    headersAt = nanos.getAsLong();
    status = newStatus;
    headers = newHeaders;
    if (ProviderRedirect.is(newStatus, newHeaders.get(HttpHeaderNames.LOCATION))) {
      ended(new Reading.Ending.Failed(ProviderRedirect.failure(plan.rules(), newStatus)), true);
      return;
    }
    reading = reading(good(status) && plan.stream() && isEventStream(newHeaders), newHeaders);
  }

  private Reading reading(boolean events, HttpHeaders head) {
    if (events) {
      timer.events(sentAt);
      return new EventReading(owner, nanos, timer, plan, relay, pipeline, memory);
    }
    timer.part(nanos.getAsLong());
    return new WholeReading(nanos, timer, plan, status, head, pipeline, memory);
  }

  /**
   * What the first bytes of a stream's answer say counts more than its type, which some servers
   * leave out and some get wrong: a JSON object is no event, and events are no JSON.
   */
  private Reading fitting(Reading chosen, HttpHeaders head, ByteBuf first) {
    int at = first.readerIndex();
    byte begin = first.getByte(at);
    boolean events = chosen instanceof EventReading;
    boolean contradicted =
        events
            ? begin == '{' || begin == '['
            : first
                .toString(at, Math.min(6, first.readableBytes()), StandardCharsets.US_ASCII)
                .matches("data:.?|event:|:.*");
    if (!contradicted) {
      return chosen;
    }
    chosen.over();
    return reading(!events, head);
  }

  static boolean good(int status) {
    return status >= 200 && status < 300;
  }

  private static boolean isEventStream(HttpHeaders headers) {
    var type = headers.get(HttpHeaderNames.CONTENT_TYPE);
    // Some relays send none with a stream that is one; whatever else it is shows in its events.
    return type == null || type.isBlank() || type.contains("text/event-stream");
  }

  @Override
  public void data(ByteBuf part) {
    try {
      var into = reading;
      var head = headers;
      if (settled || into == null || head == null) {
        return;
      }
      if (bytesReceived == 0 && plan.stream() && good(status) && part.isReadable()) {
        into = fitting(into, head, part);
        reading = into;
      }
      bytesReceived += part.readableBytes();
      var ending = into.take(ByteBufUtil.getBytes(part));
      if (ending instanceof Reading.Ending.Streamed streamed) {
        drain();
        ended(streamed, false);
      } else if (ending != null) {
        ended(ending, true);
      } else if (into instanceof EventReading) {
        owner.moved();
      }
    } finally {
      part.release();
    }
  }

  /**
   * The stream is whole and its call ends now, so that its record does not wait for a provider that
   * keeps the connection open; the end of the answer is read for a while, for the connection's next
   * use.
   */
  private void drain() {
    draining = true;
    resume();
    timer.lingers(nanos.getAsLong());
  }

  @Override
  public void end() {
    if (draining) {
      timer.over();
    }
    if (!settled) {
      ended(
          reading == null ? thrown(new IOException("an end without an answer")) : reading.end(),
          false);
    }
  }

  @Override
  public void failed(UpstreamFailure failure) {
    if (draining) {
      timer.over();
    }
    if (!settled) {
      ended(reading == null ? thrown(failure.cause()) : reading.broken(failure.cause()), false);
    }
  }

  /** A limit has passed. */
  private void silent() {
    if (draining) {
      if (upstream != null) {
        upstream.cancel();
      }
      return;
    }
    var missed = new SocketTimeoutException(timer.missed(sentAt, headersAt != 0));
    ended(reading == null ? thrown(missed) : reading.silent(missed), true);
  }

  private Reading.Ending thrown(Throwable cause) {
    return Reading.thrown(plan.rules(), cause);
  }

  /**
   * @param open whether more could come
   */
  private void ended(Reading.Ending ending, boolean open) {
    if (!settle()) {
      return;
    }
    if (upstream != null && (open || ending instanceof Reading.Ending.Failed)) {
      upstream.cancel();
    }
    switch (ending) {
      case Reading.Ending.Failed failed -> owner.failed(failed.failure());
      case Reading.Ending.Streamed _ -> owner.streamed();
      case Reading.Ending.Answered whole ->
          owner.answered(status, Objects.requireNonNull(headers), whole.body(), whole.answer());
    }
  }

  private boolean settle() {
    if (settled) {
      return false;
    }
    settled = true;
    if (reading != null) {
      reading.over();
    }
    if (!draining) {
      timer.over();
    }
    return true;
  }

  // ---- a slow client

  /** The client does not keep up: nothing more is read, and silence is not the provider's. */
  public void pause() {
    if (!settled && !timer.isPaused() && upstream != null) {
      timer.pause();
      upstream.pause();
    }
  }

  public void resume() {
    if (!settled && timer.isPaused() && upstream != null) {
      timer.resume();
      upstream.resume();
      if (reading != null) {
        reading.resumed();
      }
    }
  }

  // ---- for the record

  public long sentAt() {
    return sentAt;
  }

  /** When the headers came, or 0. */
  public long headersAt() {
    return headersAt;
  }

  /** When the first token came, or 0. */
  public long firstTokenAt() {
    return reading instanceof EventReading events ? events.firstTokenAt() : 0;
  }

  public long bytesReceived() {
    return bytesReceived;
  }

  /** The provider's status, or null where none came. */
  public @Nullable Integer status() {
    return headersAt == 0 ? null : (Integer) status;
  }

  public @Nullable HttpHeaders headers() {
    return headers;
  }

  /** The id that its answer says it has; null where none has come. */
  public @Nullable String responseId() {
    return reading == null ? null : reading.responseId();
  }

  /** What came of its answer, as far as it is kept; empty where it is not. */
  public byte[] received() {
    return reading == null ? new byte[0] : reading.received();
  }

  /** Whether its provider will want money for it. */
  public enum Bill {
    /** The provider never had the whole request, or refused it. */
    NOTHING,
    /** It was answered to the end. */
    TOLD,
    /** It was broken off: what was seen of it is about all that the model wrote. */
    SEEN,
    /** The model may have gone on where nobody saw it: only the provider knows. */
    OPEN
  }

  /**
   * What kind of bill it leaves.
   *
   * @param cancelled whether we ended it, so that its provider stops as well
   */
  public Bill bill(boolean cancelled) {
    if (reading == null) {
      return sent && headersAt == 0 ? Bill.OPEN : Bill.NOTHING;
    }
    return reading.bill(cancelled);
  }

  /**
   * What it used: as the provider says, else an estimate where anything came, else null.
   *
   * @param requestBytes the size of the request's body
   */
  public @Nullable Usage usage(long requestBytes) {
    return reading == null ? null : reading.usage(requestBytes);
  }
}
