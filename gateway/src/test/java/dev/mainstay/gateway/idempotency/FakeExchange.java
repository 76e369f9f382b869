package dev.mainstay.gateway.idempotency;

import dev.mainstay.http.BodySink;
import dev.mainstay.http.Exchange;
import dev.mainstay.http.Loop;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http.DefaultHttpHeaders;
import io.netty.handler.codec.http.HttpHeaders;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** A client that reads as fast as the test lets it. */
final class FakeExchange implements Exchange {
  private final FakeLoop loop;
  private @Nullable Runnable onWritable;
  private @Nullable Runnable onGone;
  final StringBuilder got = new StringBuilder();
  int status;
  boolean writable = true;
  boolean ended;

  FakeExchange(FakeLoop loop) {
    this.loop = loop;
  }

  void leave() {
    if (!ended && onGone != null) {
      onGone.run();
    }
  }

  void writable(boolean value) {
    writable = value;
    if (value && onWritable != null) {
      onWritable.run();
    }
  }

  @Override
  public void respond(int code, HttpHeaders headers, ByteBuf body) {
    status = code;
    got.append(body.toString(StandardCharsets.UTF_8));
    ended = true;
  }

  @Override
  public void begin(int code, HttpHeaders headers) {
    status = code;
  }

  @Override
  public void write(ByteBuf data) {
    got.append(data.toString(StandardCharsets.UTF_8));
  }

  @Override
  public void end(HttpHeaders trailers) {
    ended = true;
  }

  @Override
  public boolean writable() {
    return writable;
  }

  @Override
  public void onWritable(Runnable callback) {
    onWritable = callback;
  }

  @Override
  public void onGone(Runnable callback) {
    onGone = callback;
  }

  @Override
  public Loop loop() {
    return loop;
  }

  @Override
  public HttpHeaders headers() {
    return new DefaultHttpHeaders();
  }

  @Override
  public byte[] takeBody() {
    return new byte[0];
  }

  @Override
  public ByteBuf body() {
    return Unpooled.EMPTY_BUFFER;
  }

  @Override
  public boolean begun() {
    return status != 0;
  }

  @Override
  public boolean over() {
    return ended;
  }

  @Override
  public String method() {
    return "POST";
  }

  @Override
  public String path() {
    return "/";
  }

  @Override
  public String query() {
    return "";
  }

  @Override
  public InetSocketAddress remote() {
    return InetSocketAddress.createUnresolved("client", 1);
  }

  @Override
  public boolean secure() {
    return false;
  }

  @Override
  public void streamBody(BodySink sink) {}

  @Override
  public void pauseBody() {}

  @Override
  public void resumeBody() {}

  @Override
  public void respond(int code, String contentType, String body) {
    throw new UnsupportedOperationException();
  }

  @Override
  public void writeRaw(ByteBuf bytes) {
    throw new UnsupportedOperationException();
  }

  @Override
  public void flush() {}

  @Override
  public void abort() {}

  @Override
  public void reset() {}

  @Override
  public void onOver(Over callback) {}
}
