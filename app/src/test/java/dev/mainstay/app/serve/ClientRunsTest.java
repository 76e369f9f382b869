package dev.mainstay.app.serve;

import static dev.mainstay.app.serve.RunsServer.OTHERS;
import static dev.mainstay.app.serve.RunsServer.TEAM;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Agents outside Mainstay: their calls under one id are a run, to be seen by their client alone.
 */
@SuppressWarnings("NullAway.Init")
@Timeout(180)
class ClientRunsTest {
  private static final String TOOL =
      "{\"type\":\"function\",\"function\":{\"name\":\"refund\",\"parameters\":{\"type\":\"object\"}}}";

  @TempDir Path directory;
  private RunsServer server;

  @BeforeEach
  void start() throws Exception {
    server = new RunsServer(directory, "");
    server.refundScript();
  }

  @AfterEach
  void stop() {
    server.close();
  }

  private void call(String run, String messages) throws Exception {
    var answer =
        server.send(
            "POST",
            "/v1/chat/completions",
            TEAM,
            "{\"model\":\"assistant\",\"tools\":[" + TOOL + "],\"messages\":[" + messages + "]}",
            "x-mainstay-run",
            run,
            "x-mainstay-parent",
            "job-0");
    assertThat(answer.status()).isEqualTo(200);
  }

  private void twoTurns(String run) throws Exception {
    var input = "{\"role\":\"user\",\"content\":\"Refund order 7.\"}";
    call(run, input);
    server.flush();
    var asked = server.get("/api/runs/" + run).json().path("tool_calls").path(0);
    assertThat(asked.path("status").asString()).isEqualTo("running");
    var id = asked.path("tool_call").asString();
    call(
        run,
        input
            + ",{\"role\":\"assistant\",\"content\":null,\"tool_calls\":[{\"id\":\""
            + id
            + "\",\"type\":\"function\",\"function\":{\"name\":\"refund\",\"arguments\":\"{}\"}}]}"
            + ",{\"role\":\"tool\",\"tool_call_id\":\""
            + id
            + "\",\"content\":\"done\"}");
    server.flush();
  }

  @Test
  void callsUnderOneIdAreARunWithItsTranscriptAndToolCalls() throws Exception {
    twoTurns("job-1");
    var run = server.get("/api/runs/job-1").json();
    assertThat(run.path("kind").asString()).isEqualTo("client");
    assertThat(run.path("client").asString()).isEqualTo("team");
    assertThat(run.path("status").asString()).isEqualTo("running");
    assertThat(run.path("parent").asString()).isEqualTo("job-0");
    assertThat(run.path("turns").asInt()).isEqualTo(2);
    assertThat(run.path("attempts").asInt()).isEqualTo(2);
    assertThat(run.path("cost_usd").isNumber()).isTrue();
    assertThat(run.path("input").asString()).isEqualTo("Refund order 7.");
    assertThat(run.path("output").asString()).isEqualTo("Refunded.");
    assertThat(run.path("transcript"))
        .extracting(message -> message.path("role").asString())
        .containsExactly("user", "assistant", "tool", "assistant");
    var tool = run.path("tool_calls").path(0);
    assertThat(tool.path("name").asString()).isEqualTo("refund");
    assertThat(tool.path("arguments").path("order").asString()).isEqualTo("7");
    assertThat(tool.path("result").asString()).isEqualTo("done");
    assertThat(server.get("/api/runs/job-1/steps").json().path("steps"))
        .extracting(step -> step.path("kind").asString() + " " + step.path("status").asString())
        .containsExactly("model completed", "tool completed", "model completed");
  }

  @Test
  void stepsComeInPages() throws Exception {
    twoTurns("job-1");
    var kinds = new ArrayList<String>();
    var steps = "/api/runs/job-1/steps?limit=2";
    var page = server.get(steps).json();
    page.path("steps").forEach(step -> kinds.add(step.path("kind").asString()));
    assertThat(kinds).containsExactly("model", "tool");
    var next = page.path("next").asString();
    page = server.get(steps + "&cursor=" + next).json();
    page.path("steps").forEach(step -> kinds.add(step.path("kind").asString()));
    assertThat(kinds).containsExactly("model", "tool", "model");
    assertThat(page.path("next").isNull()).isTrue();
    var ofAnotherRun = Base64.getUrlEncoder().encodeToString("2 job-2".getBytes(UTF_8));
    for (var wrong : List.of("cursor=x", "cursor=" + ofAnotherRun, "limit=0")) {
      assertThat(server.get(steps.replace("limit=2", wrong)).status()).as(wrong).isEqualTo(400);
    }
  }

