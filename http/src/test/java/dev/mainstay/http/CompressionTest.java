package dev.mainstay.http;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.airlift.compress.zstd.ZstdOutputStream;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http.DefaultHttpHeaders;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.zip.DeflaterOutputStream;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Bodies packed and unpacked, both ways. */
@Timeout(180)
@ExtendWith(NoLeaks.class)
class CompressionTest {
  /** "hello" a thousand times, by the reference encoders of both formats. */
  private static final String BROTLI = "1b8713f8a5cbd0d8dec46b5140cf0280d4";

  private static final String ZSTD = "28b52ffd04586d00002868656c6c6f01008083be6801d42d04a2";

  /** 50 MiB of zeros in 94 bytes, by the reference encoder. */
  private static final String BROTLI_BOMB =
      "cbffff3ff82700e2b14020f7fe8fffff7ff04f00c4611180eefd1fffffffe09f0088c30200ddfb3ffeffffc13f01"
          + "10870500baf77ffcffff837f02200e0b0074effff8ffff07ff04401c1600e8deffe5ffff07fe0980382c00d0"
          + "bdff00";

  private static final Loops loops = Loops.start(2);

  @AfterAll
  static void stop() {
    loops.close();
  }

  private static byte[] packed(String encoding, byte[] plain) throws IOException {
    var bytes = new ByteArrayOutputStream();
    try (var out =
        switch (encoding) {
          case "gzip" -> new GZIPOutputStream(bytes);
          case "deflate" -> new DeflaterOutputStream(bytes);
          case "zstd" -> new ZstdOutputStream(bytes);
          default -> throw new AssertionError(encoding);
        }) {
      out.write(plain);
    }
    return bytes.toByteArray();
  }

  private static byte[] hello(String encoding) throws IOException {
    return switch (encoding) {
      case "br" -> HexFormat.of().parseHex(BROTLI);
      case "zstd" -> HexFormat.of().parseHex(ZSTD);
      default -> packed(encoding, "hello".repeat(1000).getBytes(UTF_8));
    };
  }

  private static HttpServer serve(ServerOptions options) throws IOException {
    return HttpServer.start(
        options,
        loops,
        exchange ->
            exchange.respond(
                200,
                "text/plain",
                exchange.headers().get("content-encoding") + exchange.body().toString(UTF_8)));
  }

  private static RawClient.Answer post(HttpServer server, String encoding, byte[] body)
      throws IOException {
    try (var client = new RawClient(server.port())) {
      client.send(
          "POST / HTTP/1.1\r\nhost: x\r\ncontent-encoding: "
              + encoding
              + "\r\ncontent-length: "
              + body.length
              + "\r\n\r\n");
      return client.send(body).readAnswer();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"gzip", "deflate", "br", "zstd"})
  void unpacksABodyWhicheverWayItComes(String encoding) throws Exception {
    byte[] body = hello(encoding);
    try (var server = serve(ServerOptions.defaults())) {
      assertThat(post(server, encoding, body).body()).isEqualTo("null" + "hello".repeat(1000));
      try (var client = new RawClient(server.port())) {
        client.send(
            "POST / HTTP/1.1\r\nhost: x\r\ncontent-encoding: " + encoding.toUpperCase(Locale.ROOT));
        client.send("\r\ntransfer-encoding: chunked\r\n\r\n");
        for (byte each : body) {
          client.send("1\r\n").send(new byte[] {each}).send("\r\n");
        }
        assertThat(client.send("0\r\n\r\n").readAnswer().body()).startsWith("nullhellohello");
        assertThat(client.send("GET / HTTP/1.1\r\nhost: x\r\n\r\n").readAnswer().body())
            .isEqualTo("null");
      }
      while (server.memory().used(MemoryBudget.Use.REQUEST) > 0) Thread.onSpinWait();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"gzip", "deflate", "br", "zstd"})
  void refusesABombOnceItIsTooLarge(String encoding) throws Exception {
    byte[] bomb =
        encoding.equals("br")
            ? HexFormat.of().parseHex(BROTLI_BOMB)
            : packed(encoding, new byte[50 << 20]);
    try (var server = serve(ServerOptions.defaults().withMaxBody(1 << 20))) {
      assertThat(post(server, encoding, bomb).status()).isEqualTo(413);
      while (server.memory().used(MemoryBudget.Use.REQUEST) > 0) Thread.onSpinWait();
    }
  }

