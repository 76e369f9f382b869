package dev.mainstay.http;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http.DefaultHttpHeaders;
import io.netty.handler.codec.http.HttpHeaders;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.Socket;
import java.net.SocketException;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(value = 180, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
@ExtendWith(NoLeaks.class)
class ServerTest {
  /** Of a connection that is to be closed, and still long enough for its client to send first. */
  private static final Duration SHORT = Duration.ofMillis(700);

  private static Loops loops = Loops.start(1);

  @BeforeAll
  static void start() {
    loops = Loops.start(2);
  }

  @AfterAll
  static void stop() {
    loops.close();
  }

  private static HttpServer serve(Handler handler) throws IOException {
    return HttpServer.start(ServerOptions.defaults(), loops, handler);
  }

  private static ByteBuf bytes(String text) {
    return Unpooled.copiedBuffer(text, UTF_8);
  }

  private static void echo(Exchange exchange) {
    exchange.respond(
        200,
        "text/plain",
        exchange.method()
            + " "
            + exchange.path()
            + " "
            + exchange.query()
            + " "
            + exchange.body().toString(UTF_8));
  }

  private static byte[] gzip(byte[] plain) throws IOException {
    var out = new ByteArrayOutputStream();
    try (var packing = new GZIPOutputStream(out)) {
      packing.write(plain);
    }
    return out.toByteArray();
  }

  @Test
  void answersSeveralRequestsOnOneConnection() throws Exception {
    try (var server = serve(ServerTest::echo);
        var client = new RawClient(server.port())) {
      for (int i = 0; i < 3; i++) {
        var answer =
            client
                .send("POST /a?x=" + i + " HTTP/1.1\r\nhost: x\r\ncontent-length: 2\r\n\r\nhi")
                .readAnswer();
        assertThat(answer.head())
            .startsWith("HTTP/1.1 200 OK\r\n")
            .contains("date: ")
            .doesNotContain("connection");
        assertThat(answer.body()).isEqualTo("POST /a x=" + i + " hi");
      }
      assertThat(server.connections()).isEqualTo(1);
    }
  }

  @Test
  void answersPipelinedRequestsInOrderAndOneAtATime() throws Exception {
    var running = new AtomicLong();
    var most = new AtomicLong();
    try (var server =
            serve(
                exchange -> {
                  most.accumulateAndGet(running.incrementAndGet(), Math::max);
                  exchange
                      .loop()
                      .execute(
                          () -> {
                            running.decrementAndGet();
                            echo(exchange);
                          });
                });
        var client = new RawClient(server.port())) {
      var many = new StringBuilder();
      for (int i = 0; i < 200; i++)
        many.append("POST /" + i + " HTTP/1.1\r\nhost: x\r\ncontent-length: 1\r\n\r\nx");
      client.send(many.toString());
      for (int i = 0; i < 200; i++)
        assertThat(client.readAnswer().body()).isEqualTo("POST /" + i + "  x");
      assertThat(most).hasValue(1);
    }
  }

  @Test
  void gathersAChunkedBody() throws Exception {
    try (var server = serve(ServerTest::echo);
        var client = new RawClient(server.port())) {
      client.send("POST / HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n2\r\nab\r\n");
      client.send("3\r\ncde\r\n0\r\n\r\n");
      assertThat(client.readAnswer().body()).isEqualTo("POST /  abcde");
    }
  }

  @Test
  void streamsAnAnswerInChunksJoinedByTurn() throws Exception {
    try (var server =
            serve(
                exchange -> {
                  exchange.begin(
                      200, new DefaultHttpHeaders().set("content-type", "text/event-stream"));
                  for (int i = 0; i < 3; i++) exchange.write(bytes("data: " + i + "\n\n"));
                  exchange
                      .loop()
                      .schedule(
                          Duration.ofMillis(1),
                          () -> {
                            exchange.write(bytes("x".repeat(5000)));
                            exchange.end();
                          });
                });
        var client = new RawClient(server.port())) {
      client.send("GET / HTTP/1.1\r\nhost: x\r\n\r\n");
      assertThat(client.readUntil("\r\n\r\n")).contains("transfer-encoding: chunked");
      assertThat(client.readUntil("2\n\n\r\n"))
          .isEqualTo("1b\r\ndata: 0\n\ndata: 1\n\ndata: 2\n\n\r\n");
      assertThat(client.readUntil("0\r\n\r\n"))
          .isEqualTo("1388\r\n" + "x".repeat(5000) + "\r\n0\r\n\r\n");
    }
  }

  @Test
  void endsAStreamToAnOldClientByClosing() throws Exception {
    try (var server =
            serve(
                exchange -> {
                  exchange.begin(200, new DefaultHttpHeaders());
                  exchange.write(bytes("all"));
                  exchange.end();
                });
        var client = new RawClient(server.port())) {
      client.send("GET / HTTP/1.0\r\nconnection: keep-alive\r\n\r\n");
      assertThat(client.readAll()).contains("connection: close").endsWith("\r\n\r\nall");
    }
  }

  @Test
  void refusesABodyAnnouncedTooLarge() throws Exception {
    try (var server =
            HttpServer.start(ServerOptions.defaults().withMaxBody(10), loops, ServerTest::echo);
        var client = new RawClient(server.port())) {
      var answer =
          client
              .send("POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 11\r\n\r\n" + "x".repeat(11))
              .readAnswer();
      assertThat(answer.status()).isEqualTo(413);
      assertThat(answer.head()).contains("connection: close");
      assertThat(client.readAll()).isEmpty();
    }
  }

  @Test
  void refusesAChunkedBodyThatGrowsTooLargeAndLetsTheClientFinishWriting() throws Exception {
    try (var server =
            HttpServer.start(ServerOptions.defaults().withMaxBody(1000), loops, ServerTest::echo);
        var client = new RawClient(server.port())) {
      client.send("POST / HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n");
      for (int i = 0; i < 100; i++) client.send("400\r\n" + "x".repeat(1024) + "\r\n");
      assertThat(client.readAnswer().status()).isEqualTo(413);
    }
  }

  @Test
  void unpacksAGzippedBody() throws Exception {
    byte[] packed = gzip("hello".repeat(1000).getBytes(UTF_8));
    try (var server =
            serve(
                exchange ->
                    exchange.respond(
                        200,
                        "text/plain",
                        exchange.headers().get("content-encoding")
                            + exchange.body().readableBytes()));
        var client = new RawClient(server.port())) {
      client.send(
          "POST / HTTP/1.1\r\nhost: x\r\ncontent-encoding: gzip\r\ncontent-length: "
              + packed.length
              + "\r\n\r\n");
      assertThat(client.send(packed).readAnswer().body()).isEqualTo("null5000");
    }
  }

  @Test
  void refusesAZipBomb() throws Exception {
    byte[] packed = gzip(new byte[50 << 20]);
    try (var server =
            HttpServer.start(
                ServerOptions.defaults().withMaxBody(1 << 20), loops, ServerTest::echo);
        var client = new RawClient(server.port())) {
      client.send(
          "POST / HTTP/1.1\r\nhost: x\r\ncontent-encoding: gzip\r\ncontent-length: "
              + packed.length
              + "\r\n\r\n");
      assertThat(client.send(packed).readAnswer().status()).isEqualTo(413);
    }
  }

  @Test
  void refusesEncodingsItDoesNotKnowAndBodiesThatLieAboutTheirs() throws Exception {
    try (var server = serve(ServerTest::echo)) {
      try (var client = new RawClient(server.port())) {
        client.send(
            "POST / HTTP/1.1\r\n"
                + "host: x\r\n"
                + "content-encoding: compress\r\n"
                + "content-length: 1\r\n\r\n"
                + "x");
        assertThat(client.readAnswer().status()).isEqualTo(415);
      }
      try (var client = new RawClient(server.port())) {
        client.send(
            "POST / HTTP/1.1\r\n"
                + "host: x\r\n"
                + "content-encoding: gzip\r\n"
                + "content-length: 12\r\n\r\n"
                + "not a gzip..");
        assertThat(client.readAnswer().status()).isEqualTo(400);
      }
    }
  }

  @Test
  void refusesWhatIsTooLongOrNotHttp() throws Exception {
    try (var server = serve(ServerTest::echo)) {
      assertThat(statusOf(server, "GET /" + "x".repeat(20_000) + " HTTP/1.1\r\nhost: x\r\n\r\n"))
          .isEqualTo(414);
      assertThat(
              statusOf(
                  server, "GET / HTTP/1.1\r\nhost: x\r\na: " + "x".repeat(70_000) + "\r\n\r\n"))
          .isEqualTo(431);
      assertThat(statusOf(server, "\u0016\u0003\u0001\u0002 what\r\n\r\n")).isEqualTo(400);
      assertThat(statusOf(server, "GET / HTTP/1.1\r\nhost: x\r\nexpect: tea\r\n\r\n"))
          .isEqualTo(417);
    }
  }

  private static int statusOf(HttpServer server, String request) throws IOException {
    try (var client = new RawClient(server.port())) {
      return client.send(request).readAnswer().status();
    }
  }

  @Test
  void aLargeAnswerIsHeldOnceAndGoesAsItsClientTakesIt() throws Exception {
    var budget = new MemoryBudget(64 << 20);
    byte[] large = new byte[5 << 20];
    Arrays.fill(large, (byte) 'x');
    var options = ServerOptions.defaults().withMemory(budget).withPackFrom(0);
    try (var server =
            HttpServer.start(
                options,
                loops,
                exchange ->
                    exchange.respond(
                        200, new DefaultHttpHeaders(), Unpooled.wrappedBuffer(large)));
        var slow = new RawClient(server.port());
        var quick = new RawClient(server.port())) {
      slow.send("GET / HTTP/1.1\r\nhost: x\r\n\r\n");
      quick.send("GET / HTTP/1.1\r\nhost: x\r\n\r\n");
      assertThat(quick.readAnswer().body()).hasSize(large.length);
      while (budget.used(MemoryBudget.Use.OUTPUT) == 0) Thread.onSpinWait();
      assertThat(budget.used(MemoryBudget.Use.OUTPUT)).isLessThanOrEqualTo(large.length);
      assertThat(slow.readAnswer().body()).hasSize(large.length);
      while (budget.used() > 0) Thread.onSpinWait();
    }
  }

  @Test
  void refusesWhenAllBodiesTogetherTakeTooMuchAndRecovers() throws Exception {
    var options = ServerOptions.defaults().withMemory(new MemoryBudget(43_460));
    try (var server = HttpServer.start(options, loops, ServerTest::echo);
        var first = new RawClient(server.port());
        var second = new RawClient(server.port())) {
      first.send("POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 1001\r\n\r\n" + "x".repeat(1000));
      String body = "POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 1000\r\n\r\n" + "x".repeat(1000);
      while (server.memory().used() < 13_000) Thread.onSpinWait();
      assertThat(second.send(body).readAnswer().status()).isEqualTo(503);
      assertThat(first.send("x").readAnswer().status()).isEqualTo(200);
      assertThat(statusOf(server, body)).isEqualTo(200);
    }
  }

  @Test
  void sendsContinueOnlyAfterAdmission() throws Exception {
    var refuse = new AtomicBoolean();
    var handler =
        new Handler() {
          @Override
          public void admit(Exchange exchange) {
            if (refuse.get()) exchange.respond(401, "text/plain", "no");
          }

          @Override
          public void handle(Exchange exchange) {
            echo(exchange);
          }
        };
    try (var server = serve(handler);
        var client = new RawClient(server.port())) {
      client.send(
          "POST / HTTP/1.1\r\nhost: x\r\nexpect: 100-continue\r\ncontent-length: 2\r\n\r\n");
      assertThat(client.readUntil("\r\n\r\n")).startsWith("HTTP/1.1 100 ");
      assertThat(client.send("hi").readAnswer().body()).isEqualTo("POST /  hi");
      refuse.set(true);
      client.send(
          "POST / HTTP/1.1\r\nhost: x\r\nexpect: 100-continue\r\ncontent-length: 2\r\n\r\n");
      assertThat(client.readAnswer().status()).isEqualTo(401);
      assertThat(client.readAll()).isEmpty();
    }
  }

  @Test
  void keepsTheConnectionWhenAdmissionRefusesASmallRequest() throws Exception {
    var handler =
        new Handler() {
          @Override
          public void admit(Exchange exchange) {
            exchange.respond(401, "text/plain", "no");
          }

          @Override
          public void handle(Exchange exchange) {
            throw new AssertionError("refused already");
          }
        };
    try (var server = serve(handler);
        var client = new RawClient(server.port())) {
      for (int i = 0; i < 3; i++) {
        client.send("POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 5\r\n\r\nhe");
        assertThat(client.readAnswer().status()).isEqualTo(401);
        client.send("llo");
      }
    }
  }

  @Test
  void streamsABodyToItsSink() throws Exception {
    var handler =
        new Handler() {
          @Override
          public void admit(Exchange exchange) {
            var size = new AtomicLong();
            exchange.streamBody(
                new BodySink() {
                  @Override
                  public void data(ByteBuf part) {
                    size.addAndGet(part.readableBytes());
                    part.release();
                    exchange.pauseBody();
                    exchange.loop().execute(exchange::resumeBody);
                  }

                  @Override
                  public void end(HttpHeaders trailers) {
                    exchange.respond(200, "text/plain", size.toString());
                  }
                });
          }

          @Override
          public void handle(Exchange exchange) {
            throw new AssertionError("streamed");
          }
        };
    try (var server = HttpServer.start(ServerOptions.defaults().withMaxBody(10), loops, handler);
        var client = new RawClient(server.port())) {
      for (int i = 0; i < 2; i++) {
        client
            .send("POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 1000000\r\n\r\n")
            .send(new byte[1_000_000]);
        assertThat(client.readAnswer().body()).isEqualTo("1000000");
      }
    }
  }

  @Test
  void noticesAClientThatLeavesBeforeTheFirstByte() throws Exception {
    var arrived = new CompletableFuture<Exchange>();
    var gone = new CompletableFuture<Long>();
    var over = new CompletableFuture<Boolean>();
    try (var server =
            serve(
                exchange -> {
                  exchange.onGone(() -> gone.complete(System.nanoTime()));
                  exchange.onOver(over::complete);
                  arrived.complete(exchange);
                });
        var client = new RawClient(server.port())) {
      client.send("POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 2\r\n\r\nhi");
      Exchange exchange = arrived.get(60, TimeUnit.SECONDS);
      client.close();
      gone.get(60, TimeUnit.SECONDS);
      assertThat(over.get(60, TimeUnit.SECONDS)).isFalse();
      exchange.respond(200, "text/plain", "too late");
      while (server.running() != 0) Thread.onSpinWait();
    }
  }

  @Test
  void noticesAClientThatResetsInTheMiddleOfAStream() throws Exception {
    var gone = new CountDownLatch(1);
    try (var server =
            serve(
                exchange -> {
                  exchange.onGone(gone::countDown);
                  exchange.begin(200, new DefaultHttpHeaders());
                  exchange.write(bytes("hello"));
                });
        var client = new RawClient(server.port())) {
      client.send("GET / HTTP/1.1\r\nhost: x\r\n\r\n").readUntil("hello");
      client.reset();
      assertThat(gone.await(60, TimeUnit.SECONDS)).isTrue();
    }
  }

  @Test
  void holdsBackForASlowReader() throws Exception {
    var written = new AtomicLong();
    var stopped = new CountDownLatch(1);
    byte[] part = new byte[16 << 10];
    try (var server =
            serve(
                exchange -> {
                  exchange.begin(200, new DefaultHttpHeaders());
                  Runnable pump =
                      () -> {
                        while (exchange.writable() && written.get() < 64L << 20) {
                          exchange.write(Unpooled.wrappedBuffer(part));
                          written.addAndGet(part.length);
                        }
                        if (written.get() >= 64L << 20) exchange.end();
                        else stopped.countDown();
                      };
                  exchange.onWritable(pump);
                  pump.run();
                });
        var client = new RawClient(server.port())) {
      client.send("GET / HTTP/1.0\r\n\r\n");
      assertThat(stopped.await(60, TimeUnit.SECONDS)).isTrue();
      client.readUntil("\r\n\r\n");
      // The kernel's buffers hold a few megabytes; the process holds no more than the high-water
      // mark.
      assertThat(written.get()).isLessThan(32L << 20);
      var buffer = new byte[1 << 20];
      long read = 0;
      for (int n = client.read(buffer); n >= 0; n = client.read(buffer)) read += n;
      assertThat(read).isEqualTo(64L << 20);
    }
  }

  @Test
  void breaksFramingWhereAskedTo() throws Exception {
    try (var server =
        serve(
            exchange -> {
              switch (exchange.path()) {
                case "/cut-in-chunk" -> {
                  exchange.begin(200, new DefaultHttpHeaders());
                  exchange.writeRaw(bytes("ff\r\nonly this"));
                  exchange.abort();
                }
                case "/short" -> {
                  exchange.begin(200, new DefaultHttpHeaders().set("content-length", "100"));
                  exchange.write(bytes("few"));
                  exchange.end();
                }
                case "/reset" -> exchange.reset();
                default -> throw new IllegalStateException("no such case");
              }
            })) {
      try (var client = new RawClient(server.port())) {
        assertThat(client.send("GET /cut-in-chunk HTTP/1.1\r\nhost: x\r\n\r\n").readAll())
            .endsWith("ff\r\nonly this");
      }
      try (var client = new RawClient(server.port())) {
        assertThat(client.send("GET /short HTTP/1.1\r\nhost: x\r\n\r\n").readAll())
            .endsWith("\r\n\r\nfew");
      }
      try (var client = new RawClient(server.port())) {
        client.send("GET /reset HTTP/1.1\r\nhost: x\r\n\r\n");
        assertThatThrownBy(client::readAll).isInstanceOf(SocketException.class);
      }
      assertThat(statusOf(server, "GET /other HTTP/1.1\r\nhost: x\r\n\r\n")).isEqualTo(500);
    }
  }

  @Test
  void keepsLineBreaksOutOfHeaders() throws Exception {
    try (var server =
            serve(
                exchange ->
                    exchange.respond(
                        200,
                        new DefaultHttpHeaders(false).set("x", "a\r\nset-cookie: b"),
                        Unpooled.EMPTY_BUFFER));
        var client = new RawClient(server.port())) {
      assertThat(client.send("GET / HTTP/1.1\r\nhost: x\r\n\r\n").readAnswer().head())
          .contains("x: a  set-cookie: b\r\n");
    }
  }

  @Test
  void answersHeadWithoutABody() throws Exception {
    try (var server = serve(ServerTest::echo);
        var client = new RawClient(server.port())) {
      client.send("HEAD /a HTTP/1.1\r\nhost: x\r\n\r\n");
      assertThat(client.readUntil("\r\n\r\n")).contains("content-length: 9");
      assertThat(client.send("GET /b HTTP/1.1\r\nhost: x\r\n\r\n").readAnswer().body())
          .isEqualTo("GET /b  ");
    }
  }

  @Test
  void drainsRunningExchangesClosesIdleConnectionsAndAnswersNewOnesOnce() throws Exception {
    var waiting = new CompletableFuture<Exchange>();
    try (var server =
            serve(
                exchange -> {
                  if (!waiting.complete(exchange)) exchange.respond(503, "text/plain", "going");
                });
        var idle = new RawClient(server.port());
        var busy = new RawClient(server.port())) {
      busy.send("GET / HTTP/1.1\r\nhost: x\r\n\r\n");
      Exchange exchange = waiting.get(60, TimeUnit.SECONDS);
      // The idle one may be on another loop, which has not taken it up yet.
      while (server.connections() < 2) Thread.onSpinWait();
      var drained = server.drain(Duration.ofMinutes(2)).toCompletableFuture();
      assertThat(idle.readAll()).isEmpty();
      try (var late = new RawClient(server.port())) {
        late.send("GET /ready HTTP/1.1\r\nhost: x\r\n\r\nGET /again HTTP/1.1\r\nhost: x\r\n\r\n");
        assertThat(late.readAll()).contains("503", "connection: close").endsWith("going");
      }
      assertThat(drained).isNotDone();
      exchange.respond(200, "text/plain", "done");
      assertThat(busy.readAll()).contains("connection: close").endsWith("done");
      assertThat(drained.get(60, TimeUnit.SECONDS)).isZero();
    }
  }

  @Test
  void aSecondDrainHasATimeOfItsOwn() throws Exception {
    var waiting = new CompletableFuture<Exchange>();
    try (var server = serve(waiting::complete);
        var busy = new RawClient(server.port())) {
      busy.send("GET / HTTP/1.1\r\nhost: x\r\n\r\n");
      Exchange exchange = waiting.get(60, TimeUnit.SECONDS);
      var first = server.drain(Duration.ofMillis(1)).toCompletableFuture();
      assertThat(first.get(60, TimeUnit.SECONDS)).isEqualTo(1);
      var second = server.drain(Duration.ofMinutes(2)).toCompletableFuture();
      assertThat(second).isNotDone();
      exchange.respond(200, "text/plain", "done");
      assertThat(second.get(60, TimeUnit.SECONDS)).isZero();
    }
  }

  @Test
  void handsBlockingWorkToVirtualThreadsAndComesBack() throws Exception {
    try (var server =
            serve(
                exchange ->
                    exchange
                        .loop()
                        .blocking(
                            () -> Thread.currentThread().isVirtual(),
                            (isVirtual, thrown) ->
                                exchange.respond(
                                    200,
                                    "text/plain",
                                    isVirtual + " " + exchange.loop().inLoop() + " " + thrown)));
        var client = new RawClient(server.port())) {
      assertThat(client.send("GET / HTTP/1.1\r\nhost: x\r\n\r\n").readAnswer().body())
          .isEqualTo("true true null");
    }
  }

  @Test
  void leavesAClientThatTakesNothingOfItsAnswer() throws Exception {
    var options = ServerOptions.defaults().withTimeouts(SHORT, SHORT);
    var gone = new CountDownLatch(1);
    byte[] part = new byte[16 << 10];
    try (var server =
            HttpServer.start(
                options,
                loops,
                exchange -> {
                  exchange.onGone(gone::countDown);
                  exchange.begin(200, new DefaultHttpHeaders());
                  Runnable pump =
                      () -> {
                        while (exchange.writable()) exchange.write(Unpooled.wrappedBuffer(part));
                      };
                  exchange.onWritable(pump);
                  pump.run();
                });
        var client = new RawClient(server.port())) {
      client.send("GET / HTTP/1.1\r\nhost: x\r\n\r\n");
      assertThat(gone.await(60, TimeUnit.SECONDS)).isTrue();
    }
  }

  @Test
  void staysWithAClientWhoseAnswerTakesLong() throws Exception {
    var options = ServerOptions.defaults().withTimeouts(SHORT, SHORT);
    try (var server =
            HttpServer.start(
                options,
                loops,
                exchange -> {
                  exchange.begin(200, new DefaultHttpHeaders());
                  exchange.write(bytes("it takes "));
                  exchange
                      .loop()
                      .schedule(
                          SHORT.multipliedBy(2),
                          () -> {
                            exchange.write(bytes("long"));
                            exchange.end();
                          });
                });
        var client = new RawClient(server.port())) {
      client.send("GET / HTTP/1.0\r\n\r\n");
      assertThat(client.readAll()).endsWith("it takes long");
    }
  }

  @Test
  void closesAConnectionThatSaysNothing() throws Exception {
    var options = ServerOptions.defaults().withTimeouts(SHORT, SHORT);
    try (var server = HttpServer.start(options, loops, ServerTest::echo);
        var silent = new RawClient(server.port());
        var slow = new RawClient(server.port())) {
      slow.send("POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 5\r\n\r\nhe");
      assertThat(silent.readAll()).isEmpty();
      assertThat(slow.readAll()).isEmpty();
    }
  }

  @Test
  void readsTheBodyAsSent() throws Exception {
    var body = new CompletableFuture<byte[]>();
    try (var server =
            serve(
                exchange -> {
                  body.complete(ByteBufUtil.getBytes(exchange.body()));
                  echo(exchange);
                });
        var client = new RawClient(server.port())) {
      byte[] sent = new byte[300_000];
      for (int i = 0; i < sent.length; i++) sent[i] = (byte) (i * 31);
      client
          .send("POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 300000\r\n\r\n")
          .send(sent)
          .readAnswer();
      assertThat(body.get(60, TimeUnit.SECONDS)).isEqualTo(sent);
    }
  }

  /** What a client that closes its half after a request still reads. */
  private static String readAfterHalfClose(HttpServer server, String... requests) throws Exception {
    try (var socket = new Socket("127.0.0.1", server.port())) {
      socket.setSoTimeout(60_000);
      socket.getOutputStream().write(String.join("", requests).getBytes(UTF_8));
      socket.shutdownOutput();
      return new String(socket.getInputStream().readAllBytes(), UTF_8);
    }
  }

  private static final String ASK = "POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 2\r\n\r\nhi";

  private static void later(Exchange exchange, int millis, Runnable then) {
    exchange.loop().schedule(Duration.ofMillis(millis), then);
  }

  @Test
  void answersAClientThatClosedItsHalfHoweverLongThatTakes() throws Exception {
    try (var server = serve(exchange -> later(exchange, 300, () -> echo(exchange)))) {
      var read = readAfterHalfClose(server, ASK, ASK);
      // Interim answers change nothing; the request behind the first one is answered as well.
      var answers = read.replace("HTTP/1.1 100 Continue\r\n\r\n", "");
      assertThat(answers.split("POST /  hi", -1)).hasSize(3);
      assertThat(answers).startsWith("HTTP/1.1 200 OK").contains("connection: close");
    }
  }

  @Test
  void streamsToAClientThatClosedItsHalf() throws Exception {
    try (var server =
        serve(
            exchange -> {
              exchange.begin(200, new DefaultHttpHeaders());
              exchange.write(bytes("one"));
              later(
                  exchange,
                  300,
                  () -> {
                    exchange.write(bytes("two"));
                    exchange.end();
                  });
            })) {
      var read = readAfterHalfClose(server, ASK);
      assertThat(read).endsWith("003\r\ntwo\r\n0\r\n\r\n").contains("\r\n3\r\none\r\n");
    }
  }

  /** Closing fully looks the same on the wire, and ends the exchange within a second. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void noticesAClientThatClosesFully(boolean begun) throws Exception {
    var asked = new CompletableFuture<Void>();
    var gone = new CompletableFuture<Void>();
    try (var server =
        serve(
            exchange -> {
              if (begun) {
                exchange.begin(200, new DefaultHttpHeaders());
                exchange.write(bytes("one"));
              }
              exchange.onGone(() -> gone.complete(null));
              asked.complete(null);
            })) {
      try (var client = new RawClient(server.port())) {
        client.send(ASK);
        if (begun) client.readUntil("one\r\n");
        asked.get();
      }
      assertThat(gone).succeedsWithin(Duration.ofSeconds(60));
    }
  }
}
