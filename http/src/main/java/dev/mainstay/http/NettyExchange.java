package dev.mainstay.http;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelOption;
import io.netty.channel.socket.SocketChannel;
import io.netty.handler.codec.http.DefaultHttpHeaders;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The exchange over one request on a {@link ServerConnection}; framing is left to {@link
 * AnswerWriter}.
 */
final class NettyExchange extends RequestSide {
  private enum State {
    /** Nothing answered yet. */
    OPEN,
    /** An answer was given whole and is being packed. */
    PACKING,
    /** A head was begun. */
    BEGUN,
    /** The end was given; its last bytes may still wait for the client. */
    ENDED,
    /** Answered, aborted or left. */
    OVER
  }

  /** How long an aborted answer's last bytes may wait for the client. */
  private static final Duration ABORT_WAIT = Duration.ofSeconds(5);

  private final ServerConnection connection;
  private final SocketChannel channel;
  private final GuardedLoop loop;
  private final AnswerWriter writer;

  /** Bytes that the client has not taken. */
  private final MemoryBudget.Reservation output;

  /** What is left of a large whole answer, which follows as the client takes it. */
  private @Nullable ByteBuf rest;

  private boolean pumping;

  private State state = State.OPEN;
  private boolean close;
  private boolean flushPlanned;
  private boolean wasFull;
  private boolean gone;
  private boolean whole;
  private @Nullable Runnable onWritable;
  private @Nullable Runnable onGone;
  private @Nullable EndListener onOver;
  private final Runnable plannedFlush =
      () -> {
        flushPlanned = false;
        if (state == State.BEGUN) flushNow();
      };

  NettyExchange(
      ServerConnection connection,
      SocketChannel channel,
      Loop loop,
      boolean secure,
      HttpRequest request) {
    super(connection, channel, loop, secure, request);
    this.connection = connection;
    this.channel = channel;
    this.loop = loop();
    this.close = !HttpUtil.isKeepAlive(request);
    this.output = connection.server().memory().reserve(MemoryBudget.Use.OUTPUT);
    this.writer =
        new AnswerWriter(
            channel,
            request.method().name().equals("HEAD"),
            request.protocolVersion().equals(HttpVersion.HTTP_1_0));
  }

  @Override
  public boolean draining() {
    return connection.server().draining();
  }

  @Override
  public void respond(int status, String contentType, String text) {
    respond(
        status,
        new DefaultHttpHeaders().set(HttpHeaderNames.CONTENT_TYPE, contentType),
        Unpooled.wrappedBuffer(text.getBytes(StandardCharsets.UTF_8)));
  }

  @Override
  public void respond(int status, HttpHeaders headers, ByteBuf whole) {
    if (!loop.inLoop()) {
      loop.execute(() -> respond(status, headers, whole));
    } else if (state != State.OPEN) {
      whole.release();
    } else {
      if (connection.beginning()) close = true;
      int from = connection.server().options().packFrom();
      if (Packer.worthwhile(status, headers, whole.readableBytes(), from)) {
        pack(status, headers, whole);
      } else {
        send(status, headers, whole);
      }
    }
  }

  private void pack(int status, HttpHeaders headers, ByteBuf whole) {
    boolean taken = Packer.taken(headers());
    HttpHeaders changed = Packer.headers(headers, taken);
    if (!taken) {
      send(status, changed, whole);
    } else if (whole.readableBytes() <= Packer.AT_ONCE) {
      send(status, changed, Packer.gzip(whole, channel.alloc()));
    } else {
      state = State.PACKING;
      Thread.startVirtualThread(
          () -> {
            ByteBuf packed = Packer.gzip(whole, channel.alloc());
            loop.execute(
                () -> {
                  if (state == State.PACKING) send(status, changed, packed);
                  else packed.release();
                });
          });
    }
  }

  private void send(int status, HttpHeaders headers, ByteBuf whole) {
    int length = whole.readableBytes();
    if (length <= HttpServer.HIGH_WATER) {
      writer.whole(status, headers, whole, length, close);
      ended();
    } else {
      // The system's buffers are filled from memory that is not on the heap, with a copy: of a
      // whole answer at once that is its size again.
      state = State.ENDED;
      ByteBuf first = whole.readRetainedSlice(HttpServer.HIGH_WATER);
      rest = whole;
      writer.whole(status, headers, first, length, close);
      writer.flush();
      pump();
    }
  }

  /** Goes on with a large answer as far as the client takes it. */
  private void pump() {
    // What is flushed here may make the channel writable again, which comes back here.
    if (pumping || rest == null) return;
    pumping = true;
    while (rest != null && channel.isWritable()) {
      ByteBuf left = rest;
      if (left.readableBytes() <= HttpServer.HIGH_WATER) {
        rest = null;
        writer.add(left);
        ended();
      } else {
        writer.add(left.readRetainedSlice(HttpServer.HIGH_WATER));
        writer.flush();
      }
    }
    pumping = false;
    count();
  }

  /** Counts what waits for the client: nothing, as a rule. */
  private void count() {
    ByteBuf left = rest;
    output.set(
        state == State.OVER
            ? 0
            : connection.unsent() + writer.pending() + (left == null ? 0 : left.readableBytes()));
  }

