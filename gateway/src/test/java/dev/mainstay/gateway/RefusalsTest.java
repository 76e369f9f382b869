package dev.mainstay.gateway;

import static dev.mainstay.gateway.Harness.ask;
import static dev.mainstay.gateway.Harness.header;
import static org.assertj.core.api.Assertions.assertThat;

import dev.mainstay.ledger.Body;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What the gateway itself refuses is on record, under the id that its client got. */
@Timeout(180)
final class RefusalsTest {
  private static final String CLIENTS =
      """
      clients:
        - { name: a, key: key-a-1, models: [assistant], limits: { rpm: 1 } }
        - { name: b, key: key-b-1, models: [one/m], budget: { usd: 0.000001 } }
      prices: [ { model: one/m, unit: input, price: 1000 }, { model: one/m, unit: output, price: 1000 } ]
      """;

  private enum Refused {
    NO_KEY(401, "FATAL/auth", "invalid_api_key", "", h -> chat(h, "assistant", "")),
    MODEL_NOT_ALLOWED(
        403, "FATAL/permission", "model_not_allowed", "a", h -> chat(h, "one/m", "key-a-1")),
    PATH_NOT_ALLOWED(
        403,
        "LOGIC/permission",
        "path_not_allowed",
        "a",
        h -> h.post("/v1/files", "{}", "x-api-key", "key-a-1")),
    LIMIT(
        429,
        "TRANSIENT/rate_limit",
        "client_limit",
        "a",
        h -> {
          chat(h, "assistant", "key-a-1");
          h.kept.next();
          return chat(h, "assistant", "key-a-1");
        }),
    BUDGET(429, "FATAL/budget_exceeded", "budget_exceeded", "b", h -> chat(h, "one/m", "key-b-1")),
    BAD_JSON(
        400,
        "LOGIC/invalid_request",
        "invalid_json",
        "a",
        h -> h.post("/v1/chat/completions", "{", "x-api-key", "key-a-1")),
    TOO_LARGE(
        413,
        "LOGIC/payload_too_large",
        "body_too_large",
        "a",
        h ->
            h.post(
                "/v1/chat/completions",
                ask("assistant", false).replace("words", "w".repeat(70_000)),
                "x-api-key",
                "key-a-1"));

    private final int status;
    private final String verdict;
    private final String reason;
    private final String client;
    private final Function<Harness, HttpResponse<String>> ask;

    Refused(
        int status,
        String verdict,
        String reason,
        String client,
        Function<Harness, HttpResponse<String>> ask) {
      this.status = status;
      this.verdict = verdict;
      this.reason = reason;
      this.client = client;
      this.ask = ask;
    }
  }

  private static HttpResponse<String> chat(Harness h, String model, String key) {
    return key.isEmpty()
        ? h.chat(model)
        : h.post("/v1/chat/completions", ask(model, false), "x-api-key", key);
  }

  @ParameterizedTest
  @EnumSource(Refused.class)
  void isARowAMetricAndALine(Refused refused) {
    try (var lines = new LoggedLines();
        var store = new TemporaryState();
        var h = new Harness(CLIENTS, "max-body: 64KiB", store.state())) {
      var answer = refused.ask.apply(h);
      assertThat(answer.statusCode()).as(answer.body()).isEqualTo(refused.status);
      var id = header(answer, "x-mainstay-call");
      var row = h.kept.next();
      assertThat(row.call().id()).isEqualTo(id).isNotEmpty();
      assertThat(row.call().status()).isEqualTo(refused.status);
      assertThat(row.call().attempts()).isZero();
      assertThat(row.call().client()).isEqualTo(refused.client.isEmpty() ? null : refused.client);
      assertThat(row.call().verdict())
          .isEqualTo(header(answer, "x-mainstay-verdict"))
          .endsWith(refused.verdict.substring(refused.verdict.indexOf('/')));
      assertThat(row.bodies())
          .singleElement()
          .satisfies(
              body -> {
                assertThat(body.part()).isEqualTo(Body.Part.RESPONSE);
                assertThat(new String(body.bytes(), java.nio.charset.StandardCharsets.UTF_8))
                    .isEqualTo(answer.body())
                    .doesNotContain("key-a-1", "PLANTED");
              });
      assertThat(lines.next(line -> line.contains(id)))
          .startsWith("INFO " + id + " " + row.call().verdict() + ": refused with ")
          .contains(refused.client.isEmpty() ? "no client" : "client " + refused.client)
          .doesNotContain("key-a-1", "PLANTED");
      assertThat(h.get("/metrics").body())
          .contains(
              "mainstay_refusals_total{client=\"%s\",status=\"%d\",reason=\"%s\"} 1"
                  .formatted(refused.client, refused.status, refused.reason));
    }
  }

  @Test
  void aFloodOfRefusalsDoesNotFillTheLedger() {
    try (var lines = new LoggedLines();
        var h = new Harness("clients: [ { name: a, key: key-a-1 } ]\n")) {
      long before = System.nanoTime();
      for (int i = 0; i < 300; i++) {
        assertThat(h.chat("assistant").statusCode()).isEqualTo(401);
      }
      long seconds = Duration.ofNanos(System.nanoTime() - before).toSeconds();
      int rows = 0;
      while (h.kept.now() != null) {
        rows++;
      }
      assertThat(rows).isBetween(100, 101 + (int) seconds);
      assertThat(h.get("/metrics").body())
          .contains(
              "mainstay_refusals_total{client=\"\",status=\"401\",reason=\"invalid_api_key\"} 300");
      // Another client's refusal has an allowance of its own.
      var other = h.post("/v1/chat/completions", "{", "x-api-key", "key-a-1");
      assertThat(h.kept.next().call().id()).isEqualTo(header(other, "x-mainstay-call"));
      lines.next(line -> line.contains(header(other, "x-mainstay-call")));
      assertThat(lines.waiting(line -> line.contains("refused with"))).isZero();
    }
  }
}
