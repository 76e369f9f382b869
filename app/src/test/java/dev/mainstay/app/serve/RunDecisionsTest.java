package dev.mainstay.app.serve;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mainstay.simulator.Received;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What a person decides about a run is taken once. */
@SuppressWarnings("NullAway.Init")
@Timeout(180)
class RunDecisionsTest {
  @TempDir Path directory;
  private RunsServer server;

  @AfterEach
  void stop() {
    server.close();
  }

  private void serve(String more) throws Exception {
    server = new RunsServer(directory, more);
  }

  @Test
  void aDeadLetterIsRedrivenOnceAndGoesOnFromItsJournalWithTheSameKeys() throws Exception {
    serve("recovery: { preset: off }");
    server.script(
        """
        models:
          one/gpt-4o:
            script:
              - { answer: { tool-calls: [ { name: refund, arguments: '{"order": "7"}' } ] } }
              - openai-server-error
        """);
    var run = server.start(null);
    var dead = server.await(run, "dead_letter");
    assertThat(dead.at("/failure/call").asString()).startsWith("call_");
    assertThat(dead.at("/failure/step").asInt()).isEqualTo(3);
    assertThat(dead.at("/failure/message").asString()).isNotEmpty();
    assertThat(server.effects).hasSize(1);
    var letters = server.get("/api/dead-letters").json().path("dead_letters");
    assertThat(letters).hasSize(1);
    assertThat(letters.path(0).path("id").asString()).isEqualTo(run);
    var letter = server.get("/api/dead-letters/" + run).json();
    assertThat(letter.path("evidence")).hasSize(3);
    assertThat(letter.path("verdict").asString()).isEqualTo("TRANSIENT/server_error");
    assertThat(letter.path("paused").asBoolean(true)).isFalse();

    server.script("models: { one/gpt-4o: [ { answer: \"Refunded.\" } ] }");
    var answers = new ArrayList<RunsServer.Answer>();
    try (var callers = Executors.newVirtualThreadPerTaskExecutor()) {
      var redrive = "/api/dead-letters/" + run + "/redrive";
      var all =
          Collections.nCopies(8, (Callable<RunsServer.Answer>) () -> server.post(redrive, ""));
      for (var each : callers.invokeAll(all)) {
        answers.add(each.get());
      }
    }
    answers.sort(Comparator.comparingInt(RunsServer.Answer::status));
    var redriven = answers.getFirst();
    assertThat(answers)
        .extracting(RunsServer.Answer::status)
        .containsExactly(202, 409, 409, 409, 409, 409, 409, 409);
    var again = server.post("/api/dead-letters/" + run + "/redrive", "");
    assertThat(again.status()).isEqualTo(409);
    assertThat(again.json().at("/decided/kind").asString()).isEqualTo("redrive");
    assertThat(server.post("/api/dead-letters/" + run + "/discard", "").status()).isEqualTo(409);
    var next = server.await(redriven.json().path("run").asString(), "completed", "dead_letter");
    assertThat(next.path("output").asString()).isEqualTo("Refunded.");
    assertThat(next.path("turns").asInt()).isEqualTo(2);
    // The tool's step was complete: nothing calls it again.
    assertThat(server.effects).hasSize(1);
    assertThat(server.get("/api/dead-letters").json().at("/dead_letters/0/state").asString())
        .isEqualTo("redriven");
  }

  @Test
  void aRequestThatCannotBeMeantIsRefusedWithWhatIsAllowed() throws Exception {
    serve("");
    var run = "{\"agent\":\"refunds\",\"input\":\"x\",%s}";
    for (var field :
        new String[] {
          "\"priority\":17",
          "\"priority\":\"high\"",
          "\"labels\":[1]",
          "\"labels\":{\"a\":{}}",
          "\"session\":7",
          "\"sesion\":\"ann\""
        }) {
      var refused = server.post("/api/runs", run.formatted(field));
      assertThat(refused.status()).as(field).isEqualTo(400);
      assertThat(refused.json().at("/error/allowed")).as(field).isNotEmpty();
    }
    assertThat(server.get("/api/runs").json().path("runs")).isEmpty();
    var unknown = server.post("/api/runs", "{\"agent\":\"nobody\",\"input\":\"x\"}");
    assertThat(unknown.json().at("/error/allowed").toString()).contains("refunds");
    assertThat(server.get("/api/runs/none").json().at("/error/allowed").isArray()).isTrue();
  }

