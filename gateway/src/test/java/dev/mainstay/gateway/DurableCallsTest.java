package dev.mainstay.gateway;

import static dev.mainstay.gateway.Harness.ask;
import static dev.mainstay.gateway.Harness.header;
import static dev.mainstay.gateway.ScriptedProvider.answer;
import static dev.mainstay.gateway.ScriptedProvider.answerEvents;
import static dev.mainstay.gateway.ScriptedProvider.error;
import static dev.mainstay.gateway.ScriptedProvider.silentAfter;
import static org.assertj.core.api.Assertions.assertThat;

import dev.mainstay.http.Exchange;
import dev.mainstay.ledger.LedgerConfig;
import dev.mainstay.ledger.sqlite.SqliteLedger;
import dev.mainstay.wire.json.JsonStrings;
import io.netty.buffer.Unpooled;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What must not be lost is answered later, or is a dead letter. */
@Timeout(180)
final class DurableCallsTest extends StoreTest {
  private static final String CLIENTS =
      """
      clients: [ { name: a, key: key-a-1 }, { name: b, key: key-b-1 } ]
      admin: { token: admin-1 }
      """;

  private String submit(String model, String... more) {
    var headers = new ArrayList<>(List.of("prefer", "respond-async"));
    headers.addAll(List.of(more));
    var accepted = h.post(CHAT, ask(model, false), headers.toArray(String[]::new));
    assertThat(accepted.statusCode()).isEqualTo(202);
    var id = header(accepted, "x-mainstay-call");
    assertThat(accepted.body()).isEqualTo("{\"call\":\"" + id + "\"}");
    assertThat(header(accepted, "location")).isEqualTo("/api/calls/" + id);
    return id;
  }

  /** The next call that ends, and what is kept of it too: that comes after its last byte. */
  private RecordedCalls.RecordedCall recorded() {
    var tale = h.kept.next();
    while (h.gateway.running() > 0) {
      Thread.onSpinWait();
    }
    return tale;
  }

  private static String quoted(String text) {
    var out = new StringBuilder();
    JsonStrings.append(out, text);
    return out.toString();
  }

  @Test
  void anAnswerThatNobodyWaitedForIsFetchedAlsoFromTheNextProcess() {
    var held = new CompletableFuture<Exchange>();
    h.one.then(held::complete);
    var id = submit("one/m");
    held.join();
    assertThat(h.get("/api/calls/" + id).body())
        .contains("\"state\":\"running\"", "\"answer\":null");
    ScriptedProvider.json(200, answer()).accept(held.join());
    assertThat(recorded().call().id()).isEqualTo(id);
    for (int process = 0; process < 2; process++) {
      var fetched = h.get("/api/calls/" + id).body();
      assertThat(fetched)
          .contains("\"state\":\"answered\"", "\"status\":200", "\"body\":" + quoted(answer()));
      close();
      open();
    }
    assertThat(h.get("/api/calls/call_none").statusCode()).isEqualTo(404);
  }

  @Test
  void aKeyIsOneCallHoweverOftenItIsSubmitted() {
    var first = submit("one/m", "idempotency-key", "k");
    assertThat(submit("one/m", "idempotency-key", "k")).isEqualTo(first);
    var other =
        h.post(CHAT, ask("one/x", false), "prefer", "respond-async", "idempotency-key", "k");
    assertThat(other.statusCode()).isEqualTo(409);
    recorded();
    assertThat(submit("one/m", "idempotency-key", "k")).isEqualTo(first);
    assertThat(h.one.asked).hasSize(1);
  }

