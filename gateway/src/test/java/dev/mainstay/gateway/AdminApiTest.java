package dev.mainstay.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mainstay.ledger.LedgerConfig;
import dev.mainstay.ledger.sqlite.SqliteLedger;
import dev.mainstay.wire.json.Tree;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** The admin API over a real ledger. */
final class AdminApiTest {
  @TempDir private Path folder;

  @Test
  void whatIsDescribedIsOfferedAndTellsNoSecret() throws Exception {
    try (var provider = new ScriptedProvider();
        var ledger = SqliteLedger.open(LedgerConfig.in(folder), InstantSource.system());
        var client = HttpClient.newHttpClient();
        var gateway = Harness.over(ledger, provider, ", headers: { x-team: PLANTED-header }")) {
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
        ledger.recorder().flush(Duration.ofSeconds(60));
      }

      var described = Tree.read(get(client, url + "/api/openapi.json"));
      assertThat(described.get("openapi").asString()).startsWith("3.1");
      for (var path : described.get("paths").properties()) {
        if (path.getValue().has("get")) {
          if (path.getKey().equals("/api/search")) {
            continue;
          }
          var concrete =
              path.getKey()
                  .replace("{id}", id)
                  .replace("{attempt}", "0")
                  .replace("{part}", "request");
          if (path.getKey().equals("/api/live")) {
            // It goes on for as long as somebody listens: LiveApiTest.
            continue;
          }
          if (path.getKey().startsWith("/api/dead-letters/")
              || path.getKey().startsWith("/api/failures/")) {
            // The call was answered: it is neither a dead letter nor a failure.
            assertThat(status(client, url + concrete)).isEqualTo(404);
            continue;
          }
          assertThat(get(client, url + concrete))
              .as(concrete)
              .doesNotContain(ScriptedProvider.KEY)
              .doesNotContain("PLANTED-header");
        }
      }

      everyListHasACursor(client, url, described);
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
      for (var filter :
          List.of(
              "model=one/gpt-4o",
              "target=one%2Fgpt-4o",
              "status=200",
              "failed=false",
              "q=" + id,
              "from=2020-01-01&to=2100-01-01",
              "attempts_min=1&attempts_max=1",
              "tokens_min=6&tokens_max=6",
              "total_ms_min=0&total_ms_max=999999999")) {
        assertThat(get(client, url + "/api/calls?" + filter)).as(filter).contains(id);
      }
      for (var filter :
          List.of(
              "model=gpt",
              "failed=true",
              "class=FATAL",
              "kind=auth",
              "recovery=retry",
              "run=r",
              "attempts_min=2",
              "tokens_max=5",
              "cost_usd_min=0",
              "total_ms_min=999999999")) {
        assertThat(get(client, url + "/api/calls?" + filter)).as(filter).doesNotContain(id);
      }
      for (var wrong :
          Map.of(
                  "class=BAD", "FATAL",
                  "kind=nothing", "rate_limit",
                  "status=ok", "100 to 599",
                  "failed=maybe", "true",
                  "from=yesterday", "2026-11-21",
                  "recovery=luck", "continuation",
                  "colour=blue", "recovery")
              .entrySet()) {
        var refused = refused(client, url + "/api/calls?" + wrong.getKey());
        assertThat(refused.get("error").get("code").asString()).isEqualTo("invalid_request");
        assertThat(refused.get("error").get("allowed").toString())
            .as(wrong.getKey())
            .contains(wrong.getValue());
      }
      refused(client, url + "/api/calls?from=2026-02-01&to=2026-01-01");
      // The end of the day before is the beginning of the day.
      for (var list : List.of("calls", "stats", "costs")) {
        refused(client, url + "/api/" + list + "?from=2026-02-02&to=2026-02-01");
      }
      var prices = Tree.read(get(client, url + "/api/prices?limit=1"));
      assertThat(prices.get("prices")).hasSize(1);
      var more = url + "/api/prices?limit=1&cursor=" + prices.get("next").asString();
      assertThat(Tree.read(get(client, more)).get("prices").get(0))
          .isNotEqualTo(prices.get("prices").get(0));
      for (var wrong :
          List.of(
              "attempts_min=-1",
              "tokens_max=1.5",
              "total_ms_min=fast",
              "cost_usd_min=1e9",
              "turns_min=1",
              "attempts_min=3&attempts_max=2")) {
        assertThat(refused(client, url + "/api/calls?" + wrong).at("/error/message").asString())
            .contains(wrong.substring(0, wrong.indexOf('=')));
      }
      refused(client, url + "/api/calls?cursor=%21");
      for (var nothing : List.of("/api", "/api/", "/api/nothing")) {
        var answer = client.send(request(url + nothing), HttpResponse.BodyHandlers.ofString());
        assertThat(answer.statusCode()).as(nothing).isEqualTo(404);
        assertThat(answer.body()).contains("\"code\":\"not_found\"", "\"allowed\":[]");
      }
      refused(client, url + "/api/stats?bucket=5m");
      refused(client, url + "/api/stats?by=colour");
      assertThat(get(client, url + "/api/costs?format=csv"))
          .isEqualTo(
              "key,calls,failed,attempts,input_tokens,cached_input_tokens,cache_write_tokens,"
                  + "output_tokens,reasoning_tokens,cost_usd,attempts_without_price\r\n"
                  + "\"one/gpt-4o\",1,0,1,5,0,0,1,0,,1\r\n");
      refused(client, url + "/api/costs?format=pdf");
      refused(client, url + "/api/search");
      refused(client, url + "/api/search?q=" + "x".repeat(201));
      for (var far : List.of("-1000000000-01-01T00:00:00Z", "%2B1000000000-12-31T23:59:59Z")) {
        for (var path : List.of("/api/calls", "/api/stats", "/api/costs")) {
          refused(client, url + path + "?from=" + far);
          refused(client, url + path + "?to=" + far);
        }
      }
      refused(client, url + "/api/calls?q=" + "x".repeat(201));
      refused(client, url + "/api/calls?q=a%00");
      refused(client, url + "/api/calls/a%00");
      assertThat(get(client, url + "/api/search?q=GPT"))
          .isEqualTo(
              "{\"hits\":[{\"type\":\"model\",\"name\":\"one/gpt-4o\",\"text\":null},{\"type\":\"target\",\"name\":\"one/gpt-4o\",\"text\":null}],\"bodies\":\"searched\",\"next\":null}");
      assertThat(get(client, url + "/api/search?q=" + id)).contains("\"type\":\"call\"");
      assertThat(get(client, url + "/api/prices"))
          .contains("anthropic/claude-opus-4-5", "https://");
      var stats = Tree.read(get(client, url + "/api/stats?by=target&bucket=1h"));
      assertThat(stats.at("/total/calls").asInt()).isEqualTo(1);
      assertThat(stats.at("/rows/0/key").asString()).isEqualTo("one/gpt-4o");
      assertThat(stats.at("/buckets/0/delivered").asInt()).isEqualTo(1);
      assertThat(stats.at("/buckets/0/tokens/input").asInt()).isEqualTo(5);
      assertThat(stats.at("/buckets/0/total_ms/p95").asInt()).isPositive();
      assertThat(stats.at("/total/cost_usd").isNull()).as("no price is known").isTrue();
      assertThat(get(client, url + "/api/config"))
          .contains("\"keys\":[\"***\"]", "\"x-team\"", "\"max-attempts\":5");
    }
  }

  /** Breakers, providers and prices are as many as the configuration names. */
  private static void everyListHasACursor(HttpClient client, String url, JsonNode described)
      throws Exception {
    var lists = new ArrayList<String>();
    for (var path : described.get("paths").properties()) {
      var get = path.getValue().path("get");
      for (var parameter : get.path("parameters")) {
        // A search has words to look for besides, and a test of its own.
        if (parameter.path("name").asString().equals("cursor")
            && !path.getKey().equals("/api/search")) {
          lists.add(path.getKey());
        }
      }
    }
    assertThat(lists)
        .contains(
            "/api/calls",
            "/api/alerts",
            "/api/budgets",
            "/api/dead-letters",
            "/api/failures",
            "/api/evaluations",
            "/api/audit",
            "/api/costs",
            "/api/prices",
            "/api/providers",
            "/api/breakers");
    for (var list : lists) {
      assertThat(Tree.read(get(client, url + list)).get("next").isNull()).as(list).isTrue();
      var error = refused(client, url + list + "?cursor=%21nonsense").get("error");
      assertThat(error.get("code").asString()).as(list).isEqualTo("invalid_request");
      assertThat(error.get("message").asString())
          .as(list)
          .contains("not a cursor of this list with these filters: !nonsense");
      refused(client, url + list + "?limit=0");
      for (var other : lists) {
        var theirs = Tree.read(get(client, url + other + "?limit=1")).get("next");
        if (!other.equals(list) && theirs.isString()) {
          refused(client, url + list + "?cursor=" + encoded(theirs.asString()));
        }
      }
    }
  }

  private static String get(HttpClient client, String url) throws Exception {
    var response = client.send(request(url), HttpResponse.BodyHandlers.ofString());
    assertThat(response.statusCode()).as("%s: %s", url, response.body()).isEqualTo(200);
    return response.body();
  }

  private static JsonNode refused(HttpClient client, String url) throws Exception {
    var response = client.send(request(url), HttpResponse.BodyHandlers.ofString());
    assertThat(response.statusCode()).as("%s: %s", url, response.body()).isEqualTo(400);
    return Tree.read(response.body());
  }

  private static String encoded(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8);
  }

  private static int status(HttpClient client, String url) throws Exception {
    return client.send(request(url), HttpResponse.BodyHandlers.discarding()).statusCode();
  }

  private static HttpRequest request(String url) {
    return HttpRequest.newBuilder(URI.create(url)).build();
  }
}