  @Test
  void whatOnlyTheAgentKnowsIsReportedOnceAndEndsTheRun() throws Exception {
    twoTurns("job-1");
    var path = "/api/runs/job-1/events";
    var tool = server.get("/api/runs/job-1").json().path("tool_calls").path(0);
    var times =
        "{\"type\":\"tool\",\"id\":\"t1\",\"tool_call\":\""
            + tool.path("tool_call").asString()
            + "\",\"started_at\":\"2026-11-21T12:00:00Z\",\"ended_at\":\"2026-11-21T12:00:02Z\"}";
    assertThat(server.send("POST", path, TEAM, times).status()).isEqualTo(202);
    assertThat(server.send("POST", path, TEAM, times).status()).isEqualTo(200);
    assertThat(server.send("POST", path, TEAM, times.replace(":02Z", ":03Z")).status())
        .isEqualTo(409);
    var memory = "{\"type\":\"memory\",\"id\":\"m1\",\"memory\":{\"orders\":[7]}}";
    assertThat(server.send("POST", path, TEAM, memory).status()).isEqualTo(202);
    var end = "{\"type\":\"end\",\"id\":\"e1\",\"status\":\"failed\",\"reason\":\"refused: no\"}";
    assertThat(server.send("POST", path, TEAM, end).status()).isEqualTo(202);
    var again = server.send("POST", path, TEAM, end.replace("e1", "e2"));
    assertThat(again.status()).isEqualTo(409);
    assertThat(again.json().path("decided").path("status").asString()).isEqualTo("failed");
    assertThat(server.send("POST", path, TEAM, "{\"type\":\"dance\"}").status()).isEqualTo(400);

    var run = server.get("/api/runs/job-1").json();
    assertThat(run.path("status").asString()).isEqualTo("failed");
    assertThat(run.path("reason").asString()).isEqualTo("refused: no");
    assertThat(run.path("tool_calls").path(0).path("duration_ms").asInt()).isEqualTo(2000);
    var snapshots = server.get("/api/runs/job-1/memory?limit=1").json();
    assertThat(snapshots.at("/memory/0/memory/orders/0").asInt()).isEqualTo(7);
    assertThat(snapshots.get("next").isNull()).isTrue();
    assertThat(server.get("/api/runs/job-1/memory?cursor=no").status()).isEqualTo(400);
  }

  @Test
  void everyRouteOfRunsIsDescribed() throws Exception {
    var paths = server.get("/api/openapi.json").json().path("paths");
    assertThat(paths.propertyNames())
        .contains(
            "/api/runs",
            "/api/runs/{run}",
            "/api/runs/{run}/steps",
            "/api/runs/{run}/events",
            "/api/runs/{run}/memory",
            "/api/runs/{run}/replay",
            "/api/runs/{run}/diff/{other}",
            "/api/runs/{run}/approve",
            "/api/calls/{call}/replay",
            "/api/calls/{call}/diff/{other}",
            "/api/dead-letters/{id}/redrive");
    for (var path : paths.properties()) {
      if (path.getKey().startsWith("/api/runs")) {
        for (var method : path.getValue().propertyNames()) {
          var answer =
              server.send(
                  method.toUpperCase(java.util.Locale.ROOT),
                  path.getKey().replace("{", "no-").replace("}", ""),
                  null,
                  "");
          assertThat(answer.json().at("/error/code").asString(""))
              .as(method + " " + path.getKey())
              .isNotEqualTo("unknown_url");
        }
      }
    }
  }

