package dev.mainstay.call;

import dev.mainstay.core.failure.ExceptionWalk;
import dev.mainstay.core.failure.Failure;
import dev.mainstay.core.failure.Failure.StreamEnding;
import dev.mainstay.core.failure.Headers;
import dev.mainstay.http.Loop;
import dev.mainstay.http.UpstreamCall;
import dev.mainstay.http.UpstreamClient;
import dev.mainstay.http.UpstreamFailure;
import dev.mainstay.http.UpstreamListener;
import dev.mainstay.http.UpstreamRequest;
import dev.mainstay.wire.Operation;
import dev.mainstay.wire.Readers;
import dev.mainstay.wire.money.Usage;
import dev.mainstay.wire.sse.SseEvent;
import dev.mainstay.wire.sse.SseScanner;
import dev.mainstay.wire.stream.Answer;
import dev.mainstay.wire.stream.Part;
import dev.mainstay.wire.stream.StreamReader;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaders;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One upstream request and the reading of its answer: tells its owner once how it ended. How long
 * it may take is its {@link Watch}'s.
 *
 * <p>Belongs to the call's loop.
 */
final class Attempt implements UpstreamListener {
  /** What an attempt came to; exactly one of the last three is called, once. */
  interface Owner {
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

  /** Of an error's body no more is read: its beginning says what it is. */
  private static final int MOST_OF_ERROR = 256 << 10;

  private static final Logger LOG = LoggerFactory.getLogger(Attempt.class);
  private static final byte[] BLANK_LINE = {'\n', '\n'};

  private final Owner owner;
  private final Loop loop;
  private final LongSupplier nanos;
  private final Operation operation;
  private final boolean stream;
  private final String rules;
  private final Watch watch;
  private final Relay relay;
  private final Lane lane;
  private final boolean recorded;
  private final AnswerRoom.Share share;
  private final BodyTee tee;

  private @Nullable UpstreamCall upstream;
  private boolean settled;

  /** The answer is whole, and what came after it was not worth reading. */
  private boolean spoilt;

  private boolean sent;
  private long sentAt;
  private long headersAt;
  private long firstTokenAt;
  private long bytesReceived;
  private int status;
  private @Nullable HttpHeaders headers;
  private @Nullable SseScanner scanner;
  private @Nullable StreamReader reader;
  private @Nullable Pieces whole;
  private @Nullable Answer answer;
  private @Nullable Failure found;

  /**
   * @param operation as the target is asked
   * @param rules the provider's name in the rule tables
   * @param deadline the call's, on the clock of {@code nanos}
   * @param lane what becomes of its answer
   * @param room what may be held of it until it is whole
   */
  Attempt(
      Owner owner,
      Loop loop,
      LongSupplier nanos,
      Operation operation,
      boolean stream,
      String rules,
      Timeouts timeouts,
      long deadline,
      Relay relay,
      Lane lane,
      boolean recordBody,
      AnswerRoom room) {
    this.owner = owner;
    this.loop = loop;
    this.nanos = nanos;
    this.operation = operation;
    this.stream = stream;
    this.rules = rules;
    watch = new Watch(loop, nanos, timeouts, deadline, this::silent);
    this.relay = relay;
    this.lane = lane;
    recorded = recordBody;
    share = room.share();
    tee = new BodyTee(recordBody);
  }

  /**
   * Sends it; the owner holds a lease on the client until the call has ended.
   *
   * @param connect the client's own limit for connecting
   */
  void send(UpstreamClient client, UpstreamRequest request, Duration connect) {
    sentAt = nanos.getAsLong();
    watch.connecting(sentAt, connect);
    upstream = client.send(request, loop, this);
  }

  /** Ends it without a word to its owner; the connection is closed at once. */
  void cancel() {
    if (settle() && upstream != null) {
      upstream.cancel();
    }
  }

  // ---- what the client tells

  @Override
  public void connected(boolean reused) {
    if (!settled) {
      watch.connected();
    }
  }