  /** Large bodies are unpacked elsewhere: who leaves meanwhile frees nothing under its hands. */
  @ParameterizedTest
  @ValueSource(strings = {"gzip", "br", "zstd"})
  void aClientThatLeavesWhileItsBodyIsUnpackedLeavesNothingBehind(String encoding)
      throws Exception {
    byte[] bomb =
        encoding.equals("br")
            ? HexFormat.of().parseHex(BROTLI_BOMB)
            : packed(encoding, new byte[50 << 20]);
    var admitted = new CountDownLatch(4);
    var handler =
        new Handler() {
          @Override
          public void admit(Exchange exchange) {
            admitted.countDown();
          }

          @Override
          public void handle(Exchange exchange) {
            exchange.respond(200, "text/plain", "whole");
          }
        };
    try (var server =
        HttpServer.start(ServerOptions.defaults().withMaxBody(60 << 20), loops, handler)) {
      for (int i = 0; i < 4; i++) {
        try (var client = new RawClient(server.port())) {
          client.send("POST / HTTP/1.1\r\nhost: x\r\ncontent-encoding: " + encoding);
          client.send("\r\ncontent-length: " + bomb.length + "\r\n\r\n").send(bomb);
          if (i % 2 == 0) client.reset();
        }
      }
      admitted.await();
      while (server.connections() > 0 || server.memory().used(MemoryBudget.Use.REQUEST) > 0) {
        Thread.onSpinWait();
      }
      assertThat(post(server, encoding, hello(encoding)).status()).isEqualTo(200);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"gzip", "br", "zstd"})
  void refusesWhatDoesNotUnpack(String encoding) throws Exception {
    try (var server = serve(ServerOptions.defaults())) {
      assertThat(post(server, encoding, "neither of them".getBytes(UTF_8)).status()).isEqualTo(400);
      while (server.memory().used(MemoryBudget.Use.REQUEST) > 0) Thread.onSpinWait();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"br", "zstd"})
  void refusesWhatIsCutShort(String encoding) throws Exception {
    byte[] body = hello(encoding);
    try (var server = serve(ServerOptions.defaults())) {
      byte[] cut = Arrays.copyOf(body, body.length - 3);
      assertThat(post(server, encoding, cut).status()).isEqualTo(400);
    }
  }

  @Test
  void refusesAnEncodingItDoesNotKnow() throws Exception {
    try (var server = serve(ServerOptions.defaults())) {
      assertThat(post(server, "compress", new byte[1]).status()).isEqualTo(415);
      assertThat(post(server, "gzip, br", new byte[1]).status()).isEqualTo(415);
    }
  }

  private static HttpServer answering(String text) throws IOException {
    return HttpServer.start(
        ServerOptions.defaults(),
        loops,
        exchange -> {
          var headers = new DefaultHttpHeaders().set("content-type", "application/json");
          switch (exchange.path()) {
            case "/packed" -> headers.set("content-encoding", "br");
            case "/asis" -> headers.set("cache-control", "no-store, no-transform");
            case "/image" -> headers.set("content-type", "image/png");
            default -> {}
          }
          if (exchange.path().equals("/stream")) {
            exchange.begin(200, headers);
            exchange.write(Unpooled.copiedBuffer(text, UTF_8));
            exchange.end();
          } else {
            exchange.respond(
                200,
                headers,
                Unpooled.copiedBuffer(exchange.path().equals("/small") ? "small" : text, UTF_8));
          }
        });
  }

