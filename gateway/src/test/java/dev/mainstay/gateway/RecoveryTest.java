package dev.mainstay.gateway;

import static dev.mainstay.gateway.Harness.ask;
import static dev.mainstay.gateway.Harness.header;
import static dev.mainstay.gateway.ScriptedProvider.answer;
import static dev.mainstay.gateway.ScriptedProvider.answerEvents;
import static dev.mainstay.gateway.ScriptedProvider.cutAfter;
import static dev.mainstay.gateway.ScriptedProvider.error;
import static dev.mainstay.gateway.ScriptedProvider.json;
import static dev.mainstay.gateway.ScriptedProvider.reset;
import static dev.mainstay.gateway.ScriptedProvider.silence;
import static dev.mainstay.gateway.ScriptedProvider.silentAfter;
import static dev.mainstay.gateway.ScriptedProvider.sse;
import static dev.mainstay.gateway.ScriptedProvider.text;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a raw client sees of each failure, and what is recorded. */
@Timeout(180)
final class RecoveryTest {
  private Harness h = new Harness();

  @AfterEach
  void close() {
    h.close();
  }

  private void with(String more) {
    h.close();
    h = new Harness(more);
  }

  @Test
  void bytesPassBothWaysUnchangedButForTheModel() {
    var response = h.chat("assistant");
    assertThat(response.statusCode()).isEqualTo(200);
    assertThat(response.body()).isEqualTo(answer());
    assertThat(h.one.bodies()).containsExactly(ask("first", false));
    assertThat(header(response, "x-mainstay-target")).isEqualTo("one/first");
    assertThat(header(response, "x-mainstay-attempts")).isEqualTo("1");
    var tale = h.kept.next();
    assertThat(header(response, "x-mainstay-call")).isEqualTo(tale.call().id());
    assertThat(tale.call().tokens()).isNotNull().matches(tokens -> tokens.total() == 6);
    assertThat(tale.attempts()).hasSize(1);
  }

  @Test
  void aStreamPassesWithItsFramingAndComments() {
    var events =
        List.of(
            ": hello\r\n\r\n",
            "data:" + text("x").substring(6),
            text("é🙂"),
            ": ping\n\n",
            "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\r\n\r\n",
            "data: [DONE]\r\n\r\n");
    h.one.then(sse(events));
    assertThat(h.chatStream("assistant").body()).isEqualTo(String.join("", events));
    assertThat(h.kept.next().call().verdict()).isNull();
  }

  @Test
  void aRateLimitIsWaitedForAsTold() {
    h.one.then(
        error(
            429,
            "requests",
            "rate_limit_exceeded",
            "Rate limit reached.",
            "retry-after-ms",
            "120"));
    var response = h.chat("one/m");
    assertThat(response.statusCode()).isEqualTo(200);
    assertThat(header(response, "x-mainstay-recovery")).isEqualTo("retry");
    var asked = h.one.asked;
    assertThat(asked).hasSize(2);
    assertThat(asked.get(1).atNanos() - asked.get(0).atNanos())
        .isGreaterThanOrEqualTo(Duration.ofMillis(120).toNanos());
    var tale = h.kept.next();
    assertThat(tale.decisions()).containsExactly("retry", "proceed");
    assertThat(tale.attempts().get(0).verdict()).isEqualTo("TRANSIENT/rate_limit");
    assertThat(tale.attempts().get(1).waited()).isGreaterThanOrEqualTo(Duration.ofMillis(120));
  }

  @Test
  void whileEveryKeyRestsTheAnswerIsStillThatOfARateLimit() {
    h.one.then(
        error(429, "requests", "rate_limit_exceeded", "Rate limit reached.", "retry-after", "90"));
    assertThat(h.chat("one/m").statusCode()).isEqualTo(429);
    var second = h.post("/v1/chat/completions", ask("one/m", true));
    assertThat(second.statusCode()).isEqualTo(429);
    assertThat(header(second, "x-mainstay-verdict")).isEqualTo("TRANSIENT/rate_limit");
    assertThat(header(second, "x-should-retry")).isEqualTo("false");
    assertThat(Integer.parseInt(header(second, "retry-after"))).isBetween(60, 90);
    assertThat(second.body()).contains("\"type\":\"rate_limit_error\"", "\"blame\":\"key\"");
    assertThat(h.one.asked).hasSize(1);
    assertThat(h.chat("one/other").statusCode()).isEqualTo(200);
  }

