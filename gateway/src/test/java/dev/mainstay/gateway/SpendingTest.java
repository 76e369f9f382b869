package dev.mainstay.gateway;

import static dev.mainstay.gateway.Harness.header;
import static dev.mainstay.gateway.ScriptedProvider.answer;
import static dev.mainstay.gateway.ScriptedProvider.answerEvents;
import static dev.mainstay.gateway.ScriptedProvider.error;
import static dev.mainstay.gateway.ScriptedProvider.json;
import static dev.mainstay.gateway.ScriptedProvider.silentAfter;
import static org.assertj.core.api.Assertions.assertThat;

import dev.mainstay.http.Exchange;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http.DefaultHttpHeaders;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** An answer's one token costs a dollar here, and a call may ask for three. */
@Timeout(180)
final class SpendingTest extends StoreTest {
  private static final String ASK =
      "{\"model\":\"one/m\",\"max_tokens\":3,\"messages\":[{\"role\":\"user\",\"content\":\"Hi\"}]}";
  private static final String CONFIG =
      """
      prices:
        - { model: one/m, unit: input, price: 0 }
        - { model: one/m, unit: output, price: 1000000 }
        - { model: "one/*", unit: web-search, price: 1000000 }
        - { model: one/free, unit: input, price: 0 }
        - { model: one/free, unit: output, price: 0 }
        - { model: first, unit: input, price: 1 }
        - { model: first, unit: output, price: 1 }
        - { model: second, unit: input, price: 1 }
        - { model: second, unit: output, price: 1 }
      clients:
        - { name: a, key: key-a-1, models: [one/m, one/free], budget: { usd: 5, per: month } }
        - { name: b, key: key-b-1, run-budget: { usd: 3 } }
        - { name: c, key: key-c-1, budget: { usd: 5, per: month, reserve: 2 } }
      """;

  @BeforeEach
  @Override
  void open() {
    open(CONFIG);
  }

  private HttpResponse<String> ask(String key, String... headers) {
    var all = new ArrayList<>(List.of("x-api-key", key));
    all.addAll(List.of(headers));
    return h.post(CHAT, ASK, all.toArray(String[]::new));
  }

  @Test
  void aSpentBudgetIsRefusedInTheClientsDialectUntilThePeriodEnds() {
    for (int process = 0; process < 3; process++) {
      assertThat(ask("key-a-1").body()).isEqualTo(answer());
      close();
      open();
    }
    // Three dollars are spent of five, and a call may cost three.
    var refused = ask("key-a-1");
    assertThat(refused.statusCode()).isEqualTo(429);
    assertThat(header(refused, "x-mainstay-verdict")).isEqualTo("FATAL/budget_exceeded");
    assertThat(header(refused, "x-should-retry")).isEqualTo("false");
    assertThat(Long.parseLong(header(refused, "retry-after"))).isBetween(1L, 31 * 86_400L);
    assertThat(refused.body())
        .contains("\"code\":\"budget_exceeded\"")
        .contains(
            "the budget of this client, 5.00 USD per month, has 2.00 USD left, and this call may"
                + " cost 3.00 USD");
    assertThat(h.one.asked).isEmpty();
    var free = h.post(CHAT, ASK.replace("one/m", "one/free"), "x-api-key", "key-a-1");
    assertThat(free.statusCode()).isEqualTo(200);
  }

  @Test
  void whatCallsUnderWayMayCostIsHeldBackAndGivenBack() {
    var held = new CompletableFuture<Exchange>();
    h.one.then(held::complete);
    var first = CompletableFuture.supplyAsync(() -> ask("key-a-1"));
    held.join();
    var second = ask("key-a-1");
    assertThat(second.statusCode()).isEqualTo(429);
    assertThat(header(second, "x-mainstay-verdict")).isEqualTo("TRANSIENT/budget_exceeded");
    assertThat(header(second, "x-should-retry")).isEqualTo("true");
    assertThat(header(second, "retry-after")).isEqualTo("1");
    var head = new DefaultHttpHeaders();
    head.set("content-type", "application/json");
    held.join().respond(200, head, Unpooled.copiedBuffer(answer(), StandardCharsets.UTF_8));
    assertThat(first.join().statusCode()).isEqualTo(200);
    assertThat(ask("key-a-1").statusCode()).isEqualTo(200);
  }