  @Test
  void eachMatterIsDecidedOnceAndTheSecondIsToldWhatWasDecidedFirst() throws Exception {
    serve("");
    server.script("models: { one/gpt-4o: [ { silence: 0 } ] }");
    var run = server.start(null);
    var path = "/api/runs/" + run;
    assertThat(server.post(path + "/resume", "").status()).isEqualTo(409);
    assertThat(server.post(path + "/pause", "").status()).isEqualTo(202);
    var again = server.post(path + "/pause", "");
    assertThat(again.status()).isEqualTo(409);
    assertThat(again.json().at("/decided/kind").asString()).isEqualTo("pause");
    assertThat(server.post(path + "/resume", "").status()).isEqualTo(202);
    assertThat(server.post(path + "/resume", "").status()).isEqualTo(409);
    assertThat(server.post(path + "/approve", "{\"step\":1,\"approved\":true}").status())
        .isEqualTo(409);
    assertThat(server.post(path + "/approve", "{\"step\":1}").status()).isEqualTo(400);
    assertThat(server.post(path + "/message", "{}").status()).isEqualTo(400);
    var said = "{\"text\":\"Hurry.\"}";
    assertThat(server.send("POST", path + "/message", null, said, "idempotency-key", "k").status())
        .isEqualTo(202);
    assertThat(server.send("POST", path + "/message", null, said, "idempotency-key", "k").status())
        .isEqualTo(409);
    assertThat(server.post(path + "/cancel", "").status()).isEqualTo(202);
    assertThat(server.post(path + "/cancel", "").status()).isEqualTo(409);
    var ended = server.await(run, "cancelled");
    assertThat(ended.path("reason").asString()).startsWith("cancelled: ");
    assertThat(server.post(path + "/pause", "").status()).isEqualTo(409);
  }

  @Test
  void aDecisionThatCannotBeMeantIsRefusedAndDecidesNothing() throws Exception {
    serve("");
    server.script("models: { one/gpt-4o: [ { silence: 0 } ] }");
    var run = server.start(null);
    var path = "/api/runs/" + run;
    for (var wrong :
        new String[] {
          "approve {\"step\":\"2\",\"approved\":true}",
          "approve {\"step\":2,\"approved\":\"yes\"}",
          "approve {\"step\":2,\"approved\":true,\"by\":\"ann\"}",
          "resolve {\"step\":2,\"happend\":true}",
          "message {\"text\":5}",
          "message {\"text\":\"x\",\"to\":\"model\"}"
        }) {
      var parts = wrong.split(" ", 2);
      var refused = server.post(path + "/" + parts[0], parts[1]);
      assertThat(refused.status()).as(wrong).isEqualTo(400);
      assertThat(refused.json().at("/error/allowed")).as(wrong).isNotEmpty();
    }
    for (var wrong :
        new String[] {
          "{}",
          "{\"budget\":{}}",
          "{\"budget\":{\"usd\":-1}}",
          "{\"budget\":{\"tokens\":1.5}}",
          "{\"budget\":{\"deadline\":\"soon\"}}",
          "{\"budget\":{\"deadline\":5}}",
          "{\"budget\":{\"euro\":1}}"
        }) {
      assertThat(server.post(path + "/extend", wrong).status()).as(wrong).isEqualTo(400);
    }
    assertThat(server.post(path + "/cancel", "{\"why\":\"x\"}").status()).isEqualTo(202);
    assertThat(server.await(run, "cancelled").path("steps").asInt()).isEqualTo(1);
    assertThat(server.events(run, null).lines().filter("event: decided"::equals)).hasSize(1);
  }