  @Override
  public void sent() {
    sent = true;
    if (headersAt == 0) {
      sentAt = nanos.getAsLong();
      watch.sent(sentAt, stream);
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
    if (good() && stream && isEventStream(newHeaders)) {
      scanner = new SseScanner();
      reader = Readers.stream(operation.dialect());
      watch.events(sentAt);
    } else {
      whole = new Pieces();
      watch.part(headersAt);
    }
  }

  private boolean good() {
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
      if (settled) {
        return;
      }
      bytesReceived += part.readableBytes();
      take(ByteBufUtil.getBytes(part));
    } finally {
      part.release();
    }
  }

  private void take(byte[] bytes) {
    if (scanner != null) {
      tee.keep(bytes);
      scan(bytes);
    } else if (whole != null) {
      var fit = share.take(bytes.length);
      watch.part(nanos.getAsLong());
      switch (fit) {
        case FITS -> {
          whole.add(bytes);
          if (!good() && whole.size() >= MOST_OF_ERROR) {
            end();
          }
        }
        case TOO_LARGE ->
            fail(
                new Failure.Stream(
                    rules,
                    Failure.Arrived.HEADERS,
                    StreamEnding.TOO_LARGE,
                    "the answer is larger than this gateway holds"));
        case NO_ROOM ->
            fail(thrown(new IOException("this gateway holds as much of other answers as it can")));
      }
    }
  }

  private void scan(byte[] bytes) {
    var events = scanner;
    if (events == null) {
      return;
    }
    boolean nothingBefore = events.pending() == 0;
    try {
      events.feed(bytes, 0, bytes.length, this::event);
    } catch (SseScanner.EventTooLarge e) {
      found = new Failure.Stream(rules, lane.arrived(), StreamEnding.MALFORMED_EVENT, null);
    }
    if (nothingBefore) {
      lane.flush(bytes);
    } else {
      lane.flush();
    }
    if (found != null) {
      fail(found);
      return;
    }
    if (spoilt) {
      endHere();
      return;
    }
    moved();
    owner.moved();
  }

  private boolean event(SseEvent event) {
    var stream = reader;
    if (stream == null || spoilt) {
      return false;
    }
    boolean ended = stream.ended();
    var part = stream.read(event);
    if (part == Part.ERROR || part == Part.MALFORMED) {
      if (ended) {
        // Nothing takes back an answer that has come to its protocol's own ending.
        spoilt = true;
        return false;
      }
      found =
          new Failure.Stream(
              rules,
              lane.arrived(),
              part == Part.ERROR ? StreamEnding.ERROR_EVENT : StreamEnding.MALFORMED_EVENT,
              cut(event.dataText()));
      return false;
    }
    if (part.commits() && firstTokenAt == 0) {
      firstTokenAt = nanos.getAsLong();
      owner.firstToken();
    }
    Lane.Flaw flaw;
    try {
      flaw = lane.event(part, event, stream);
    } catch (RuntimeException e) {
      found = unforeseen(e);
      return false;
    }
    if (flaw != null) {
      found = failure(flaw);
      return false;
    }
    return true;
  }

  private static String cut(String text) {
    return text.length() > MOST_OF_ERROR ? text.substring(0, MOST_OF_ERROR) : text;
  }

  /** Something came: the next silence is counted from now. */
  private void moved() {
    if (reader != null && reader.ended()) {
      watch.lingers(nanos.getAsLong());
    } else if (firstTokenAt != 0) {
      watch.event(nanos.getAsLong(), relay.committed());
    }
  }

  /** The answer is whole; whatever else the provider sends is not waited for. */
  private void endHere() {
    var done = upstream;
    streamEnd(StreamEnding.CLOSED);
    if (done != null) {
      done.cancel();
    }
  }

  @Override
  public void end() {
    if (settled) {
      return;
    }
    if (scanner != null) {
      streamEnd(StreamEnding.CLOSED);
    } else {
      wholeEnd();
    }
  }

