package dev.mainstay.gateway;

import static dev.mainstay.gateway.Harness.header;
import static dev.mainstay.gateway.ScriptedProvider.answer;
import static dev.mainstay.gateway.ScriptedProvider.json;
import static org.assertj.core.api.Assertions.assertThat;

import dev.mainstay.gateway.health.MetricFamily;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a client or a provider may say without limit is bounded. */
@Timeout(180)
final class BoundsTest extends StoreTest {
  private static final String CONFIG =
      """
      prices:
        - { model: gpt-4o, unit: input, price: 2.5 }
        - { model: gpt-4o, unit: output, price: 10 }
      clients:
        - { name: a, key: key-a-1, models: [one/gpt-4o], budget: { usd: 5000, per: month } }
        - { name: any, key: key-any-1 }
      """;

  @BeforeEach
  @Override
  void open() {
    open(CONFIG);
  }

  @Test
  void aLongNameIsRefusedAndNotRepeated() {
    var longest = "one/" + "m".repeat(252);
    assertThat(ask(longest.substring(0, 255) + "1").statusCode()).isNotEqualTo(400);
    var refused = ask("one/" + "m".repeat(1 << 20));
    assertThat(refused.statusCode()).isEqualTo(400);
    assertThat(refused.body())
        .contains("\"code\":\"name_too_long\"")
        .contains("model has 1048580 characters; the limit is 256")
        .hasSizeLessThan(1000);
    var run =
        h.post(
            CHAT,
            Harness.ask("one/gpt-4o", false),
            "x-api-key",
            "key-a-1",
            "x-mainstay-run",
            "r".repeat(257));
    assertThat(run.statusCode()).isEqualTo(400);
    assertThat(run.body()).contains("x-mainstay-run has 257 characters; the limit is 256");
  }

  private java.net.http.HttpResponse<String> ask(String model) {
    return h.post(CHAT, Harness.ask(model, false), "x-api-key", "key-any-1");
  }

  @Test
  void aMetricHasABoundedNumberOfSeriesWithBoundedLabels() {
    var family = MetricFamily.counter("many", "Many.");
    IntStream.range(0, 50_000)
        .forEach(i -> family.add(1, "model", "m".repeat(300) + i, "n", "" + i));
    var text = new StringBuilder();
    family.append(text);
    assertThat(text.toString().lines().count()).isEqualTo(MetricFamily.MOST_SERIES + 3);
    assertThat(text.toString())
        .contains("{model=\"other\",n=\"other\"} " + (50_000 - MetricFamily.MOST_SERIES));
    assertThat(text.toString().lines().mapToInt(String::length).max().orElse(0)).isLessThan(350);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"1000000000000", "9223372036854775807", "1e300", "99999999999999999999999"})
  void aClaimOfMoreTokensThanThereCanBeHasNoPriceAndEndsLikeAnyOther(String tokens) {
    h.one.then(
        json(
            200,
            answer()
                .replace("\"prompt_tokens\":5", "\"prompt_tokens\":" + tokens)
                .replace("\"completion_tokens\":1", "\"completion_tokens\":" + tokens)));
    var answered =
        h.post(
            CHAT,
            Harness.ask("one/gpt-4o", false).replace("\"stream\"", "\"max_tokens\":9,\"stream\""),
            "x-api-key",
            "key-a-1");
    assertThat(answered.statusCode()).isEqualTo(200);
    assertThat(header(answered, "x-mainstay-attempts")).isEqualTo("1");
    var call = h.kept.next();
    assertThat(call.call().costNanos()).isNull();
    assertThat(call.attempts())
        .singleElement()
        .satisfies(
            attempt ->
                assertThat(attempt.reason()).contains("reports an impossible number of tokens"));
    // What it was to cost at most is booked, and nothing is reserved any more.
    var accounts = h.get("/api/budgets").body();
    assertThat(accounts).contains("\"reserved_usd\":0}", "\"limit_usd\":5000,", "\"ends_at\":\"");
    // It ends a moment after its last byte.
    while (h.gateway.running() > 0) {
      Thread.onSpinWait();
    }
  }
}