  @Test
  void runsOfBothKindsAreOneListAndAClientSeesItsOwnAlone() throws Exception {
    twoTurns("job-1");
    server.refundScript();
    var own = server.start(TEAM);
    server.await(own, "completed");
    var all = server.get("/api/runs").json();
    assertThat(all.path("runs"))
        .extracting(run -> run.path("run").asString())
        .containsExactly(own, "job-1");
    assertThat(all.path("runs").path(0).propertyNames())
        .isEqualTo(all.path("runs").path(1).propertyNames());
    var first = server.get("/api/runs?limit=1").json();
    var second = server.get("/api/runs?limit=1&cursor=" + first.path("next").asString()).json();
    assertThat(second.path("runs").path(0).path("run").asString()).isEqualTo("job-1");
    assertThat(second.path("next").isNull()).isTrue();
    for (var filter : List.of("", "&model=assistant", "&failed=false&model=assistant")) {
      var next = server.get("/api/calls?limit=1" + filter).json().path("next").asString();
      var page = "/api/calls?limit=2&cursor=" + next;
      assertThat(server.get(page + filter).json().path("calls")).as(filter).isNotEmpty();
      for (var other : List.of("", "&model=assistant", "&model=other")) {
        if (!other.equals(filter)) {
          assertThat(server.get(page + other).status()).as(page + other).isEqualTo(400);
        }
      }
    }
    var others = "/api/runs?limit=1&failed=false&cursor=" + first.path("next").asString();
    assertThat(server.get(others).json().at("/error/message").asString())
        .contains("with these filters");
    var some = server.get("/api/runs?limit=1&failed=false").json().path("next").asString();
    assertThat(server.get("/api/runs?failed=false&limit=9&cursor=" + some).json().path("runs"))
        .hasSize(1);
    assertThat(server.get("/api/runs?from=-1000000000-01-01T00:00:00Z").status()).isEqualTo(400);
    assertThat(server.get("/api/runs?parent=job-0").json().path("runs")).hasSize(1);
    assertThat(server.get("/api/runs?agent=refunds&status=completed").json().path("runs"))
        .hasSize(1);
    assertThat(server.get("/api/runs?status=failed").json().path("runs")).isEmpty();
    assertThat(server.get("/api/runs?from=2020-01-01&to=2020-01-02").json().path("runs")).isEmpty();
    assertThat(server.get("/api/runs?failed=true").json().path("runs")).isEmpty();
    assertThat(server.get("/api/runs?failed=false&limit=1").json().path("runs")).hasSize(1);
    var newest = first.at("/runs/0");
    for (var measure : List.of("turns", "steps", "attempts", "tokens", "total_ms")) {
      long value = newest.path(measure).asLong();
      var range = "/api/runs?kind=agent&%s_min=%d&%1$s_max=%2$d";
      assertThat(server.get(range.formatted(measure, value)).json().path("runs"))
          .as(measure)
          .hasSize(1);
      assertThat(server.get(range.formatted(measure, value + 1)).json().path("runs"))
          .as(measure)
          .isEmpty();
    }
    for (var both :
        List.of("target=one/gpt-4o", "target=one/gpt-4o&kind=agent", "model=assistant")) {
      assertThat(server.get("/api/runs?" + both).json().path("runs")).as(both).isNotEmpty();
    }
    assertThat(server.get("/api/runs?target=one/gpt-4o&kind=client").json().path("runs"))
        .extracting(run -> run.path("run").asString())
        .containsExactly("job-1");
    for (var none : List.of("model=gpt", "class=fatal", "kind=timeout", "recovery=repair:x")) {
      assertThat(server.get("/api/runs?" + none).json().path("runs")).as(none).isEmpty();
    }
    for (var wrong : List.of("class=BAD", "kind=nothing", "recovery=luck")) {
      var refused = server.get("/api/runs?" + wrong);
      assertThat(refused.status()).as(wrong).isEqualTo(400);
      assertThat(refused.json().at("/error/allowed")).as(wrong).isNotEmpty();
    }
    var id = first.at("/runs/0/run").asString();
    for (var one : List.of("run=" + id, "q=" + id, "q=job-1", "run=job-1&q=job-1")) {
      assertThat(server.get("/api/runs?" + one).json().path("runs")).as(one).hasSize(1);
    }
    for (var none : List.of("run=nobody", "q=nobody", "run=job-1&kind=agent")) {
      assertThat(server.get("/api/runs?" + none).json().path("runs")).as(none).isEmpty();
    }
    assertThat(server.get("/api/runs?run=job-1&q=nobody").status()).isEqualTo(400);
    for (var wrong : List.of("colour=red", "status=blue", "failed=maybe", "kind=odd")) {
      var refused = server.get("/api/runs?" + wrong);
      assertThat(refused.status()).as(wrong).isEqualTo(400);
      assertThat(refused.json().at("/error/allowed")).as(wrong).isNotEmpty();
    }
    for (var wrong : List.of("from=2026-02-01&to=2026-01-01", "cursor=%21", "limit=x")) {
      var refused = server.get("/api/runs?" + wrong);
      assertThat(refused.status()).as(wrong).isEqualTo(400);
      assertThat(refused.json().at("/error/allowed").isArray()).as(wrong).isTrue();
    }

    assertThat(server.send("GET", "/api/runs", TEAM, "").json().path("runs")).hasSize(2);
    assertThat(server.send("GET", "/api/runs", OTHERS, "").json().path("runs")).isEmpty();
    assertThat(server.send("GET", "/api/runs?client=team", OTHERS, "").status()).isEqualTo(403);
    for (var run : new String[] {own, "job-1"}) {
      for (var what : new String[] {"", "/steps", "/memory"}) {
        assertThat(server.send("GET", "/api/runs/" + run + what, OTHERS, "").status())
            .as(run + what)
            .isEqualTo(404);
      }
      assertThat(server.send("POST", "/api/runs/" + run + "/cancel", OTHERS, "").status())
          .isEqualTo(404);
    }
    assertThat(
            server
                .send("POST", "/api/runs", TEAM, "{\"agent\":\"secrets\",\"input\":\"hi\"}")
                .status())
        .isEqualTo(403);
  }
}