  @Test
  void aSpentQuotaGoesToTheNextTarget() {
    h.one.then(
        error(429, "insufficient_quota", "insufficient_quota", "You exceeded your current quota."));
    var response = h.chat("assistant");
    assertThat(response.body()).isEqualTo(answer());
    assertThat(header(response, "x-mainstay-target")).isEqualTo("two/second");
    assertThat(header(response, "x-mainstay-recovery")).isEqualTo("fallback");
    assertThat(h.kept.next().decisions()).containsExactly("fallback", "proceed");
    // The key is known to be spent: the next call does not ask with it again.
    var next = h.chat("assistant");
    assertThat(header(next, "x-mainstay-attempts")).isEqualTo("1");
    assertThat(header(next, "x-mainstay-target")).isEqualTo("two/second");
    assertThat(header(next, "x-mainstay-recovery")).isEqualTo("fallback");
    assertThat(h.kept.next().call().recovery()).containsExactly("fallback");
    assertThat(h.one.asked).hasSize(1);
  }

  @Test
  void aServerErrorAndAResetAreTriedAgain() {
    h.one.then(error(500, "server_error", "", "The server had an error."), reset());
    assertThat(h.chat("one/m").body()).isEqualTo(answer());
    assertThat(h.kept.next().decisions()).containsExactly("retry", "retry", "proceed");
  }

  @Test
  void aPermanent400IsOneUpstreamRequestAndTheProvidersOwnError() {
    h.one.then(error(400, "invalid_request_error", "invalid_value", "Invalid value: 'x'."));
    var response = h.chat("assistant");
    assertThat(response.statusCode()).isEqualTo(400);
    assertThat(header(response, "x-should-retry")).isEqualTo("false");
    assertThat(header(response, "x-mainstay-verdict")).isEqualTo("LOGIC/invalid_request");
    assertThat(response.body())
        .startsWith(
            "{\"error\":{\"message\":\"Invalid value: 'x'.\",\"type\":\"invalid_request_error\","
                + "\"param\":null,\"code\":\"invalid_value\",\"mainstay\":{\"call\":\"call_");
    assertThat(h.one.asked).hasSize(1);
    assertThat(h.two.asked).isEmpty();
    assertThat(h.kept.next().decisions()).containsExactly("give_up");
  }

  @Test
  void anErrorInA200IsAFailure() {
    h.one.then(json(200, "{\"error\":{\"message\":\"Overloaded\",\"type\":\"server_error\"}}"));
    assertThat(h.chat("one/m").body()).isEqualTo(answer());
  }

  @Test
  void anEmptyAnswerIsAFailure() {
    h.one.then(json(200, answer().replace("\"Hi\"", "\"\"")));
    assertThat(h.chat("one/m").body()).isEqualTo(answer());
  }

  @Test
  void aStreamThatFailsBeforeItsFirstContentIsOneCleanStream() {
    h.one.then(
        cutAfter(answerEvents().subList(0, 1)),
        sse(
            List.of(
                answerEvents().get(0),
                "data: {\"error\":{\"message\":\"x\",\"type\":\"server_error\"}}\n\n")));
    var response = h.chatStream("one/m");
    assertThat(response.statusCode()).isEqualTo(200);
    assertThat(response.body()).isEqualTo(String.join("", answerEvents()));
    assertThat(header(response, "x-mainstay-attempts")).isEqualTo("3");
  }

  @Test
  void doneWithoutAFinishReasonIsNoEnding() {
    h.one.then(sse(List.of(answerEvents().get(0), "data: [DONE]\n\n")));
    assertThat(h.chatStream("one/m").body()).isEqualTo(String.join("", answerEvents()));
  }

