package dev.mainstay.http;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http.DefaultHttpHeaders;
import java.io.IOException;
import java.net.Socket;
import java.nio.file.Path;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

@Timeout(value = 180, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
@ExtendWith(NoLeaks.class)
class TlsTest {
  @SuppressWarnings("NullAway.Init")
  @TempDir
  static Path folder;

  @SuppressWarnings("NullAway.Init")
  private static Certificates certificates;

  private static Loops loops = Loops.start(1);

  @BeforeAll
  static void start() throws Exception {
    certificates = Certificates.make(folder);
    loops = Loops.start(1);
  }

  @AfterAll
  static void stop() {
    loops.close();
  }

  private static HttpServer serve(Handler handler) throws IOException {
    var tls = new ServerOptions.Tls(certificates.cert(), certificates.key());
    return HttpServer.start(ServerOptions.defaults().withTls(tls), loops, handler);
  }

  private static UpstreamOptions options(int port) {
    return UpstreamOptions.of("https://127.0.0.1:" + port).withProxy(Proxy.NONE);
  }

  private static Heard post(UpstreamClient client) {
    var heard = new Heard();
    Loop loop = loops.next();
    loop.execute(
        () ->
            client.send(
                UpstreamRequest.of(
                    "POST",
                    "/",
                    new DefaultHttpHeaders(),
                    Unpooled.copiedBuffer("x".repeat(100_000), UTF_8)),
                loop,
                heard));
    return heard;
  }

  @Test
  void speaksTlsBothWaysAndKeepsTheConnection() throws Exception {
    try (var server =
        serve(
            exchange ->
                exchange.respond(
                    200,
                    "text/plain",
                    exchange.secure() + " " + exchange.body().readableBytes()))) {
      var client = UpstreamClient.create(options(server.port()).withCa(certificates.cert()), loops);
      for (boolean reused : new boolean[] {false, true, true}) {
        var heard = post(client).await();
        assertThat(heard.failure).isNull();
        assertThat(heard.body.toString()).isEqualTo("true 100000");
        assertThat(heard.connections).containsExactly(reused);
      }
      client.retire();
    }
  }

  @Test
  void trustsNobodyElsesCertificate() throws Exception {
    try (var server = serve(exchange -> exchange.respond(200, "text/plain", "no"))) {
      var failure =
          Objects.requireNonNull(
              post(UpstreamClient.create(options(server.port()), loops)).await().failure);
      assertThat(failure.progress()).isEqualTo(UpstreamFailure.Progress.NOT_CONNECTED);
      assertThat(failure.cause()).isInstanceOf(SSLException.class);
    }
  }

  @Test
  void checksTheNameInTheCertificate() throws Exception {
    try (var server = serve(exchange -> exchange.respond(200, "text/plain", "no"))) {
      var options =
          UpstreamOptions.of("https://localhost:" + server.port())
              .withProxy(Proxy.NONE)
              .withCa(certificates.cert());
      var failure =
          Objects.requireNonNull(post(UpstreamClient.create(options, loops)).await().failure);
      assertThat(failure.cause()).isInstanceOf(SSLException.class);
    }
  }

  @Test
  void resetsWithoutSayingGoodbye() throws Exception {
    try (var server = serve(Exchange::reset)) {
      var client = UpstreamClient.create(options(server.port()).withCa(certificates.cert()), loops);
      var failure = Objects.requireNonNull(post(client).await().failure);
      assertThat(failure.progress()).isLessThanOrEqualTo(UpstreamFailure.Progress.SENT);
      assertThat(failure.cause()).isInstanceOf(IOException.class);
    }
  }

  @Test
  void survivesAClientThatSpeaksPlainHttp() throws Exception {
    var answered = new CountDownLatch(1);
    try (var server =
        serve(
            exchange -> {
              exchange.respond(200, "text/plain", "fine");
              answered.countDown();
            })) {
      try (var plain = new Socket("127.0.0.1", server.port())) {
        plain.getOutputStream().write("GET / HTTP/1.1\r\nhost: x\r\n\r\n".getBytes(UTF_8));
        plain.getInputStream().readAllBytes();
      }
      post(UpstreamClient.create(options(server.port()).withCa(certificates.cert()), loops))
          .await();
      assertThat(answered.await(60, TimeUnit.SECONDS)).isTrue();
    }
  }
}
