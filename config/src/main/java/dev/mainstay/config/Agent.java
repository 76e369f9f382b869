package dev.mainstay.config;

import dev.mainstay.core.settings.Setting;
import java.math.BigDecimal;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** An agent as the configuration declares it. */
public record Agent(
    @Setting(value = "Its name.", key = true) String name,
    @Setting(value = "What answers: a name from `models` or `provider/model`.", required = true)
        String model,
    @Setting(
            value = "Its system prompt: a text, or a file that holds one.",
            optional = true,
            shortFor = "text")
        @Nullable Instructions instructions,
    @Setting(
            value = "Answers of the model before a run fails.",
            byDefault = "10",
            least = "1",
            most = "10000")
        int maxTurns,
    @Setting("What a run may spend.") RunLimits budget,
    @Setting(
            value =
                "Wall time of a run; the queue, a person waited for and time without any worker are"
                    + " not counted.",
            byDefault = "5m",
            least = "1ms")
        Duration deadline,
    @Setting(
            value =
                "A run that has written nothing for so long beyond its step's own limit is woken"
                    + " once, then fails.",
            byDefault = "2m",
            least = "1ms")
        Duration stall,
    @Setting(
            value = "Tool calls or plan steps at once.",
            byDefault = "8",
            least = "1",
            most = "1000")
        int parallel,
    @Setting(
            value =
                "Turns without a new result or a changed one: the model is nudged once, then the"
                    + " run ends.",
            byDefault = "8",
            least = "1",
            most = "10000")
        int noProgress,
    @Setting(value = "What the answer must fit.", optional = true) @Nullable Output output,
    @Setting(value = "Anything of `recovery`, for this agent's calls alone.", inherited = true)
        ModelRecovery recovery,
    @Setting("Servers of tools (Model Context Protocol).") List<McpServer> mcp,
    @Setting("Its tools.") List<AgentTool> tools) {

  /** What an agent is told first. */
  public record Instructions(
      @Setting("The text itself.") @Nullable String text,
      @Setting(value = "A file of the text.", type = Types.FilePath.class) @Nullable Path file) {}

  /** What a run may spend. */
  public record RunLimits(
      @Setting(value = "US dollars.", name = "usd", byDefault = "10", unit = "USD") long nanos,
      @Setting(value = "Tokens, in and out.", byDefault = "200000", least = "1") long tokens,
      @Setting(value = "Calls of tools.", least = "1") @Nullable Integer toolCalls,
      @Setting(
              value = "Percentages at which an event and an alert say so.",
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
      @Setting(value = "Its name.", required = true) String name,
      @Setting("The program and its arguments.") List<String> command,
      @Setting(value = "Variables of the program's environment.", type = Types.HiddenText.class)
          Map<String, String> env,
      @Setting(value = "Where the server is.", type = Types.HookUrl.class)
          java.net.@Nullable URI url,
      @Setting(value = "The class of each tool's effect, `*` for the rest.")
          Map<String, Effect> effects,
      @Setting(value = "The tools that may be used.", otherwise = "all") List<String> tools,
      @Setting("How each tool is called, by its name; `*` for the rest.")
          Map<String, McpTool> toolSettings) {}

  /** How a tool of an MCP server is called. */
  public record McpTool(
      @Setting(value = "How long one attempt may take.", byDefault = "30s", least = "1ms")
          Duration timeout,
      @Setting("When a failed call is made again; never where the tool's effect is unsafe.")
          AgentTool.Retry retry,
      @Setting(
              value = "Whether a person must agree first: true, false or for which arguments.",
              shortFor = "always")
          AgentTool.Approval approval,
      @Setting(value = "US dollars a call.", type = AgentTool.PricePerCall.class)
          @Nullable BigDecimal price) {}

  /** What repeating a tool's call would do. */
  public enum Effect {
    /** Nothing: it only reads. */
    READ,
    /** Nothing more than the first did, under the same key. */
    IDEMPOTENT,
    /** Something, but whether the first happened can be asked. */
    QUERYABLE,
    /** Something, and nobody can tell. */
    UNSAFE
  }
}