  @Test
  void whatHasNoRoomIsRefusedAndTheHealthSaysSo() {
    close();
    var all = LedgerConfig.in(directory);
    ledger =
        SqliteLedger.open(
            new LedgerConfig(
                directory,
                true,
                all.retention(),
                all.maxBytes(),
                1 << 20,
                all.logBytes(),
                all.redactor(),
                all.bodyText()),
            InstantSource.system());
    h = new Harness("", "drain: 2s", ledger.state());
    var large =
        ask("one/m", false)
            .replace("{\"model\"", "{\"x\":\"" + "x".repeat(1 << 20) + "\",\"model\"");
    for (var header :
        List.of(List.of("prefer", "respond-async"), List.of("x-mainstay-keep", "on"))) {
      var refused = h.post(CHAT, large, header.toArray(String[]::new));
      assertThat(refused.statusCode()).isEqualTo(503);
      assertThat(refused.body()).contains("not_kept", "store.max-kept");
      assertThat(header(refused, "retry-after")).isEqualTo("60");
    }
    assertThat(h.one.asked).isEmpty();
    assertThat(h.get("/health/ready").body())
        .contains("\"refused\":2", "\"trouble\":\"Mainstay refuses durable calls");
    assertThat(h.get("/metrics").body()).contains("mainstay_kept_refused_total 2\n");
    submit("one/m");
    recorded();
    assertThat(h.get("/health/ready").body()).contains("\"state\":{\"ok\":true");
  }

  @Test
  void aFailureIsADeadLetterThatIsRedrivenOnce() {
    h.one.then(error(400, "invalid_request_error", "invalid_value", "bad value"));
    var id = submit("one/m");
    recorded();
    assertThat(h.get("/api/dead-letters").body())
        .contains("\"id\":\"" + id + "\"", "\"state\":\"dead\"", "LOGIC/invalid_request")
        .doesNotContain("PLANTED");
    assertThat(h.get("/api/dead-letters/" + id).body()).contains("PLANTED", "bad value");
    var answers =
        IntStream.range(0, 5)
            .mapToObj(
                i ->
                    CompletableFuture.supplyAsync(
                        () -> h.post("/api/dead-letters/" + id + "/redrive", "")))
            .toList()
            .stream()
            .map(CompletableFuture::join)
            .toList();
    assertThat(answers.stream().map(HttpResponse::statusCode)).containsOnlyOnce(202).hasSize(5);
    var made =
        answers.stream().filter(done -> done.statusCode() == 202).findFirst().orElseThrow().body();
    var again = Pattern.compile("call_[0-9a-z]+").matcher(made);
    assertThat(again.find()).isTrue();
    assertThat(recorded().call().id()).isEqualTo(again.group());
    assertThat(h.one.asked).hasSize(2);
    assertThat(h.one.bodies().get(1)).isEqualTo(h.one.bodies().get(0));
    assertThat(h.get("/api/calls/" + again.group()).body()).contains("\"state\":\"answered\"");
    assertThat(h.get("/api/dead-letters").body())
        .contains("\"state\":\"redriven\"", "\"redriven_as\":\"" + again.group() + "\"");
    var late = h.post("/api/dead-letters/" + id + "/discard", "");
    assertThat(late.statusCode()).isEqualTo(409);
    assertThat(late.body()).contains("was redriven already");
    assertThat(h.post("/api/dead-letters/call_none/redrive", "").statusCode()).isEqualTo(404);
  }

  @Test
  void aCallThatItsClientsLimitRefusesIsADeadLetterThatSaysSo() {
    close();
    open("clients: [ { name: a, key: key-a-1, limits: { rpm: 1 } } ]\nadmin: { token: admin-1 }\n");
    submit("one/m", "authorization", "Bearer key-a-1");
    recorded();
    var refused = submit("one/m", "authorization", "Bearer key-a-1");
    String letters;
    do {
      letters = h.get("/api/dead-letters", "authorization", "Bearer admin-1").body();
    } while (!letters.contains(refused));
    assertThat(letters).contains("TRANSIENT/rate_limit").doesNotContain("invalid_request");
  }

  @Test
  void aDeadLetterIsShownWithoutWhatIsRedactedAndRedrivenWithIt() {
    close();
    open("recording: { redact: [\"$.messages[*].content\", \"/bad v[a-z]+/\"] }");
    h.one.then(error(400, "invalid_request_error", "invalid_value", "bad value"));
    var id = submit("one/m");
    recorded();
    assertThat(h.get("/api/dead-letters/" + id).body())
        .contains("[redacted]", "one/m")
        .doesNotContain("PLANTED", "bad value");
    assertThat(h.post("/api/dead-letters/" + id + "/redrive", "").statusCode()).isEqualTo(202);
    recorded();
    assertThat(h.one.bodies().get(1)).contains("PLANTED").isEqualTo(h.one.bodies().get(0));
    assertThat(h.get("/api/dead-letters/" + id).body()).contains("\"request\":null");
  }

