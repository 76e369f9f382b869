package dev.mainstay.http;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http.DefaultHttpHeaders;
import io.netty.handler.codec.http.HttpHeaders;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Server and client joined as a gateway joins them: what goes wrong on one side must reach the
 * other.
 */
@Timeout(value = 180, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
@ExtendWith(NoLeaks.class)
class RelayTest {
  private static Loops loops = Loops.start(1);

  @BeforeAll
  static void start() {
    loops = Loops.start(2);
  }

  @AfterAll
  static void stop() {
    loops.close();
  }

  /** Hands every request on, and everything that comes back. */
  private record Relay(UpstreamClient client) implements Handler {
    @Override
    public void handle(Exchange exchange) {
      var request =
          UpstreamRequest.of(
              exchange.method(),
              exchange.path(),
              exchange.headers(),
              exchange.body().retainedDuplicate());
      var answer = new Answer(exchange);
      answer.call = client.send(request, exchange.loop(), answer);
      exchange.onGone(answer.call::cancel);
      exchange.onWritable(answer.call::resume);
    }
  }

  private static final class Answer implements UpstreamListener {
    private final Exchange exchange;

    @SuppressWarnings("NullAway.Init")
    private UpstreamCall call;

    Answer(Exchange exchange) {
      this.exchange = exchange;
    }

    @Override
    public void headers(int status, HttpHeaders headers) {
      exchange.begin(status, headers);
    }

    @Override
    public void data(ByteBuf part) {
      exchange.write(part);
      if (!exchange.writable()) call.pause();
    }

    @Override
    public void end() {
      exchange.end();
    }

    @Override
    public void failed(UpstreamFailure failure) {
      if (exchange.begun()) exchange.abort();
      else exchange.respond(502, "text/plain", failure.progress().toString());
    }
  }

  private static HttpServer relayTo(String url) throws Exception {
    var client = UpstreamClient.create(UpstreamOptions.of(url).withProxy(Proxy.NONE), loops);
    return HttpServer.start(ServerOptions.defaults(), loops, new Relay(client));
  }

  @Test
  void aSlowClientHoldsBackTheProvider() throws Exception {
    long size = 64L << 20;
    var sent = new AtomicLong();
    byte[] part = new byte[64 << 10];
    try (var provider =
            new RawServer(
                connection -> {
                  connection.request();
                  connection.send("HTTP/1.1 200 OK\r\ncontent-length: " + size + "\r\n\r\n");
                  while (sent.get() < size) {
                    connection.send(part);
                    sent.addAndGet(part.length);
                  }
                });
        var relay = relayTo(provider.url());
        var client = new RawClient(relay.port())) {
      client.send("GET / HTTP/1.1\r\nhost: x\r\n\r\n").readUntil("\r\n\r\n");
      // The provider comes to a stop: two looks at its progress that see the same, with loop turns
      // between.
      long before = -1;
      while (before != sent.get()) {
        before = sent.get();
        var turns = new CountDownLatch(50);
        turn(loops.next(), turns);
        assertThat(turns.await(60, TimeUnit.SECONDS)).isTrue();
      }
      assertThat(before).isLessThan(size);
      var buffer = new byte[1 << 20];
      long read = 0;
      while (read < size) read += client.read(buffer);
      assertThat(read).isEqualTo(size);
    }
  }

  private static void turn(Loop loop, CountDownLatch turns) {
    turns.countDown();
    if (turns.getCount() > 0) loop.schedule(Duration.ofMillis(2), () -> turn(loop, turns));
  }

  @Test
  void aClientThatLeavesBeforeTheFirstByteClosesTheProvidersConnection() throws Exception {
    var arrived = new CountDownLatch(1);
    var closed = new CountDownLatch(1);
    try (var provider =
            new RawServer(
                connection -> {
                  connection.request();
                  arrived.countDown();
                  connection.awaitClose();
                  closed.countDown();
                });
        var relay = relayTo(provider.url())) {
      try (var client = new RawClient(relay.port())) {
        client.send("POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 1\r\n\r\nx");
        assertThat(arrived.await(60, TimeUnit.SECONDS)).isTrue();
      }
      assertThat(closed.await(60, TimeUnit.SECONDS)).isTrue();
    }
  }

  @Test
  void everyRequestEndsWhateverTheProviderDoesWithItsConnections() throws Exception {
    var turn = new AtomicInteger();
    int many = 400;
    try (var provider =
            new RawServer(
                connection -> {
                  while (true) {
                    connection.request();
                    switch (turn.getAndIncrement() % 7) {
                      case 0 -> connection.reset();
                      case 1 -> {
                        return;
                      }
                      case 2 ->
                          connection.send(
                              "HTTP/1.1 200 OK\r\n"
                                  + "connection: close\r\n"
                                  + "content-length: 2\r\n\r\n"
                                  + "ok");
                      case 3 ->
                          connection.send(
                              "HTTP/1.1 200 OK\r\n"
                                  + "transfer-encoding: chunked\r\n\r\n"
                                  + "2\r\n"
                                  + "ok\r\n"
                                  + "0\r\n\r\n");
                      case 4 -> {
                        connection.send("HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhal");
                        return;
                      }
                      default -> connection.answer("ok");
                    }
                  }
                });
        var relay = relayTo(provider.url())) {
      var ended = new CountDownLatch(many);
      var answered = new AtomicInteger();
      var client =
          UpstreamClient.create(
              UpstreamOptions.of("http://127.0.0.1:" + relay.port()).withProxy(Proxy.NONE), loops);
      for (int i = 0; i < many; i++) {
        Loop loop = loops.next();
        var heard =
            new Heard() {
              @Override
              public void end() {
                if (body.toString().equals("ok")) answered.incrementAndGet();
                ended.countDown();
              }

              @Override
              public void failed(UpstreamFailure failure) {
                ended.countDown();
              }
            };
        loop.execute(
            () ->
                client.send(
                    UpstreamRequest.of(
                        "POST", "/", new DefaultHttpHeaders(), Unpooled.copiedBuffer("x", UTF_8)),
                    loop,
                    heard));
      }
      assertThat(ended.await(60, TimeUnit.SECONDS)).isTrue();
      // Four of seven answer well, but for those whose connection had been counted on by another.
      assertThat(answered.get()).isBetween(many / 4, many * 5 / 7);
    }
  }
}
