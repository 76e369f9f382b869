package dev.mainstay.gateway;

import static dev.mainstay.gateway.ScriptedProvider.error;
import static dev.mainstay.gateway.ScriptedProvider.json;
import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import dev.mainstay.http.Exchange;
import dev.mainstay.ledger.state.AlertLog.Alert;
import dev.mainstay.wire.json.Tree;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a person must know arrives, signed, once a cause, and holds nothing of a request. */
@Timeout(180)
final class AlertTest extends StoreTest {
  private static final String SECRET = "whsec-planted-SECRET";

  private record Delivery(Map<String, String> headers, String body) {}

  private final BlockingQueue<Delivery> delivered = new LinkedBlockingQueue<>();
  private final ScriptedProvider webhook = new ScriptedProvider();

  @Override
  void open(String more) {
    super.open(
        "alerts: { webhook: { url: \"%s/hook\", secret: %s } }\n".formatted(webhook.url(), SECRET)
            + more);
  }

  private void reopen(String more) {
    close();
    open(more);
  }

  @AfterEach
  void closeWebhook() {
    webhook.close();
  }

  private void takes(int status) {
    webhook.then(taking(status));
  }

  private Consumer<Exchange> taking(int status) {
    return exchange -> {
      var seen = webhook.asked.getLast();
      delivered.add(new Delivery(seen.headers(), seen.body()));
      json(status, "{}").accept(exchange);
    };
  }

  private Delivery next() throws InterruptedException {
    var next = delivered.poll(60, TimeUnit.SECONDS);
    assertThat(next).as("a delivery").isNotNull();
    return requireNonNull(next);
  }

  private static void assertSigned(Delivery delivery) throws Exception {
    var mac = Mac.getInstance("HmacSHA256");
    mac.init(new SecretKeySpec(SECRET.getBytes(UTF_8), "HmacSHA256"));
    var signed = delivery.headers().get("x-mainstay-timestamp") + "." + delivery.body();
    assertThat(delivery.headers().get("x-mainstay-signature"))
        .isEqualTo("sha256=" + HexFormat.of().formatHex(mac.doFinal(signed.getBytes(UTF_8))));
    assertThat(delivery.body())
        .contains("\"id\":\"" + delivery.headers().get("x-mainstay-delivery") + "\"")
        .doesNotContain("PLANTED", ScriptedProvider.KEY, SECRET);
  }

  @Test
  void aFatalFailureIsToldOnceForItsCauseAndSigned() throws Exception {
    takes(204);
    takes(204);
    for (int i = 0; i < 3; i++) {
      h.one.then(error(401, "invalid_request_error", "invalid_api_key", "Incorrect API key"));
      h.chat("one/m");
      h.kept.next();
    }
    h.one.then(error(401, "invalid_request_error", "invalid_api_key", "Incorrect API key"));
    h.chat("one/other");
    var first = next();
    assertSigned(first);
    assertThat(first.body())
        .contains("\"kind\":\"fatal\"", "FATAL/auth from one/m", "\"suppressed\":0");
    // Another cause is another alert; the second and third of the first were throttled.
    assertThat(next().body()).contains("FATAL/auth from one/other");
    assertThat(alerts()).hasSize(2);
    var newest = Tree.read(h.get("/api/alerts?limit=1").body());
    assertThat(newest.get("alerts")).hasSize(1);
    var next = Tree.read(h.get("/api/alerts?cursor=" + newest.get("next").asString()).body());
    assertThat(next.at("/alerts/0/cause").asString()).isEqualTo("failure one/m FATAL/auth");
    assertThat(next.get("next").isNull()).isTrue();
    assertThat(h.get("/api/alerts").body())
        .contains("\"cause\":\"failure one/m FATAL/auth\"")
        .doesNotContain(SECRET);
  }

  @Test
  void anOpenBreakerAndASpentBudgetAreTold() throws Exception {
    reopen(
        """
        recovery: { breaker: { consecutive-failures: 2 }, max-attempts: 2 }
        prices: [ { model: one/m, unit: input, price: 0 }, { model: one/m, unit: output, price: 1000000 } ]
        clients:
          - { name: a, key: key-a-1, models: [one/m], budget: { usd: 1 } }
          - { name: b, key: key-b-1 }
        """);
    takes(200);
    takes(200);
    var path = "/v1/chat/completions";
    var body = Harness.ask("one/m", false);
    var little = body.replace("{\"model\"", "{\"max_tokens\":1,\"model\"");
    assertThat(h.post(path, body, "x-api-key", "key-a-1").statusCode())
        .as("it may cost more than there is, and nothing is spent: no alert")
        .isEqualTo(429);
    assertThat(h.post(path, little, "x-api-key", "key-a-1").statusCode()).isEqualTo(200);
    assertThat(h.post(path, little, "x-api-key", "key-a-1").statusCode()).isEqualTo(429);
    var spent = next();
    assertSigned(spent);
    assertThat(spent.body())
        .contains("\"kind\":\"budget\"", "client:a: the budget of", "has 0.00 USD left");
    h.one.then(error(500, "server_error", "", "x"), error(500, "server_error", "", "x"));
    h.post(path, body, "x-api-key", "key-b-1");
    assertThat(next().body()).contains("\"kind\":\"breaker\"", "the breaker of one/m is open");
  }

  @Test
  void aDeliveryThatFailsIsTriedAgainAlsoByTheNextProcess() throws Exception {
    // However often this process tries before it is closed.
    webhook.otherwise(taking(500));
    h.one.then(error(401, "invalid_request_error", "invalid_api_key", "Incorrect API key"));
    h.chat("one/m");
    var first = next();
    while (alerts().getFirst().delivery().tries() == 0) {
      Thread.onSpinWait();
    }
    assertThat(alerts().getFirst().delivery().trouble()).isEqualTo("the webhook answered 500");
    close();
    webhook.otherwise(taking(200));
    delivered.clear();
    open("");
    var again = next();
    assertSigned(again);
    assertThat(again.body()).isEqualTo(first.body());
  }

  private List<Alert> alerts() {
    return ledger.state().alerts().page(null, 10).toCompletableFuture().join();
  }
}
