package dev.mainstay.agent;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mainstay.agent.api.PlanReading;
import dev.mainstay.agent.journal.JournalEntry;
import dev.mainstay.agent.tool.HttpToolCaller;
import dev.mainstay.wire.json.Tree;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Plans: graphs of steps in place of a model that decides. */
@SuppressWarnings("NullAway.Init")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class PlanTest {
  private final HttpToolCaller caller = new HttpToolCaller(HttpToolCaller.Headers.NONE);
  private ToolServer tool;
  private RunBench bench;

  @BeforeAll
  void start(@TempDir Path directory) throws Exception {
    tool = new ToolServer();
    bench = new RunBench(directory, caller, RunBench.timing(time -> {}), 2);
    bench.know(RunBench.agent("helper"));
  }

  @BeforeEach
  void forget() {
    tool.requests.clear();
    bench.provider.clearLog();
  }

  @AfterAll
  void stop() throws Exception {
    bench.close();
    caller.close();
    tool.close();
  }

  private AgentDefinition agent() {
    return RunBench.agent(
        "planner",
        new ToolDefinition(
            "act",
            "Acts.",
            Tree.object().put("type", "object"),
            new ToolDefinition.Binding.Http("POST", tool.url() + "/act"),
            ToolDefinition.Effect.READ,
            null,
            ToolDefinition.CallPolicy.within(60_000)));
  }

  private String submit(String plan) throws Exception {
    return bench.submit(agent(), "", PlanReading.of(plan));
  }

  @Test
  void stepsRunInParallelAndTakeWhatOthersFound() throws Exception {
    var both = new CountDownLatch(2);
    tool.script(
        (request, socket) -> {
          var arguments = Tree.read(request.body()).path("arguments");
          if (!arguments.has("all")) {
            both.countDown();
            both.await();
          }
          var found = Tree.object().put("found", arguments.path("n").asInt(0) * 10);
          ToolServer.reply(socket, 200, Tree.write(found));
        });
    var run =
        submit(
            """
            [ { "id": "sum", "tool": "act",
                "arguments": { "all": [ { "$from": "a", "pointer": "/found" }, { "$from": "b" } ], "none": null } },
              { "id": "a", "tool": "act", "arguments": { "n": 1 } },
              { "id": "b", "tool": "act", "arguments": { "n": 2 } } ]
            """);
    var end = bench.ended(run);
    assertThat(end.status()).isEqualTo("completed");
    assertThat(end.output())
        .isEqualTo(Tree.read("{\"a\":{\"found\":10},\"b\":{\"found\":20},\"sum\":{\"found\":0}}"));
    assertThat(tool.requests).hasSize(3);
    assertThat(tool.requests.stream().toList().getLast().body())
        .contains("\"arguments\":{\"all\":[10,{\"found\":20}],\"none\":null}");
    assertThat(bench.asked("planner")).isEmpty();
  }

  @Test
  void aStepBeginsOnceWhatItNeedsHasEndedWhileOthersGoOn() throws Exception {
    bench.scripts(Map.of("helper", List.of(RunBench.says("Found."))));
    var others = new CountDownLatch(2);
    tool.script(
        (request, socket) -> {
          int n = Tree.read(request.body()).path("arguments").path("n").asInt();
          if (n == 1) {
            others.await();
          } else if (n == 3) {
            others.countDown();
          }
          ToolServer.reply(socket, 200, "{}");
        });
    var run =
        submit(
            """
            [ { "id": "long", "tool": "act", "arguments": { "n": 1 } },
              { "id": "short", "tool": "act", "arguments": { "n": 2 } },
              { "id": "agent", "agent": "helper", "arguments": { "input": "Go." } },
              { "id": "after", "tool": "act", "arguments": { "n": 3 }, "needs": ["short"] },
              { "id": "told", "tool": "act", "arguments": { "n": 3 }, "needs": ["agent"] } ]
            """);
    assertThat(bench.ended(run).status()).isEqualTo("completed");
    assertThat(tool.requests).hasSize(4);
  }

  /** A kill -9 at any later moment finds the step ended, and not in doubt. */
  @Test
  void theEndOfAStepIsOnDiskBeforeAnythingElseHappens() throws Exception {
    var answer = new CountDownLatch(1);
    tool.script(
        (request, socket) -> {
          if (request.body().contains("\"n\":1")) {
            answer.await();
          }
          ToolServer.reply(socket, 200, "{}");
        });
    var run =
        submit(
            """
            [ { "id": "long", "tool": "act", "arguments": { "n": 1 } },
              { "id": "short", "tool": "act", "arguments": { "n": 2 } } ]
            """);
    bench.until(
        run, entries -> entries.stream().anyMatch(JournalEntry.StepEnded.class::isInstance));
    assertThat(bench.journal(run, JournalEntry.StepEnded.class)).hasSize(1);
    answer.countDown();
    assertThat(bench.ended(run).status()).isEqualTo("completed");
  }

  @Test
  void aFailedStepIsFinishedAndWhatNeedsItIsSkippedAndTheRestGoesOn() throws Exception {
    tool.script(
        (request, socket) ->
            ToolServer.reply(socket, request.body().contains("\"n\":1") ? 400 : 200, "\"said\""));
    var run =
        submit(
            """
            [ { "id": "a", "tool": "act", "arguments": { "n": 1 } },
              { "id": "b", "tool": "act", "needs": ["a"] },
              { "id": "c", "tool": "act", "needs": ["b"] },
              { "id": "d", "tool": "act", "arguments": { "n": 4 } },
              { "id": "e", "tool": "act", "arguments": { "x": { "$from": "d", "pointer": "/no" } } } ]
            """);
    var end = bench.ended(run);
    assertThat(end.status()).isEqualTo("failed");
    assertThat(end.reason()).isEqualTo("tool-failed");
    assertThat(end.words()).isEqualTo("2 of 5 steps failed (a, e), skipped: b, c.");
    var output = String.valueOf(end.output());
    assertThat(output)
        .contains("\"a\":{\"error\":\"status 400: \\\"said\\\"\"}")
        .contains("\"b\":{\"skipped\":\"Skipped: it needs a, which did not succeed.\"}")
        .contains("\"d\":\"said\"")
        .contains("Not called: the result of step d has nothing at \\\"/no\\\".");
    assertThat(tool.requests).hasSize(2);
    assertThat(bench.journal(run, JournalEntry.StepSkipped.class)).hasSize(2);
  }

  @Test
  void anAgentIsAStep() throws Exception {
    bench.scripts(Map.of("helper", List.of(RunBench.says("Found."))));
    var run =
        submit(
            "[ { \"id\": \"a\", \"agent\": \"helper\", \"arguments\": { \"input\": \"Go.\" } } ]");
    var end = bench.ended(run);
    assertThat(end.status()).isEqualTo("completed");
    assertThat(String.valueOf(end.output())).isEqualTo("{\"a\":\"Found.\"}");
    assertThat(bench.childrenOf(run)).hasSize(1);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "[] | plan: not a list",
        "[{'id':'a'}] | plan[0]: neither tool nor agent",
        "[{'tool':'act'}] | plan[0].id: missing",
        "[{'id':'a','tool':'act','need':[]}] | plan[0].need: no field",
        "[{'id':'a','tool':'act','needs':'b'}] | plan[0].needs: not a list",
        "[{'id':'a','tool':'act','arguments':{'x':[{'$from':7}]}}] | plan[0].arguments.x[0].$from:"
            + " not the id",
        "[{'id':'a','tool':'act','arguments':{'x':{'$from':'a','pointer':'x'}}}] |"
            + " plan[0].arguments.x.pointer: not a JSON pointer",
        "[{'id':'a','tool':'no'}] | plan[0].tool: the agent has no tool named \"no\"",
        "[{'id':'a','agent':'no'}] | plan[0].agent: there is no agent named \"no\"",
        "[{'id':'a','tool':'act'},{'id':'a','tool':'act'}] | plan[1].id: \"a\" is there twice",
        "[{'id':'a','tool':'act','needs':['z']}] | plan[0].needs: there is no step \"z\"",
        "[{'id':'a','tool':'act','needs':['a']}] | plan[0].needs: steps that need each other: a",
        "[{'id':'x','tool':'act'},{'id':'a','tool':'act','needs':['b']},{'id':'b','tool':'act','arguments':{'y':{'$from':'a'}}}]"
            + " | plan[1].needs: steps that need each other: a, b",
      })
  void aPlanThatCannotBeCarriedOutIsRefusedWithItsPath(String plan, String mistake) {
    String found;
    try {
      var request =
          new JournalEntry.RunRequest(
              "planner",
              null,
              PlanReading.of(plan.replace('\'', '"')),
              "",
              null,
              0,
              Map.of(),
              null);
      bench.know(agent());
      var submitted = bench.runtime.submit(request, null, "h").toCompletableFuture().join();
      found = submitted instanceof Submitted.NoPlan none ? none.mistake() : "accepted";
    } catch (Exception e) {
      found = String.valueOf(e.getMessage());
    }
    assertThat(found).startsWith(mistake);
  }
}