  @Test
  void aCallWithoutALimitReservesWhatItsClientSays() {
    var unlimited = ASK.replace("\"max_tokens\":3,", "");
    var held = new CompletableFuture<Exchange>();
    h.one.then(held::complete);
    var first =
        CompletableFuture.supplyAsync(() -> h.post(CHAT, unlimited, "x-api-key", "key-c-1"));
    held.join();
    // Two dollars are reserved; each of the next two calls costs one.
    var statuses = new ArrayList<Integer>();
    var last = "";
    for (int i = 0; i < 3; i++) {
      var answer = h.post(CHAT, unlimited, "x-api-key", "key-c-1");
      last = answer.body();
      statuses.add(answer.statusCode());
    }
    var head = new DefaultHttpHeaders();
    head.set("content-type", "application/json");
    held.join().respond(200, head, Unpooled.copiedBuffer(answer(), StandardCharsets.UTF_8));
    assertThat(first.join().statusCode()).isEqualTo(200);
    assertThat(statuses).containsExactly(200, 200, 429);
    assertThat(last).contains("is reserved by running calls");
  }

  @Test
  void aCallThatFailedCostsNothingAndOneThatSaysNothingWhatWasReserved() {
    h.one.then(error(400, "invalid_request_error", "invalid_value", "bad"));
    assertThat(ask("key-a-1").statusCode()).isEqualTo(400);
    var silent =
        answer()
            .replaceFirst(",\"usage\":\\{[^}]*}", "")
            .replace("\"Hi\"", "\"" + "x".repeat(400) + "\"");
    h.one.then(json(200, silent));
    assertThat(ask("key-a-1").statusCode()).isEqualTo(200);
    assertThat(ask("key-a-1").statusCode()).isEqualTo(429);
  }

  /** Nobody knows what an attempt cost that never answered: it counts as the most it could. */
  @Test
  void anAttemptAfterOneThatMayHaveCostSomethingNeedsMoneyOfItsOwn() {
    h.one.then(ScriptedProvider.reset());
    var refused = ask("key-a-1");
    assertThat(refused.statusCode()).isEqualTo(429);
    assertThat(header(refused, "x-mainstay-verdict")).isEqualTo("FATAL/budget_exceeded");
    assertThat(header(refused, "x-mainstay-attempts")).isEqualTo("1");
    assertThat(header(refused, "x-should-retry")).isEqualTo("false");
    assertThat(Long.parseLong(header(refused, "retry-after"))).isPositive();
    assertThat(refused.body())
        .contains("\"code\":\"budget_exceeded\"")
        .contains("has 5.00 USD left, and this call may cost 6.00 USD")
        .contains("\"kind\":\"connection_reset\"");
    assertThat(h.one.asked).hasSize(1);
    assertThat(ask("key-a-1").body()).as("three are spent").contains("has 2.00 USD left");
  }

  @Test
  void anAttemptAfterOneThatCostNothingNeedsNone() {
    h.one.then(error(503, "server_error", "", "overloaded"), error(500, "server_error", "", "no"));
    assertThat(ask("key-a-1").statusCode()).isEqualTo(200);
    assertThat(h.one.asked).hasSize(3);
    assertThat(ask("key-a-1").statusCode()).as("one is spent").isEqualTo(200);
  }

