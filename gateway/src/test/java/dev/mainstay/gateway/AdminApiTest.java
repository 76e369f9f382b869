package dev.mainstay.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mainstay.config.ConfigLoader;
import dev.mainstay.ledger.LedgerConfig;
import dev.mainstay.ledger.sqlite.SqliteLedger;
import dev.mainstay.wire.json.Tree;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The admin API over a real ledger. */
final class AdminApiTest {
  @TempDir private Path folder;

  @Test
  void whatIsDescribedIsOfferedAndTellsNoSecret() throws Exception {
    try (var provider = new ScriptedProvider();
        var ledger = SqliteLedger.open(LedgerConfig.in(folder), InstantSource.system());
        var client = HttpClient.newHttpClient();
        var gateway =
            Gateway.start(
                ConfigLoader.parse(
                    """
                    server: { port: 0 }
                    providers:
                      one: { dialect: openai, base-url: "%s/v1", keys: ["%s"], headers: { x-team: PLANTED-header } }
                    """
                        .formatted(provider.url(), ScriptedProvider.KEY),
                    "test.yaml",
                    Map.of()),
                ledger.recorder(),
                ledger.reader(),
                ledger.state())) {
      var url = "http://127.0.0.1:" + gateway.port();
      var asked =
          client.send(
              HttpRequest.newBuilder(URI.create(url + "/v1/chat/completions"))
                  .POST(HttpRequest.BodyPublishers.ofString(Harness.ask("one/gpt-4o", false)))
                  .build(),
              HttpResponse.BodyHandlers.ofString());
      assertThat(asked.statusCode()).isEqualTo(200);
      var id = asked.headers().firstValue("x-mainstay-call").orElseThrow();
      // The client has its answer a moment before the record is handed over.
      while (ledger.reader().call(id) == null) {
        ledger.recorder().flush(Duration.ofSeconds(10));
      }

      var described = Tree.read(get(client, url + "/api/openapi.json"));
      assertThat(described.get("openapi").asString()).startsWith("3.1");
      for (var path : described.get("paths").properties()) {
        if (path.getValue().has("get")) {
          var concrete =
              path.getKey()
                  .replace("{id}", id)
                  .replace("{attempt}", "0")
                  .replace("{part}", "request");
          if (path.getKey().startsWith("/api/dead-letters/")) {
            // The call was answered: it is no dead letter.
            assertThat(status(client, url + concrete)).isEqualTo(404);
            continue;
          }
          assertThat(get(client, url + concrete))
              .as(concrete)
              .doesNotContain(ScriptedProvider.KEY)
              .doesNotContain("PLANTED-header");
        }
      }

      assertThat(get(client, url + "/api/calls/" + id + "/bodies/0/request"))
          .isEqualTo(Harness.ask("one/gpt-4o", false));
      var costs = Tree.read(get(client, url + "/api/costs?by=model"));
      assertThat(costs.get("rows").get(0).get("key").asString()).isEqualTo("one/gpt-4o");
      assertThat(costs.get("rows").get(0).get("calls").asInt()).isEqualTo(1);
      assertThat(costs.get("rows").get(0).get("tokens").get("input").asInt()).isEqualTo(5);
      // Nobody knows the price, so nobody knows the sum.
      assertThat(costs.get("rows").get(0).get("attempts_without_price").asInt()).isEqualTo(1);
      assertThat(costs.get("rows").get(0).get("cost_usd").isNull()).isTrue();
      assertThat(costs.get("cost_usd").isNull()).isTrue();
      for (var by : new String[] {"client", "run", "day"}) {
        assertThat(get(client, url + "/api/costs?by=" + by + "&from=2020-01-01")).contains(by);
      }
      assertThat(status(client, url + "/api/costs?by=colour")).isEqualTo(400);
      assertThat(status(client, url + "/api/costs?from=yesterday")).isEqualTo(400);
      assertThat(status(client, url + "/api/calls?limit=many")).isEqualTo(400);
      assertThat(status(client, url + "/api/calls/" + id + "/bodies/7/request")).isEqualTo(404);
      assertThat(get(client, url + "/api/config"))
          .contains("\"keys\":[\"***\"]", "\"x-team\"", "\"max-attempts\":5");
    }
  }

  private static String get(HttpClient client, String url) throws Exception {
    var response = client.send(request(url), HttpResponse.BodyHandlers.ofString());
    assertThat(response.statusCode()).as("%s: %s", url, response.body()).isEqualTo(200);
    return response.body();
  }

  private static int status(HttpClient client, String url) throws Exception {
    return client.send(request(url), HttpResponse.BodyHandlers.discarding()).statusCode();
  }

  private static HttpRequest request(String url) {
    return HttpRequest.newBuilder(URI.create(url)).build();
  }
}