  @Override
  public void begin(int status, HttpHeaders headers) {
    if (!loop.inLoop()) {
      loop.execute(() -> begin(status, headers));
    } else if (state == State.OPEN) {
      if (connection.beginning()) close = true;
      if (writer.begin(status, headers, close)) close = true;
      state = State.BEGUN;
      planFlush();
    }
  }

  @Override
  public void write(ByteBuf data) {
    if (!loop.inLoop()) {
      loop.execute(() -> write(data));
    } else if (state != State.BEGUN || !data.isReadable()) {
      data.release();
    } else {
      writer.add(data);
      planFlush();
    }
  }

  @Override
  public void end(HttpHeaders trailers) {
    if (!loop.inLoop()) {
      loop.execute(() -> end(trailers));
    } else if (state == State.BEGUN) {
      if (writer.endBroken()) close = true;
      writer.trailers(trailers);
      ended();
    }
  }

  private void ended() {
    state = State.ENDED;
    ChannelFuture finished = writer.finish();
    count();
    finished.addListener(
        sent -> {
          if (!sent.isSuccess() || state != State.ENDED) return;
          whole = true;
          settle();
          connection.answered(close);
        });
  }

  @Override
  public void writeRaw(ByteBuf bytes) {
    if (!loop.inLoop()) {
      loop.execute(() -> writeRaw(bytes));
    } else if (state == State.OPEN || state == State.BEGUN) {
      connection.beginning();
      state = State.BEGUN;
      flushNow();
      writer.raw();
      channel.writeAndFlush(bytes);
    } else {
      bytes.release();
    }
  }

  @Override
  public void flush() {
    if (!loop.inLoop()) {
      loop.execute(this::flush);
    } else if (state == State.BEGUN) {
      flushNow();
    }
  }

  private void planFlush() {
    if (flushPlanned) return;
    flushPlanned = true;
    loop.execute(plannedFlush);
  }

  private void flushNow() {
    writer.flush();
    count();
    tellWritable();
  }

  @Override
  public void abort() {
    if (!loop.inLoop()) {
      loop.execute(this::abort);
    } else if (state != State.OVER) {
      ChannelFuture written = writer.flushLast();
      settle();
      written.addListener(_ -> connection.close());
      // A client that reads nothing would otherwise hold the connection for ever.
      loop.schedule(ABORT_WAIT, connection::close);
    }
  }

  @Override
  public void reset() {
    if (!loop.inLoop()) {
      loop.execute(this::reset);
    } else if (state != State.OVER) {
      settle();
      channel.config().setOption(ChannelOption.SO_LINGER, 0);
      // From the innermost handler outwards, past a TLS handler that would say goodbye first.
      channel.pipeline().firstContext().close();
    }
  }

  /** Makes the connection close after this exchange's answer. */
  void closeAfterwards() {
    close = true;
  }

  /**
   * Sends the client something that changes nothing, so that one that has left resets the
   * connection. False where there is no such thing: then the end of its bytes has to be its
   * leaving.
   *
   * @param early whether the client sends no more only since a second or less
   */
  boolean probe(boolean early) {
    return switch (state) {
      // RFC 9110, 15.2: a client ignores a 100 that it does not expect; HTTP/1.0 has none.
      case OPEN, PACKING -> writer.interim();
      case BEGUN -> !early || writer.probe();
      case ENDED, OVER -> true;
    };
  }

  @Override
  void failed(Throwable thrown) {
    Handler handler = connection.server().handler();
    try {
      handler.threw(this, thrown);
    } catch (RuntimeException | LinkageError | AssertionError again) {
      abort();
    }
  }

  @Override
  public boolean begun() {
    return state != State.OPEN;
  }

  @Override
  public boolean over() {
    return state == State.OVER;
  }

  @Override
  public boolean writable() {
    boolean writable =
        channel.isWritable() && writer.pending() < HttpServer.HIGH_WATER && state != State.OVER;
    if (!writable) wasFull = true;
    return writable;
  }

  @Override
  public void onWritable(Runnable callback) {
    onWritable = loop.guarded(callback);
  }

  void writabilityChanged() {
    pump();
    tellWritable();
  }

  private void tellWritable() {
    if (!wasFull || onWritable == null || !writable()) return;
    wasFull = false;
    onWritable.run();
  }

  @Override
  public void onGone(Runnable callback) {
    if (gone) callback.run();
    else onGone = loop.guarded(callback);
  }

  @Override
  public void onOver(EndListener callback) {
    if (state == State.OVER) callback.over(whole);
    else onOver = sent -> loop.run(() -> callback.over(sent));
  }

  void connectionClosed() {
    if (state == State.OVER) return;
    gone = true;
    Runnable told = onGone;
    onGone = null;
    settle();
    if (told != null) told.run();
  }

  private void settle() {
    state = State.OVER;
    writer.discard();
    if (rest != null) rest.release();
    rest = null;
    output.close();
    EndListener told = onOver;
    onOver = null;
    onWritable = null;
    if (told != null) told.over(whole);
    bodyGone();
  }
}