  @Test
  void aFullQueueSaysWhenToAskAgain() throws Exception {
    serve("runs: { workers: 1, queue: 1 }");
    server.script("models: { one/gpt-4o: { script: [ { silence: 0 } ], then: repeat } }");
    var start =
        HttpRequest.newBuilder(URI.create(server.url() + "/api/runs"))
            .POST(BodyPublishers.ofString("{\"agent\":\"refunds\",\"input\":\"x\"}"))
            .build();
    try (var http = HttpClient.newHttpClient()) {
      // One is carried out and one waits: the third at the latest is too many.
      var answer = http.send(start, BodyHandlers.ofString());
      for (int i = 0; i < 2 && answer.statusCode() == 202; i++) {
        answer = http.send(start, BodyHandlers.ofString());
      }
      assertThat(answer.statusCode()).isEqualTo(503);
      assertThat(answer.body()).contains("queue_full");
      assertThat(answer.headers().firstValue("retry-after")).contains("1");
      assertThat(answer.headers().firstValue("retry-after-ms")).contains("1000");
      assertThat(answer.headers().firstValue("x-should-retry")).contains("true");
    }
  }

  /** Tools likewise: {@code HttpToolTest}. */
  @Test
  void aCancelReachesTheProviderInTheMiddleOfItsAnswer() throws Exception {
    serve("");
    server.script(
        "models: { one/gpt-4o: [ { silence: 3, answer: \"one two three four five six\" } ] }");
    var run = server.start(null);
    while (server.asked().isEmpty() || server.asked().getFirst().answer().events() < 3) {
      Thread.onSpinWait();
    }
    assertThat(server.asked().getFirst().answer().ending()).isEqualTo(Received.Ending.RUNNING);
    assertThat(server.post("/api/runs/" + run + "/cancel", "").status()).isEqualTo(202);
    while (server.asked().getFirst().answer().ending() == Received.Ending.RUNNING) {
      Thread.onSpinWait();
    }
    assertThat(server.asked())
        .extracting(each -> each.answer().ending())
        .containsExactly(Received.Ending.CLIENT_LEFT);
    assertThat(server.await(run, "cancelled").path("turns").asInt()).isZero();
  }

  @Test
  void eventsResumeWithoutAGapOrARepeatAndEndWithTheRun() throws Exception {
    serve("");
    server.refundScript();
    var run = server.start(null);
    server.await(run, "completed");
    var all = server.events(run, null);
    assertThat(all).endsWith("\n\n").contains("event: run.accepted").contains("event: run.ended");
    assertThat(all)
        .contains("\"definition_hash\":", "\"request_hash\":", "\"cost_usd\":", "\"at\":\"20")
        .doesNotContain("costNanos", "requestHash");
    var ids = all.lines().filter(line -> line.startsWith("id: ")).toList();
    assertThat(ids).doesNotHaveDuplicates().hasSizeGreaterThan(5);
    var rest = server.events(run, ids.get(2).substring(4));
    assertThat(rest.lines().filter(line -> line.startsWith("id: ")).toList())
        .isEqualTo(ids.subList(3, ids.size()));
    // An EventSource comes back with the last id after the end: it is told to stop.
    var last = ids.getLast().substring(4);
    var path = "/api/runs/" + run + "/events";
    var over = server.send("GET", path, null, "", "last-event-id", last);
    assertThat(over.status()).isEqualTo(204);
    var never = server.send("GET", path, null, "", "last-event-id", last + "0");
    assertThat(never.status()).isEqualTo(400);
    assertThat(never.json().at("/error/code").asString()).isEqualTo("invalid_event_id");
  }

  @Test
  void aGracefulStopParksARunAndTheNextStartCarriesItOn() throws Exception {
    serve("");
    server.script(
        """
        models:
          one/gpt-4o:
            script:
              - { answer: { tool-calls: [ { name: refund, arguments: '{"order": "7"}' } ] } }
              - { silence: 0 }
        """);
    var run = server.start(null);
    var key = server.effects.take();
    while (server.asked().size() < 2) {
      Thread.onSpinWait();
    }
    // Before the restart, which asks again at once.
    server.script("models: { one/gpt-4o: [ { answer: \"Refunded.\" } ] }");
    server.restart();
    assertThat(server.await(run, "completed").path("output").asString()).isEqualTo("Refunded.");
    assertThat(server.effects).allMatch(key::equals);
  }
}
