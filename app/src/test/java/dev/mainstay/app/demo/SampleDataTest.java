package dev.mainstay.app.demo;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class SampleDataTest {
  @Test
  @Timeout(value = 2, unit = TimeUnit.MINUTES)
  void givesEveryPageOfTheStudioSomethingToShow() throws Exception {
    try (var stage = DemoEnvironment.start(0);
        var http = HttpClient.newHttpClient()) {
      SampleData.play(stage);
      assertThat(get(http, stage, "/api/runs?agent=support").path("runs"))
          .extracting(run -> run.path("status").asString())
          .containsExactly("in_doubt", "waiting", "completed");
      assertThat(get(http, stage, "/api/runs?agent=rules").path("runs")).hasSize(1);
      assertThat(get(http, stage, "/api/runs/nightly-report").path("turns").asInt()).isEqualTo(2);
      assertThat(get(http, stage, "/api/dead-letters").path("dead_letters"))
          .extracting(letter -> letter.path("state").asString())
          .containsExactly("dead");
      assertThat(get(http, stage, "/api/evaluations").path("evaluations")).hasSize(3);
      // Calls are gathered into cases a moment after they are on record.
      var failures = get(http, stage, "/api/failures");
      long until = System.nanoTime() + TimeUnit.MINUTES.toNanos(1);
      while (failures.path("failures").isEmpty() && System.nanoTime() < until) {
        failures = get(http, stage, "/api/failures");
      }
      assertThat(failures.path("failures")).isNotEmpty();
      offersWhatAGatewayOffers(http, stage);
    }
  }

  private static void offersWhatAGatewayOffers(HttpClient http, DemoEnvironment stage)
      throws Exception {
    assertThat(get(http, stage, "/api/selftest").path("state").asString()).isEqualTo("none");
    var classified = post(http, stage, "/api/classify", "{\"status\":429}");
    assertThat(classified.path("kind").asString()).isEqualTo("rate_limit");
    var refused = post(http, stage, "/api/selftest", "{\"fault\":\"none\"}");
    var fault = refused.at("/error/allowed/0").asString();
    var shown = post(http, stage, "/api/selftest", "{\"fault\":\"%s\"}".formatted(fault));
    long until = System.nanoTime() + TimeUnit.MINUTES.toNanos(1);
    while (shown.path("state").asString().equals("running") && System.nanoTime() < until) {
      shown = get(http, stage, "/api/selftest");
    }
    assertThat(shown.path("state").asString()).as(shown.toString()).isEqualTo("done");
  }

  private static JsonNode post(HttpClient http, DemoEnvironment stage, String path, String body)
      throws Exception {
    var request =
        HttpRequest.newBuilder(URI.create(stage.address() + path))
            .POST(BodyPublishers.ofString(body));
    return JsonMapper.shared().readTree(http.send(request.build(), BodyHandlers.ofString()).body());
  }

  private static JsonNode get(HttpClient http, DemoEnvironment stage, String path)
      throws Exception {
    var request = HttpRequest.newBuilder(URI.create(stage.address() + path)).build();
    return JsonMapper.shared().readTree(http.send(request, BodyHandlers.ofString()).body());
  }
}