  private static HttpResponse<byte[]> get(HttpServer server, String path, String accepted)
      throws Exception {
    try (var client = HttpClient.newHttpClient()) {
      var request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + server.port() + path));
      if (!accepted.isEmpty()) request.header("accept-encoding", accepted);
      return client.send(request.build(), HttpResponse.BodyHandlers.ofByteArray());
    }
  }

  private static String header(HttpResponse<?> response, String name) {
    return response.headers().firstValue(name).orElse("");
  }

  private static String unpacked(byte[] body) throws IOException {
    return new String(new GZIPInputStream(new ByteArrayInputStream(body)).readAllBytes(), UTF_8);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "gzip|true",
        "gzip, deflate, br, zstd|true",
        "br;q=1.0, GZIP;q=0.001|true",
        "*|true",
        "''|false",
        "br, zstd|false",
        "gzip;q=0|false",
        "gzip;q=0.000, *|false",
        "identity, *;q=0|false",
      })
  void packsALongAnswerForThoseWhoTakeIt(String accepted, boolean packs) throws Exception {
    var text = "Grüße 世界 🌍 ".repeat(1500);
    try (var server = answering(text)) {
      var answer = get(server, "/", accepted);
      assertThat(header(answer, "vary")).isEqualTo("accept-encoding");
      assertThat(header(answer, "content-encoding")).isEqualTo(packs ? "gzip" : "");
      assertThat(packs ? unpacked(answer.body()) : new String(answer.body(), UTF_8))
          .isEqualTo(text);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"/small", "/stream", "/packed", "/asis", "/image"})
  void leavesTheRestAsItIs(String path) throws Exception {
    var text = "long ".repeat(10_000);
    try (var server = answering(text)) {
      var answer = get(server, path, "gzip");
      assertThat(header(answer, "content-encoding")).isEqualTo(path.equals("/packed") ? "br" : "");
      assertThat(header(answer, "vary")).isEmpty();
      assertThat(new String(answer.body(), UTF_8))
          .isEqualTo(path.equals("/small") ? "small" : text);
    }
  }

  @Test
  void aVeryLongAnswerIsPackedAsideAndKeepsItsPlace() throws Exception {
    var text = "0123456789abcdef".repeat(200_000);
    try (var server = answering(text);
        var client = new RawClient(server.port())) {
      client.send(
          "GET / HTTP/1.1\r\n"
              + "host: x\r\n"
              + "accept-encoding: gzip\r\n\r\n"
              + "GET /small HTTP/1.1\r\n"
              + "host: x\r\n"
              + "connection: close\r\n\r\n");
      var both = client.readAll();
      assertThat(both.indexOf("content-encoding: gzip")).isPositive();
      assertThat(both).endsWith("\r\n\r\nsmall");
      assertThat(unpacked(get(server, "/", "gzip").body())).isEqualTo(text);
    }
  }

  @Test
  void aClientThatLeavesWhileItsAnswerIsPackedLeavesNothingBehind() throws Exception {
    var text = "0123456789abcdef".repeat(2_000_000);
    var over = new CompletableFuture<Boolean>();
    try (var server =
        HttpServer.start(
            ServerOptions.defaults(),
            loops,
            exchange -> {
              exchange.onOver(over::complete);
              exchange.respond(200, "text/plain", text);
              assertThat(exchange.begun()).isTrue();
              exchange.write(Unpooled.copiedBuffer("too late", UTF_8));
              exchange.end();
            })) {
      try (var client = new RawClient(server.port())) {
        client.send("GET / HTTP/1.1\r\nhost: x\r\naccept-encoding: gzip\r\n\r\n").reset();
      }
      assertThat(over.get(60, TimeUnit.SECONDS)).isFalse();
    }
  }

  /** A body that was cut off, or has more than was packed, would be taken for the whole of it. */
  @ParameterizedTest
  @ValueSource(strings = {"gzip", "deflate", "br", "zstd"})
  void refusesWhatIsNotExactlyWhatWasPacked(String encoding) throws Exception {
    try (var server = serve(ServerOptions.defaults())) {
      byte[] whole = hello(encoding);
      for (int length = 1; length < whole.length; length++) {
        assertThat(post(server, encoding, Arrays.copyOf(whole, length)).status())
            .as("%d of %d bytes", length, whole.length)
            .isEqualTo(400);
      }
      for (int more : new int[] {1, 8, 5000, 100_000}) {
        byte[] longer = Arrays.copyOf(whole, whole.length + more);
        Arrays.fill(longer, whole.length, longer.length, (byte) 'x');
        assertThat(post(server, encoding, longer).status()).as("%d more", more).isEqualTo(400);
      }
      assertThat(post(server, encoding, whole).status()).isEqualTo(200);
    }
  }

  /** RFC 1952, 2.2. */
  @Test
  void readsEveryMemberOfGzip() throws Exception {
    try (var server = serve(ServerOptions.defaults())) {
      var two = new ByteArrayOutputStream();
      two.write(packed("gzip", "first ".getBytes(UTF_8)));
      two.write(packed("gzip", "second".getBytes(UTF_8)));
      assertThat(post(server, "gzip", two.toByteArray()).body()).contains("first second");
    }
  }
}
