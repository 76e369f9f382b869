package dev.mainstay.http;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.socket.SocketChannel;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpRequest;
import java.net.InetSocketAddress;

/** What an exchange tells about its request. */
abstract sealed class RequestSide implements Exchange permits NettyExchange {
  private final ServerConnection connection;
  private final SocketChannel channel;
  private final GuardedLoop loop;
  private final boolean secure;
  private final HttpRequest request;
  private ByteBuf body = Unpooled.EMPTY_BUFFER;

  RequestSide(
      ServerConnection connection,
      SocketChannel channel,
      Loop loop,
      boolean secure,
      HttpRequest request) {
    this.connection = connection;
    this.channel = channel;
    // What is thrown on it for this exchange ends this exchange.
    this.loop = new GuardedLoop(loop, this::failed);
    this.secure = secure;
    this.request = request;
  }

  @Override
  public String method() {
    return request.method().name();
  }

  @Override
  public String path() {
    String uri = request.uri();
    int query = uri.indexOf('?');
    return query < 0 ? uri : uri.substring(0, query);
  }

  @Override
  public String query() {
    int query = request.uri().indexOf('?');
    return query < 0 ? "" : request.uri().substring(query + 1);
  }

  @Override
  public HttpHeaders headers() {
    return request.headers();
  }

  @Override
  public ByteBuf body() {
    return body;
  }

  @Override
  public byte[] takeBody() {
    body = Unpooled.EMPTY_BUFFER;
    return connection.takeBody();
  }

  void bodyArrived(ByteBuf bytes) {
    body = bytes;
  }

  @Override
  public InetSocketAddress remote() {
    return channel.remoteAddress();
  }

  @Override
  public boolean secure() {
    return secure;
  }

  @Override
  public GuardedLoop loop() {
    return loop;
  }

  /** Ends the exchange with an error of this server's own, for what its handler threw. */
  abstract void failed(Throwable thrown);

  @Override
  public void streamBody(BodySink sink) {
    connection.streamTo(sink);
  }

  @Override
  public void pauseBody() {
    connection.readBody(false);
  }

  @Override
  public void resumeBody() {
    connection.readBody(true);
  }

  void bodyGone() {
    body = Unpooled.EMPTY_BUFFER;
  }
}
