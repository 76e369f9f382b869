package dev.mainstay.gateway;

import static dev.mainstay.gateway.Harness.ask;
import static dev.mainstay.gateway.Harness.header;
import static dev.mainstay.gateway.ScriptedProvider.answer;
import static dev.mainstay.gateway.ScriptedProvider.answerEvents;
import static dev.mainstay.gateway.ScriptedProvider.error;
import static dev.mainstay.gateway.ScriptedProvider.json;
import static dev.mainstay.gateway.ScriptedProvider.silentAfter;
import static dev.mainstay.gateway.ScriptedProvider.sse;
import static org.assertj.core.api.Assertions.assertThat;

import dev.mainstay.engine.InboundRequest;
import dev.mainstay.http.Exchange;
import io.netty.buffer.Unpooled;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** One request is one call, however often it is sent. */
@Timeout(180)
final class IdempotencyFilterTest extends StoreTest {

  private HttpResponse<String> chat(String model, boolean stream, String key) {
    return h.post(CHAT, ask(model, stream), "idempotency-key", key);
  }

  private BufferedReader stream(String model, String... headers) throws Exception {
    var request =
        HttpRequest.newBuilder(URI.create(h.url() + CHAT))
            .headers(headers)
            .POST(HttpRequest.BodyPublishers.ofString(ask(model, true)))
            .build();
    var body = h.client.send(request, HttpResponse.BodyHandlers.ofInputStream()).body();
    return new BufferedReader(new InputStreamReader(body, StandardCharsets.UTF_8));
  }

  private static String rest(BufferedReader reader, String first) {
    return first + "\n" + String.join("\n", reader.lines().toList()) + "\n";
  }

  private static void goOn(CompletableFuture<Exchange> held, List<String> events) {
    var exchange = held.join();
    for (var event : events) {
      exchange.write(Unpooled.copiedBuffer(event, StandardCharsets.UTF_8));
    }
    exchange.end();
  }

  @Test
  void duplicatesJoinAStreamUnderWayFromItsBeginning() throws Exception {
    var held = new CompletableFuture<Exchange>();
    h.one.then(silentAfter(answerEvents().subList(0, 2)).andThen(held::complete));
    try (var first = stream("one/m", "idempotency-key", "k");
        var second = stream("one/m", "idempotency-key", "k")) {
      // Both have the beginning while the call has not ended: the second did not wait for it.
      var firstLine = first.readLine();
      var secondLine = second.readLine();
      assertThat(secondLine).isEqualTo(firstLine).startsWith("data:");
      goOn(held, answerEvents().subList(2, 5));
      var whole = String.join("", answerEvents());
      assertThat(rest(first, firstLine)).isEqualTo(whole);
      assertThat(rest(second, secondLine)).isEqualTo(whole);
    }
    assertThat(h.one.asked).hasSize(1);
    assertThat(h.kept.next().attempts()).hasSize(1);
  }

  @Test
  void aSuccessIsGivenAgainAlsoByTheNextProcess() {
    h.one.then(json(200, answer()), sse(answerEvents()));
    var whole = chat("one/m", false, "whole");
    var stream = chat("one/m", true, "stream");
    assertThat(header(whole, "idempotent-replayed")).isEmpty();
    for (int process = 0; process < 2; process++) {
      for (boolean streamed : new boolean[] {false, true}) {
        var first = streamed ? stream : whole;
        var again = chat("one/m", streamed, streamed ? "stream" : "whole");
        assertThat(again.statusCode()).isEqualTo(200);
        assertThat(again.body()).isEqualTo(first.body());
        assertThat(header(again, "idempotent-replayed")).isEqualTo("true");
        assertThat(header(again, "x-mainstay-recovery")).isEqualTo("replay");
        assertThat(header(again, "x-mainstay-call")).isEqualTo(header(first, "x-mainstay-call"));
        assertThat(header(again, "content-type")).isEqualTo(header(first, "content-type"));
      }
      assertThat(h.one.asked).hasSize(process == 0 ? 2 : 0);
      close();
      open();
    }
  }