  @Test
  void aStreamCutAfterContentEndsInAnErrorEventAndNeverAsASuccess() {
    with("recovery: { mid-stream: error }\n");
    h.one.then(cutAfter(answerEvents().subList(0, 2)));
    var body = h.chatStream("one/m").body();
    assertThat(body)
        .startsWith(String.join("", answerEvents().subList(0, 2)))
        .contains("\n\ndata: {\"error\":{\"message\":")
        .contains("\"code\":\"stream_interrupted\"")
        .doesNotContain("[DONE]")
        .endsWith("\n\n");
    var tale = h.kept.next();
    assertThat(tale.call().verdict()).isEqualTo("TRANSIENT/stream_interrupted");
    assertThat(tale.call().target()).isNull();
  }

  @Test
  void whatComesAfterTheEndingOfAWholeAnswerIsNoFailure() {
    for (String more :
        List.of("data: {\"error\":{\"message\":\"Overloaded\"}}\n\n", "data: <html>\n\n")) {
      var events = new ArrayList<>(answerEvents());
      events.add(more);
      h.one.then(sse(events));
      assertThat(h.chatStream("assistant").body()).isEqualTo(String.join("", answerEvents()));
      var tale = h.kept.next();
      assertThat(tale.call().verdict()).isNull();
      assertThat(tale.attempts()).hasSize(1);
    }
  }

  @Test
  void toolCallsAreHeldUntilTheTurnHasEndedWell() {
    var call =
        ScriptedProvider.chunk(
            "{\"tool_calls\":[{\"index\":0,\"id\":\"t\",\"function\":{\"name\":\"f\",\"arguments\":\"{}\"}}]}",
            "null");
    h.one.then(
        cutAfter(List.of(answerEvents().get(0), call)),
        sse(
            List.of(
                answerEvents().get(0),
                call,
                ScriptedProvider.chunk("{}", "\"tool_calls\""),
                "data: [DONE]\n\n")));
    var body =
        h.post(
                "/v1/chat/completions",
                "{\"model\":\"one/m\",\"stream\":true,\"messages\":[],\"tools\":[{\"type\":\"function\","
                    + "\"function\":{\"name\":\"f\"}}]}")
            .body();
    assertThat(body.split("tool_calls\":\\[", -1)).hasSize(2);
    assertThat(body).endsWith("data: [DONE]\n\n");
  }

  @Test
  void aRefusalIsTheAnswerUnlessTheNextTargetIsToBeAsked() {
    var refused = answer().replace("\"stop\"", "\"content_filter\"");
    h.one.then(json(200, refused));
    assertThat(h.chat("assistant").body()).isEqualTo(refused);
    with("recovery: { content-filter-fallback: true }\n");
    h.one.then(json(200, refused));
    var response = h.chat("assistant");
    assertThat(response.body()).isEqualTo(answer());
    assertThat(header(response, "x-mainstay-target")).isEqualTo("two/second");
  }

  @Test
  void silenceBeforeTheFirstTokenGoesToTheNextTarget() {
    with("recovery: { timeouts: { headers: 3s, first-token: 3s } }\n");
    h.one.then(silentAfter(answerEvents().subList(0, 1)), silence());
    // Side by side, since both wait for as long as the second target may need at the most.
    var other = CompletableFuture.supplyAsync(() -> h.chatStream("assistant"));
    assertThat(header(h.chatStream("assistant"), "x-mainstay-target")).isEqualTo("two/second");
    assertThat(header(other.join(), "x-mainstay-target")).isEqualTo("two/second");
  }

