package dev.mainstay.studio;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.mainstay.http.Exchange;
import dev.mainstay.http.Handler;
import dev.mainstay.http.HttpServer;
import dev.mainstay.http.Loops;
import dev.mainstay.http.Refusal;
import dev.mainstay.http.Routes;
import dev.mainstay.http.ServerOptions;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class StudioTest {
  private static final int MOST_BYTES = 250_000;

  private final Studio studio = Studio.load();
  private final HttpClient client = HttpClient.newHttpClient();
  private Loops loops;
  private HttpServer server;

  @BeforeEach
  void start() throws IOException {
    loops = Loops.start();
    server = HttpServer.start(ServerOptions.defaults().at("127.0.0.1", 0), loops, new Pages());
  }

  @AfterEach
  void stop() {
    server.close();
    loops.close();
    client.close();
  }

  private final class Pages implements Handler {
    @Override
    public void handle(Exchange exchange) {
      studio.handle(exchange, Routes.Caller.OPERATOR);
    }

    @Override
    public void refused(Exchange exchange, Refusal refusal) {
      exchange.respond(refusal.status(), "text/plain", refusal.message());
    }
  }

  private HttpResponse<byte[]> get(String path, String... headers) throws Exception {
    var request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + server.port() + path));
    if (headers.length > 0) {
      request.headers(headers);
    }
    return client.send(request.build(), BodyHandlers.ofByteArray());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/v1/models",
        "/v1",
        "/v1beta/models",
        "/api/calls",
        "/providers/openai/files",
        "/metrics",
        "/health",
        "/callsign",
        "/favicon.ico",
        "//calls",
        ""
      })
  void takesNoPathOfOthers(String path) {
    assertThat(studio.covers(path)).isFalse();
  }

  @Test
  void servesEveryPageThatTheNavigationNames() throws Exception {
    var routes = Files.readString(Path.of("src/main/web/routes.ts"));
    var named = new HashSet<String>();
    var matcher = Pattern.compile("path: \"/([^\"]+)\"").matcher(routes);
    while (matcher.find()) {
      named.add(matcher.group(1));
    }
    named.add("login");
    assertThat(named).isEqualTo(Studio.PAGES);
    for (var name : named) {
      assertThat(studio.covers("/" + name)).as(name).isTrue();
    }
    assertThat(studio.covers("/calls/call_1")).isTrue();
  }

  @Test
  void allowsThisOriginsFilesAloneAndNothingInline() throws Exception {
    var page = get("/");
    assertThat(page.statusCode()).isEqualTo(200);
    assertThat(page.headers().firstValue("content-security-policy").orElseThrow())
        .startsWith("default-src 'none'")
        .doesNotContain("unsafe", "http:", "https:", "*");
    assertThat(new String(page.body(), java.nio.charset.StandardCharsets.UTF_8))
        .doesNotContain("style=", "onload=", "<script>", "http://", "https://");
  }

  @Test
  void answersThatAPageIsUnchanged() throws Exception {
    var tag = get("/calls").headers().firstValue("etag").orElseThrow();
    assertThat(get("/calls", "if-none-match", tag).statusCode()).isEqualTo(304);
  }

  @Test
  void filesAreKeptForGoodAndSmall() throws Exception {
    assumeThat(Studio.class.getResource("web/main.js")).as("the bundle").isNotNull();
    var html = new String(get("/").body(), java.nio.charset.StandardCharsets.UTF_8);
    List<String> files = new ArrayList<>();
    var matcher = Pattern.compile("(?:href|src)=\"(/assets/[^\"]+)\"").matcher(html);
    while (matcher.find()) {
      files.add(matcher.group(1));
    }
    assertThat(files).hasSize(3);
    int packed = 0;
    for (var file : files) {
      var answer = get(file, "accept-encoding", "gzip");
      assertThat(answer.statusCode()).isEqualTo(200);
      assertThat(answer.headers().firstValue("cache-control").orElseThrow()).contains("immutable");
      packed += answer.body().length;
    }
    assertThat(packed).isLessThan(MOST_BYTES);
  }

  @Test
  void saysThatAFileOfAnotherBuildIsGone() throws Exception {
    assertThat(get("/assets/main-000000000000.js").statusCode()).isEqualTo(404);
  }
}