  @Test
  void anAnswerThatHadToBeAskedForAgainIsPaidTwice() {
    var badCall =
        answer()
            .replace(
                "\"content\":\"Hi\"",
                "\"content\":null,\"tool_calls\":[{\"id\":\"c\",\"type\":\"function\",\"function\":"
                    + "{\"name\":\"nothing-like-it\",\"arguments\":\"{}\"}}]");
    h.one.then(json(200, badCall));
    var tools =
        ASK.replace(
            "{\"model\"",
            "{\"tools\":[{\"type\":\"function\",\"function\":{\"name\":\"search\"}}],\"model\"");
    assertThat(h.post(CHAT, tools, "x-api-key", "key-a-1").statusCode()).isEqualTo(200);
    assertThat(h.one.asked).hasSize(2);
    assertThat(ask("key-a-1").statusCode()).as("two are spent of five").isEqualTo(200);
    assertThat(ask("key-a-1").body()).contains("has 2.00 USD left");
  }

  @Test
  void whatTheProvidersOwnToolsCostIsReservedAndBooked() {
    var ask =
        "{\"model\":\"one/m\",\"max_output_tokens\":1,\"input\":\"Hi\",\"max_tool_calls\":%d,\"tools\":"
            + "[{\"type\":\"web_search\"}]}";
    var tooMany = h.post("/v1/responses", ask.formatted(5), "x-api-key", "key-a-1");
    assertThat(tooMany.statusCode()).isEqualTo(429);
    assertThat(tooMany.body()).contains("this call may cost 6.00 USD");
    h.one.then(
        json(
            200,
            "{\"id\":\"resp_1\",\"object\":\"response\",\"status\":\"completed\",\"output\":[{\"type\":"
                + "\"web_search_call\",\"id\":\"ws_1\",\"status\":\"completed\",\"action\":{\"type\":"
                + "\"search\",\"query\":\"x\"}},{\"type\":\"message\",\"id\":\"msg_1\",\"role\":\"assistant\","
                + "\"content\":[{\"type\":\"output_text\",\"text\":\"Hi\"}]}],\"usage\":"
                + "{\"input_tokens\":9,\"output_tokens\":1}}"));
    var searched = h.post("/v1/responses", ask.formatted(3), "x-api-key", "key-a-1");
    assertThat(searched.statusCode()).isEqualTo(200);
    // A token and a search; two searches that were not made are given back.
    assertThat(ask("key-a-1").statusCode()).isEqualTo(200);
    assertThat(ask("key-a-1").body()).contains("has 2.00 USD left");
  }

  @Test
  void aToolOfTheProvidersOwnWithoutALimitIsRefusedByName() {
    var refused =
        h.post(
            CHAT,
            ASK.replace("{\"model\"", "{\"web_search_options\":{},\"model\""),
            "x-api-key",
            "key-a-1");
    assertThat(refused.statusCode()).isEqualTo(403);
    assertThat(refused.body())
        .contains("\"code\":\"price_unknown\"")
        .contains("nothing limits what web_search_options may cost: leave it out");
    assertThat(h.one.asked).isEmpty();
  }

  @Test
  void aStreamThatCannotBePaidToTheEndSaysSo() {
    h.one.then(ScriptedProvider.cutAfter(answerEvents().subList(0, 2)));
    var cut =
        h.post(
            CHAT, ASK.replace("{\"model\"", "{\"stream\":true,\"model\""), "x-api-key", "key-a-1");
    assertThat(cut.body()).contains("Hel").contains("\"code\":\"budget_exceeded\"");
    assertThat(cut.body()).doesNotContain("[DONE]");
    assertThat(h.one.asked).hasSize(1);
  }

  @Test
  void aReloadChangesPricesAndBudgetsButNotWhatWasSpent() throws Exception {
    for (int i = 0; i < 3; i++) {
      assertThat(ask("key-a-1").statusCode()).isEqualTo(200);
    }
    assertThat(ask("key-a-1").statusCode()).isEqualTo(429);
    h.gateway.reload(h.config(CONFIG.replace("usd: 5", "usd: 6")));
    assertThat(ask("key-a-1").statusCode()).isEqualTo(200);
    assertThat(ask("key-a-1").body()).contains("has 2.00 USD left, and this call may cost 3.00");
    h.gateway.reload(h.config(CONFIG.replace("output, price: 1000000", "output, price: 500000")));
    assertThat(ask("key-a-1").body()).contains("has 1.00 USD left, and this call may cost 1.50");
    h.gateway.reload(
        h.config(CONFIG.replace("usd: 5", "usd: 6").replace("price: 1000000", "price: 500000")));
    assertThat(ask("key-a-1").statusCode()).isEqualTo(200);
    // Four calls at the first price, and three refusals.
    for (int i = 0; i < 7; i++) {
      h.kept.next();
    }
    assertThat(h.kept.next().call().costNanos()).isEqualTo(500_000_000L);
  }