  private void streamEnd(StreamEnding how) {
    boolean endedBefore = reader != null && reader.ended();
    boolean cutInside = false;
    if (scanner != null && scanner.cut()) {
      // A last event without its blank line: whole if it can be read, else it was cut.
      // Without data it brings nothing, and its bytes must not go out.
      scanner.feed(BLANK_LINE, 0, BLANK_LINE.length, event -> !event.hasData() || event(event));
      lane.flush();
      if (found instanceof Failure.Stream last && last.ending() == StreamEnding.MALFORMED_EVENT) {
        found = null;
        cutInside = true;
      }
    }
    var stream = reader;
    if (found != null || stream == null) {
      fail(found == null ? new Failure.Stream(rules, lane.arrived(), how, null) : found);
    } else if (!stream.ended() || (cutInside && !endedBefore)) {
      // What half an event says does not count, not even that the answer has ended.
      fail(new Failure.Stream(rules, lane.arrived(), how, null));
    } else if (firstTokenAt == 0 && !stream.emptyIsMeant() && !lane.mayBeEmpty()) {
      fail(new Failure.Stream(rules, lane.arrived(), StreamEnding.EMPTY, null));
    } else {
      Lane.Flaw flaw;
      try {
        flaw = lane.end();
      } catch (RuntimeException e) {
        fail(unforeseen(e));
        return;
      }
      if (flaw != null) {
        fail(failure(flaw));
      } else if (settle()) {
        owner.streamed();
      }
    }
  }

  /** What a provider sent was beyond what is written here: a failure of the attempt, and a bug. */
  private Failure unforeseen(RuntimeException e) {
    LOG.error("an answer of {} could not be handed over: {}", rules, Bug.where(e));
    return new Failure.Stream(
        rules, lane.arrived(), StreamEnding.MALFORMED_EVENT, e.getClass().getSimpleName());
  }

  private Failure failure(Lane.Flaw flaw) {
    return new Failure.Stream(rules, lane.arrived(), flaw.ending(), flaw.detail());
  }

  private void wholeEnd() {
    var body = whole == null ? new byte[0] : whole.whole();
    if (!good()) {
      fail(reply(body));
      return;
    }
    var read = Readers.answer(operation, body);
    answer = read;
    switch (read.outcome()) {
      case ANSWERED -> {
        var head = headers;
        if (stream || head == null) {
          // A whole answer where a stream was asked for: the client could not read it.
          fail(reply(body));
        } else {
          Lane.Whole given;
          try {
            given = lane.whole(body, read);
          } catch (RuntimeException e) {
            fail(unforeseen(e));
            return;
          }
          if (given.flaw() != null) {
            fail(failure(given.flaw()));
          } else if (settle()) {
            owner.answered(status, head, given.body(), read);
          }
        }
      }
      case ERROR -> fail(reply(body));
      case EMPTY ->
          fail(new Failure.Stream(rules, Failure.Arrived.HEADERS, StreamEnding.EMPTY, null));
      case MALFORMED -> fail(reply(body));
    }
  }

  private Failure reply(byte[] body) {
    int length = Math.min(body.length, MOST_OF_ERROR);
    return new Failure.Reply(
        rules, status, facts(headers), new String(body, 0, length, StandardCharsets.UTF_8));
  }

  private static Headers facts(@Nullable HttpHeaders headers) {
    if (headers == null) {
      return Headers.none();
    }
    var byName = new HashMap<String, String>();
    for (var entry : headers) {
      byName.putIfAbsent(entry.getKey().toLowerCase(java.util.Locale.ROOT), entry.getValue());
    }
    return new Headers(byName);
  }

  @Override
  public void failed(UpstreamFailure failure) {
    if (settled) {
      return;
    }
    if (reader != null && reader.ended()) {
      streamEnd(StreamEnding.RESET);
    } else if (reader != null) {
      fail(new Failure.Stream(rules, lane.arrived(), StreamEnding.RESET, null));
    } else {
      fail(thrown(failure.cause()));
    }
  }