  @Test
  void anotherBodyUnderTheSameKeyIsAConflictInTheClientsDialect() {
    chat("one/m", false, "k");
    var other = chat("one/other", false, "k");
    assertThat(other.statusCode()).isEqualTo(409);
    assertThat(other.body()).contains("\"code\":\"idempotency_key_reused\"");
    assertThat(header(other, "x-mainstay-verdict")).isEqualTo("LOGIC/conflict");
    assertThat(header(other, "x-should-retry")).isEqualTo("false");
    var claude = h.post("/v1/messages", "{\"model\":\"claude/x\"}", "idempotency-key", "k");
    assertThat(claude.statusCode()).isEqualTo(409);
    assertThat(claude.body()).startsWith("{\"type\":\"error\",\"error\":{\"type\":");
    assertThat(h.one.asked).hasSize(1);
  }

  @Test
  void anotherBodyConflictsWithACallUnderWayToo() throws Exception {
    h.one.then(silentAfter(answerEvents().subList(0, 2)));
    try (var first = stream("one/m", "idempotency-key", "k")) {
      assertThat(first.readLine()).startsWith("data:");
      assertThat(chat("one/other", true, "k").statusCode()).isEqualTo(409);
    }
  }

  @Test
  void aFailureIsNotKept() {
    h.one.then(error(400, "invalid_request_error", "invalid_value", "bad"));
    assertThat(chat("one/m", false, "k").statusCode()).isEqualTo(400);
    var again = chat("one/m", false, "k");
    assertThat(again.body()).isEqualTo(answer());
    assertThat(header(again, "idempotent-replayed")).isEmpty();
  }

  @Test
  void aStreamThatBreaksIsNotKept() throws Exception {
    var held = new CompletableFuture<Exchange>();
    h.close();
    h = new Harness("recovery: { mid-stream: error }\n", "drain: 2s", ledger.state());
    h.one.then(silentAfter(answerEvents().subList(0, 2)).andThen(held::complete));
    try (var first = stream("one/m", "idempotency-key", "k")) {
      var line = first.readLine();
      held.join().abort();
      assertThat(rest(first, line)).contains("\"error\"");
    }
    assertThat(chat("one/m", true, "k").body()).isEqualTo(String.join("", answerEvents()));
    assertThat(h.one.asked).hasSize(2);
  }

  @Test
  void aKeyThatTheDiskRefusedToTakeBackIsFree() {
    var now = Instant.now();
    var body = ask("one/m", false);
    var hash = InboundRequest.hash(CHAT, "", body.getBytes(StandardCharsets.UTF_8));
    ledger
        .state()
        .claims()
        .claim("", "k", hash, "call_gone", now, now.plusSeconds(600))
        .toCompletableFuture()
        .join();
    assertThat(chat("one/m", false, "k").body()).isEqualTo(answer());
    assertThat(header(chat("one/m", false, "k"), "idempotent-replayed")).isEqualTo("true");
  }

  @Test
  void keysBelongToTheirClient() {
    h.close();
    h =
        new Harness(
            "clients: [ { name: a, key: key-a-1 }, { name: b, key: key-b-1 } ]\n",
            "drain: 2s",
            ledger.state());
    for (var client : List.of("key-a-1", "key-b-1", "key-a-1")) {
      var response = h.post(CHAT, ask("one/m", false), "idempotency-key", "k", "x-api-key", client);
      assertThat(response.statusCode()).isEqualTo(200);
    }
    assertThat(h.one.asked).hasSize(2);
  }

