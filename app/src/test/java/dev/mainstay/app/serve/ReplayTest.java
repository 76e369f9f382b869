package dev.mainstay.app.serve;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** A run once more: from its record alone, or forked with something changed. */
@SuppressWarnings("NullAway.Init")
@Timeout(180)
class ReplayTest {
  @TempDir Path directory;
  private RunsServer server;
  private String run;

  @BeforeEach
  void start() throws Exception {
    server = new RunsServer(directory, "");
    server.refundScript();
    run = server.start(null);
    server.await(run, "completed");
    assertThat(server.effects).hasSize(1);
    server.effects.clear();
  }

  @AfterEach
  void stop() {
    server.close();
  }

  private RunsServer.Answer replay(String body) throws Exception {
    return server.post("/api/runs/" + run + "/replay", body);
  }

  private JsonNode forked(String body) throws Exception {
    var answer = replay(body);
    assertThat(answer.status()).isEqualTo(202);
    return server.await(answer.json().path("run").asString(), "completed", "failed");
  }

  @Test
  void everyRequestIsBuiltAgainAsItWasSentWithoutTheNetwork() throws Exception {
    // Whatever the provider were asked now, it would answer nothing.
    server.script("models: { one/gpt-4o: [ { silence: 0 } ] }");
    var verified = replay("{\"mode\":\"verify\"}").json();
    assertThat(verified.path("equal").asBoolean()).isTrue();
    assertThat(verified.path("requests").asInt()).isEqualTo(2);

    var changed =
        replay("{\"mode\":\"verify\",\"set\":{\"instructions\":\"You handle refunds!\"}}").json();
    assertThat(changed.path("equal").asBoolean()).isFalse();
    assertThat(changed.at("/divergence/step").asInt()).isEqualTo(1);
    assertThat(changed.at("/divergence/diff").asString())
        .contains("-    \"content\" : \"You handle refunds.\"")
        .contains("+    \"content\" : \"You handle refunds!\"");
  }

  @Test
  void aForkTakesWhatWasBeforeFromTheRecordAndCallsNoWritingTool() throws Exception {
    var before = server.get("/api/runs/" + run).json();
    var fork = forked("{\"from_step\":1,\"set\":{\"model\":\"other\"}}");
    assertThat(fork.path("replay_of").asString()).isEqualTo(run);
    assertThat(fork.path("output").asString()).isEqualTo("Paid back.");
    assertThat(fork.path("definition_hash")).isNotEqualTo(before.path("definition_hash"));
    // The first call is the recorded one and has its result; the model invented the second.
    assertThat(fork.path("tool_calls")).hasSize(2);
    assertThat(fork.at("/tool_calls/0/result").asString()).isEqualTo("{\"refunded\":true}");
    assertThat(fork.at("/tool_calls/1/status").asString()).isEqualTo("failed");
    assertThat(fork.at("/tool_calls/1/result").asString()).contains("disarmed");
    assertThat(server.effects).isEmpty();

    var diff = server.get("/api/runs/" + run + "/diff/" + fork.path("run").asString()).json();
    assertThat(diff.path("steps"))
        .extracting(step -> step.path("change").asString())
        .containsExactly("changed", "same", "added", "changed");
    assertThat(diff.path("text").asString()).contains("-  Refunded.").contains("+  Paid back.");
    assertThat(diff.at("/first_difference/a").asInt()).isEqualTo(1);
    assertThat(diff.at("/totals/tokens/a").asInt()).isPositive();
    assertThat(diff.at("/totals/cost_usd/b").isNumber()).isTrue();

    // A fork verifies like any run, from its first live step.
    var id = fork.path("run").asString();
    var verified = server.post("/api/runs/" + id + "/replay", "{\"mode\":\"verify\"}").json();
    assertThat(verified.path("equal").asBoolean()).isTrue();
  }

  @Test
  void aForkFromALaterStepAsksTheModelOnceAndAnArmedToolHasANewKey() throws Exception {
    server.script(
        "models: { one/gpt-4o: [ { answer: \"Really refunded.\" }, { answer: \"Really refunded.\" }"
            + " ] }");
    var fork = forked("{\"from_step\":3,\"set\":{\"temperature\":0.1}}");
    assertThat(fork.path("output").asString()).isEqualTo("Really refunded.");
    assertThat(server.effects).isEmpty();

    var live = forked("{\"from_step\":2,\"effects\":\"live\"}");
    assertThat(live.path("output").asString()).isEqualTo("Really refunded.");
    assertThat(server.effects).hasSize(1);
  }

  @Test
  void samplesAreRunsOfTheirOwnAndOneKeyMakesThemOnce() throws Exception {
    server.script("models: { one/gpt-4o: [ { answer: \"Once more.\" } ] }");
    var path = "/api/runs/" + run + "/replay";
    var body = "{\"from_step\":3,\"samples\":3}";
    var first = server.send("POST", path, null, body, "idempotency-key", "k");
    assertThat(first.json().path("runs")).hasSize(3);
    var again = server.send("POST", path, null, body, "idempotency-key", "k");
    assertThat(again.status()).isEqualTo(200);
    assertThat(again.json().path("runs")).isEqualTo(first.json().path("runs"));
    for (var each : first.json().path("runs")) {
      server.await(each.asString(), "completed");
    }
    assertThat(replay("{\"from_step\":9}").status()).isEqualTo(400);
    assertThat(replay("{\"set\":{\"colour\":\"red\"}}").status()).isEqualTo(400);
    assertThat(replay("{\"set\":{\"tools\":{\"dance\":null}}}").status()).isEqualTo(400);
  }

  @Test
  void aCallIsMadeAgainWithAnotherModelAndCompared() throws Exception {
    var call = server.get("/api/runs/" + run + "/steps").json().at("/steps/2/call").asString();
    server.script("models: { one/gpt-4o-mini: [ { answer: \"Done, cheaply.\" } ] }");
    var replayed =
        server.post("/api/calls/" + call + "/replay", "{\"set\":{\"model\":\"other\"}}").json();
    assertThat(replayed.at("/answer/name").asString()).isEqualTo("one/gpt-4o-mini");
    assertThat(replayed.at("/diff/text").asString())
        .contains("-  Refunded.")
        .contains("+  Done, cheaply.");
    server.flush();
    var diff = server.get("/api/calls/" + call + "/diff/" + replayed.path("call").asString());
    assertThat(diff.json().at("/steps/0/change").asString()).isEqualTo("changed");
    assertThat(
            server.send("POST", "/api/calls/" + call + "/replay", RunsServer.OTHERS, "{}").status())
        .isEqualTo(404);
    assertThat(server.effects).isEmpty();
  }
}
