package dev.mainstay.gateway;

import static dev.mainstay.gateway.Harness.header;
import static dev.mainstay.gateway.ScriptedProvider.error;
import static org.assertj.core.api.Assertions.assertThat;

import dev.mainstay.ledger.LedgerConfig;
import dev.mainstay.ledger.sqlite.SqliteLedger;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.time.InstantSource;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What an operator sees of a gateway: health, metrics, the way of a trace. */
final class ObservabilityTest {
  @Test
  void healthSaysHowEachProvidersKeysAndBreakersStand() {
    try (var h = new Harness()) {
      h.one.then(error(429, "insufficient_quota", "insufficient_quota", "You exceeded your quota"));
      assertThat(h.chat("assistant").statusCode()).as("the other target answers").isEqualTo(200);
      var health = h.get("/health");
      assertThat(health.statusCode()).isEqualTo(200);
      assertThat(health.body())
          .contains("\"target\":\"one/first\",\"state\":\"closed\"")
          .contains("\"key\":1,\"state\":\"resting\"")
          .containsPattern("\"resting_ms\":\\{\"first\":[0-9]+}")
          .contains("\"target\":\"two/second\",\"state\":\"closed\"")
          .doesNotContain(ScriptedProvider.KEY);
      assertThat(h.get("/health/ready").body()).doesNotContain("resting_ms");
    }
  }

  @Test
  void metricsAreTypedAndNamedAfterTheConventions() {
    try (var h = new Harness()) {
      h.one.then(error(503, "server_error", "", "The server is overloaded"));
      assertThat(h.chat("assistant").statusCode()).isEqualTo(200);
      h.kept.next();
      var text = h.get("/metrics").body();
      assertThat(text)
          .contains("mainstay_calls_total{dialect=\"openai-chat\",outcome=\"answered\"} 1")
          .contains("mainstay_tokens_total{target=")
          .contains("# TYPE gen_ai_server_request_duration_seconds histogram")
          .contains("gen_ai_client_operation_duration_seconds_count{gen_ai_operation_name=\"chat\"")
          .contains("gen_ai_token_type=\"input\",le=\"+Inf\"} 1")
          .contains("mainstay_keys{provider=\"one\",state=\"in_use\"} 1");
      // Each name's help and type come once, before its series, which stand together.
      var names =
          text.lines().filter(l -> l.startsWith("# TYPE ")).map(l -> l.split(" ")[2]).toList();
      assertThat(names).doesNotHaveDuplicates();
      var series =
          text.lines()
              .filter(l -> !l.startsWith("#"))
              .map(l -> l.split("[{ ]")[0].replaceAll("_(bucket|sum|count)$", ""))
              .toList();
      assertThat(series.stream().distinct().toList())
          .as("only declared ones")
          .allMatch(name -> names.contains(name));
      assertThat(Arrays.stream(text.split("\n")).filter(l -> !l.startsWith("#")))
          .allMatch(l -> l.matches("[a-z_]+(\\{[^}]*})? -?[0-9.E+-]+"));
    }
  }

  @Test
  void whatTheStateCannotWriteAndWhatNeededNoCallIsSeen(@TempDir Path directory) throws Exception {
    try (var ledger = SqliteLedger.open(LedgerConfig.in(directory), InstantSource.system());
        var h = new Harness("", "drain: 2s", ledger.state())) {
      assertThat(keyed(h).statusCode()).isEqualTo(200);
      assertThat(header(keyed(h), "idempotent-replayed")).isEqualTo("true");
      assertThat(h.get("/health/ready").body())
          .contains("\"state\":{\"ok\":true,\"trouble\":null,\"failed\":0,");
      assertThat(h.get("/metrics").body())
          .contains("mainstay_requests_without_call_total{how=\"replayed\"} 1")
          .contains("mainstay_state_trouble 0");
      try (var other = DriverManager.getConnection("jdbc:sqlite:" + directory.resolve("state.db"));
          var statement = other.createStatement()) {
        statement.execute("drop table idempotency");
      }
      assertThat(keyed(h).statusCode()).as("it goes on serving").isEqualTo(200);
      assertThat(h.get("/health").body())
          .contains("\"state\":{\"ok\":false,\"trouble\":\"Mainstay cannot write the state");
      assertThat(h.get("/metrics").body())
          .contains("mainstay_state_trouble 1")
          .containsPattern("mainstay_state_failed_total [1-9]");
    }
  }

  private static HttpResponse<String> keyed(Harness h) {
    return h.post("/v1/chat/completions", Harness.ask("one/first", false), "idempotency-key", "k");
  }

  @Test
  void aClientsTraceGoesOnToTheProvider() {
    var parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
    try (var h = new Harness()) {
      h.post(
          "/v1/chat/completions",
          Harness.ask("one/m", false),
          "traceparent",
          parent,
          "baggage",
          "x");
      assertThat(h.one.asked.getFirst().headers())
          .containsEntry("traceparent", parent)
          .doesNotContainKey("baggage");
      h.post("/v1/chat/completions", Harness.ask("claude/m", false), "traceparent", parent);
      assertThat(h.one.asked.get(1).path()).isEqualTo("/v1/messages");
      assertThat(h.one.asked.get(1).headers())
          .as("whatever the provider speaks")
          .containsEntry("traceparent", parent);
    }
  }
}
