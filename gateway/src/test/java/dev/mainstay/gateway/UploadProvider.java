package dev.mainstay.gateway;

import dev.mainstay.http.BodySink;
import dev.mainstay.http.Exchange;
import dev.mainstay.http.Handler;
import dev.mainstay.http.HttpServer;
import dev.mainstay.http.Loops;
import dev.mainstay.http.Refusal;
import dev.mainstay.http.ServerOptions;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http.DefaultHttpHeaders;
import io.netty.handler.codec.http.HttpHeaders;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * A provider that takes bodies of any size without holding them, and says what came. {@code GET
 * /v1/bytes/N} answers with N bytes, as fast as they are taken.
 */
final class UploadProvider implements AutoCloseable {
  /** One request as its head came. */
  record ReceivedRequest(String method, String path, HttpHeaders headers) {}

  private final Loops loops = Loops.start(1);
  private final HttpServer server;
  final List<ReceivedRequest> asked = new CopyOnWriteArrayList<>();

  /** Bytes of bodies that have come, and of answers that were written. */
  final AtomicLong taken = new AtomicLong();

  final AtomicLong given = new AtomicLong();
  private volatile boolean paused;
  private volatile @Nullable Exchange current;

  UploadProvider() {
    try {
      server = HttpServer.start(ServerOptions.defaults(), loops, new Sink());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  String url() {
    return "http://127.0.0.1:" + server.port();
  }

  /** Stops reading bodies, from the next one on. */
  void pause() {
    paused = true;
  }

  /** Goes on reading. */
  void resume() {
    paused = false;
    var exchange = current;
    if (exchange != null) {
      exchange.loop().execute(exchange::resumeBody);
    }
  }

  static String described(long size, byte[] sha256, HttpHeaders trailers) {
    return "{\"bytes\":%d,\"sha256\":\"%s\",\"trailer\":\"%s\"}"
        .formatted(size, HexFormat.of().formatHex(sha256), trailers.get("x-checksum", ""));
  }

  static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError(e);
    }
  }

  private final class Sink implements Handler {
    @Override
    public void admit(Exchange exchange) {
      asked.add(new ReceivedRequest(exchange.method(), exchange.path(), exchange.headers().copy()));
      current = exchange;
      var digest = sha256();
      var size = new AtomicLong();
      exchange.streamBody(
          new BodySink() {
            @Override
            public void data(ByteBuf part) {
              size.addAndGet(part.readableBytes());
              taken.addAndGet(part.readableBytes());
              digest.update(part.nioBuffer());
              part.release();
            }

            @Override
            public void end(HttpHeaders trailers) {
              answer(exchange, described(size.get(), digest.digest(), trailers));
            }
          });
      if (paused) {
        exchange.pauseBody();
      }
    }

    @Override
    public void handle(Exchange exchange) {
      throw new AssertionError("every body is streamed");
    }

    @Override
    public void refused(Exchange exchange, Refusal refusal) {
      exchange.abort();
    }
  }

  private void answer(Exchange exchange, String described) {
    var path = exchange.path();
    if (path.startsWith("/v1/bytes/")) {
      long size = Long.parseLong(path.substring("/v1/bytes/".length()));
      exchange.begin(200, new DefaultHttpHeaders().set("content-length", size));
      var left = new AtomicLong(size);
      exchange.onWritable(() -> give(exchange, left));
      give(exchange, left);
      return;
    }
    var headers = new DefaultHttpHeaders().set("content-type", "application/json");
    exchange.begin(200, headers);
    exchange.write(Unpooled.copiedBuffer(described, StandardCharsets.UTF_8));
    exchange.end(new DefaultHttpHeaders().set("x-after", "the body"));
  }

  private void give(Exchange exchange, AtomicLong left) {
    while (left.get() > 0 && exchange.writable()) {
      int size = (int) Math.min(left.get(), 32 << 10);
      exchange.write(Unpooled.wrappedBuffer(new byte[size]));
      given.addAndGet(size);
      if (left.addAndGet(-size) == 0) {
        exchange.end();
      }
    }
  }

  @Override
  public void close() {
    server.close();
    loops.close();
  }
}