  private Failure thrown(Throwable cause) {
    return ExceptionWalk.standard().read(rules, cause);
  }

  private void fail(Failure failure) {
    if (settle()) {
      if (upstream != null) {
        upstream.cancel();
      }
      owner.failed(failure);
    }
  }

  private boolean settle() {
    if (settled) {
      return false;
    }
    settled = true;
    share.over();
    watch.over();
    return true;
  }

  // ---- a slow client

  /** The client does not keep up: nothing more is read, and silence is not the provider's. */
  void pause() {
    if (!settled && !watch.isPaused() && upstream != null) {
      watch.pause();
      upstream.pause();
    }
  }

  void resume() {
    if (!settled && watch.isPaused() && upstream != null) {
      watch.resume();
      upstream.resume();
      moved();
    }
  }

  /** A limit has passed. */
  private void silent() {
    if (reader != null && reader.ended()) {
      endHere();
    } else if (reader != null) {
      fail(new Failure.Stream(rules, lane.arrived(), StreamEnding.SILENT, null));
    } else {
      fail(thrown(new SocketTimeoutException(watch.missed(sentAt, headersAt != 0))));
    }
  }

  // ---- for the record

  long sentAt() {
    return sentAt;
  }

  /** When the headers came, or 0. */
  long headersAt() {
    return headersAt;
  }

  /** When the first token came, or 0. */
  long firstTokenAt() {
    return firstTokenAt;
  }

  long bytesReceived() {
    return bytesReceived;
  }

  /** The provider's status, or null where none came. */
  @Nullable Integer status() {
    return headersAt == 0 ? null : (Integer) status;
  }

  @Nullable HttpHeaders headers() {
    return headers;
  }

  /** What came of its answer, as far as it is kept; empty where it is not. */
  byte[] received() {
    return whole == null ? tee.bytes() : recorded ? BodyTee.first(whole.whole()) : new byte[0];
  }

  /** Whether its provider will want money for it. */
  enum Bill {
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
  Bill bill(boolean cancelled) {
    if (headersAt == 0) {
      return sent ? Bill.OPEN : Bill.NOTHING;
    }
    if (!good()) {
      return Bill.NOTHING;
    }
    if (reader != null) {
      boolean refused =
          found instanceof Failure.Stream end && end.ending() == StreamEnding.ERROR_EVENT;
      if (reader.ended()) {
        return Bill.TOLD;
      }
      return cancelled && firstTokenAt != 0
          ? Bill.SEEN
          : refused && firstTokenAt == 0 ? Bill.NOTHING : Bill.OPEN;
    }
    if (answer == null) {
      return Bill.OPEN;
    }
    return switch (answer.outcome()) {
      case ERROR -> Bill.NOTHING;
      case ANSWERED -> Bill.TOLD;
      case EMPTY, MALFORMED -> answer.usage() == null ? Bill.OPEN : Bill.TOLD;
    };
  }

  /**
   * What it used: as the provider says, else an estimate where anything came, else null.
   *
   * @param requestBytes the size of the request's body
   */
  @Nullable Usage usage(long requestBytes) {
    if (reader != null) {
      var told = reader.usage();
      if (told != null) {
        // Some tell at the beginning what the prompt used, and at the end what the answer did.
        return reader.ended() ? told : told.withAtLeast(reader.contentBytes());
      }
      return firstTokenAt == 0 ? null : Usage.estimate(requestBytes, reader.contentBytes());
    }
    if (answer == null || answer.outcome() == Answer.Outcome.MALFORMED) {
      return null;
    }
    var told = answer.usage();
    return told != null || !operation.generates() || answer.outcome() != Answer.Outcome.ANSWERED
        ? told
        : Usage.estimate(requestBytes, whole == null ? 0 : whole.size());
  }
}
