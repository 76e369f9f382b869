package dev.mainstay.app;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mainstay.simulator.Received;
import dev.mainstay.simulator.Simulator;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** A real gateway is killed right after its answers, and the next one goes on with them. */
@DisabledOnOs(OS.WINDOWS)
@Timeout(180)
class ProviderObjectsKillTest {
  private static final Pattern ID = Pattern.compile("\"id\": ?\"(resp_[^\"]+)\"");

  @TempDir Path directory;

  private record Place(String provider, String key) {
    static Place of(Received request) {
      return new Place(request.request().provider(), request.delivery().key());
    }
  }

  private static String respond(HttpClient client, GatewayProcess gateway, String more)
      throws Exception {
    var request =
        HttpRequest.newBuilder(URI.create(gateway.address() + "/v1/responses"))
            .POST(HttpRequest.BodyPublishers.ofString("{\"model\":\"both\"," + more + "}"))
            .build();
    var answer = client.send(request, BodyHandlers.ofString());
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    var id = ID.matcher(answer.body());
    assertThat(id.find()).isTrue();
    return id.group(1);
  }

  @Test
  void whatMadeAnAnswerIsKnownAfterAKill() throws Exception {
    try (var simulator = Simulator.start();
        var client = HttpClient.newHttpClient()) {
      var config = directory.resolve("mainstay.yaml");
      Files.writeString(
          config,
          """
          store: { url: "%s" }
          providers:
            one: { dialect: openai, base-url: "%s/one/v1", keys: [sk-one-first-key, sk-one-second-key] }
            two: { dialect: openai, base-url: "%s/two/v1", keys: [sk-two-first-key, sk-two-second-key] }
          models:
            both: { balance: weighted, targets: [one/m, two/m] }
          """
              .formatted(directory.resolve("data"), simulator.url(), simulator.url()));
      var made = new LinkedHashMap<String, Place>();
      try (var gateway = GatewayProcess.start(config)) {
        for (int i = 0; i < 12; i++) {
          var id =
              respond(client, gateway, "\"input\":\"hello " + i + "\",\"stream\":" + (i % 2 > 0));
          made.put(id, Place.of(simulator.log().getLast()));
        }
        gateway.kill();
      }
      assertThat(made.values().stream().distinct().count()).isGreaterThan(1);
      try (var gateway = GatewayProcess.start(config)) {
        for (var answer : made.entrySet()) {
          respond(
              client,
              gateway,
              "\"input\":\"and?\",\"previous_response_id\":\"" + answer.getKey() + "\"");
          assertThat(Place.of(simulator.log().getLast()))
              .as(answer.getKey())
              .isEqualTo(answer.getValue());
        }
      }
    }
  }
}
