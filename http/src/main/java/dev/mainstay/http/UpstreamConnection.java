package dev.mainstay.http;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpDecoderConfig;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpMessage;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpResponseDecoder;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.util.AsciiString;
import io.netty.util.ReferenceCountUtil;
import java.io.IOException;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * One connection to a provider. Reads also while it is idle, so that a provider that closes it is
 * noticed then and not by the next request.
 */
final class UpstreamConnection extends ChannelInboundHandlerAdapter {
  private static final AsciiString KEEP_ALIVE = AsciiString.cached("keep-alive");
  private static final Pattern TIMEOUT =
      Pattern.compile("timeout=(\\d{1,9})", Pattern.CASE_INSENSITIVE);

  private final LoopPool pool;
  private final Channel channel;
  private @Nullable NettyUpstreamCall call;
  private boolean used;
  private boolean byteSeen;
  private boolean headOnly;
  private boolean informational;
  private boolean keep;
  private long idleNanos;
  private long idleSince;

  UpstreamConnection(LoopPool pool, Channel channel) {
    this.pool = pool;
    this.channel = channel;
    this.idleNanos = pool.options().idle().toNanos();
    channel.pipeline().addLast(new Decoder(pool.options().maxHeaders()), this);
    pool.opened(this);
    // One that closed in the moment between will never say so again.
    if (!channel.isActive()) pool.gone(this);
  }

  /**
   * Notes the first byte of an answer, which the decoder alone sees, and which answers have no
   * body.
   */
  private final class Decoder extends HttpResponseDecoder {
    Decoder(int maxHeaders) {
      super(
          new HttpDecoderConfig()
              .setMaxInitialLineLength(8 << 10)
              .setMaxHeaderSize(maxHeaders)
              .setMaxChunkSize(64 << 10));
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) throws Exception {
      byteSeen = true;
      super.channelRead(ctx, message);
    }

    @Override
    protected boolean isContentAlwaysEmpty(HttpMessage message) {
      return headOnly || super.isContentAlwaysEmpty(message);
    }
  }

  Channel channel() {
    return channel;
  }

  boolean usable(long now) {
    return channel.isActive() && now - idleSince < idleNanos;
  }

  /** Whether it has served a request before the current one. */
  boolean used() {
    return used;
  }

  /** Whether any byte has come since the current request was taken up. */
  boolean byteSeen() {
    return byteSeen;
  }

  void take(NettyUpstreamCall taken, boolean isHead) {
    call = taken;
    byteSeen = false;
    keep = false;
    headOnly = isHead;
    reading(true);
  }

  void reading(boolean on) {
    channel.config().setAutoRead(on);
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    NettyUpstreamCall current = call;
    if (current == null) {
      // An answer that nobody asked for: what comes next could not be told from it.
      ReferenceCountUtil.release(message);
      close();
      return;
    }
    switch (message) {
      case HttpResponse head -> head(current, head);
      case HttpContent content -> content(current, content);
      default -> ReferenceCountUtil.release(message);
    }
  }

  private void head(NettyUpstreamCall current, HttpResponse head) {
    if (head.decoderResult().isFailure()) {
      fail(unreadable(head.decoderResult().cause()));
      return;
    }
    int status = head.status().code();
    informational = status < 200;
    if (status == 101) {
      fail(new IOException("the provider switched protocols unasked"));
    } else if (!informational) {
      keep = HttpUtil.isKeepAlive(head);
      hint(head.headers());
      current.headers(status, head.headers());
    }
  }

  private void hint(HttpHeaders headers) {
    String value = headers.get(KEEP_ALIVE);
    if (value == null) return;
    Matcher timeout = TIMEOUT.matcher(value);
    if (!timeout.find()) return;
    // A second less than the provider keeps it, or half where that is nothing.
    long theirs = TimeUnit.SECONDS.toNanos(Long.parseLong(timeout.group(1)));
    long safe = Math.max(theirs - TimeUnit.SECONDS.toNanos(1), theirs / 2);
    idleNanos = Math.min(pool.options().idle().toNanos(), safe);
  }

  private void content(NettyUpstreamCall current, HttpContent content) {
    if (content.decoderResult().isFailure()) {
      content.release();
      fail(unreadable(content.decoderResult().cause()));
      return;
    }
    ByteBuf bytes = content.content();
    boolean last = content instanceof LastHttpContent;
    if (bytes.isReadable()) current.data(bytes);
    else content.release();
    if (!last || call != current) return;
    if (informational) {
      informational = false;
      return;
    }
    HttpHeaders trailers = ((LastHttpContent) content).trailingHeaders();
    if (!trailers.isEmpty()) current.trailers(trailers);
    whole(current);
  }

  private static IOException unreadable(Throwable cause) {
    // The decoder's message may quote what it could not read: its class says enough.
    return new IOException(
        "the answer is not readable HTTP/1.1: " + cause.getClass().getSimpleName());
  }

  private void whole(NettyUpstreamCall current) {
    call = null;
    if (keep && current.sentWhole() && channel.isActive()) {
      used = true;
      idleSince = System.nanoTime();
      // Left off by a slow client's pause, it would stall the next request on this connection.
      reading(true);
      pool.putBack(this);
    } else {
      close();
    }
    current.end();
  }

  @Override
  public void channelReadComplete(ChannelHandlerContext ctx) {
    if (call != null) call.readComplete();
  }

  @Override
  public void channelWritabilityChanged(ChannelHandlerContext ctx) {
    if (call != null) call.writabilityChanged();
  }

  @Override
  public void channelInactive(ChannelHandlerContext ctx) {
    pool.gone(this);
    fail(new IOException("the provider closed the connection before its answer was whole"));
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
    fail(cause);
  }

  private void fail(Throwable cause) {
    NettyUpstreamCall current = call;
    call = null;
    close();
    if (current != null) current.lost(this, cause);
  }

  /** Closes it; the call on it hears nothing more. */
  void drop() {
    call = null;
    close();
  }

  void close() {
    channel.close();
  }
}