  @Test
  void aRequestRefusedBeforeItsCallGivesItsKeyBack() {
    var embedding = "{\"model\":\"claude/x\",\"input\":\"a\"}";
    assertThat(h.post("/v1/embeddings", embedding, "idempotency-key", "k").statusCode())
        .isEqualTo(400);
    assertThat(chat("one/m", false, "k").statusCode()).isEqualTo(200);
    assertThat(chat("one/m", false, "x".repeat(256)).statusCode()).isEqualTo(400);
  }

  @Test
  void anSdksRetryJoinsTheCallThatRunsAndIsTheOnlyOne() throws Exception {
    var held = new CompletableFuture<Exchange>();
    h.one.then(silentAfter(answerEvents().subList(0, 2)).andThen(held::complete));
    try (var first = stream("one/m", "x-stainless-retry-count", "0");
        var retry = stream("one/m", "x-stainless-retry-count", "1")) {
      var firstLine = first.readLine();
      var retryLine = retry.readLine();
      assertThat(h.one.asked).hasSize(1);
      // Claimed once: a second retry beside the first is a call of its own.
      var second = h.post(CHAT, ask("one/m", true), "x-stainless-retry-count", "1");
      assertThat(second.statusCode()).isEqualTo(200);
      assertThat(h.one.asked).hasSize(2);
      goOn(held, answerEvents().subList(2, 5));
      var whole = String.join("", answerEvents());
      assertThat(rest(first, firstLine)).isEqualTo(whole);
      assertThat(rest(retry, retryLine)).isEqualTo(whole);
    }
  }

  @Test
  void twoEqualRequestsThatAreNoRetriesStayTwo() throws Exception {
    h.one.then(silentAfter(answerEvents().subList(0, 2)));
    try (var first = stream("one/m", "x-stainless-retry-count", "0")) {
      assertThat(first.readLine()).startsWith("data:");
      h.post(CHAT, ask("one/m", true), "x-stainless-retry-count", "0");
      h.post(CHAT, ask("one/m", true));
      h.post(CHAT, ask("one/other", true), "x-stainless-retry-count", "1");
      assertThat(h.one.asked).hasSize(4);
    }
  }

  @Test
  void aCallThatNobodyComesBackForIsCancelled() throws Exception {
    h.one.then(silentAfter(answerEvents().subList(0, 2)));
    try (var first = stream("one/m", "x-stainless-retry-count", "0")) {
      assertThat(first.readLine()).startsWith("data:");
    }
    h.one.left.get(60, TimeUnit.SECONDS);
    assertThat(h.kept.next().call().verdict()).isEqualTo("FATAL/cancelled");
  }

  @Test
  void withFinishTheCallGoesOnAndLastEventIdTakesItUpWithoutAGap() throws Exception {
    h.close();
    h =
        new Harness(
            "idempotency: { finish-when-client-leaves: true }\n", "drain: 2s", ledger.state());
    var held = new CompletableFuture<Exchange>();
    h.one.then(silentAfter(answerEvents().subList(0, 2)).andThen(held::complete));
    var got = new StringBuilder();
    try (var first = stream("one/m", "idempotency-key", "k")) {
      for (var line = first.readLine(); !line.equals("id: 2"); line = first.readLine()) {
        got.append(line).append('\n');
      }
      got.append("id: 2\n\n");
    }
    for (int i = 0; i < 2; i++) {
      try (var next = stream("one/m", "idempotency-key", "k", "last-event-id", "2")) {
        if (i == 0) {
          goOn(held, answerEvents().subList(2, 5));
        }
        // Taken up while it runs, and again from what was kept.
        var whole = got + rest(next, next.readLine());
        assertThat(whole).isEqualTo(numbered());
      }
    }
    assertThat(h.one.asked).hasSize(1);
    assertThat(h.kept.next().call().verdict()).isNull();
  }

  private static String numbered() {
    var out = new StringBuilder();
    for (int i = 0; i < 5; i++) {
      out.append(answerEvents().get(i).replaceFirst("\n\n$", "\nid: " + (i + 1) + "\n\n"));
    }
    return out.toString();
  }
}
