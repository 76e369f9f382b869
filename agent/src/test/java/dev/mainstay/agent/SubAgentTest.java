package dev.mainstay.agent;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mainstay.agent.journal.JournalEntry;
import dev.mainstay.agent.tool.ToolCaller;
import dev.mainstay.ledger.run.RunStore;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** Agents as tools of agents, on one worker: a parent that held it would never end. */
@SuppressWarnings("NullAway.Init")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class SubAgentTest {
  private static final String ASK = "{\"input\": \"Look it up.\"}";
  private RunBench bench;

  /** The agents here have no tools but each other. */
  private static final class NoTools implements ToolCaller {
    @Override
    public Outcome call(dev.mainstay.agent.ToolDefinition tool, Call call) {
      throw new IllegalStateException(tool.name());
    }

    @Override
    public Reconciled reconcile(dev.mainstay.agent.ToolDefinition tool, Call call) {
      throw new IllegalStateException(tool.name());
    }
  }

  @BeforeAll
  void start(@TempDir Path directory) throws Exception {
    bench = new RunBench(directory, new NoTools(), Timing.system(), 1);
  }

  @BeforeEach
  void forget() {
    bench.provider.clearLog();
  }

  @AfterAll
  void stop() throws Exception {
    bench.close();
  }

  private static ToolDefinition tool(AgentDefinition agent) {
    return SubAgents.tool(
        agent.name(), "Asks " + agent.name(), null, agent, ToolDefinition.Approval.NEVER);
  }

  private static AgentDefinition boss() {
    return RunBench.agent("boss", tool(RunBench.agent("helper")), tool(RunBench.agent("other")));
  }

  @Test
  void aParentWaitsWithoutAWorkerAndIsToldOnce() throws Exception {
    bench.scripts(
        Map.of(
            "boss",
            List.of(RunBench.calls("helper", ASK, "other", ASK), RunBench.says("All done.")),
            "helper",
            List.of(RunBench.says("Found by helper.")),
            "other",
            List.of(RunBench.says("Found by other."))));
    var run = bench.submit(boss(), "Go.");
    assertThat(bench.ended(run).status()).isEqualTo("completed");
    assertThat(bench.childrenOf(run))
        .extracting(each -> each.origin().agent(), RunStore.Run::outcome)
        .containsExactlyInAnyOrder(
            org.assertj.core.groups.Tuple.tuple("helper", "completed"),
            org.assertj.core.groups.Tuple.tuple("other", "completed"));
    assertThat(bench.journal(run, JournalEntry.StepEnded.class))
        .extracting(JournalEntry.StepEnded::result)
        .containsExactlyInAnyOrder("Found by helper.", "Found by other.");
    assertThat(bench.asked("helper")).hasSize(1).first().asString().contains("Look it up.");
    // The parent's own two answers and one of each child.
    var last = bench.journal(run, JournalEntry.ChildEnded.class);
    assertThat(last).hasSize(2).allMatch(child -> child.used().tokens() > 0);
  }

  @Test
  void theShareOfAChildStaysInsideWhatItsParentHasLeft() throws Exception {
    bench.scripts(
        Map.of(
            "boss",
            List.of(RunBench.calls("helper", ASK, "other", ASK), RunBench.says("All done."))));
    var run = bench.submit(boss(), "Go.");
    bench.ended(run);
    var limits = AgentDefinition.Limits.DEFAULTS;
    var shares = bench.journal(run, JournalEntry.ChildStarted.class);
    assertThat(shares).hasSize(2);
    assertThat(shares.stream().mapToLong(JournalEntry.ChildStarted::tokens).sum())
        .isBetween(limits.tokens() * 8 / 10, limits.tokens() * 9 / 10);
    assertThat(shares.stream().mapToLong(JournalEntry.ChildStarted::costNanos).sum())
        .isBetween(limits.costNanos() * 8 / 10, limits.costNanos() * 9 / 10);
    for (var share : shares) {
      var child = (JournalEntry.Accepted) bench.journal(share.run()).getFirst();
      assertThat(child.definition().limits().tokens()).isEqualTo(share.tokens());
      assertThat(child.definition().limits().costNanos()).isEqualTo(share.costNanos());
    }
  }

  @Test
  void aChildThatFailsIsAFailedTool() throws Exception {
    bench.scripts(
        Map.of(
            "boss",
            List.of(RunBench.calls("helper", ASK), RunBench.says("It failed.")),
            "helper",
            List.of("openai-bad-key")));
    var run = bench.submit(boss(), "Go.");
    assertThat(bench.ended(run).status()).isEqualTo("completed");
    var step = bench.journal(run, JournalEntry.StepEnded.class).getFirst();
    assertThat(step.ok()).isFalse();
    assertThat(step.result()).startsWith("The agent did not finish. permanent-error: ");
  }

  @Test
  void aMessageInBetweenStartsNoSecondChildAndACancelReachesTheChild() throws Exception {
    bench.scripts(
        Map.of(
            "boss",
            List.of(RunBench.calls("helper", ASK), RunBench.says("Never said.")),
            "helper",
            List.of("{ silence: 0 }")));
    var run = bench.submit(boss(), "Go.");
    bench.until(run, entries -> bench.childrenOf(run).size() == 1);
    bench.untilParked(run);
    var child = bench.childrenOf(run).getFirst().id();
    bench.until(child, entries -> entries.getLast() instanceof JournalEntry.TurnStarted);
    bench.runtime.cancel(run, new byte[] {'{', '}'}, "operator");
    assertThat(bench.ended(child).reason()).isEqualTo("cancelled");
    assertThat(bench.ended(run).reason()).isEqualTo("cancelled");
    assertThat(bench.childrenOf(run)).hasSize(1);
  }
}
