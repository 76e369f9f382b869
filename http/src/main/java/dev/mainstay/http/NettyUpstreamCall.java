package dev.mainstay.http;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.handler.codec.compression.DecompressionException;
import io.netty.handler.codec.http.EmptyHttpHeaders;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaders;
import java.io.IOException;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** One request under way: takes a connection, writes, and passes on what comes back. */
final class NettyUpstreamCall implements UpstreamCall {
  /** A body of up to so many bytes is copied behind its head: one write instead of two. */
  private static final int COPY = 4096;

  /** One on the heap of up to so many, which would be copied for the socket all the same. */
  private static final int COPY_HEAP = 512 << 10;

  private static final Set<String> OURS = Set.of("host", "content-length", "expect");
  private static final Set<String> OURS_PACKED =
      Set.of("host", "content-length", "expect", "accept-encoding");
  private static final Set<String> OURS_STREAMED = Set.of("host", "expect");
  private static final Set<String> OURS_STREAMED_PACKED =
      Set.of("host", "expect", "accept-encoding");
  private static final Set<String> IDEMPOTENT = Set.of("GET", "HEAD", "OPTIONS");

  private final LoopPool pool;
  private final UpstreamRequest request;
  private final UpstreamListener listener;
  private ByteBuf body;
  private boolean mayResend;
  private @Nullable Connecting connecting;
  private @Nullable UpstreamConnection connection;
  private @Nullable Unpacker unpacker;
  private @Nullable Runnable onWritable;
  private boolean over;
  private boolean sent;
  private boolean headersSeen;
  private boolean paused;
  private boolean streaming;
  private boolean chunked;
  private boolean wasFull;
  private boolean endedEarly;
  private HttpHeaders earlyTrailers = EmptyHttpHeaders.INSTANCE;
  private long received;

  NettyUpstreamCall(LoopPool pool, UpstreamRequest request, UpstreamListener listener) {
    this.pool = pool;
    this.request = request;
    this.listener = listener;
    this.body = request.body();
    this.streaming = request.streamedBody();
  }

  void start() {
    if (over) return;
    try {
      // Parts of a streamed body are gone once written: there is no second connection for them.
      @Nullable UpstreamConnection reused = streaming ? null : pool.take();
      if (reused != null) use(reused);
      else connect();
    } catch (RuntimeException | Error thrown) {
      UpstreamConnection taken = connection;
      if (taken != null) taken.drop();
      if (!over) fail(thrown, UpstreamFailure.Progress.NOT_SENT, false);
    }
  }

  private void connect() {
    connecting =
        new Connecting(pool.loop(), pool.origin(), pool.options().connect(), this::connected);
  }

  private void connected(@Nullable Channel channel, @Nullable Throwable cause) {
    connecting = null;
    if (channel != null) {
      use(new UpstreamConnection(pool, channel));
    } else if (cause != null) {
      fail(cause, UpstreamFailure.Progress.NOT_CONNECTED, false);
    }
  }

  private void use(UpstreamConnection taken) {
    connection = taken;
    taken.take(this, request.method().equals("HEAD"));
    if (paused) taken.reading(false);
    boolean whole = !streaming;
    ChannelFuture written = write(taken, taken.used());
    listener.connected(taken.used());
    if (over) return;
    if (whole) {
      tellWhenSent(taken, written);
    } else if (endedEarly) {
      endBody(earlyTrailers);
    } else {
      // Who paused for want of a connection goes on; the channel itself tells only of changes.
      writabilityChanged();
    }
  }

  private ChannelFuture write(UpstreamConnection to, boolean keepBody) {
    mayResend = keepBody;
    ByteBuf part = body;
    if (keepBody) part = body.retainedDuplicate();
    else body = Unpooled.EMPTY_BUFFER;
    Channel channel = to.channel();
    int size = part.readableBytes();
    boolean copied = size <= (part.isDirect() ? COPY : COPY_HEAP);
    ByteBuf head = channel.alloc().buffer(512 + (copied ? size : 0));
    head(head, size);
    if (chunked && size > 0) Heads.chunkSize(head, size);
    if (copied) {
      // Piece by piece; writeBytes would join them first.
      part.readBytes(head, size);
      part.release();
      if (chunked && size > 0) head.writeBytes(Heads.CRLF);
      return channel.writeAndFlush(head);
    }
    channel.write(head, channel.voidPromise());
    if (!chunked) return channel.writeAndFlush(part);
    channel.write(part, channel.voidPromise());
    return channel.writeAndFlush(channel.alloc().buffer(2).writeBytes(Heads.CRLF));
  }

  private void head(ByteBuf out, int size) {
    Heads.requestLine(out, request.method(), pool.origin().prefix(), request.path());
    Heads.header(out, HttpHeaderNames.HOST, pool.origin().hostHeader());
    HttpHeaders headers = request.headers();
    Set<String> except = streaming ? OURS_STREAMED : OURS;
    if (request.unpack() && headers.contains(HttpHeaderNames.ACCEPT_ENCODING)) {
      except = streaming ? OURS_STREAMED_PACKED : OURS_PACKED;
      String accepted = headers.get(HttpHeaderNames.ACCEPT_ENCODING, "").toLowerCase(Locale.ROOT);
      if (accepted.contains("gzip"))
        Heads.header(out, HttpHeaderNames.ACCEPT_ENCODING, "gzip, deflate");
    }
    Heads.headers(out, headers, except);
    boolean proxied = pool.origin().proxy() != null && !pool.origin().tunnel();
    if (proxied && pool.origin().proxyAuth() != null) {
      Heads.header(out, HttpHeaderNames.PROXY_AUTHORIZATION, pool.origin().proxyAuth());
    }
    if (streaming) {
      chunked = !headers.contains(HttpHeaderNames.CONTENT_LENGTH);
      if (chunked) Heads.header(out, HttpHeaderNames.TRANSFER_ENCODING, "chunked");
    } else if (size > 0 || !IDEMPOTENT.contains(request.method())) {
      Heads.header(out, HttpHeaderNames.CONTENT_LENGTH, Integer.toString(size));
    }
    out.writeBytes(Heads.CRLF);
  }