  /** A provider that never greets: the model's own limit counts, shorter than that of the rest. */
  @Test
  void aModelHasItsOwnLimitForConnecting() throws Exception {
    try (var mute = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
      var providers =
          "providers:\n  mute: { dialect: openai, base-url: \"https://localhost:%d/v1\", keys: [k] }\n"
              .formatted(mute.getLocalPort());
      var models =
          "  quick: { targets: [mute/m, two/second], recovery: { timeouts: { connect: 900ms } } }\n"
              + "recovery: { timeouts: { connect: 10m } }\n";
      h.gateway.reload(Harness.parsed(h.yaml(models).replace("providers:\n", providers)));
      var response = h.chat("quick");
      assertThat(header(response, "x-mainstay-target")).isEqualTo("two/second");
      var failed = h.kept.next().attempts().getFirst();
      assertThat(failed.verdict()).isEqualTo("TRANSIENT/timeout");
      assertThat(failed.failure()).contains("no connection within 900 ms");
    }
  }

  @Test
  void theDeadlineEndsACallThatWaits() {
    with("recovery: { deadline: 700ms }\n");
    h.one.then(silence());
    var response = h.chat("one/m");
    assertThat(response.statusCode()).isEqualTo(504);
    assertThat(header(response, "x-mainstay-verdict")).isEqualTo("TRANSIENT/timeout");
  }

  @Test
  void aClientThatLeavesCancelsTheAttempt() throws Exception {
    h.one.then(silence());
    var request =
        HttpRequest.newBuilder(URI.create(h.url() + "/v1/chat/completions"))
            .POST(HttpRequest.BodyPublishers.ofString(ask("one/m", true)))
            .build();
    var answer = h.client.sendAsync(request, HttpResponse.BodyHandlers.ofString());
    while (h.one.asked.isEmpty()) {
      Thread.onSpinWait();
    }
    answer.cancel(true);
    h.one.left.get(60, TimeUnit.SECONDS);
    var tale = h.kept.next();
    assertThat(tale.call().status()).isEqualTo(499);
    assertThat(tale.decisions()).containsExactly("cancelled");
  }

  @Test
  void beyondWhatMayBeInFlightItIsRefusedAtOnce() throws Exception {
    with("recovery: { in-flight: { per-target: 1, queue: 0 } }\n");
    h.one.then(silentAfter(answerEvents().subList(0, 2)));
    var request =
        HttpRequest.newBuilder(URI.create(h.url() + "/v1/chat/completions"))
            .POST(HttpRequest.BodyPublishers.ofString(ask("one/m", true)))
            .build();
    try (InputStream first =
        h.client.send(request, HttpResponse.BodyHandlers.ofInputStream()).body()) {
      assertThat(first.read()).isEqualTo('d');
      var refused = h.chat("one/m");
      assertThat(refused.statusCode()).isEqualTo(503);
      assertThat(header(refused, "retry-after")).isNotEmpty();
      assertThat(header(refused, "retry-after-ms")).isNotEmpty();
      assertThat(header(refused, "x-should-retry")).isEqualTo("true");
    }
  }

  @Test
  void aStreamOnWhichNothingCouldBeSentIsKeptAliveWithComments() {
    h.close();
    h = new Harness("recovery: { timeouts: { first-token: 2s } }\n", "keep-alive: 100ms");
    h.one.then(silentAfter(answerEvents().subList(0, 1)));
    var response = h.chatStream("assistant");
    assertThat(response.body()).startsWith(": mainstay").endsWith(String.join("", answerEvents()));
  }

  /** Google's client for Python takes a comment for an error that is not JSON. */
  @Test
  void aStreamOfGeminisIsKeptAliveWithBlankLines() {
    h.close();
    h = new Harness("recovery: { timeouts: { first-token: 2s } }\n", "keep-alive: 100ms");
    var event =
        "data: {\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"Hi\"}],\"role\":\"model\"},"
            + "\"finishReason\":\"STOP\"}]}\r\n\r\n";
    h.one.then(silentAfter(List.of()), ScriptedProvider.sse(List.of(event)));
    var path = "/v1beta/models/gem%2Fm:streamGenerateContent?alt=sse";
    var body = h.post(path, "{\"contents\":[{\"parts\":[{\"text\":\"x\"}]}]}").body();
    assertThat(body).startsWith("\n\n").doesNotContain(":  mainstay").endsWith(event);
    assertThat(body.strip()).isEqualTo(event.strip());
  }
}
