package dev.mainstay.http;

import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler.Sharable;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.handler.codec.DecoderException;
import io.netty.handler.codec.http.DefaultFullHttpRequest;
import io.netty.handler.codec.http.HttpClientCodec;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpObject;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.handler.ssl.SslHandler;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * One attempt to open a connection: name, address after address, proxy tunnel, TLS, all within one
 * limit. Lives on its loop; tells its outcome once.
 */
final class Connecting implements Cancellable {
  /** Takes the outcome: exactly one of both is there. */
  interface Outcome {
    void done(@Nullable Channel channel, @Nullable Throwable cause);
  }

  private enum Step {
    RESOLVING_THE_NAME,
    CONNECTING,
    ASKING_THE_PROXY,
    TLS_HANDSHAKE
  }

  private final Loop loop;
  private final Origin origin;
  private final Duration limit;
  private final Outcome outcome;
  private final Cancellable timer;
  private final ConnectionGuard watch = new ConnectionGuard();
  private Step step = Step.RESOLVING_THE_NAME;
  private @Nullable Channel channel;
  private @Nullable Throwable first;
  private boolean over;

  Connecting(Loop loop, Origin origin, Duration limit, Outcome outcome) {
    this.loop = loop;
    this.origin = origin;
    this.outcome = outcome;
    this.limit = limit;
    timer = loop.schedule(limit, this::timedOut);
    String host = origin.connectHost();
    if (literal(host)) {
      resolved(host);
    } else {
      // The JDK's resolver blocks, and a loop must not.
      loop.blocking(
          () -> InetAddress.getAllByName(host),
          (addresses, thrown) -> {
            if (over) return;
            if (addresses == null) fail(thrown == null ? new UnknownHostException(host) : thrown);
            else connect(addresses, 0);
          });
    }
  }

  private static boolean literal(String host) {
    return host.indexOf(':') >= 0 || host.chars().allMatch(c -> c == '.' || (c >= '0' && c <= '9'));
  }

  private void resolved(String host) {
    try {
      connect(InetAddress.getAllByName(host), 0);
    } catch (UnknownHostException e) {
      loop.execute(() -> fail(e));
    }
  }

  private void connect(InetAddress[] addresses, int index) {
    step = Step.CONNECTING;
    var opening =
        new Bootstrap()
            .group(NettyLoops.eventLoop(loop))
            .channel(NioSocketChannel.class)
            .option(ChannelOption.TCP_NODELAY, true)
            .option(ChannelOption.SO_KEEPALIVE, true)
            .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, share(addresses.length))
            .option(
                ChannelOption.WRITE_BUFFER_WATER_MARK,
                new WriteBufferWaterMark(HttpServer.HIGH_WATER / 2, HttpServer.HIGH_WATER))
            .handler(watch)
            .connect(new InetSocketAddress(addresses[index], origin.connectPort()));
    channel = opening.channel();
    opening.addListener(
        done -> {
          if (over) return;
          if (done.isSuccess()) {
            connected(opening.channel());
          } else {
            if (first == null) first = done.cause();
            if (index + 1 < addresses.length) connect(addresses, index + 1);
            else fail(first);
          }
        });
  }

  /**
   * Of several addresses each gets a share of the time, so that a silent one does not take it all.
   */
  private int share(int addresses) {
    return addresses == 1
        ? 0
        : (int) Math.clamp(limit.toMillis() / Math.min(addresses, 3), 1, Integer.MAX_VALUE);
  }

  private void connected(Channel opened) {
    if (origin.tunnel()) tunnel(opened);
    else secure(opened);
  }

  private void tunnel(Channel opened) {
    step = Step.ASKING_THE_PROXY;
    String authority =
        (origin.host().indexOf(':') >= 0 ? "[" + origin.host() + "]" : origin.host())
            + ":"
            + origin.port();
    var request =
        new DefaultFullHttpRequest(
            HttpVersion.HTTP_1_1, HttpMethod.CONNECT, authority, Unpooled.EMPTY_BUFFER);
    request.headers().set(HttpHeaderNames.HOST, authority);
    if (origin.proxyAuth() != null) {
      request.headers().set(HttpHeaderNames.PROXY_AUTHORIZATION, origin.proxyAuth());
    }
    var codec = new HttpClientCodec();
    opened.pipeline().addFirst(codec, new TunnelAnswer(codec));
    opened.writeAndFlush(request);
  }

  private final class TunnelAnswer extends SimpleChannelInboundHandler<HttpObject> {
    private final HttpClientCodec codec;
    private int status;

    TunnelAnswer(HttpClientCodec codec) {
      this.codec = codec;
    }

    @Override
    protected void channelRead0(ChannelHandlerContext ctx, HttpObject message) {
      if (message instanceof HttpResponse response) {
        status = response.decoderResult().isSuccess() ? response.status().code() : 502;
        if (status != 200)
          fail(new IOException("the proxy refused a tunnel with status " + status));
      }
      if (message instanceof LastHttpContent && status == 200 && !over) {
        ctx.pipeline().remove(this);
        ctx.pipeline().remove(codec);
        secure(ctx.channel());
      }
    }
  }

  private void secure(Channel opened) {
    if (origin.tls() == null) {
      succeed(opened);
      return;
    }
    step = Step.TLS_HANDSHAKE;
    SslHandler handler = origin.tls().newHandler(opened.alloc(), origin.host(), origin.port());
    handler.setHandshakeTimeoutMillis(0);
    opened.pipeline().addFirst(handler);
    handler
        .handshakeFuture()
        .addListener(
            done -> {
              if (over) return;
              if (done.isSuccess()) succeed(opened);
              else fail(done.cause());
            });
  }

  private String words() {
    return step.name().toLowerCase(Locale.ROOT).replace('_', ' ');
  }

  private void timedOut() {
    fail(
        new SocketTimeoutException(
            "no connection within " + limit.toMillis() + " ms (" + words() + ")"));
  }

  /**
   * Last in the pipeline until the connection is handed over: what nobody took would be logged by
   * Netty.
   */
  @Sharable
  private final class ConnectionGuard extends ChannelInboundHandlerAdapter {
    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
      fail(new IOException("the connection was closed before it could be used (" + words() + ")"));
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
      fail(
          cause instanceof DecoderException && cause.getCause() != null ? cause.getCause() : cause);
    }
  }

  private void succeed(Channel opened) {
    over = true;
    timer.cancel();
    opened.pipeline().remove(watch);
    outcome.done(opened, null);
  }

  private void fail(@Nullable Throwable cause) {
    if (over) return;
    stop();
    outcome.done(null, cause == null ? new IOException("no connection") : cause);
  }

  @Override
  public void cancel() {
    if (!over) stop();
  }

  private void stop() {
    over = true;
    timer.cancel();
    if (channel != null) channel.close();
  }
}