  @Test
  void aRunHasItsOwnBudget() {
    assertThat(ask("key-b-1", "x-mainstay-run", "r1").statusCode()).isEqualTo(200);
    var refused = ask("key-b-1", "x-mainstay-run", "r1");
    assertThat(refused.statusCode()).isEqualTo(429);
    assertThat(refused.body()).contains("the budget of this run, 3.00 USD, has 2.00 USD left");
    assertThat(ask("key-b-1", "x-mainstay-run", "r2").statusCode()).isEqualTo(200);
    assertThat(ask("key-b-1").statusCode()).isEqualTo(200);
  }

  @Test
  void whatNobodyCanPriceIsRefusedToAClientWithABudget() {
    var unpriced =
        h.post(CHAT, ASK.replace("one/m", "two/x"), "x-api-key", "key-b-1", "x-mainstay-run", "r");
    assertThat(unpriced.statusCode()).isEqualTo(403);
    assertThat(unpriced.body()).contains("the price of two/x is unknown");
    var passing =
        h.post("/providers/one/files", "x", "x-api-key", "key-b-1", "x-mainstay-run", "r");
    assertThat(passing.statusCode()).isEqualTo(403);
    assertThat(h.one.asked).isEmpty();
    assertThat(h.post(CHAT, ASK.replace("one/m", "two/x"), "x-api-key", "key-b-1").statusCode())
        .as("no run, no budget")
        .isEqualTo(200);
  }

  @Test
  void aRefusedRequestGivesItsIdempotencyKeyBackAndAReplayCostsNothing() {
    assertThat(ask("key-b-1", "x-mainstay-run", "r", "idempotency-key", "k").statusCode())
        .isEqualTo(200);
    var again = ask("key-b-1", "x-mainstay-run", "r", "idempotency-key", "k");
    assertThat(header(again, "idempotent-replayed")).isEqualTo("true");
    assertThat(ask("key-b-1", "x-mainstay-run", "r", "idempotency-key", "k2").statusCode())
        .isEqualTo(429);
    assertThat(ask("key-b-1", "x-mainstay-run", "r2", "idempotency-key", "k2").statusCode())
        .isEqualTo(200);
  }

  @Test
  void manyAtOnceNeverOverspend() {
    var asked = new ArrayList<CompletableFuture<HttpResponse<String>>>();
    for (int i = 0; i < 30; i++) {
      asked.add(CompletableFuture.supplyAsync(() -> ask("key-a-1")));
    }
    long answered = asked.stream().filter(call -> call.join().statusCode() == 200).count();
    // A dollar each, and no call begins with less than three left.
    assertThat(answered).isBetween(1L, 3L);
    assertThat(h.one.asked).hasSize((int) answered);
  }

  @Test
  void aStreamThatItsClientLeftCostsWhatCameOfIt() throws Exception {
    h.one.then(silentAfter(answerEvents().subList(0, 2)));
    var request =
        java.net.http.HttpRequest.newBuilder(java.net.URI.create(h.url() + CHAT))
            .header("x-api-key", "key-a-1")
            .POST(
                java.net.http.HttpRequest.BodyPublishers.ofString(
                    ASK.replace("{\"model\"", "{\"stream\":true,\"model\"")))
            .build();
    try (var body = h.client.send(request, HttpResponse.BodyHandlers.ofInputStream()).body()) {
      assertThat(body.read()).isPositive();
    }
    h.one.left.join();
    assertThat(h.kept.next().call().verdict()).isEqualTo("FATAL/cancelled");
    assertThat(ask("key-a-1").statusCode()).as("nothing is reserved any more").isEqualTo(200);
  }
}
