package dev.mainstay.gateway;

import static dev.mainstay.gateway.Harness.ask;
import static dev.mainstay.gateway.Harness.header;
import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The limits of a provider's account, shared by all calls. */
@Timeout(180)
final class ProviderLimitsTest {
  private final Harness h = new Harness();

  @AfterEach
  void close() {
    h.close();
  }

  private void limit(String limits) {
    limit(limits, "");
  }

  private void limit(String limits, String more) {
    h.gateway.reload(
        Harness.parsed(
            h.yaml(more)
                .replace(
                    "one: { dialect: openai,", "one: { dialect: openai, limits: " + limits + ",")));
  }

  @Test
  void beyondTheLimitTheNextTargetIsAskedAtOnce() {
    limit("{ rpm: 1 }");
    assertThat(header(h.chat("assistant"), "x-mainstay-target")).isEqualTo("one/first");
    var second = h.chat("assistant");
    assertThat(header(second, "x-mainstay-target")).isEqualTo("two/second");
    assertThat(header(second, "x-mainstay-attempts")).isEqualTo("1");
    assertThat(h.one.bodies()).hasSize(1);
  }

  @Test
  void whereThereIsNoOtherItIsAnErrorWithTheWait() {
    limit("{ rpm: 1 }");
    long before = System.nanoTime();
    assertThat(h.chat("one/first").statusCode()).isEqualTo(200);
    var second =
        h.post("/v1/chat/completions", ask("one/first", false), "x-mainstay-deadline-ms", "20000");
    assertThat(second.statusCode()).isEqualTo(429);
    assertIsRestOfAMinute(second, before);
    assertThat(h.one.bodies()).hasSize(1);
  }

  /** The wait that is left, less what the machine took to get here. */
  private static void assertIsRestOfAMinute(HttpResponse<?> refused, long sinceNanos) {
    int took = (int) Duration.ofNanos(System.nanoTime() - sinceNanos).toSeconds();
    assertThat(Integer.parseInt(header(refused, "retry-after"))).isBetween(59 - took, 61);
  }

  /** The turn of the first is in 15 s, that of the second in 30: only one of them waits. */
  @Test
  void thoseWhoWaitCountForTheWaitOfTheNext() {
    limit("{ rpm: 4 }", "recovery: { retry: { patience: 20s } }\n");
    for (int i = 0; i < 4; i++) {
      assertThat(header(h.chat("assistant"), "x-mainstay-target")).isEqualTo("one/first");
    }
    var request =
        HttpRequest.newBuilder(URI.create(h.url() + "/v1/chat/completions"))
            .POST(HttpRequest.BodyPublishers.ofString(ask("assistant", false)))
            .build();
    var first = h.client.sendAsync(request, HttpResponse.BodyHandlers.ofString());
    var second = h.client.sendAsync(request, HttpResponse.BodyHandlers.ofString());
    var answered = (HttpResponse<?>) CompletableFuture.anyOf(first, second).join();
    assertThat(header(answered, "x-mainstay-target")).isEqualTo("two/second");
    assertThat(header(answered, "x-mainstay-attempts")).isEqualTo("1");
    assertThat(h.one.bodies()).hasSize(4);
    first.cancel(true);
    second.cancel(true);
  }

  @Test
  void tokensOfAllCallsCount() {
    limit("{ tpm: 1 }");
    assertThat(header(h.chat("assistant"), "x-mainstay-target")).isEqualTo("one/first");
    assertThat(header(h.chat("assistant"), "x-mainstay-target")).isEqualTo("two/second");
  }

  @Test
  void aShortWaitIsWaitedFor() {
    // One a second: the second request waits for less than the patience of two.
    limit("{ rpm: 60, parallel: 1 }");
    for (int i = 0; i < 61; i++) {
      assertThat(header(h.chat("assistant"), "x-mainstay-target")).isEqualTo("one/first");
    }
  }

  @Test
  void whatPassesThroughIsLimitedToo() {
    limit("{ rpm: 1 }");
    long before = System.nanoTime();
    assertThat(h.post("/providers/one/files", "{}").statusCode()).isEqualTo(200);
    h.kept.next();
    var second = h.post("/providers/one/files", "{}");
    assertThat(second.statusCode()).isEqualTo(429);
    assertThat(second.body()).contains("rate_limit", "rpm: 1");
    assertIsRestOfAMinute(second, before);
    assertThat(header(second, "x-mainstay-attempts")).isEqualTo("0");
    assertThat(h.one.bodies()).hasSize(1);
    assertThat(h.kept.next().attempts()).isEmpty();
  }

  @Test
  void whatPassesThroughWaitsForAShortWhileAndGivesItsPlaceBack() {
    limit("{ rpm: 60, parallel: 1 }");
    for (int i = 0; i < 61; i++) {
      assertThat(h.post("/providers/one/files", "{}").statusCode()).isEqualTo(200);
    }
    assertThat(h.one.bodies()).hasSize(61);
  }
}
