package dev.mainstay.config;

import dev.mainstay.core.settings.Setting;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** An agent as the configuration declares it. */
public record Agent(
    @Setting(value = "The name.", key = true) String name,
    @Setting(value = "The model: a name from `models` or `provider/model`.", required = true)
        String model,
    @Setting(value = "The system prompt: a text or a file.", optional = true, shortFor = "text")
        @Nullable Instructions instructions,
    @Setting(value = "The bounds of a run.", inline = true) RunLimits limits,
    @Setting(value = "The schema of the answer.", optional = true) @Nullable Output output,
    @Setting(value = "Settings of `recovery` for this agent's calls.", inherited = true)
        ModelRecovery recovery,
    @Setting("Tool servers that speak the Model Context Protocol.") List<McpServer> mcp,
    @Setting("The agent's tools.") List<AgentTool> tools) {

  /** The system prompt. */
  public record Instructions(
      @Setting("The text.") @Nullable String text,
      @Setting(value = "The file that holds the text.", type = ConfigTypes.FilePath.class)
          @Nullable Path file) {}

  /** The bounds of a run. */
  public record RunLimits(
      @Setting(
              value = "The most model calls of a run before it fails.",
              byDefault = "10",
              least = "1",
              most = "10000")
          int maxTurns,
      @Setting("The budget of a run.") RunBudget budget,
      @Setting(
              value =
                  "The wall time of a run. Time in the queue, time that a run waits for a person,"
                      + " and time without a worker do not count.",
              byDefault = "5m",
              least = "1ms")
          Duration deadline,
      @Setting(
              value =
                  "If a run writes nothing for this long beyond its step's own limit, Mainstay"
                      + " wakes it once, and then fails it.",
              byDefault = "2m",
              least = "1ms")
          Duration stall,
      @Setting(
              value = "Concurrent tool calls or plan steps.",
              byDefault = "8",
              least = "1",
              most = "1000")
          int parallel,
      @Setting(
              value =
                  "Turns without a new or changed result, after which Mainstay reminds the model"
                      + " once and then ends the run.",
              byDefault = "8",
              least = "1",
              most = "10000")
          int noProgress) {}

  /** What a run may spend. */
  public record RunBudget(
      @Setting(value = "US dollars.", name = "usd", byDefault = "10", unit = "USD") long nanos,
      @Setting(value = "Input and output tokens.", byDefault = "200000", least = "1") long tokens,
      @Setting(value = "Tool calls.", least = "1") @Nullable Integer toolCalls,
      @Setting(
              value =
                  "The percentages of the budget at which Mainstay records an event and raises an"
                      + " alert.",
              byDefault = "70,85,95",
              least = "1",
              most = "100")
          List<Integer> warn) {}

  /** What an answer must fit. */
  public record Output(
      @Setting("A JSON Schema.") Map<String, Object> schema,
      @Setting(
              value = "How often the model may correct its answer before the run fails.",
              byDefault = "2",
              least = "0",
              most = "100")
          int retries) {}

  /** A server of tools: a program, or a URL. */
  public record McpServer(
      @Setting(value = "The name.", required = true) String name,
      @Setting("The program and its arguments.") List<String> command,
      @Setting(value = "Environment variables of the program.", type = SecretTypes.HiddenText.class)
          Map<String, String> env,
      @Setting(value = "The server's URL.", type = UrlTypes.HookUrl.class)
          java.net.@Nullable URI url,
      @Setting(value = "The effect of each tool; `*` for the rest.") Map<String, Effect> effects,
      @Setting(value = "The tools that the agent may use.", otherwise = "all") List<String> tools,
      @Setting("The settings of each tool, by its name; `*` for the rest.")
          Map<String, ToolCallPolicy> toolSettings) {}

  /** What repeating a tool's call would do. */
  public enum Effect {
    /** Nothing: it only reads. */
    READ,
    /** Nothing more than the first did, under the same key. */
    IDEMPOTENT,
    /** Something, but whether the first happened can be asked. */
    QUERYABLE,
    /** Something, and no request tells whether it happened. */
    UNSAFE
  }
}
