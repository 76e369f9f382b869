package dev.mainstay.http;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** An HTTP/1.1 server. Its connections are spread over the loops it was started on. */
public final class HttpServer implements AutoCloseable {
  /** Bytes that may wait for a slow client before {@link Exchange#writable} turns false. */
  static final int HIGH_WATER = 64 << 10;

  private final ServerOptions options;
  private final Loops loops;
  private final Handler handler;
  private final Set<ServerConnection> open = ConcurrentHashMap.newKeySet();
  private final AtomicInteger running = new AtomicInteger();
  private final Runnable shed = () -> shed();
  private final Channel listening;
  private volatile CompletableFuture<Integer> drained = new CompletableFuture<>();
  private volatile boolean draining;

  private HttpServer(ServerOptions options, Loops loops, Handler handler) throws IOException {
    this.options = options;
    this.loops = loops;
    this.handler = handler;
    @Nullable SslContext tls = tls(options.tls());
    var bound =
        new ServerBootstrap()
            .group(loops.netty().group())
            .channel(NioServerSocketChannel.class)
            .option(ChannelOption.SO_BACKLOG, 4096)
            .option(ChannelOption.SO_REUSEADDR, true)
            .childOption(ChannelOption.TCP_NODELAY, true)
            .childOption(
                ChannelOption.WRITE_BUFFER_WATER_MARK,
                new WriteBufferWaterMark(HIGH_WATER / 2, HIGH_WATER))
            .childHandler(
                new ChannelInitializer<SocketChannel>() {
                  @Override
                  protected void initChannel(SocketChannel channel) {
                    connect(channel, tls);
                  }
                })
            .bind(options.host(), options.port())
            .awaitUninterruptibly();
    if (!bound.isSuccess()) {
      throw new IOException(
          "cannot listen on "
              + options.host()
              + ":"
              + options.port()
              + ": "
              + bound.cause().getMessage(),
          bound.cause());
    }
    listening = bound.channel();
    options.memory().onShortage(shed);
  }

  /**
   * Listens and answers with {@code handler}.
   *
   * @throws IOException when the address cannot be listened on, or the certificate or key cannot be
   *     read
   */
  public static HttpServer start(ServerOptions options, Loops loops, Handler handler)
      throws IOException {
    return new HttpServer(options, loops, handler);
  }

  private static @Nullable SslContext tls(ServerOptions.@Nullable Tls tls) throws IOException {
    if (tls == null) return null;
    try {
      return SslContextBuilder.forServer(tls.cert().toFile(), tls.key().toFile())
          .sslProvider(SslProvider.JDK)
          .build();
    } catch (IllegalArgumentException e) {
      throw new IOException("cannot read the certificate " + tls.cert() + " or its key", e);
    }
  }

  private void connect(SocketChannel channel, @Nullable SslContext tls) {
    var pipeline = channel.pipeline();
    // Over TLS the end of the bytes is the end of the connection: half of it cannot be closed.
    channel.config().setAllowHalfClosure(tls == null);
    if (tls != null) pipeline.addLast(tls.newHandler(channel.alloc()));
    pipeline.addLast(new RequestHeads.Decoder(options));
    pipeline.addLast(
        new ServerConnection(this, channel, loops.netty().of(channel.eventLoop()), tls != null));
  }

  /** The port it listens on. */
  public int port() {
    return ((InetSocketAddress) listening.localAddress()).getPort();
  }

  /** Requests being answered now, from their head on. */
  public int running() {
    return running.get();
  }

  /** Open connections. */
  public int connections() {
    return open.size();
  }

  /**
   * Closes idle connections and lets running exchanges finish; each connection closes with its
   * answer. New ones are still answered, one request each, so that the handler can say that it is
   * going away: to a port that is closed nobody can tell a drain from a crash. Completes with 0
   * once nothing runs, or after {@code atMost} with the number that still does: these go on until
   * they end or {@link #close} cuts them, so that their owner can end them with words of its own.
   * May be called again, with a time of its own.
   */
  public CompletionStage<Integer> drain(Duration atMost) {
    var done = new CompletableFuture<Integer>();
    drained = done;
    draining = true;
    for (ServerConnection connection : open) connection.drain();
    loops.next().schedule(atMost, () -> done.complete(running.get()));
    if (running.get() == 0) done.complete(0);
    return done.copy();
  }

  /**
   * Stops listening and closes every connection. Returns once that is done; not to be called on a
   * loop.
   */
  @Override
  public void close() {
    draining = true;
    listening.close().awaitUninterruptibly();
    for (ServerConnection connection : open) connection.close().awaitUninterruptibly();
    options.memory().removeOnShortage(shed);
    drained.complete(0);
  }

  ServerOptions options() {
    return options;
  }

  Handler handler() {
    return handler;
  }

  boolean draining() {
    return draining;
  }

  void opened(ServerConnection connection) {
    open.add(connection);
  }

  void closed(ServerConnection connection) {
    open.remove(connection);
  }

  void began() {
    running.incrementAndGet();
  }

  void ended() {
    if (running.decrementAndGet() == 0 && draining) drained.complete(0);
  }

  /** Memory is short: clients that take nothing of what waits for them are cut off. */
  private void shed() {
    for (ServerConnection connection : open) connection.shed();
  }

  MemoryBudget memory() {
    return options.memory();
  }
}
