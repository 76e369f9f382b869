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

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Who may come in, what leads where, and how a running gateway changes and ends. */
@Timeout(180)
final class RequestDispatcherTest {
  private Harness h = new Harness();

  @AfterEach
  void close() {
    h.close();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '!',
      value = {
        "/v1/chat/completions ! {\"model\": ! 400 ! LOGIC/invalid_request",
        "/v1/chat/completions ! {\"messages\":[]} ! 400 ! LOGIC/invalid_request",
        "/nothing ! {} ! 404 ! LOGIC/not_found",
        "/v1/messages ! {\"model\":\"assistant\"} ! 400 ! LOGIC/invalid_request"
      })
  void whatCannotBeServedIsToldAtOnce(String path, String body, int status, String verdict) {
    var response = h.post(path, body);
    assertThat(response.statusCode()).isEqualTo(status);
    assertThat(header(response, "x-mainstay-verdict")).isEqualTo(verdict);
    assertThat(header(response, "x-should-retry")).isEqualTo("false");
    assertThat(response.body()).contains("\"mainstay\":{");
    assertThat(h.one.asked).isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '!',
      value = {
        "/chat/completions ! it exists with /v1 before it",
        "/messages ! it exists with /v1 before it",
        "/v1/v1/messages ! it exists without the first /v1",
        "/v1/v1beta/models/m:generateContent ! it exists without the first /v1",
        "/providers/nobody/v1/files ! the name of a provider that has a key",
        "/ ! clients use /v1"
      })
  void aBaseUrlThatIsWrongIsSaidToBe(String path, String hint) {
    var response = h.post(path, "{}");
    assertThat(response.statusCode()).isEqualTo(404);
    assertThat(response.body()).contains(hint);
    assertThat(h.one.asked).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/v1/../../other/v1/files",
        "/v1/files/..",
        "/v1/./files",
        "/v1/%2e%2E/files",
        "/providers/one/../two/files",
        "/v1beta/models/../files",
        "/v1/fi\\les"
      })
  void aPathThatLeadsOutOfItsBaseUrlIsNotPassedOn(String path) throws Exception {
    try (var socket = new Socket("127.0.0.1", h.gateway.port())) {
      var request = "GET " + path + " HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n";
      socket.getOutputStream().write(request.getBytes(StandardCharsets.UTF_8));
      var answer = new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      assertThat(answer).startsWith("HTTP/1.1 404").contains("this path does not exist");
    }
    assertThat(h.one.asked).isEmpty();
    assertThat(h.two.asked).isEmpty();
  }

  /** OpenAI's list of models, or of files, is one that Mistral's SDK cannot read. */
  @Test
  void whatMistralsClientAsksForBesideCallsGoesToMistral() {
    h.get("/v1/files", "user-agent", "mistral-client-python/1.9.11");
    assertThat(h.kept.next().attempts().getFirst().target()).isEqualTo("mis");
    h.get("/v1/files", "user-agent", "OpenAI/Python 2.1");
    assertThat(h.kept.next().attempts().getFirst().target()).isEqualTo("one");
  }

  @Test
  void anotherMethodIsToldWhichOneIsAnswered() {
    var response = h.get("/v1/messages");
    assertThat(response.statusCode()).isEqualTo(405);
    assertThat(header(response, "allow")).isEqualTo("POST");
  }

  @Test
  void aPlainNameGoesToTheFirstProviderOfTheDialect() {
    assertThat(header(h.chat("gpt-4o"), "x-mainstay-target")).isEqualTo("one/gpt-4o");
    assertThat(h.one.asked.getFirst().path()).isEqualTo("/v1/chat/completions");
  }

  @Test
  void anthropicPassesWithItsKeyAndVersionAndErrorsInItsShape() {
    var answer =
        "{\"id\":\"msg_1\",\"type\":\"message\",\"role\":\"assistant\",\"content\":[{\"type\":\"text\",\"text\":\"Hi\"}],"
            + "\"model\":\"c\",\"stop_reason\":\"end_turn\",\"usage\":{\"input_tokens\":3,\"output_tokens\":1}}";
    h.one.then(
        error(529, "overloaded_error", "", "Overloaded"),
        json(200, answer),
        json(
            400,
            "{\"type\":\"error\",\"error\":{\"type\":\"invalid_request_error\",\"message\":\"bad\"}}"));
    var body = "{\"model\":\"claude-x\",\"max_tokens\":9,\"messages\":[]}";
    var good = h.post("/v1/messages", body, "x-api-key", "k", "anthropic-beta", "b-1");
    assertThat(good.body()).isEqualTo(answer);
    var asked = h.one.asked.get(1);
    assertThat(asked.headers())
        .containsEntry("x-api-key", ScriptedProvider.KEY)
        .containsEntry("anthropic-version", "2023-06-01")
        .containsEntry("anthropic-beta", "b-1");
    assertThat(asked.body()).isEqualTo(body);
    var bad = h.post("/v1/messages", body);
    assertThat(bad.statusCode()).isEqualTo(400);
    assertThat(bad.body())
        .startsWith(
            "{\"type\":\"error\",\"error\":{\"type\":\"invalid_request_error\",\"message\":\"bad\"");
  }

  @Test
  void geminiPassesWithItsKeyInAHeaderAndItsModelInThePath() {
    var event =
        "data:"
            + " {\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"Hi\"}]},\"finishReason\":\"STOP\"}]}\r\n\r\n";
    h.one.then(sse(List.of(event)));
    var response =
        h.post("/v1beta/models/gem-2.5:streamGenerateContent?alt=sse", "{\"contents\":[]}");
    assertThat(response.body()).isEqualTo(event);
    var asked = h.one.asked.getFirst();
    assertThat(asked.path()).isEqualTo("/v1beta/models/gem-2.5:streamGenerateContent?alt=sse");
    assertThat(asked.headers()).containsEntry("x-goog-api-key", ScriptedProvider.KEY);
  }

  @Test
  void mistralHasItsOwnPathsAndErrors() {
    h.one.then(error(422, "invalid_request_error", "", "bad"));
    var response =
        h.post(
            "/v1/chat/completions", ask("mis/m", false), "user-agent", "mistral-client-python/1");
    assertThat(h.one.asked.getFirst().path()).isEqualTo("/v1/chat/completions");
    assertThat(response.body()).startsWith("{\"object\":\"error\",\"message\":\"bad\"");
  }

  @Test
  void whateverElseAProviderOffersPassesThroughUnread() {
    var odd = "{ \"not\" : \"read\" }";
    h.one.then(json(418, odd, "x-odd", "1"), json(200, odd), json(200, odd), json(200, odd));
    var response =
        h.post("/providers/one/files?purpose=x&key=secret", "raw \u00e9 bytes", "x-secret", "s");
    assertThat(response.statusCode()).isEqualTo(418);
    assertThat(response.body()).isEqualTo(odd);
    assertThat(header(response, "x-odd")).isEqualTo("1");
    var asked = h.one.asked.getFirst();
    assertThat(asked.path()).isEqualTo("/v1/files?purpose=x");
    assertThat(asked.body()).isEqualTo("raw \u00e9 bytes");
    assertThat(asked.headers())
        .containsEntry("authorization", "Bearer " + ScriptedProvider.KEY)
        .doesNotContainKey("x-secret");
    assertThat(h.kept.next().call().path()).isEqualTo("/providers/one/files");
    h.post("/v1/audio/speech", "x");
    h.get("/v1beta/files/7?alt=json");
    h.get("/v1/messages/batches", "anthropic-version", "2023-06-01");
    assertThat(h.one.asked.stream().skip(1).map(ScriptedProvider.ReceivedRequest::path))
        .containsExactly("/v1/audio/speech", "/v1beta/files/7?alt=json", "/v1/messages/batches");
    assertThat(h.one.asked.get(2).headers()).containsKey("x-goog-api-key");
  }

  @ParameterizedTest
  @CsvSource({
    "/v1/files,mistral-client-python/3.7.0,mis",
    "/v1/files,OpenAI/Python 3.54.0,one",
    "/v1/files,curl/8,one",
    "/v1/ocr,mistral-client-typescript/2,mis",
    "/v1/fim/completions,curl/8,mis",
    "/v1/batch/jobs,curl/8,mis",
    "/v1/batches,curl/8,one",
    "/v1/messages/batches,curl/8,claude",
    "/v1/audio/speech,curl/8,one",
  })
  void aPathGoesToTheFirstProviderWhoseItIs(String path, String agent, String provider) {
    h.one.then(json(200, "{}"));
    var response = h.get(path, "user-agent", agent);
    assertThat(header(response, "x-mainstay-target")).isEqualTo(provider);
    assertThat(h.one.asked.getFirst().path()).isEqualTo(path);
  }

  @ParameterizedTest
  @CsvSource({
    "429,retry-after,7,7,true,TRANSIENT/rate_limit",
    "429,x-should-retry,false,1,false,TRANSIENT/rate_limit",
    "503,x-odd,1,1,true,TRANSIENT/overloaded",
    "500,x-odd,1,'',true,TRANSIENT/server_error",
    "404,x-odd,1,'',false,FATAL/not_found",
  })
  void anErrorThatPassesThroughSaysWhetherToAskAgainAndIsRecordedAsOne(
      int status, String name, String value, String wait, String again, String verdict) {
    h.one.then(json(status, "{}", name, value));
    var response = h.get("/v1/files");
    assertThat(response.statusCode()).isEqualTo(status);
    assertThat(response.body()).isEqualTo("{}");
    assertThat(header(response, "retry-after")).isEqualTo(wait);
    assertThat(header(response, "retry-after-ms")).isEqualTo(wait.isEmpty() ? "" : wait + "000");
    assertThat(header(response, "x-should-retry")).isEqualTo(again);
    assertThat(header(response, "x-mainstay-verdict")).isEqualTo(verdict);
    assertThat(h.kept.next().call().verdict()).isEqualTo(verdict);
  }

  @Test
  void aPassageToAProviderThatIsGoneIsAnError() {
    h.two.close();
    var response = h.post("/providers/two/files", "x");
    assertThat(response.statusCode()).isEqualTo(502);
    assertThat(header(response, "x-mainstay-verdict")).isEqualTo("TRANSIENT/connection_refused");
  }

  @Test
  void responsesPass() {
    var events =
        List.of(
            "event: response.created\n"
                + "data: {\"type\":\"response.created\",\"response\":{\"id\":\"r\"}}\n\n",
            "event: response.output_text.delta\n"
                + "data: {\"type\":\"response.output_text.delta\",\"delta\":\"Hi\"}\n\n",
            "event: response.completed\n"
                + "data:"
                + " {\"type\":\"response.completed\",\"response\":{\"status\":\"completed\"}}\n\n");
    h.one.then(sse(events));
    var response = h.post("/v1/responses", "{\"model\":\"one/m\",\"stream\":true,\"input\":\"x\"}");
    assertThat(response.body()).isEqualTo(String.join("", events));
  }

  @Test
  void aRequestOfItsOwnComingBackIsRefused() {
    var response = h.post("/v1/chat/completions", ask("one/m", false));
    var via = h.one.asked.getFirst().headers().getOrDefault("x-mainstay-via", "");
    assertThat(response.statusCode()).isEqualTo(200);
    var again = h.post("/v1/chat/completions", ask("one/m", false), "x-mainstay-via", via);
    assertThat(again.statusCode()).isEqualTo(508);
    assertThat(h.one.asked).hasSize(1);
    // As a target's answer it is not asked for again, and the next target is.
    h.one.then(json(508, again.body(), "x-should-retry", "false"));
    assertThat(header(h.chat("assistant"), "x-mainstay-target")).isEqualTo("two/second");
    assertThat(h.one.asked).hasSize(2);
  }

  @Test
  void whatTheNextMainstayHasRetriedIsNotRetriedAgain() {
    h.one.then(json(500, "{\"error\":{\"message\":\"x\"}}", "x-should-retry", "false"));
    assertThat(h.chat("one/m").statusCode()).isEqualTo(500);
    assertThat(h.one.asked).hasSize(1);
  }

  @Test
  void whereThereAreClientKeysOneIsNeeded() {
    h.close();
    h =
        new Harness(
            "clients: [ { name: a, key: key-a-1, models: [assistant] }, { name: b, key: key-b-1 }"
                + " ]\n");
    assertThat(h.chat("assistant").statusCode()).isEqualTo(401);
    var path = "/v1/chat/completions";
    assertThat(h.post(path, ask("assistant", false), "authorization", "Bearer nope").statusCode())
        .isEqualTo(401);
    assertThat(
            h.post(path, ask("assistant", false), "authorization", "Bearer key-a-1").statusCode())
        .isEqualTo(200);
    assertThat(List.of(h.kept.next(), h.kept.next()))
        .allSatisfy(refused -> assertThat(refused.call().client()).isNull());
    assertThat(h.kept.next().call().client()).isEqualTo("a");
    assertThat(h.post(path, ask("one/m", false), "x-api-key", "key-a-1").statusCode())
        .isEqualTo(403);
    assertThat(h.post(path, ask("one/m", false), "x-api-key", "key-b-1").statusCode())
        .isEqualTo(200);
  }

  @Test
  void theAdminApiAnswersOnlyThoseWhoNameTheLoopback() {
    assertThat(h.get("/api/breakers").statusCode()).isEqualTo(200);
    assertThat(h.get("/api/breakers", "origin", "https://evil.example").statusCode())
        .isEqualTo(403);
  }

  @ParameterizedTest
  @CsvSource({
    "x-mainstay-attempts, 0",
    "x-mainstay-attempts, few",
    "x-mainstay-attempts, ''",
    "x-mainstay-attempts, 2.5",
    "x-mainstay-deadline-ms, 30s",
    "x-mainstay-deadline-ms, -1",
    "x-mainstay-deadline-ms, 99999999999999999999",
    "x-mainstay-record, none",
    "x-mainstay-keep, yes"
  })
  void aHeaderOfOursThatCannotBeReadIsRefusedAndNotIgnored(String name, String value) {
    var response = h.post("/v1/chat/completions", ask("one/m", false), name, value);
    assertThat(response.statusCode()).isEqualTo(400);
    assertThat(header(response, "x-mainstay-verdict")).isEqualTo("LOGIC/invalid_request");
    assertThat(response.body()).contains("\"code\":\"invalid_header\"", name + " is n");
    assertThat(h.one.asked).isEmpty();
  }

  @Test
  void aPassedThroughRequestWithAnUnreadableHeaderIsRefusedToo() {
    var response = h.post("/providers/one/files", "{}", "x-mainstay-record", "none");
    assertThat(response.statusCode()).isEqualTo(400);
    assertThat(response.body()).contains("x-mainstay-record is neither on nor off");
    assertThat(h.one.asked).isEmpty();
  }

  @Test
  void attemptsAndTimeOfTheCallerAreKept() {
    h.one.then(error(500, "server_error", "", "x"));
    var response = h.post("/v1/chat/completions", ask("one/m", false), "x-mainstay-attempts", "1");
    assertThat(response.statusCode()).isEqualTo(500);
    assertThat(h.one.asked).hasSize(1);
  }

  @Test
  void anOpenBreakerShowsAndIsReset() {
    with(
        "recovery: { breaker: { consecutive-failures: 2, open: 1h, max-open: 1h },"
            + " max-attempts: 2 }\n");
    h.one.then(error(500, "server_error", "", "x"), error(500, "server_error", "", "x"));
    h.post("/v1/chat/completions", ask("one/m", false));
    assertThat(h.get("/api/breakers").body()).contains("\"target\":\"one/m\",\"state\":\"open\"");
    assertThat(h.chat("one/m").statusCode()).isEqualTo(503);
    assertThat(h.post("/api/breakers/one%2Fm/reset", "").statusCode()).isEqualTo(200);
    assertThat(h.chat("one/m").body()).isEqualTo(answer());
  }

  @Test
  void theSamePermanentFailureIsAnsweredFromMemoryUntilTheBodyDiffers() {
    for (int i = 0; i < 3; i++) {
      h.one.then(error(400, "invalid_request_error", "invalid_value", "Invalid value: 'x'."));
      assertThat(header(h.chat("one/m"), "x-mainstay-attempts")).isEqualTo("1");
    }
    var fourth = h.chat("one/m");
    assertThat(fourth.statusCode()).isEqualTo(400);
    assertThat(header(fourth, "x-mainstay-attempts")).isEqualTo("0");
    assertThat(header(fourth, "x-should-retry")).isEqualTo("false");
    assertThat(header(fourth, "x-mainstay-recovery")).isEqualTo("memory");
    assertThat(fourth.body())
        .contains("Invalid value: 'x'.")
        .contains("\"call\":\"" + header(fourth, "x-mainstay-call") + "\"")
        .contains("\"attempts\":[]");
    assertThat(h.one.asked).hasSize(3);
    assertThat(h.chat("one/n").statusCode()).isEqualTo(200);
    h.gateway.reload(h.config(""));
    assertThat(h.chat("one/m").statusCode()).isEqualTo(200);
  }

  @Test
  void aClientBeyondItsLimitsIsToldWhenToComeBack() {
    with(
        "clients: [ { name: a, key: key-a-1, limits: { rpm: 2 } }, { name: b, key: key-b-1, limits:"
            + " { tpm: 5 } } ]\n");
    var path = "/v1/chat/completions";
    for (int i = 0; i < 2; i++) {
      assertThat(h.post(path, ask("one/m", false), "x-api-key", "key-a-1").statusCode())
          .isEqualTo(200);
    }
    var refused = h.post(path, ask("one/m", false), "x-api-key", "key-a-1");
    assertThat(refused.statusCode()).isEqualTo(429);
    assertThat(Integer.parseInt(header(refused, "retry-after"))).isBetween(1, 30);
    // An answer uses 6 tokens: one more than the minute has.
    assertThat(h.post(path, ask("one/m", false), "x-api-key", "key-b-1").statusCode())
        .isEqualTo(200);
    h.kept.next();
    h.kept.next();
    h.kept.next();
    assertThat(h.post(path, ask("one/m", false), "x-api-key", "key-b-1").statusCode())
        .isEqualTo(429);
  }

  @Test
  void aFileThatChangesIsReloadedAndOneWithMistakesIsNot(@TempDir Path folder) throws Exception {
    var file = folder.resolve("mainstay.yaml");
    var providers =
        "providers: { one: { dialect: openai, base-url: \""
            + h.one.url()
            + "/v1\", keys: [k] } }\n";
    Files.writeString(file, providers);
    try (var reloader = Reloader.watch(h.gateway, file, Map.of(), config -> config)) {
      Files.writeString(file, providers + "models: { fresh: { targets: [one/x] } }\n");
      reloader.check();
      assertThat(h.chat("fresh").statusCode()).isEqualTo(200);
      Files.writeString(file, providers + "models: { broken: { targets: [nobody/x] } }\n");
      reloader.check();
      assertThat(h.get("/v1/models").body()).contains("fresh").doesNotContain("broken");
    }
  }

  @Test
  void aReloadThatFailsLeavesTheWatcherAtWork(@TempDir Path folder) throws Exception {
    var file = folder.resolve("mainstay.yaml");
    var yaml = h.yaml("");
    Files.writeString(file, yaml);
    var bug = new AtomicBoolean(true);
    try (var reloader =
        Reloader.watch(
            h.gateway,
            file,
            Map.of(),
            config -> {
              if (bug.getAndSet(false)) {
                throw new IllegalStateException("a bug");
              }
              return config;
            })) {
      Files.writeString(file, yaml + "  lost: { targets: [one/x] }\n");
      reloader.check();
      Files.writeString(file, yaml + "  fresh: { targets: [one/x] }\n");
      reloader.check();
      assertThat(h.get("/v1/models").body()).contains("fresh").doesNotContain("lost");
    }
  }

  private void with(String more) {
    h.close();
    h = new Harness(more);
  }

  @Test
  void aReloadLetsAStreamGoOnAndServesTheNextByTheNewConfiguration() throws Exception {
    h.one.then(silentAfter(answerEvents().subList(0, 2)));
    try (var stream = open("one/m")) {
      assertThat(stream.readLine()).startsWith("data:");
      h.gateway.reload(h.config("clients: [ { name: a, key: key-a-1 } ]\n"));
      assertThat(h.chat("one/m").statusCode()).isEqualTo(401);
      assertThat(h.gateway.running()).isEqualTo(1);
    }
  }

  @Test
  void drainingEndsAStreamThatDoesNotEndWithAnErrorEvent() throws Exception {
    h.one.then(silentAfter(answerEvents().subList(0, 2)));
    try (var stream = open("one/m")) {
      assertThat(stream.readLine()).startsWith("data:");
      var closing = Thread.ofVirtual().start(() -> h.gateway.close(Duration.ofMillis(100)));
      assertThat(stream.lines().toList())
          .anyMatch(
              line -> line.contains("\"error\":{\"message\":\"this gateway is shutting down"));
      closing.join();
      assertThat(h.kept.next().attempts().getFirst().reason())
          .isEqualTo("this gateway is shutting down");
    }
  }

  private BufferedReader open(String model) throws Exception {
    var request =
        HttpRequest.newBuilder(URI.create(h.url() + "/v1/chat/completions"))
            .POST(HttpRequest.BodyPublishers.ofString(ask(model, true)))
            .build();
    var body = h.client.send(request, HttpResponse.BodyHandlers.ofInputStream()).body();
    return new BufferedReader(new InputStreamReader(body, StandardCharsets.UTF_8));
  }
}
