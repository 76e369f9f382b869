package dev.mainstay.http;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.channel.socket.SocketChannel;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.util.ReferenceCountUtil;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * One client connection: turns what the decoder reads into exchanges, one at a time.
 *
 * <p>Reading goes on while an exchange is being answered, because that alone tells that the client
 * has left. What a pipelining client sends meanwhile is kept aside up to a bound ({@link
 * PipelinedInput}); then reading stops, and such a client's leaving is noticed with its next
 * answer. Each piece is at most one read. A client that closes its half of the connection after a
 * whole request gets its answer.
 *
 * <p>An answer given before the request has arrived whole closes the connection, but gently: the
 * rest is read and thrown away for up to {@link #LINGER_SECONDS}, since closing on unread data
 * would reset the connection and take the answer with it.
 */
final class ServerConnection extends ChannelInboundHandlerAdapter {
  /**
   * How long the rest of a refused request is read: enough for an SDK to finish writing and read
   * the refusal.
   */
  private static final int LINGER_SECONDS = 5;

  /**
   * The rest of a request that is read after its answer rather than closing the connection for it.
   */
  private static final long SMALL_REST = 64 << 10;

  /**
   * What a request takes beside its body: its exchange, its call, what reads and times its answer.
   */
  private static final long REQUEST_BYTES = 12 << 10;

  private static final byte[] NOTHING = {};

  private enum Phase {
    /** Between requests. */
    IDLE,
    /** Gathering the body of the current request. */
    BUFFER,
    /** Handing the body of the current request to its sink. */
    STREAM,
    /** The current request is answered, or will be, without the rest of its body. */
    DISCARD,
    /** The current request is whole; its answer is awaited. */
    ANSWER,
    /** Reading only so that the last answer arrives. */
    LINGER
  }

  private final HttpServer server;
  private final SocketChannel channel;
  private final Loop loop;
  private final boolean secure;
  private final PipelinedInput ahead = new PipelinedInput();
  private final SendProgress progress;
  private final MemoryBudget.Reservation request;

  private Phase phase = Phase.IDLE;
  private @Nullable NettyExchange exchange;
  private @Nullable BodySink sink;
  private @Nullable RequestBody body;
  private long deadline;
  private boolean smallRest;
  private boolean reading;
  private boolean continueOwed;
  private boolean inputEnded;

  ServerConnection(HttpServer server, SocketChannel channel, Loop loop, boolean secure) {
    this.server = server;
    this.channel = channel;
    this.loop = loop;
    this.secure = secure;
    progress = new SendProgress(channel);
    request = server.memory().reserve(MemoryBudget.Use.REQUEST);
  }

  HttpServer server() {
    return server;
  }

  @Override
  public void handlerAdded(ChannelHandlerContext ctx) {
    server.opened(this);
    deadline = System.nanoTime() + server.options().timeouts().idle().toNanos();
    channel
        .eventLoop()
        .schedule(
            this::checkDeadline,
            server.options().timeouts().idle().toNanos(),
            TimeUnit.NANOSECONDS);
  }

  /**
   * One timer a connection, which looks at what is due and goes back to sleep: setting a deadline
   * costs nothing.
   */
  private void checkDeadline() {
    if (!channel.isOpen()) return;
    long left = deadline - System.nanoTime();
    boolean waiting = exchange == null || phase == Phase.BUFFER;
    if ((left <= 0 && waiting) || progress.stuck()) {
      close();
    } else {
      long sleep = left > 0 ? left : server.options().timeouts().idle().toNanos();
      channel.eventLoop().schedule(this::checkDeadline, sleep, TimeUnit.NANOSECONDS);
    }
  }

  /** Memory is short: closes where the client has taken nothing for a while. From any thread. */
  void shed() {
    loop.execute(
        () -> {
          if (progress.mayBeCutOff(System.nanoTime())) close();
        });
  }

  /** Bytes that wait for the client, in the channel. */
  long unsent() {
    return progress.unsent();
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) throws Exception {
    if (phase == Phase.ANSWER) {
      ahead.add(message);
      if (ahead.isFull()) channel.config().setAutoRead(false);
    } else {
      take(message);
    }
  }

  private void take(Object message) throws Exception {
    switch (message) {
      case HttpRequest head when phase == Phase.IDLE -> head(head);
      case HttpContent content -> content(content);
      default -> ReferenceCountUtil.release(message);
    }
  }

  private void head(HttpRequest head) {
    var started = new NettyExchange(this, channel, loop, secure, head);
    exchange = started;
    phase = Phase.DISCARD;
    request.set(REQUEST_BYTES);
    server.began();
    NettyLoops.entered(loop);
    if (head.decoderResult().isFailure()) {
      refuse(started, Refusal.of(head.decoderResult().cause()));
      return;
    }
    @Nullable Refusal wrong = RequestHeads.check(head);
    if (wrong != null) {
      refuse(started, wrong);
      return;
    }
    String expect = head.headers().get(HttpHeaderNames.EXPECT);
    boolean expects = expect != null && head.protocolVersion().equals(HttpVersion.HTTP_1_1);
    if (expects && !"100-continue".equalsIgnoreCase(expect)) {
      refuse(started, Refusal.UNKNOWN_EXPECTATION);
      return;
    }
    phase = Phase.BUFFER;
    smallRest =
        !expects
            && !HttpUtil.isTransferEncodingChunked(head)
            && HttpUtil.getContentLength(head, 0L) <= SMALL_REST;
    if (!run(started, () -> server.handler().admit(started))) return;
    if (phase == Phase.BUFFER) {
      buffer(started, head, expects);
    } else if (phase == Phase.STREAM) {
      continueOwed = expects;
      if (reading) readBody(true);
    }
  }

  private void buffer(NettyExchange started, HttpRequest head, boolean expects) {
    long announced = HttpUtil.getContentLength(head, -1L);
    if (announced > server.options().limits().body()) {
      refuse(started, Refusal.BODY_TOO_LARGE);
      return;
    }
    String encoding = head.headers().get(HttpHeaderNames.CONTENT_ENCODING);
    @Nullable Unpacker unpacker = null;
    if (!Unpacker.identity(encoding)) {
      unpacker = Unpacker.of(encoding, channel.alloc());
      if (unpacker == null) {
        refuse(started, Refusal.UNKNOWN_ENCODING);
        return;
      }
      head.headers()
          .remove(HttpHeaderNames.CONTENT_ENCODING)
          .remove(HttpHeaderNames.CONTENT_LENGTH);
    }
    body =
        new RequestBody(
            server,
            server.memory().reserve(MemoryBudget.Use.REQUEST),
            channel.alloc(),
            unpacker,
            announced);
    touch(server.options().timeouts().body().toNanos());
    if (expects) sendContinue();
  }

  private void sendContinue() {
    channel.writeAndFlush(Unpooled.wrappedBuffer(AnswerWriter.CONTINUE));
  }

  private void content(HttpContent content) {
    boolean last = content instanceof LastHttpContent;
    NettyExchange current = exchange;
    if (content.decoderResult().isFailure()) {
      content.release();
      if (current != null && !current.begun()) refuse(current, Refusal.MALFORMED);
      else close();
      return;
    }
    switch (phase) {
      case BUFFER -> gather(content.content(), last);
      case STREAM -> {
        BodySink to = sink;
        if (to != null && current != null && content.content().isReadable()) {
          run(current, () -> to.data(content.content()));
        } else {
          content.release();
        }
        if (last) {
          phase = Phase.ANSWER;
          channel.config().setAutoRead(true);
        }
        if (last && to != null && current != null) {
          HttpHeaders trailers = ((LastHttpContent) content).trailingHeaders();
          run(current, () -> to.end(trailers));
        }
      }
      case DISCARD -> {
        content.release();
        if (last) phase = Phase.ANSWER;
      }
      default -> content.release();
    }
    // An answer that was complete before its request had arrived whole waited for this.
    if (phase == Phase.ANSWER && current == null) next();
  }

  private void gather(ByteBuf part, boolean last) {
    RequestBody gathering = body;
    NettyExchange current = exchange;
    if (gathering == null || current == null) {
      part.release();
      return;
    }
    @Nullable Refusal refusal = gathering.add(part);
    if (refusal != null) {
      refuse(current, refusal);
      return;
    }
    touch(server.options().timeouts().body().toNanos());
    if (!last) return;
    phase = Phase.ANSWER;
    if (!gathering.slow()) {
      arrived(current, gathering, gathering.finish());
      return;
    }
    gathering.begin();
    loop.<@Nullable Refusal>blocking(
        gathering::finish,
        (unpacked, thrown) -> {
          gathering.finished();
          // The client may have left meanwhile.
          if (exchange == current) {
            arrived(current, gathering, thrown == null ? unpacked : Refusal.BROKEN_ENCODING);
          }
        });
  }

  private void arrived(NettyExchange current, RequestBody whole, @Nullable Refusal refusal) {
    if (refusal != null) {
      // Nothing is left of the request to be read.
      refuse(current, refusal);
    } else {
      current.bodyArrived(whole.whole());
      run(current, () -> server.handler().handle(current));
    }
  }

  private void refuse(NettyExchange refused, Refusal refusal) {
    phase = Phase.DISCARD;
    freeBody();
    refused.closeAfterwards();
    run(refused, () -> server.handler().refused(refused, refusal));
  }

  /** Runs a handler's code; false where it threw, which is then answered. */
  private boolean run(NettyExchange on, Code code) {
    try {
      code.run();
      return true;
    } catch (Throwable thrown) {
      on.failed(thrown);
      return false;
    }
  }

  private interface Code {
    void run() throws Exception;
  }

  /** Called by the exchange from within {@link Handler#admit}. */
  void streamTo(BodySink to) {
    if (phase != Phase.BUFFER || body != null) {
      throw new IllegalStateException("a body is streamed from within admit or not at all");
    }
    sink = to;
    phase = Phase.STREAM;
    reading = true;
  }

  /** The body of the request that was read whole. */
  byte[] takeBody() {
    RequestBody read = body;
    return read == null ? NOTHING : read.take();
  }

  void readBody(boolean on) {
    if (phase != Phase.STREAM) return;
    reading = on;
    channel.config().setAutoRead(on);
    if (on && continueOwed) {
      continueOwed = false;
      NettyExchange current = exchange;
      if (current != null && !current.begun()) sendContinue();
    }
  }

  /** Called by the exchange when an answer begins; whether the connection has to close after it. */
  boolean beginning() {
    if (phase == Phase.BUFFER) {
      phase = Phase.DISCARD;
      freeBody();
    }
    return server.draining()
        || (phase == Phase.DISCARD && !smallRest)
        || (inputEnded && ahead.isEmpty());
  }

  /** Called by the exchange when its answer has been handed to the operating system whole. */
  void answered(boolean close) {
    forget();
    if (phase == Phase.ANSWER && !close && !server.draining()) {
      next();
    } else if (phase == Phase.ANSWER) {
      close();
    } else if (phase == Phase.DISCARD && !close) {
      touch(server.options().timeouts().body().toNanos());
    } else {
      phase = Phase.LINGER;
      touch(TimeUnit.SECONDS.toNanos(LINGER_SECONDS));
      channel.config().setAutoRead(true);
      channel.shutdownOutput();
      channel.eventLoop().schedule(this::close, LINGER_SECONDS, TimeUnit.SECONDS);
    }
  }

  private void next() {
    phase = Phase.IDLE;
    touch(server.options().timeouts().idle().toNanos());
    try {
      while (phase != Phase.ANSWER && phase != Phase.LINGER && !ahead.isEmpty()) {
        Object message = ahead.poll();
        if (message != null) take(message);
      }
    } catch (Exception e) {
      close();
    }
    if (inputEnded && phase == Phase.IDLE) close();
    if (phase != Phase.STREAM && !ahead.isFull()) channel.config().setAutoRead(true);
  }

  private void forget() {
    if (exchange == null) return;
    exchange = null;
    sink = null;
    freeBody();
    request.set(0);
    server.ended();
  }

  private void freeBody() {
    if (body != null) body.release();
    body = null;
  }

  private void touch(long nanos) {
    deadline = System.nanoTime() + nanos;
  }

  /** Closes the connection when it is idle, else after the current answer. */
  void drain() {
    loop.execute(
        () -> {
          if (phase == Phase.IDLE) close();
        });
  }

  ChannelFuture close() {
    return channel.close();
  }

  @Override
  public void channelWritabilityChanged(ChannelHandlerContext ctx) {
    if (exchange != null) exchange.writabilityChanged();
  }

  @Override
  public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
    if (event == ChannelInputShutdownEvent.INSTANCE) inputEnded();
    ReferenceCountUtil.release(event);
  }

  /**
   * The client sends no more. It may have left, or only closed its half and wait for its answer.
   */
  private void inputEnded() {
    inputEnded = true;
    if (phase == Phase.ANSWER) new HalfClosedClient(channel, () -> exchange).probe();
    else close();
  }

  @Override
  public void channelInactive(ChannelHandlerContext ctx) {
    server.closed(this);
    NettyExchange left = exchange;
    phase = Phase.LINGER;
    if (left != null) left.connectionClosed();
    forget();
    request.close();
    ahead.release();
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
    // A client that resets its connection is a client that leaves; channelInactive tells.
    ctx.close();
  }
}
