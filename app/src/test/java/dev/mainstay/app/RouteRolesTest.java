package dev.mainstay.app;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Objects;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Every route of a gateway with the role it needs, as {@code routes.txt} lists them: a route that
 * is added is added there, with a thought. What is not described cannot be reached.
 */
@Timeout(180)
class RouteRolesTest {
  private static final String TOKEN = "admin-PLANTED-token";
  private static final HttpClient HTTP = HttpClient.newHttpClient();

  @TempDir Path folder;

  private static HttpResponse<String> send(String url, String method, String... headers)
      throws Exception {
    var request =
        HttpRequest.newBuilder(URI.create(url)).method(method, BodyPublishers.ofString("{}"));
    if (headers.length > 0) {
      request.headers(headers);
    }
    return HTTP.send(request.build(), BodyHandlers.ofString());
  }

  private static TreeSet<String> listed() throws IOException {
    try (var in = RouteRolesTest.class.getResourceAsStream("routes.txt")) {
      var text = new String(Objects.requireNonNull(in).readAllBytes(), UTF_8);
      return new TreeSet<>(text.lines().filter(line -> !line.startsWith("#")).toList());
    }
  }

  @Test
  void everyRouteHasTheRoleThatIsListed() throws Exception {
    var config = folder.resolve("mainstay.yaml");
    Files.writeString(
        config,
        """
        admin: { token: %s }
        providers:
          one: { dialect: openai, base-url: "http://127.0.0.1:9/v1", keys: ["k1"] }
        models:
          assistant: { targets: [one/a] }
        agents:
          helper: { model: assistant, instructions: "Help." }
        """
            .formatted(TOKEN));
    try (var gateway = GatewayProcess.start(config)) {
      var address = gateway.address();
      var described =
          JsonMapper.shared()
              .readTree(
                  send(address + "/api/openapi.json", "GET", "authorization", "Bearer " + TOKEN)
                      .body());
      var found = new TreeSet<String>();
      for (var path : described.get("paths").properties()) {
        for (var operation : path.getValue().properties()) {
          var role = operation.getValue().path("x-mainstay-role").asString();
          var method = operation.getKey().toUpperCase(Locale.ROOT);
          found.add(role + " " + method + " " + path.getKey());
          if (!role.equals("none")) {
            var concrete = address + path.getKey().replaceAll("\\{[a-z]+}", "x");
            assertThat(send(concrete, method).statusCode()).as(concrete).isEqualTo(401);
          }
        }
      }
      assertThat(found).isEqualTo(listed());
      for (var path : described.get("paths").properties()) {
        var concrete = address + path.getKey().replaceAll("\\{[a-z]+}", "x");
        var answer = send(concrete, "PUT", "authorization", "Bearer " + TOKEN);
        assertThat(answer.statusCode()).as(concrete).isEqualTo(405);
        var allowed =
            JsonMapper.shared().readTree(answer.body()).at("/error/allowed").valueStream();
        var methods = allowed.map(JsonNode::asString).toList();
        assertThat(methods)
            .as(concrete)
            .containsAll(
                path.getValue().propertyNames().stream()
                    .map(method -> method.toUpperCase(Locale.ROOT))
                    .toList());
        assertThat(answer.headers().firstValue("allow").orElse(""))
            .as(concrete)
            .isEqualTo(String.join(", ", methods));
      }
      var nothing = send(address + "/api/runs/x/secret", "GET", "authorization", "Bearer " + TOKEN);
      assertThat(nothing.statusCode()).isEqualTo(404);
    }
  }
}
