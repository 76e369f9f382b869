package dev.mainstay.gateway;

import static dev.mainstay.gateway.Harness.header;
import static dev.mainstay.gateway.ScriptedProvider.error;
import static dev.mainstay.gateway.ScriptedProvider.json;
import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import dev.mainstay.ledger.Body;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.security.DigestInputStream;
import java.time.Duration;
import java.util.HexFormat;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What a provider offers beside calls passes through, whatever its size and framing. */
@Timeout(value = 180, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class PassThroughTest {
  private final UploadProvider provider = new UploadProvider();
  private final Harness h =
      new Harness(
          "recovery: { deadline: 2m, retry: { initial-delay: 1ms } }\n",
          "drain: 2s",
          null,
          """
            up: { dialect: openai, base-url: "%s/v1", keys: ["sk-first-Key00000000000", "sk-second-Key0000000000"] }
            deep: { dialect: gemini, base-url: "%s/base/", keys: ["%s"] }
          """
              .formatted(provider.url(), provider.url(), ScriptedProvider.KEY));

  @AfterEach
  void close() {
    h.close();
    provider.close();
  }

  private void reload(String provider) {
    h.gateway.reload(Harness.parsed("server: { port: 0, drain: 2s }\nproviders:\n" + provider));
  }

  /** So many bytes that repeat nowhere near. */
  private static InputStream random(long size) {
    var random = new Random(size);
    return new InputStream() {
      private long left = size;

      @Override
      public int read() {
        return left-- > 0 ? random.nextInt(256) : -1;
      }

      @Override
      public int read(byte[] into, int from, int length) {
        if (left <= 0) {
          return -1;
        }
        var bytes = new byte[(int) Math.min(length, left)];
        random.nextBytes(bytes);
        System.arraycopy(bytes, 0, into, from, bytes.length);
        left -= bytes.length;
        return bytes.length;
      }
    };
  }

  private HttpResponse<String> upload(InputStream body, long length, String... headers)
      throws Exception {
    var publisher = HttpRequest.BodyPublishers.ofInputStream(() -> body);
    var request =
        HttpRequest.newBuilder(URI.create(h.url() + "/providers/up/files"))
            .POST(
                length < 0
                    ? publisher
                    : HttpRequest.BodyPublishers.fromPublisher(publisher, length));
    for (int i = 0; i < headers.length; i += 2) {
      request.header(headers[i], headers[i + 1]);
    }
    return h.client.send(request.build(), HttpResponse.BodyHandlers.ofString());
  }

  /** Sizes about each bound there is: of a read, of a body in one piece, of max-body. */
  @ParameterizedTest
  @ValueSource(longs = {1, 1000, 65_535, 65_536, 65_537, 131_072, 5_000_000, 70_000_000})
  void anUploadOfAnySizeArrivesAsItWasSent(long size) throws Exception {
    for (boolean told : new boolean[] {true, false}) {
      var digest = UploadProvider.sha256();
      var answer =
          upload(
              new DigestInputStream(random(size), digest), told ? size : -1, "x-mainstay-run", "r");
      var hash = HexFormat.of().formatHex(digest.digest());
      assertThat(answer.body()).contains("\"bytes\":" + size + ",").contains(hash);
      var asked = provider.asked.getLast().headers();
      assertThat(asked.get("content-length")).isEqualTo(told ? Long.toString(size) : null);
      assertThat(asked.get("authorization")).matches("Bearer sk-(first|second).*");
      var tale = h.kept.next();
      assertThat(tale.call().run()).isEqualTo("r");
      var attempt = tale.attempts().getFirst();
      assertThat(attempt.bytesSent()).isEqualTo(size);
      assertThat(attempt.bytesReceived()).isEqualTo(answer.body().length());
      assertThat(attempt.reason()).contains("request of " + size + " bytes, sha256 " + hash);
      // Bodies are kept up to 1 MiB, each for itself.
      assertThat(tale.bodies()).hasSize(size <= 1 << 20 ? 2 : 1);
      assertThat(tale.bodies().getLast().bytes()).isEqualTo(answer.body().getBytes(ISO_8859_1));
    }
  }

  @Test
  void aClientMayForbidThatBodiesAreKept() throws Exception {
    upload(new ByteArrayInputStream(new byte[10]), 10, "x-mainstay-record", "off");
    assertThat(h.kept.next().bodies()).isEmpty();
    upload(new ByteArrayInputStream(new byte[10]), 10);
    assertThat(h.kept.next().bodies()).extracting(Body::part).contains(Body.Part.REQUEST);
  }

  /** Comes to a stop: the same number at two looks with so much between them. */
  private static long stopped(LongSupplier progress) throws InterruptedException {
    long before = -1;
    for (long now = progress.getAsLong(); now != before; now = progress.getAsLong()) {
      before = now;
      var pause = new CountDownLatch(1);
      assertThat(pause.await(300, java.util.concurrent.TimeUnit.MILLISECONDS)).isFalse();
    }
    return before;
  }

  @Test
  void aProviderThatDoesNotReadHoldsBackTheClient() throws Exception {
    provider.pause();
    long size = 200L << 20;
    var written = new AtomicLong();
    try (var socket = new Socket("127.0.0.1", h.gateway.port())) {
      var out = socket.getOutputStream();
      head(out, "POST /providers/up/files", "content-length: " + size);
      var writer =
          Thread.startVirtualThread(
              () -> {
                var part = new byte[64 << 10];
                try {
                  while (written.get() < size) {
                    out.write(part);
                    written.addAndGet(part.length);
                  }
                } catch (IOException e) {
                  throw new java.io.UncheckedIOException(e);
                }
              });
      // What the systems' socket buffers take on the way is some megabytes.
      assertThat(stopped(written::get)).isLessThan(32 << 20);
      provider.resume();
      writer.join();
      assertThat(new String(socket.getInputStream().readNBytes(12), ISO_8859_1))
          .isEqualTo("HTTP/1.1 200");
      assertThat(provider.taken.get()).isEqualTo(size);
    }
  }

  @Test
  void aClientThatDoesNotReadHoldsBackTheProvider() throws Exception {
    long size = 200L << 20;
    try (var socket = new Socket("127.0.0.1", h.gateway.port())) {
      head(socket.getOutputStream(), "GET /providers/up/bytes/" + size, "connection: close");
      assertThat(stopped(provider.given::get)).isLessThan(32 << 20);
      assertThat(socket.getInputStream().transferTo(OutputStream.nullOutputStream()))
          .isGreaterThan(size);
    }
  }

  private static void head(OutputStream out, String line, String... headers) throws IOException {
    var head = line + " HTTP/1.1\r\nhost: localhost\r\n" + String.join("\r\n", headers);
    out.write((head + "\r\n\r\n").getBytes(ISO_8859_1));
    out.flush();
  }

  private static String read(Socket socket, String until) throws IOException {
    var read = new StringBuilder();
    while (read.indexOf(until) < 0) {
      int b = socket.getInputStream().read();
      if (b < 0) {
        return read.toString();
      }
      read.append((char) b);
    }
    return read.toString();
  }

  @ParameterizedTest
  @ValueSource(ints = {10, 100_000})
  void aClientThatExpectsToGoOnIsToldOnceThereIsAConnection(int size) throws Exception {
    try (var socket = new Socket("127.0.0.1", h.gateway.port())) {
      var out = socket.getOutputStream();
      head(out, "POST /providers/up/files", "content-length: " + size, "expect: 100-continue");
      assertThat(read(socket, "\r\n\r\n")).isEqualTo("HTTP/1.1 100 Continue\r\n\r\n");
      out.write(new byte[size]);
      assertThat(read(socket, "}")).startsWith("HTTP/1.1 200").contains("\"bytes\":" + size);
      assertThat(provider.asked.getFirst().headers().get("expect")).isNull();
    }
  }

  @Test
  void aProviderThatCannotBeReachedCostsNoUpload() throws Exception {
    h.two.close();
    try (var socket = new Socket("127.0.0.1", h.gateway.port())) {
      head(
          socket.getOutputStream(),
          "POST /providers/two/files",
          "content-length: 100000000",
          "expect: 100-continue");
      assertThat(read(socket, "\r\n\r\n")).startsWith("HTTP/1.1 502");
      var tale = h.kept.next();
      assertThat(tale.decisions()).containsExactly("retry", "retry", "give_up");
      assertThat(tale.call().verdict()).isEqualTo("TRANSIENT/connection_refused");
    }
  }

  /** Sends it once, reads the head, and is gone. */
  @ParameterizedTest
  @ValueSource(ints = {10, 100_000})
  void whatMayHaveBeenActedOnIsNotSentAgain(int size) throws Exception {
    h.one.then(ScriptedProvider.reset());
    var request =
        HttpRequest.newBuilder(URI.create(h.url() + "/providers/one/batches"))
            .POST(HttpRequest.BodyPublishers.ofByteArray(new byte[size]))
            .build();
    var answer = h.client.send(request, HttpResponse.BodyHandlers.ofString());
    assertThat(answer.statusCode()).isEqualTo(502);
    assertThat(header(answer, "x-should-retry")).isEqualTo("false");
    assertThat(h.one.asked).hasSize(1);
    assertThat(h.kept.next().decisions()).containsExactly("give_up");
  }

  @Test
  void trailersPassBothWays() throws Exception {
    try (var socket = new Socket("127.0.0.1", h.gateway.port())) {
      head(
          socket.getOutputStream(),
          "POST /providers/up/files",
          "transfer-encoding: chunked",
          "trailer: x-checksum",
          "connection: close");
      socket
          .getOutputStream()
          .write("3\r\nabc\r\n0\r\nx-checksum: 7\r\nhost: evil\r\n\r\n".getBytes(ISO_8859_1));
      var answer = new String(socket.getInputStream().readAllBytes(), ISO_8859_1);
      assertThat(answer)
          .contains("\"bytes\":3,")
          .contains("\"trailer\":\"7\"")
          .endsWith("0\r\nx-after: the body\r\n\r\n");
    }
  }

  @Test
  void headsAndRangesPass() throws Exception {
    var request =
        HttpRequest.newBuilder(URI.create(h.url() + "/providers/up/bytes/5000"))
            .method("HEAD", HttpRequest.BodyPublishers.noBody())
            .build();
    var answer = h.client.send(request, HttpResponse.BodyHandlers.ofString());
    assertThat(answer.statusCode()).isEqualTo(200);
    assertThat(header(answer, "content-length")).isEqualTo("5000");
    h.one.then(json(206, "part", "content-range", "bytes 1-4/10", "etag", "\"x\""), json(304, ""));
    var part = h.get("/v1/files/f/content", "range", "bytes=1-4", "if-range", "\"x\"");
    assertThat(part.statusCode()).isEqualTo(206);
    assertThat(part.body()).isEqualTo("part");
    assertThat(header(part, "content-range")).isEqualTo("bytes 1-4/10");
    assertThat(h.one.asked.getFirst().headers())
        .containsEntry("range", "bytes=1-4")
        .containsEntry("if-range", "\"x\"");
    assertThat(h.get("/v1/files/f/content", "if-none-match", "\"x\"").statusCode()).isEqualTo(304);
  }

  @Test
  void aKeyThatIsRefusedIsSetAsideAndTheNextServes() throws Exception {
    reload(
        """
          one: { dialect: openai, base-url: "%s/v1", keys: ["sk-first-Key00000000000", "sk-second-Key0000000000"] }
        """
            .formatted(h.one.url()));
    h.one.then(
        error(401, "invalid_request_error", "invalid_api_key", "Incorrect API key provided."),
        json(200, "{}"),
        json(200, "{}"));
    assertThat(h.get("/v1/files").statusCode()).isEqualTo(401);
    assertThat(h.kept.next().call().verdict()).isEqualTo("FATAL/auth");
    assertThat(h.get("/v1/files").statusCode()).isEqualTo(200);
    // Calls share the pool.
    assertThat(h.chat("one/m").statusCode()).isEqualTo(200);
    assertThat(h.one.asked)
        .extracting(asked -> asked.headers().get("authorization"))
        .satisfies(
            keys -> {
              assertThat(keys.get(1)).isNotEqualTo(keys.getFirst());
              assertThat(keys.get(2)).isEqualTo(keys.get(1));
            });
  }

  /** By its words, as everywhere: the status alone says rate limit. */
  @Test
  void anErrorIsJudgedByItsBody() {
    h.one.then(
        error(429, "insufficient_quota", "insufficient_quota", "You exceeded your current quota."));
    var answer = h.get("/v1/files");
    assertThat(header(answer, "x-mainstay-verdict")).isEqualTo("FATAL/quota_exhausted");
    assertThat(header(answer, "x-should-retry")).isEqualTo("false");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/..%2fother",
        "/%2e%2e/other",
        "/%2E%2e%2Fother",
        "/..%5cother",
        "/..\\other",
        "/%252e%252e/other",
        "/%25252e%25252e%25252fother",
        "/a/..;/other",
        "/a/..;x=1/other",
        "/a/%2e%2e;/other",
        "/..%00/other",
        "/%2e%2e%3b/other",
        "/a%0d%0ax:%20y",
        "/..%09/other",
        "/.%c0%ae/other",
        "/%c0%ae%c0%ae/other",
        "/%ef%bc%8e%ef%bc%8e/other",
        "/%u002e%u002e/other",
        "/%5cevil.example",
        "/.\u00e9./other",
        "/%zz",
        "/a%",
        "/./a",
        "/a/.",
        "/a#b",
        "/a%23/../b",
        "/..%20/other",
        "/%e2%80%a5/other",
        "/a/%2e",
        "/x|y",
        "/a%7f"
      })
  void noPathLeavesTheBaseUrl(String path) throws Exception {
    for (var begin : new String[] {"/v1", "/providers/one", "/v1beta", "/providers/deep"}) {
      for (var form : new String[] {"", "http://evil.example", "http://127.0.0.1:1"}) {
        try (var socket = new Socket("127.0.0.1", h.gateway.port())) {
          head(socket.getOutputStream(), "GET " + form + begin + path, "connection: close");
          assertThat(read(socket, "\r\n")).startsWith("HTTP/1.1 40").doesNotContain("403");
        }
      }
    }
    assertThat(h.one.asked).isEmpty();
    assertThat(provider.asked).isEmpty();
  }

  /** At the beginning of a path two slashes are a host's. */
  @ParameterizedTest
  @ValueSource(strings = {"//evil.example/x", "/%2fevil.example/x", "/%252f%2fevil.example"})
  void noPathNamesAHost(String path) throws Exception {
    for (var begin : new String[] {"/v1", "/providers/one", "/providers/gem"}) {
      try (var socket = new Socket("127.0.0.1", h.gateway.port())) {
        head(socket.getOutputStream(), "GET " + begin + path, "connection: close");
        assertThat(read(socket, "\r\n")).startsWith("HTTP/1.1 404");
      }
    }
    assertThat(h.one.asked).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "/models/meta-llama%2FLlama-3,/v1/models/meta-llama%2FLlama-3",
    "/files/a..b,/v1/files/a..b",
    "/files/...,/v1/files/...",
    "/a%20b/%7Ec,/v1/a%20b/%7Ec",
    "/f/100%25,/v1/f/100%25",
    "/f/%C3%A9,/v1/f/%C3%A9",
    "/ops/a:cancel,/v1/ops/a:cancel",
  })
  void whatAPathMayHoldPassesAsItIs(String path, String asked) {
    h.get("/providers/one" + path);
    assertThat(h.one.asked.getFirst().path()).isEqualTo(asked);
  }

  @Test
  void theModelOfACallDoesNotLeadOutOfItsBaseUrlEither() {
    for (var model : new String[] {"..", "a/../../b", "../x", "a%2f..%2f..%2fb", "a\\\\..\\\\b"}) {
      h.post("/v1/chat/completions", Harness.ask("gem/" + model, false));
      h.kept.next();
    }
    assertThat(h.one.asked).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(ints = {300, 301, 302, 303, 305, 307, 308})
  void aRedirectIsNeitherFollowedNorPassedOn(int status) {
    var redirect =
        json(status, "{\"error\":{\"message\":\"moved\"}}", "location", h.two.url() + "/stolen");
    h.one.then(redirect, redirect, redirect, redirect);
    for (var asked :
        new HttpResponse<?>[] {
          h.get("/v1/files"),
          h.post("/providers/one/files", "x"),
          h.chat("one/m"),
          h.chatStream("one/m2")
        }) {
      assertThat(asked.statusCode()).isEqualTo(502);
      assertThat(asked.body().toString())
          .contains("redirect (" + status + "), which Mainstay neither follows nor passes on")
          .doesNotContain("stolen");
      assertThat(asked.headers().firstValue("location")).isEmpty();
      assertThat(h.kept.next().call().verdict()).isEqualTo("FATAL/bad_gateway");
    }
    assertThat(h.two.asked).isEmpty();
    assertThat(h.one.asked).hasSize(4);
  }

  @Test
  void aRedirectOfOneTargetIsAnsweredByTheNext() {
    h.one.then(json(302, "", "location", "https://elsewhere.example/"));
    assertThat(header(h.chat("assistant"), "x-mainstay-target")).isEqualTo("two/second");
  }

  @Test
  void anUploadThatGoesOnElsewhereGoesOnThroughTheGateway() throws Exception {
    var base = h.one.url();
    h.one.then(
        json(200, "", "x-goog-upload-url", base + "/upload/v1beta/files?upload_id=7&a=b"),
        json(200, "{\"file\":{}}"),
        json(200, "", "x-goog-upload-url", base + "/upload/v1beta/files?upload_id=8"),
        json(200, "", "x-goog-upload-url", "https://elsewhere.example/upload?upload_id=9"),
        json(201, "{}", "location", "/v1/things/1"));
    // Google's SDKs upload under the version that they ask with: v1beta, and v1 by now.
    var start = h.post("/upload/v1/files", "{}", "x-goog-upload-command", "start");
    var next = header(start, "x-goog-upload-url");
    assertThat(next).isEqualTo(h.url() + "/upload/v1beta/files?upload_id=7&a=b");
    h.post(next.substring(h.url().length()), "bytes", "x-goog-upload-offset", "0");
    assertThat(h.one.asked.get(1).path()).isEqualTo("/upload/v1beta/files?upload_id=7&a=b");
    assertThat(h.one.asked.get(1).headers()).containsEntry("x-goog-upload-offset", "0");
    var named = h.post("/providers/gem/upload/v1beta/files", "{}");
    assertThat(header(named, "x-goog-upload-url"))
        .isEqualTo(h.url() + "/providers/gem/upload/v1beta/files?upload_id=8");
    var away = h.post("/upload/v1beta/files", "{}");
    assertThat(away.statusCode()).isEqualTo(502);
    assertThat(away.body()).contains("x-goog-upload-url leads away from its base-url");
    assertThat(header(h.post("/v1/things", "{}"), "location")).isEqualTo(h.url() + "/v1/things/1");
  }

  /** A half-sent upload frees what it holds at the provider. */
  @Test
  void aClientThatLeavesTakesItsUploadAlong() throws Exception {
    try (var silent = new ServerSocket(0)) {
      reload(
          """
            one: { dialect: openai, base-url: "http://127.0.0.1:%d/v1", keys: [] }
          """
              .formatted(silent.getLocalPort()));
      try (var socket = new Socket("127.0.0.1", h.gateway.port())) {
        head(socket.getOutputStream(), "POST /v1/files", "content-length: 1000000");
        socket.getOutputStream().write(new byte[1000]);
        try (var taken = silent.accept()) {
          taken.setSoTimeout((int) Duration.ofSeconds(60).toMillis());
          assertThat(taken.getInputStream().read()).isEqualTo('P');
          socket.close();
          taken.getInputStream().transferTo(OutputStream.nullOutputStream());
        }
      }
    }
    assertThat(h.kept.next().call().status()).isEqualTo(499);
  }
}
