package dev.mainstay.simulator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mainstay.simulator.junit.SimulatedProviders;
import java.io.IOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import tools.jackson.databind.JsonNode;

@Timeout(value = 180, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
@SimulatedProviders
class SimulatorTest {
  @SuppressWarnings("NullAway.Init")
  private static Simulator simulator;

  @SuppressWarnings("NullAway.Init")
  private static SimulatorClient ask;

  @BeforeAll
  static void start(Simulator running) {
    simulator = running;
    ask = new SimulatorClient(running);
  }

  @AfterAll
  static void stop() {
    ask.close();
  }

  private static void play(Step... steps) {
    simulator.script(Script.of("m", steps));
  }

  private static String text(List<String> events) {
    return events.stream()
        .filter(e -> !e.equals("[DONE]"))
        .map(
            e ->
                SimulatorClient.json(e)
                    .path("choices")
                    .path(0)
                    .path("delta")
                    .path("content")
                    .asString(""))
        .collect(Collectors.joining());
  }

  @Test
  void answersAChatCompletion() throws Exception {
    var answer = ask.chat("m", false);
    JsonNode body = SimulatorClient.json(answer.body());
    assertThat(answer.headers().firstValue("x-request-id")).isPresent();
    assertThat(body.path("object").asString()).isEqualTo("chat.completion");
    assertThat(body.path("model").asString()).isEqualTo("m");
    assertThat(body.path("choices").path(0).path("message").path("content").asString())
        .isEqualTo(Answer.USUAL.text());
    assertThat(body.path("choices").path(0).path("finish_reason").asString()).isEqualTo("stop");
    JsonNode usage = body.path("usage");
    assertThat(usage.path("total_tokens").asInt())
        .isEqualTo(usage.path("prompt_tokens").asInt() + usage.path("completion_tokens").asInt());
  }

  /** A scripted fault that does nothing would let every test of it pass. */
  @Test
  void aFaultInAStreamHappensToAWholeAnswerToo() throws Exception {
    for (var fault :
        List.of(
            new Fault.Reset(FaultPoint.after(3)),
            new Fault.Cut(FaultPoint.after(2)),
            new Fault.Cut(FaultPoint.atByte(1_000_000)),
            new Fault.End(FaultPoint.after(9)))) {
      play(Step.of(fault));
      simulator.clearLog();
      String got;
      try {
        got = ask.chat("m", false).body();
      } catch (IOException e) {
        got = "";
      }
      assertThat(got).as(fault.toString()).doesNotEndWith("}");
      assertThat(simulator.log().getFirst().answer().step())
          .isEqualTo(fault + ", in the middle: the answer is not streamed");
    }
  }

  @Test
  void aCharacterOfAsciiIsCutInItsJson() {
    play(
        Step.of(new Fault.CutInside(Fault.Part.CHARACTER))
            .with(Answer.ofText("Plain words alone.")));
    assertThatThrownBy(() -> ask.chat("m", false)).isInstanceOf(IOException.class);
    assertThat(simulator.log().getFirst().answer().step())
        .endsWith("inside its JSON: the answer is ASCII");
  }

  @Test
  void streamsAChatCompletion() throws Exception {
    var answer =
        ask.post(
            "/v1/chat/completions",
            "{\"model\":\"m\",\"stream\":true,\"stream_options\":{\"include_usage\":true},\"messages\":[{\"role\":\"user\",\"content\":\"hi\"}]}");
    var events = SimulatorClient.events(answer.body());
    assertThat(answer.headers().firstValue("content-type"))
        .hasValue("text/event-stream; charset=utf-8");
    assertThat(SimulatorClient.json(events.getFirst()).at("/choices/0/delta/role").asString())
        .isEqualTo("assistant");
    assertThat(text(events)).isEqualTo(Answer.USUAL.text());
    assertThat(events.getLast()).isEqualTo("[DONE]");
    JsonNode usage = SimulatorClient.json(events.get(events.size() - 2));
    assertThat(usage.path("choices")).isEmpty();
    assertThat(usage.path("usage").path("total_tokens").asInt()).isPositive();
    assertThat(
            SimulatorClient.json(events.get(events.size() - 3))
                .at("/choices/0/finish_reason")
                .asString())
        .isEqualTo("stop");
  }

  @Test
  void leavesUsageOutOfAStreamUnasked() throws Exception {
    assertThat(ask.chat("m", true).body()).doesNotContain("usage");
  }

  @Test
  void callsTools() throws Exception {
    play(
        Step.answering(Answer.ofCalls(new Answer.ToolCall("${tool}", "{\"a\":1}"))),
        Step.answering(Answer.ofCalls(new Answer.ToolCall("${tool}", "{\"a\":1}"))));
    String tools =
        ",\"tools\":[{\"type\":\"function\",\"function\":{\"name\":\"weigh\"}}],\"messages\":[{\"role\":\"user\",\"content\":\"hi\"}]}";
    JsonNode whole =
        SimulatorClient.json(ask.post("/v1/chat/completions", "{\"model\":\"m\"" + tools).body());
    assertThat(whole.at("/choices/0/finish_reason").asString()).isEqualTo("tool_calls");
    assertThat(whole.at("/choices/0/message/tool_calls/0/function/name").asString())
        .isEqualTo("weigh");
    assertThat(whole.at("/choices/0/message/content").isNull()).isTrue();
    var events =
        SimulatorClient.events(
            ask.post("/v1/chat/completions", "{\"model\":\"m\",\"stream\":true" + tools).body());
    String arguments =
        events.stream()
            .filter(e -> e.contains("tool_calls") && e.contains("arguments"))
            .map(
                e ->
                    SimulatorClient.json(e)
                        .at("/choices/0/delta/tool_calls/0/function/arguments")
                        .asString())
            .collect(Collectors.joining());
    assertThat(arguments).isEqualTo("{\"a\":1}");
  }

  @Test
  void givesTheSameEmbeddingForTheSameInput() throws Exception {
    String body = "{\"model\":\"m\",\"input\":[\"a\",\"b\",\"a\"]}";
    JsonNode data = SimulatorClient.json(ask.post("/v1/embeddings", body).body()).path("data");
    assertThat(data).hasSize(3);
    assertThat(data.get(0).path("embedding"))
        .isEqualTo(data.get(2).path("embedding"))
        .isNotEqualTo(data.get(1).path("embedding"));
    JsonNode packed =
        SimulatorClient.json(
            ask.post(
                    "/v1/embeddings",
                    "{\"model\":\"m\",\"input\":\"a\",\"encoding_format\":\"base64\"}")
                .body());
    assertThat(packed.at("/data/0/embedding").isString()).isTrue();
  }

  @Test
  void listsTheScriptsModels() throws Exception {
    simulator.script(Script.of("m").and("openai/n").and("*"));
    JsonNode data =
        SimulatorClient.json(ask.send("GET", "/openai/v1/models", "").body()).path("data");
    assertThat(data.findValuesAsString("id")).containsExactly("m", "n");
  }

  @Test
  void playsAScriptStepByStepThenAnswersWell() throws Exception {
    play(Faults.step("openai-rate-limit"), Faults.step("openai-server-error").times(2), Step.OK);
    var limited = ask.chat("m", true);
    assertThat(limited.statusCode()).isEqualTo(429);
    assertThat(limited.headers().firstValue("retry-after")).hasValue("1");
    assertThat(limited.body()).contains("Rate limit reached for m in organization");
    assertThat(ask.chat("other", false).statusCode()).isEqualTo(200);
    assertThat(ask.chat("m", false).statusCode()).isEqualTo(500);
    assertThat(ask.chat("m", false).statusCode()).isEqualTo(500);
    assertThat(ask.chat("m", false).statusCode()).isEqualTo(200);
    assertThat(simulator.log("m").stream().map(each -> each.answer().step()))
        .containsExactly("openai-rate-limit", "openai-server-error", "openai-server-error", "ok");
  }

  @Test
  void beginsAgainWhereToldTo() throws Exception {
    simulator.script(
        Script.parse("models: { m: { script: [ { status: 503 }, ok ], then: repeat } }"));
    for (int i = 0; i < 4; i++) {
      assertThat(ask.chat("m", false).statusCode()).isEqualTo(i % 2 == 0 ? 503 : 200);
    }
  }

  @Test
  void resets() throws Exception {
    play(
        Step.of(new Fault.Reset(FaultPoint.BEFORE_HEADERS)),
        Step.of(new Fault.Reset(FaultPoint.AFTER_HEADERS)),
        Step.of(new Fault.Reset(FaultPoint.after(3))));
    for (int i = 0; i < 3; i++) {
      assertThatThrownBy(() -> ask.chat("m", true)).isInstanceOf(IOException.class);
    }
    assertThat(simulator.log())
        .extracting(each -> each.answer().ending())
        .containsOnly(Received.Ending.RESET);
    assertThat(simulator.log()).extracting(each -> each.answer().events()).containsExactly(0, 0, 4);
  }

  @Test
  void endsAStreamWithoutItsEnding() throws Exception {
    play(
        Step.of(new Fault.End(FaultPoint.after(2))),
        Step.of(new Fault.End(FaultPoint.AFTER_HEADERS)));
    var events = SimulatorClient.events(ask.chat("m", true).body());
    assertThat(text(events)).isEqualTo("Everything went ");
    assertThat(events).hasSize(3).doesNotContain("[DONE]");
    assertThat(ask.chat("m", true).body()).isEmpty();
  }

  @Test
  void cutsInsideCharactersTokensAndChunks() throws Exception {
    play(
        Step.of(new Fault.CutInside(Fault.Part.CHARACTER)),
        Step.of(new Fault.CutInside(Fault.Part.JSON)),
        Step.of(new Fault.CutInside(Fault.Part.CHUNK)));
    byte[] character = raw(true);
    assertThat(character[character.length - 3] & 0xff).isEqualTo(0xc3);
    assertThat(new String(raw(true), StandardCharsets.UTF_8))
        .doesNotContain("[DONE]")
        .doesNotEndWith("\n\n");
    assertThat(new String(raw(true), StandardCharsets.UTF_8)).doesNotEndWith("\r\n");
  }

  /** Everything that comes on one connection until it is closed. */
  private static byte[] raw(boolean stream) throws IOException {
    String body =
        "{\"model\":\"m\",\"stream\":"
            + stream
            + ",\"messages\":[{\"role\":\"user\",\"content\":\"hi\"}]}";
    try (var socket = new Socket("127.0.0.1", simulator.port())) {
      socket
          .getOutputStream()
          .write(
              ("POST /v1/chat/completions HTTP/1.1\r\n"
                      + "host: x\r\n"
                      + "connection: close\r\n"
                      + "content-length: "
                      + body.length()
                      + "\r\n\r\n"
                      + body)
                  .getBytes(StandardCharsets.UTF_8));
      return socket.getInputStream().readAllBytes();
    }
  }

  @Test
  void sendsErrorEventsAndMalformedOnes() throws Exception {
    play(
        Faults.step("openai-error-event"),
        Faults.step("malformed-event"),
        Faults.step("openai-error-in-200"));
    var failed = SimulatorClient.events(ask.chat("m", true).body());
    assertThat(failed).hasSize(5).doesNotContain("[DONE]");
    assertThat(SimulatorClient.json(failed.getLast()).at("/error/type").asString())
        .isEqualTo("server_error");
    var broken = SimulatorClient.events(ask.chat("m", true).body());
    assertThatThrownBy(() -> SimulatorClient.json(broken.get(3))).isNotNull();
    assertThat(broken.getLast()).isEqualTo("[DONE]");
    var error = ask.chat("m", true);
    assertThat(error.statusCode()).isEqualTo(200);
    assertThat(error.headers().firstValue("content-type")).hasValue("application/json");
  }

  @Test
  void noticesThatTheClientLeftWhileItIsSilent() throws Exception {
    play(Faults.step("silence"));
    try (var socket = new Socket("127.0.0.1", simulator.port())) {
      String body = "{\"model\":\"m\",\"messages\":[{\"role\":\"user\",\"content\":\"hi\"}]}";
      socket
          .getOutputStream()
          .write(
              ("POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\ncontent-length: "
                      + body.length()
                      + "\r\n\r\n"
                      + body)
                  .getBytes(StandardCharsets.UTF_8));
      while (simulator.log("m").isEmpty()) Thread.onSpinWait();
      assertThat(simulator.log("m").getFirst().answer().ending())
          .isEqualTo(Received.Ending.RUNNING);
    }
    while (simulator.log("m").getFirst().answer().ending() == Received.Ending.RUNNING)
      Thread.onSpinWait();
    assertThat(simulator.log("m").getFirst().answer().ending())
        .isEqualTo(Received.Ending.CLIENT_LEFT);
    assertThat(simulator.log("m").getFirst().answer().status()).isZero();
  }

  @Test
  void goesOnAfterAPassingSilence() throws Exception {
    play(
        Step.of(new Fault.Silence(FaultPoint.after(1), Duration.ofMillis(5)))
            .dripping(Duration.ofMillis(1)));
    assertThat(text(SimulatorClient.events(ask.chat("m", true).body())))
        .isEqualTo(Answer.USUAL.text());
  }

  @Test
  void enforcesRateLimitsForEachKey() throws Exception {
    simulator.script(Script.parse("models: { m: { limit: { requests: 2, window: 5m } } }"));
    String body = "{\"model\":\"m\",\"messages\":[{\"role\":\"user\",\"content\":\"hi\"}]}";
    long before = System.nanoTime();
    for (String key : List.of("a", "b")) {
      for (int i = 0; i < 3; i++) {
        var answer = ask.post("/v1/chat/completions", body, "authorization", "Bearer " + key);
        assertThat(answer.statusCode()).isEqualTo(i < 2 ? 200 : 429);
        if (i == 2)
          assertThat(Long.parseLong(answer.headers().firstValue("retry-after").orElseThrow()))
              .isBetween(299 - Duration.ofNanos(System.nanoTime() - before).toSeconds(), 300L);
      }
    }
  }

  @Test
  void treatsABadKeyAsBadWhateverItAsksFor() throws Exception {
    simulator.script(Script.EMPTY.andKey("sk-bad", Faults.step("openai-bad-key")));
    String body = "{\"model\":\"m\",\"messages\":[{\"role\":\"user\",\"content\":\"hi\"}]}";
    assertThat(
            ask.post("/v1/chat/completions", body, "authorization", "Bearer sk-bad").statusCode())
        .isEqualTo(401);
    assertThat(
            ask.post("/v1/chat/completions", body, "authorization", "Bearer sk-good").statusCode())
        .isEqualTo(200);
  }

  @Test
  void keepsNoSecretInItsLog() throws Exception {
    ask.post(
        "/v1/chat/completions?key=sk-three",
        "{\"model\":\"m\"}",
        "authorization",
        "Bearer sk-one",
        "x-api-key",
        "sk-two",
        "x-team",
        "blue");
    String log = ask.send("GET", "/_sim/log", "").body();
    assertThat(log)
        .contains("\"x-team\":\"blue\"")
        .doesNotContain("sk-one")
        .doesNotContain("sk-two")
        .doesNotContain("sk-three");
    assertThat(simulator.log().getFirst().delivery().key()).hasSize(12);
  }

  @Test
  void isScriptedOverHttp() throws Exception {
    assertThat(ask.send("PUT", "/_sim/script", "models: { m: [ html-502 ] }").body())
        .isEqualTo("{\"models\":[\"m\"]}");
    assertThat(ask.chat("m", true).body()).contains("<h1>502 Bad Gateway</h1>");
    var wrong = ask.send("PUT", "/_sim/script", "models: { m: [ { stauts: 502 } ] }");
    assertThat(wrong.statusCode()).isEqualTo(400);
    assertThat(wrong.body()).contains("models.m[0]").contains("stauts");
    var log =
        SimulatorClient.json(ask.send("GET", "/_sim/log?model=m", "").body()).path("requests");
    assertThat(log).hasSize(1);
    assertThat(log.get(0).path("status").asInt()).isEqualTo(502);
    ask.send("DELETE", "/_sim", "");
    assertThat(simulator.log()).isEmpty();
    assertThat(SimulatorClient.json(ask.send("GET", "/_sim/faults", "").body()).path("faults"))
        .hasSameSizeAs(Faults.all());
    assertThat(ask.send("GET", "/_sim/nothing", "").statusCode()).isEqualTo(404);
  }

  @Test
  void everyFaultOfTheCatalogueCanBePlayedBothWays() throws Exception {
    for (Faults.Known fault : Faults.all()) {
      // Silence for ever has a test of its own.
      if (fault.step().fault() instanceof Fault.Silence silence && silence.lasting() == null)
        continue;
      play(fault.step().dripping(Duration.ZERO).times(2));
      for (boolean stream : new boolean[] {true, false}) {
        try {
          ask.chat("m", stream);
        } catch (IOException e) {
          // A cut or a reset: what it is for.
        }
      }
      assertThat(simulator.log("m"))
          .as(fault.name())
          .isNotEmpty()
          .allSatisfy(each -> assertThat(each.answer().step()).startsWith(fault.name()));
      simulator.clearLog();
    }
  }
}