  @Test
  void aMarkedCallIsAnsweredAsEverAndIsADeadLetterWhereItFails() {
    var good = h.post(CHAT, ask("one/m", false), "x-mainstay-keep", "on");
    assertThat(good.body()).isEqualTo(answer());
    recorded();
    h.one.then(error(400, "invalid_request_error", "invalid_value", "bad"));
    var bad = h.post(CHAT, ask("one/m", false), "x-mainstay-keep", "on", "idempotency-key", "k");
    assertThat(bad.statusCode()).isEqualTo(400);
    recorded();
    var id = header(bad, "x-mainstay-call");
    assertThat(h.get("/api/dead-letters").body())
        .contains("\"id\":\"" + id + "\"")
        .doesNotContain(header(good, "x-mainstay-call"));
    assertThat(h.post("/api/dead-letters/" + id + "/discard", "").statusCode()).isEqualTo(200);
    assertThat(h.post("/api/dead-letters/" + id + "/redrive", "").statusCode()).isEqualTo(409);
  }

  @Test
  void aMarkedCallGoesOnWithoutItsClient() throws Exception {
    var held = new CompletableFuture<Exchange>();
    h.one.then(silentAfter(answerEvents().subList(0, 2)).andThen(held::complete));
    var request =
        HttpRequest.newBuilder(URI.create(h.url() + CHAT))
            .header("x-mainstay-keep", "on")
            .POST(HttpRequest.BodyPublishers.ofString(ask("one/m", true)))
            .build();
    var response = h.client.send(request, HttpResponse.BodyHandlers.ofInputStream());
    try (var body = response.body()) {
      assertThat(body.read()).isPositive();
    }
    var exchange = held.join();
    for (var event : answerEvents().subList(2, 5)) {
      exchange.write(Unpooled.copiedBuffer(event, StandardCharsets.UTF_8));
    }
    exchange.end();
    assertThat(recorded().call().verdict()).isNull();
    assertThat(h.get("/api/calls/" + header(response, "x-mainstay-call")).body())
        .contains("\"body\":" + quoted(String.join("", answerEvents())));
  }

  @Test
  void whatTheLastProcessAcceptedAndDidNotEndIsMadeAgain() {
    var held = new CompletableFuture<Exchange>();
    h.one.then(held::complete);
    var id = submit("assistant");
    held.join();
    close();
    open();
    assertThat(recorded().call().id()).isEqualTo(id);
    assertThat(h.one.asked).hasSize(1);
    assertThat(h.get("/api/calls/" + id).body()).contains("\"state\":\"answered\"");
  }

  @Test
  void aClientFetchesItsOwnAnswersWithItsOwnKey() {
    close();
    open(CLIENTS);
    var id = submit("one/m", "x-api-key", "key-a-1");
    recorded();
    assertThat(h.get("/api/calls/" + id, "x-api-key", "key-a-1").body())
        .contains("\"state\":\"answered\"");
    assertThat(h.get("/api/calls/" + id, "x-api-key", "key-b-1").statusCode()).isEqualTo(404);
    assertThat(h.get("/api/calls/" + id).statusCode()).isEqualTo(401);
    assertThat(h.get("/api/dead-letters", "x-api-key", "key-a-1").statusCode()).isEqualTo(401);
    assertThat(h.get("/api/calls/" + id, "authorization", "Bearer admin-1").statusCode())
        .isEqualTo(200);
  }

  @Test
  void aRequestRefusedBeforeItsCallIsADeadLetterToo() {
    var embedding = "{\"model\":\"claude/x\",\"input\":\"a\"}";
    var accepted = h.post("/v1/embeddings", embedding, "prefer", "respond-async");
    assertThat(accepted.statusCode()).isEqualTo(202);
    var id = header(accepted, "x-mainstay-call");
    while (!h.get("/api/dead-letters").body().contains(id)) {
      Thread.onSpinWait();
    }
    assertThat(h.get("/api/dead-letters/" + id).body()).contains("\"status\":400");
  }
}
