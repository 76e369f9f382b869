package dev.mainstay.http;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Requests that two readers could take for two things, by RFC 9112 (its sections are named). */
@Timeout(value = 180, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
@ExtendWith(NoLeaks.class)
class FramingTest {
  private static final AtomicInteger HANDLED = new AtomicInteger();

  private static final Loops loops = Loops.start(1);
  private static final HttpServer server = start();

  @AfterAll
  static void stop() {
    server.close();
    loops.close();
  }

  private static HttpServer start() {
    try {
      return HttpServer.start(
          ServerOptions.defaults(),
          loops,
          exchange -> {
            HANDLED.incrementAndGet();
            ByteBuf body = exchange.body();
            exchange.respond(
                200,
                "text/plain",
                String.join(
                    " ",
                    exchange.method(),
                    exchange.path(),
                    exchange.query(),
                    String.valueOf(exchange.headers().get("host")),
                    body.toString(UTF_8)));
          });
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  /** The request, with ~ for a line's end, and the status that refuses it. */
  static Stream<Arguments> refused() {
    var chunked = "POST / HTTP/1.1~host: a~transfer-encoding: chunked~~";
    return Stream.of(
        // 2.3: versions
        Arguments.of("GET / HTTP/9.9~host: a~~", 505),
        Arguments.of("GET / HTTP/2.0~host: a~~", 505),
        Arguments.of("GET / HTTP/1.2~host: a~~", 505),
        Arguments.of("GET / HTTP/0.9~host: a~~", 505),
        Arguments.of("GET / HTCPCP/1.0~host: a~~", 400),
        Arguments.of("GET /~host: a~~", 400),
        Arguments.of("PRI * HTTP/2.0~~SM~~", 505),
        // 3.2: Host
        Arguments.of("GET / HTTP/1.1~~", 400),
        Arguments.of("GET / HTTP/1.1~host: a~host: a~~", 400),
        Arguments.of("GET / HTTP/1.1~host: a~Host: b~~", 400),
        Arguments.of("GET / HTTP/1.0~host: a~host: b~~", 400),
        Arguments.of("GET / HTTP/1.1~host: a, b~~", 400),
        Arguments.of("GET / HTTP/1.1~host: a b~~", 400),
        Arguments.of("GET / HTTP/1.1~host: localhost:80@evil~~", 400),
        Arguments.of("GET / HTTP/1.1~host: user@localhost~~", 400),
        Arguments.of("GET / HTTP/1.1~host: [::1].evil.example~~", 400),
        Arguments.of("GET / HTTP/1.1~host: [::1]evil~~", 400),
        Arguments.of("GET / HTTP/1.1~host: [::1~~", 400),
        Arguments.of("GET / HTTP/1.1~host: [evil]~~", 400),
        Arguments.of("GET / HTTP/1.1~host: []~~", 400),
        Arguments.of("GET / HTTP/1.1~host: ::1~~", 400),
        Arguments.of("GET / HTTP/1.1~host: a:b~~", 400),
        Arguments.of("GET / HTTP/1.1~host: a:0~~", 400),
        Arguments.of("GET / HTTP/1.1~host: a:65536~~", 400),
        Arguments.of("GET / HTTP/1.1~host: a:+80~~", 400),
        Arguments.of("GET / HTTP/1.1~host: a:80:80~~", 400),
        Arguments.of("GET / HTTP/1.1~host: a/b~~", 400),
        Arguments.of("GET / HTTP/1.1~host: a?b~~", 400),
        Arguments.of("GET / HTTP/1.1~host: a#b~~", 400),
        Arguments.of("GET / HTTP/1.1~host: a\\b~~", 400),
        Arguments.of("GET / HTTP/1.1~host: http://a~~", 400),
        Arguments.of("GET / HTTP/1.1~host: %6cocalhost~~", 400),
        Arguments.of("GET / HTTP/1.1~host: l\u00f6calhost~~", 400),
        // 3.2: targets
        Arguments.of("GET http://b/ HTTP/1.1~host: a~~", 400),
        Arguments.of("GET http://a:81/ HTTP/1.1~host: a~~", 400),
        Arguments.of("GET http://u@a/ HTTP/1.1~host: a~~", 400),
        Arguments.of("GET ftp://a/ HTTP/1.1~host: a~~", 400),
        Arguments.of("GET http:/// HTTP/1.1~host: a~~", 400),
        Arguments.of("GET a/b HTTP/1.1~host: a~~", 400),
        Arguments.of("GET * HTTP/1.1~host: a~~", 400),
        Arguments.of("CONNECT a:80 HTTP/1.1~host: a:80~~", 400),
        Arguments.of("GET /#x HTTP/1.1~host: a~~", 400),
        Arguments.of("GET /\u00e9 HTTP/1.1~host: a~~", 400),
        Arguments.of("GET /\u0001 HTTP/1.1~host: a~~", 400),
        Arguments.of("GE(T / HTTP/1.1~host: a~~", 400),
        // 5: fields
        Arguments.of("GET / HTTP/1.1~host : a~~", 400),
        Arguments.of("GET / HTTP/1.1~ host: a~~", 400),
        Arguments.of("GET / HTTP/1.1~host: a~x~~", 400),
        Arguments.of("GET / HTTP/1.1~host: a~: x~~", 400),
        Arguments.of("GET / HTTP/1.1~host: a~x\u0000: y~~", 400),
        Arguments.of("GET / HTTP/1.1~host: a~x: y\u0000z~~", 400),
        Arguments.of("GET / HTTP/1.1~host: a~x: y\rz: 1~~", 400),
        Arguments.of("GET / HTTP/1.1~host: a~x: y\nz: 1~~", 400),
        Arguments.of("GET / HTTP/1.1\nhost: a\n\n", 400),
        Arguments.of("GET / HTTP/1.1~host: a~" + "x: y~".repeat(20_000) + "~", 431),
        Arguments.of("GET / HTTP/1.1~host: a~" + "x".repeat(70_000) + ": y~~", 431),
        // 6: framing
        Arguments.of(
            "POST / HTTP/1.1~host: a~content-length: 1~transfer-encoding: chunked~~0~~", 400),
        Arguments.of(
            "POST / HTTP/1.1~host: a~transfer-encoding: chunked~content-length: 1~~0~~", 400),
        Arguments.of("POST / HTTP/1.1~host: a~content-length: 1~content-length: 2~~xx", 400),
        Arguments.of("POST / HTTP/1.1~host: a~content-length: 1, 2~~xx", 400),
        Arguments.of("POST / HTTP/1.1~host: a~content-length: +1~~x", 400),
        Arguments.of("POST / HTTP/1.1~host: a~content-length: -1~~x", 400),
        Arguments.of("POST / HTTP/1.1~host: a~content-length: 0x1~~x", 400),
        Arguments.of("POST / HTTP/1.1~host: a~content-length: 99999999999999999999~~x", 400),
        Arguments.of("POST / HTTP/1.1~host: a~content-length: ~~x", 400),
        Arguments.of("POST / HTTP/1.1~host: a~transfer-encoding: gzip, chunked~~0~~", 400),
        Arguments.of("POST / HTTP/1.1~host: a~transfer-encoding: chunked, chunked~~0~~", 400),
        Arguments.of("POST / HTTP/1.1~host: a~transfer-encoding: chunked, identity~~0~~", 400),
        Arguments.of("POST / HTTP/1.1~host: a~transfer-encoding: xchunked~~0~~", 400),
        Arguments.of("POST / HTTP/1.1~host: a~transfer-encoding: \"chunked\"~~0~~", 400),
        Arguments.of("POST / HTTP/1.1~host: a~transfer-encoding: identity~~", 400),
        Arguments.of(
            "POST / HTTP/1.1~host: a~transfer-encoding: chunked~transfer-encoding: x~~0~~", 400),
        Arguments.of("POST / HTTP/1.0~host: a~transfer-encoding: chunked~~0~~", 400),
        // 7.1: chunks
        Arguments.of(chunked + "x~~", 400),
        Arguments.of(chunked + "-1~~", 400),
        Arguments.of(chunked + "0x1~a~0~~", 400),
        Arguments.of(chunked + "1 1~a~0~~", 400),
        Arguments.of(chunked + "~0~~", 400),
        Arguments.of(chunked + "80000000~a", 400),
        Arguments.of(chunked + "100000001~a", 400),
        Arguments.of(chunked + "1~ab~0~~", 400),
        Arguments.of(chunked + "1\na\n0\n\n", 400),
        Arguments.of(chunked + "1;x=\ny~a~0~~", 400),
        Arguments.of(chunked + "1;" + "x".repeat(70_000) + "~a~0~~", 400),
        Arguments.of(chunked + "1~a~0~" + "x: y~".repeat(20_000) + "~", 400));
  }

  @ParameterizedTest
  @MethodSource("refused")
  void refusesWhatCanBeReadInTwoWays(String request, int status) throws Exception {
    int before = HANDLED.get();
    try (var client = new RawClient(server.port())) {
      client.send(request.replace("~", "\r\n"));
      var answer = client.readAnswer();
      assertThat(answer.status()).isEqualTo(status);
      assertThat(answer.head()).contains("connection: close");
    }
    assertThat(HANDLED).hasValue(before);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "GET /p?q HTTP/1.1~host: a~~ = GET /p q a ",
        "GET / HTTP/1.0~~ = GET /  null ",
        "GET / HTTP/1.1~host:~~ = GET /   ",
        "GET / HTTP/1.1~host: [::1]:80~~ = GET /  [::1]:80 ",
        "GET / HTTP/1.1~HOST:LOCALHOST.:80~~ = GET /  LOCALHOST.:80 ",
        "GET http://a:80/p?q HTTP/1.1~host: A:80~~ = GET /p q A:80 ",
        "GET HTTPS://a HTTP/1.1~host: a~~ = GET /  a ",
        "GET http://a?q HTTP/1.1~host: a~~ = GET / q a ",
        "GET http://a/ HTTP/1.0~~ = GET /  a ",
        "OPTIONS * HTTP/1.1~host: a~~ = OPTIONS *  a ",
        "POST / HTTP/1.1~host: a~content-length: 1~~x = POST /  a x",
        "POST / HTTP/1.1~host: a~transfer-encoding: Chunked~~00001;a=b~x~0~t: u~~ = POST /  a x"
      })
  void takesWhatOnlyHasOneReading(String both) throws Exception {
    int split = both.indexOf(" = ");
    try (var client = new RawClient(server.port())) {
      client.send(both.substring(0, split).replace("~", "\r\n"));
      assertThat(client.readAnswer().body()).isEqualTo(both.substring(split + 3));
    }
  }

  @Test
  void namesOfThisMachineAreLoopbackAndNothingElseIs() {
    assertThat(
            Stream.of(
                    "localhost",
                    "LocalHost:1",
                    "localhost.",
                    "a.localhost",
                    "127.0.0.1:8484",
                    "127.255.0.9",
                    "[::1]",
                    "[::1]:8484",
                    "[0:0:0:0:0:0:0:1]",
                    "[::ffff:127.0.0.1]")
                .map(Authority::parse))
        .allMatch(authority -> authority != null && authority.isLoopback());
    assertThat(
            Stream.of(
                    "",
                    ".",
                    "localhost.evil",
                    "xlocalhost",
                    "localhost..",
                    "127.0.0.1.evil",
                    "127.evil",
                    "127.0.0.1.",
                    "128.0.0.1",
                    "0.0.0.0",
                    "10.0.0.1",
                    "[::2]",
                    "[::]",
                    "[2001::1]",
                    "[::ffff:10.0.0.1]",
                    "[::ffff:8.8.127.1]")
                .map(Authority::parse))
        .allMatch(authority -> authority != null && !authority.isLoopback());
  }
}
