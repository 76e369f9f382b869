package dev.mainstay.agent;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mainstay.agent.ToolDefinition.Effect;
import dev.mainstay.agent.journal.JournalEntry;
import dev.mainstay.agent.mcp.McpTools;
import dev.mainstay.agent.mcp.McpToolsTest;
import dev.mainstay.config.ConfigLoader;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A run whose tools come from an MCP server. */
class McpRunTest {
  @Test
  void aRunKeepsTheToolsThatItsServersListedAndCallsThem(@TempDir Path directory) throws Exception {
    var config =
        ConfigLoader.parse(
            """
            providers:
              one: { dialect: openai, base-url: "http://127.0.0.1:1/v1", keys: [k] }
            agents:
              m: { model: one/m, mcp: [ { name: files, %s, tools: [echo], effects: { echo: read } } ] }
            """
                .formatted(McpToolsTest.program()),
            "c.yaml",
            Map.of());
    var agent =
        Objects.requireNonNull(AgentDefinitions.of(config, InstructionFiles.of(config)).get("m"));
    try (var tools = new McpTools(() -> config);
        var bench = new RunBench(directory, tools, Timing.system(), 1)) {
      bench.scripts(
          Map.of("m", List.of(RunBench.calls("echo", "{\"n\": 1}"), RunBench.says("Done."))));
      var run = bench.submit(agent, "Go.");
      assertThat(bench.ended(run).status()).isEqualTo("completed");
      var listed = bench.journal(run, JournalEntry.ToolsListed.class);
      assertThat(listed).hasSize(1);
      assertThat(listed.getFirst().problems()).isEmpty();
      assertThat(listed.getFirst().tools())
          .extracting(ToolDefinition::name, ToolDefinition::effect)
          .containsExactly(org.assertj.core.groups.Tuple.tuple("echo", Effect.READ));
      var step = bench.journal(run, JournalEntry.StepPlanned.class).getFirst();
      assertThat(bench.journal(run, JournalEntry.StepEnded.class).getFirst().result())
          .contains("key " + step.key() + " said {\"n\":1}");
      assertThat(bench.asked("m").getFirst()).contains("\"name\":\"echo\"");
    }
  }
}