  private void tellWhenSent(UpstreamConnection on, ChannelFuture written) {
    written.addListener(
        done -> {
          if (!done.isSuccess() || over || connection != on) return;
          sent = true;
          listener.sent();
        });
  }

  boolean sentWhole() {
    return sent;
  }

  void headers(int status, HttpHeaders headers) {
    headersSeen = true;
    freeBody();
    String encoding = headers.get(HttpHeaderNames.CONTENT_ENCODING);
    if (request.unpack() && !request.method().equals("HEAD") && !Unpacker.identity(encoding)) {
      unpacker = Unpacker.inflating(encoding);
      if (unpacker != null) {
        headers.remove(HttpHeaderNames.CONTENT_ENCODING).remove(HttpHeaderNames.CONTENT_LENGTH);
      }
    }
    listener.headers(status, headers);
  }

  void data(ByteBuf part) {
    if (unpacker == null) {
      deliver(part);
      return;
    }
    try {
      unpacker.feed(part, this::deliver);
    } catch (DecompressionException e) {
      if (connection != null) connection.drop();
      fail(
          new IOException("the answer does not unpack as its content-encoding says"),
          UpstreamFailure.Progress.HEADERS,
          false);
    }
  }

  private boolean deliver(ByteBuf part) {
    if (over) {
      part.release();
    } else {
      received += part.readableBytes();
      listener.data(part);
    }
    return !over;
  }

  void trailers(HttpHeaders trailers) {
    if (!over) listener.trailers(trailers);
  }

  void readComplete() {
    if (headersSeen && !over) listener.readComplete();
  }

  void end() {
    if (over) return;
    settle();
    listener.end();
  }

  /** The connection was lost before the answer was whole. */
  void lost(UpstreamConnection by, Throwable cause) {
    if (over) return;
    boolean unheard = mayResend && !by.byteSeen();
    boolean harmless = !sent || request.resendable() || IDEMPOTENT.contains(request.method());
    if (unheard && harmless) {
      // At most once: what connect() opens has never been used.
      connection = null;
      sent = false;
      connect();
    } else {
      var progress =
          headersSeen
              ? UpstreamFailure.Progress.HEADERS
              : sent ? UpstreamFailure.Progress.SENT : UpstreamFailure.Progress.NOT_SENT;
      fail(cause, progress, by.used());
    }
  }

  private void fail(Throwable cause, UpstreamFailure.Progress progress, boolean reused) {
    settle();
    listener.failed(new UpstreamFailure(cause, progress, reused, received));
  }

  private void settle() {
    over = true;
    connection = null;
    onWritable = null;
    freeBody();
    if (unpacker != null) unpacker.close();
    unpacker = null;
  }

  private void freeBody() {
    mayResend = false;
    body.release();
    body = Unpooled.EMPTY_BUFFER;
  }

  @Override
  public void cancel() {
    if (!pool.loop().inLoop()) {
      pool.loop().execute(this::cancel);
    } else if (!over) {
      if (connecting != null) connecting.cancel();
      if (connection != null) connection.drop();
      settle();
    }
  }

  @Override
  public void pause() {
    paused = true;
    if (connection != null) connection.reading(false);
  }

  @Override
  public void resume() {
    paused = false;
    if (connection != null) connection.reading(true);
  }

  @Override
  public void write(ByteBuf part) {
    UpstreamConnection to = connection;
    if (over || !streaming || endedEarly || !part.isReadable()) {
      part.release();
      return;
    }
    if (to == null) {
      // Not connected yet: it goes with what was given first.
      body = Unpooled.wrappedBuffer(body, part);
      return;
    }
    Channel channel = to.channel();
    if (chunked) {
      ByteBuf size = channel.alloc().buffer(12);
      Heads.chunkSize(size, part.readableBytes());
      channel.write(size, channel.voidPromise());
      channel.write(part, channel.voidPromise());
      channel.writeAndFlush(
          channel.alloc().buffer(2).writeBytes(Heads.CRLF), channel.voidPromise());
    } else {
      channel.writeAndFlush(part, channel.voidPromise());
    }
  }

  @Override
  public void endBody(HttpHeaders trailers) {
    UpstreamConnection to = connection;
    if (over || !streaming) return;
    if (to == null) {
      endedEarly = true;
      earlyTrailers = trailers;
      return;
    }
    streaming = false;
    ByteBuf end = to.channel().alloc().buffer(8);
    if (chunked) Heads.lastChunk(end, trailers);
    tellWhenSent(to, to.channel().writeAndFlush(end));
  }

  @Override
  public boolean writable() {
    boolean writable = connection != null && connection.channel().isWritable();
    if (!writable) wasFull = true;
    return writable;
  }

  @Override
  public void onWritable(Runnable callback) {
    onWritable = callback;
  }

  void writabilityChanged() {
    if (!wasFull || onWritable == null || !writable()) return;
    wasFull = false;
    onWritable.run();
  }
}
