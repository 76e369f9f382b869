package dev.mainstay.http;

import static dev.mainstay.http.UpstreamFailure.Progress.HEADERS;
import static dev.mainstay.http.UpstreamFailure.Progress.NOT_CONNECTED;
import static dev.mainstay.http.UpstreamFailure.Progress.SENT;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http.DefaultHttpHeaders;
import io.netty.handler.codec.http.EmptyHttpHeaders;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.ServerSocket;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.zip.GZIPOutputStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(value = 180, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
@ExtendWith(NoLeaks.class)
class UpstreamTest {
  private static Loops loops = Loops.start(1);

  @BeforeAll
  static void start() {
    loops = Loops.start(1);
  }

  @AfterAll
  static void stop() {
    loops.close();
  }

  private static UpstreamClient client(String url) {
    return UpstreamClient.create(UpstreamOptions.of(url).withProxy(Proxy.NONE), loops);
  }

  private static Heard post(UpstreamClient client, String body) {
    return send(
        client,
        UpstreamRequest.of("POST", "/x", new DefaultHttpHeaders(), bytes(body)),
        new Heard());
  }

  private static Heard send(UpstreamClient client, UpstreamRequest request, Heard heard) {
    Loop loop = loops.next();
    loop.execute(() -> client.send(request, loop, heard));
    return heard;
  }

  /** Sends a request on {@code loop}; {@code call} is done with it. */
  private static void begin(
      UpstreamClient client, Loop loop, UpstreamListener to, CompletableFuture<UpstreamCall> call) {
    loop.execute(
        () ->
            call.complete(
                client.send(
                    UpstreamRequest.of("POST", "/", new DefaultHttpHeaders(), bytes("x")),
                    loop,
                    to)));
  }

  private static ByteBuf bytes(String text) {
    return Unpooled.copiedBuffer(text, UTF_8);
  }

  private static UpstreamFailure failure(Heard heard) {
    @Nullable UpstreamFailure failure = heard.failure;
    if (failure == null) throw new AssertionError("no failure but: " + heard.body);
    return failure;
  }

  @Test
  void sendsWhatItIsGivenAndSetsTheFramingItself() throws Exception {
    var seen = new CompletableFuture<String>();
    try (var server =
        new RawServer(
            connection -> {
              seen.complete(connection.request());
              connection.answer("fine");
            })) {
      var client = client(server.url() + "/base/");
      var headers =
          new DefaultHttpHeaders()
              .set("authorization", "Bearer k")
              .set("connection", "x-mine")
              .set("x-mine", "dropped")
              .set("accept-encoding", "gzip, br")
              .set("host", "elsewhere");
      var heard =
          send(client, UpstreamRequest.of("POST", "/x?y=1", headers, bytes("hello")), new Heard())
              .await();
      assertThat(heard.body.toString()).isEqualTo("fine");
      assertThat(heard.sent).isTrue();
      assertThat(heard.connections).containsExactly(false);
      assertThat(seen.get())
          .isEqualTo(
              "POST /base/x?y=1 HTTP/1.1\r\nhost: 127.0.0.1:"
                  + server.port()
                  + "\r\n"
                  + "accept-encoding: gzip, deflate\r\n"
                  + "authorization: Bearer k\r\n"
                  + "content-length: 5\r\n\r\n"
                  + "hello");
    }
  }

  @Test
  void reusesAConnectionAlsoAfterAPause() throws Exception {
    try (var server =
        new RawServer(
            connection -> {
              while (true) {
                connection.request();
                connection.answer("one");
              }
            })) {
      var client = client(server.url());
      for (int i = 0; i < 5; i++) {
        Loop loop = loops.next();
        var call = new CompletableFuture<UpstreamCall>();
        var heard =
            new Heard() {
              @Override
              public void data(ByteBuf part) {
                // Off just as the answer is whole: the pooled connection must read again.
                call.join().pause();
                super.data(part);
              }
            };
        begin(client, loop, heard, call);
        assertThat(heard.await().body.toString()).isEqualTo("one");
        assertThat(heard.connections).containsExactly(i > 0);
      }
      assertThat(server.accepted).hasValue(1);
      assertThat(client.connections()).isEqualTo(new UpstreamClient.Connections(0, 1));
    }
  }

  @Test
  void noticesAnIdleConnectionThatTheProviderCloses() throws Exception {
    var close = new CountDownLatch(1);
    try (var server =
        new RawServer(
            connection -> {
              connection.request();
              connection.answer("one");
              await(close);
            },
            connection -> {
              connection.request();
              connection.answer("two");
            })) {
      var client = client(server.url());
      post(client, "a").await();
      assertThat(client.connections().idle()).isEqualTo(1);
      close.countDown();
      while (client.connections().idle() != 0) Thread.onSpinWait();
      var heard = post(client, "b").await();
      assertThat(heard.body.toString()).isEqualTo("two");
      assertThat(heard.connections).containsExactly(false);
    }
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  private static RawServer closesTheSecondRequest() throws IOException {
    return new RawServer(
        connection -> {
          connection.request();
          connection.answer("one");
          connection.request();
        },
        connection -> {
          connection.request();
          connection.answer("again");
        });
  }

  @Test
  void reportsAPostOnAReusedConnectionThatDiedUnheard() throws Exception {
    try (var server = closesTheSecondRequest()) {
      var client = client(server.url());
      post(client, "a").await();
      var failure = failure(post(client, "b").await());
      assertThat(failure.progress()).isEqualTo(SENT);
      assertThat(failure.reused()).isTrue();
      assertThat(failure.mayHaveActed()).isTrue();
      assertThat(server.accepted).hasValue(1);
    }
  }

  @Test
  void sendsAgainOnceWhereThatIsHarmlessOrAllowed() throws Exception {
    for (boolean get : new boolean[] {true, false}) {
      try (var server = closesTheSecondRequest()) {
        var client = client(server.url());
        post(client, "a").await();
        var request =
            get
                ? UpstreamRequest.of("GET", "/", new DefaultHttpHeaders(), Unpooled.EMPTY_BUFFER)
                : new UpstreamRequest(
                    "POST", "/", new DefaultHttpHeaders(), bytes("b"), false, true, true);
        var heard = send(client, request, new Heard()).await();
        assertThat(heard.body.toString()).isEqualTo("again");
        assertThat(heard.connections).containsExactly(true, false);
      }
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 5_000, 100_000, 600_000})
  void sendsABodyOfSeveralPiecesAsOneAndAgainWhereItsConnectionDied(int size) throws Exception {
    String first = "a".repeat(size / 2), middle = "\"name\"", last = "z".repeat(size);
    var seen = new LinkedBlockingQueue<String>();
    try (var server =
        new RawServer(
            connection -> {
              connection.request();
              connection.answer("one");
              seen.add(connection.request());
            },
            connection -> {
              seen.add(connection.request());
              connection.answer("again");
            })) {
      var client = client(server.url());
      post(client, "warm").await();
      var body = Unpooled.wrappedBuffer(bytes(first), bytes(middle), bytes(last));
      var request =
          new UpstreamRequest("POST", "/", new DefaultHttpHeaders(), body, false, true, true);
      assertThat(send(client, request, new Heard()).await().body.toString()).isEqualTo("again");
      for (int i = 0; i < 2; i++) {
        String sent = seen.take();
        assertThat(sent.substring(sent.indexOf("\r\n\r\n") + 4)).isEqualTo(first + middle + last);
      }
      assertThat(body.refCnt()).isZero();
    }
  }

  @Test
  void reportsResetsBeforeAndAfterTheHead() throws Exception {
    try (var server =
        new RawServer(
            connection -> {
              connection.request();
              connection.reset();
            },
            connection -> {
              connection.request();
              connection.send("HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nhal");
              connection.read();
              connection.reset();
            })) {
      var client = client(server.url());
      var before = failure(post(client, "a").await());
      assertThat(before.progress()).isEqualTo(SENT);
      assertThat(before.reused()).isFalse();
      assertThat(before.cause()).isInstanceOf(IOException.class);
      var heard = post(client, "a");
      assertThat(heard.head.get(60, TimeUnit.SECONDS)).isEqualTo(200);
    }
  }

  @Test
  void reportsAnAnswerThatIsCut() throws Exception {
    try (var server =
        new RawServer(
            connection -> {
              connection.request();
              connection.send("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhal");
            })) {
      var heard = post(client(server.url()), "a").await();
      assertThat(heard.body.toString()).isEqualTo("hal");
      assertThat(failure(heard).progress()).isEqualTo(HEADERS);
      assertThat(failure(heard).received()).isEqualTo(3);
    }
  }

  @Test
  void takesAnAnswerThatEndsWithItsConnection() throws Exception {
    try (var server =
        new RawServer(
            connection -> {
              connection.request();
              connection.send("HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 200 OK\r\n\r\nwhole");
            })) {
      var heard = post(client(server.url()), "a").await();
      assertThat(heard.head.get()).isEqualTo(200);
      assertThat(heard.body.toString()).isEqualTo("whole");
      assertThat(heard.failure).isNull();
    }
  }

  @Test
  void reportsWhatIsNoHttp() throws Exception {
    try (var server =
        new RawServer(
            connection -> {
              connection.request();
              connection.send("SSH-2.0-OpenSSH_9.2 secret\r\n\r\n");
            })) {
      var failure = failure(post(client(server.url()), "a").await());
      assertThat(failure.cause())
          .hasMessageContaining("not readable HTTP")
          .hasMessageNotContaining("secret");
    }
  }

  @Test
  void saysThatItCouldNotConnect() throws Exception {
    int closed;
    try (var socket = new ServerSocket(0)) {
      closed = socket.getLocalPort();
    }
    var refused = failure(post(client("http://127.0.0.1:" + closed), "a").await());
    assertThat(refused.progress()).isEqualTo(NOT_CONNECTED);
    assertThat(refused.cause()).isInstanceOf(java.net.ConnectException.class);
    var unknown = failure(post(client("http://no-such-host.invalid"), "a").await());
    assertThat(unknown.progress()).isEqualTo(NOT_CONNECTED);
    assertThat(unknown.cause()).isInstanceOf(UnknownHostException.class);
  }

  @Test
  void limitsTheTimeForConnectingHandshakeIncluded() throws Exception {
    // Accepts connections and says nothing: the handshake hangs.
    try (var silent = new ServerSocket(0)) {
      var options =
          UpstreamOptions.of("https://127.0.0.1:" + silent.getLocalPort())
              .withConnect(Duration.ofSeconds(1));
      var failure = failure(post(UpstreamClient.create(options, loops), "a").await());
      assertThat(failure.progress()).isEqualTo(NOT_CONNECTED);
      assertThat(failure.cause())
          .isInstanceOf(SocketTimeoutException.class)
          .hasMessageContaining("tls handshake");
    }
  }

  @Test
  void closesTheConnectionOfACancelledCall() throws Exception {
    var closed = new CountDownLatch(1);
    var arrived = new CountDownLatch(1);
    try (var server =
        new RawServer(
            connection -> {
              connection.request();
              arrived.countDown();
              connection.awaitClose();
              closed.countDown();
            })) {
      var client = client(server.url());
      Loop loop = loops.next();
      var heard = new Heard();
      var call = new CompletableFuture<UpstreamCall>();
      begin(client, loop, heard, call);
      assertThat(arrived.await(60, TimeUnit.SECONDS)).isTrue();
      call.get().cancel();
      assertThat(closed.await(60, TimeUnit.SECONDS)).isTrue();
      assertThat(heard.over).isNotDone();
    }
  }

  @Test
  void unpacksAPackedAnswer() throws Exception {
    var packed = new ByteArrayOutputStream();
    try (var packing = new GZIPOutputStream(packed)) {
      packing.write("hello".getBytes(UTF_8));
    }
    try (var server =
        new RawServer(
            connection -> {
              connection.request();
              connection.send(
                  "HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: "
                      + packed.size()
                      + "\r\n\r\n");
              connection.send(packed.toByteArray());
            })) {
      var heard = post(client(server.url()), "a").await();
      assertThat(heard.body.toString()).isEqualTo("hello");
      assertThat(heard.headers).isNotNull().isEmpty();
    }
  }

  @Test
  void holdsBackAProviderForASlowListener() throws Exception {
    var written = new AtomicLong();
    byte[] part = new byte[64 << 10];
    try (var server =
        new RawServer(
            connection -> {
              connection.request();
              connection.send("HTTP/1.1 200 OK\r\n\r\n");
              for (int i = 0; i < 1024; i++) {
                connection.send(part);
                written.addAndGet(part.length);
              }
            })) {
      var client = client(server.url());
      Loop loop = loops.next();
      var call = new CompletableFuture<UpstreamCall>();
      var received = new AtomicLong();
      var paused = new CountDownLatch(1);
      var all = new CompletableFuture<Long>();
      var heard =
          new Heard() {
            @Override
            public void data(ByteBuf data) {
              received.addAndGet(data.readableBytes());
              data.release();
              if (paused.getCount() > 0) call.join().pause();
              paused.countDown();
            }

            @Override
            public void end() {
              all.complete(received.get());
            }
          };
      begin(client, loop, heard, call);
      assertThat(paused.await(60, TimeUnit.SECONDS)).isTrue();
      // What reached the listener after the pause is at most what one read had brought.
      assertThat(received.get()).isLessThanOrEqualTo(1 << 20);
      assertThat(all).isNotDone();
      loop.execute(call.get()::resume);
      assertThat(all.get(60, TimeUnit.SECONDS)).isEqualTo(64L << 20);
    }
  }

  @Test
  void streamsARequestBody() throws Exception {
    var seen = new CompletableFuture<String>();
    try (var loopback =
        HttpServer.start(
            ServerOptions.defaults(),
            loops,
            exchange -> {
              seen.complete(
                  exchange.headers().get("transfer-encoding")
                      + " "
                      + exchange.body().toString(UTF_8));
              exchange.respond(200, "text/plain", "ok");
            })) {
      var client = client("http://127.0.0.1:" + loopback.port());
      Loop loop = loops.next();
      var heard = new Heard();
      loop.execute(
          () -> {
            var call =
                client.send(
                    UpstreamRequest.streamed("POST", "/", new DefaultHttpHeaders(), bytes("a")),
                    loop,
                    heard);
            call.write(bytes("bc"));
            loop.schedule(
                Duration.ofMillis(1),
                () -> {
                  call.write(bytes("def"));
                  call.endBody(EmptyHttpHeaders.INSTANCE);
                });
          });
      assertThat(heard.await().body.toString()).isEqualTo("ok");
      assertThat(seen.get()).isEqualTo("chunked abcdef");
    }
  }

  @Test
  void closesWithTheLastLease() throws Exception {
    try (var server =
        new RawServer(
            connection -> {
              connection.request();
              connection.answer("one");
              connection.awaitClose();
            })) {
      var client = client(server.url());
      var first = client.acquire();
      var second = client.acquire();
      post(client, "a").await();
      client.retire();
      client.retire();
      first.close();
      first.close();
      assertThat(client.closed()).isFalse();
      assertThat(client.connections().idle()).isEqualTo(1);
      second.close();
      assertThat(client.closed()).isTrue();
      while (client.connections().idle() != 0) Thread.onSpinWait();
      assertThatThrownBy(client::acquire).isInstanceOf(IllegalStateException.class);
    }
  }

  @Test
  void obeysTheProvidersKeepAlive() throws Exception {
    try (var server =
        new RawServer(
            connection -> {
              while (true) {
                connection.request();
                connection.send(
                    "HTTP/1.1 200 OK\r\nkeep-alive: timeout=0\r\ncontent-length: 0\r\n\r\n");
              }
            })) {
      var client = client(server.url());
      post(client, "a").await();
      assertThat(post(client, "b").await().connections).containsExactly(false);
    }
  }

  @Test
  void goesThroughAProxyAsAskedTo() throws Exception {
    var seen = new CompletableFuture<String>();
    var tunnel = new CompletableFuture<String>();
    try (var proxy =
        new RawServer(
            connection -> {
              seen.complete(connection.request());
              connection.answer("by proxy");
            },
            connection -> {
              tunnel.complete(connection.request());
              connection.send(
                  "HTTP/1.1 407 Proxy Authentication Required\r\ncontent-length: 0\r\n\r\n");
            })) {
      var by = Proxy.of("http://user:pw@127.0.0.1:" + proxy.port());
      var plain =
          UpstreamClient.create(UpstreamOptions.of("http://provider.test/v1").withProxy(by), loops);
      assertThat(post(plain, "a").await().body.toString()).isEqualTo("by proxy");
      assertThat(seen.get())
          .startsWith("POST http://provider.test/v1/x HTTP/1.1\r\nhost: provider.test\r\n")
          .contains("proxy-authorization: Basic dXNlcjpwdw==");
      var secure =
          UpstreamClient.create(
              UpstreamOptions.of("https://provider.test/v1").withProxy(by), loops);
      var failure = failure(post(secure, "a").await());
      assertThat(failure.cause()).hasMessageContaining("407");
      assertThat(failure.progress()).isEqualTo(NOT_CONNECTED);
      assertThat(tunnel.get()).startsWith("CONNECT provider.test:443 HTTP/1.1\r\n");
    }
  }
}
