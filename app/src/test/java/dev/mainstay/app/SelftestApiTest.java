package dev.mainstay.app;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** A self-test is started from a running gateway, one at a time, and shown as it goes on. */
@Timeout(300)
class SelftestApiTest {
  private static final HttpClient HTTP = HttpClient.newHttpClient();

  @TempDir Path folder;

  private static HttpResponse<String> send(String address, String method, String body)
      throws Exception {
    return HTTP.send(
        HttpRequest.newBuilder(URI.create(address + "/api/selftest"))
            .method(method, BodyPublishers.ofString(body))
            .build(),
        BodyHandlers.ofString());
  }

  private static JsonNode json(HttpResponse<String> answer, int status) throws Exception {
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(status);
    return JsonMapper.shared().readTree(answer.body());
  }

  @Test
  void oneRunsAtATimeAndShowsWhatItFound() throws Exception {
    var config = folder.resolve("mainstay.yaml");
    Files.writeString(
        config,
        """
        providers:
          one: { dialect: openai, base-url: "http://127.0.0.1:9/v1", keys: ["k1"] }
          two: { dialect: anthropic, base-url: "http://127.0.0.1:9", keys: ["k2"] }
        models:
          assistant: { targets: [one/a, two/b] }
        """);
    try (var gateway = GatewayProcess.start(config)) {
      var address = gateway.address();
      assertThat(json(send(address, "GET", ""), 200).path("state").asString()).isEqualTo("none");
      var noRoute = json(send(address, "POST", "{\"route\":\"x\"}"), 400);
      assertThat(noRoute.at("/error/allowed/0").asString()).isEqualTo("assistant");
      json(send(address, "POST", "{\"fault\":\"x\"}"), 400);
      json(send(address, "POST", "{\"colour\":1}"), 400);
      json(send(address, "POST", "[]"), 400);
      json(send(address, "DELETE", ""), 405);

      var faults = json(send(address, "POST", "{\"fault\":\"x\"}"), 400).at("/error/allowed");
      assertThat(faults).isNotEmpty();
      var fault = faults.get(0).asString();
      var one = "{\"fault\":\"" + fault + "\"}";
      JsonNode shown;
      HttpResponse<String> second;
      do {
        var started = json(send(address, "POST", one), 202);
        assertThat(started.path("state").asString()).isEqualTo("running");
        assertThat(started.path("trials").asInt()).isEqualTo(1);
        second = send(address, "POST", one);
        do {
          shown = json(send(address, "GET", ""), 200);
        } while (shown.path("state").asString().equals("running"));
        // Where the first has ended before the second is asked for, once more.
      } while (second.statusCode() == 202);
      assertThat(json(second, 409).at("/error/code").asString()).isEqualTo("already_running");
      assertThat(shown.path("state").asString()).as(shown.toString()).isEqualTo("done");
      assertThat(shown.path("done").asInt()).isEqualTo(1);
      assertThat(shown.at("/outcomes/0/fault").asString()).isEqualTo(fault);
      assertThat(shown.at("/outcomes/0/took_ms").isNumber()).isTrue();
      assertThat(shown.path("results")).hasSize(1);
      assertThat(shown.path("ended_at").asString()).isNotEmpty();
    }
  }
}
