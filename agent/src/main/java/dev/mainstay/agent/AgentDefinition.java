package dev.mainstay.agent;

import dev.mainstay.agent.journal.Digests;
import dev.mainstay.agent.journal.JournalJson;
import dev.mainstay.call.settings.CallSettings;
import dev.mainstay.config.Agent;
import dev.mainstay.core.settings.Declaration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * An agent as a run knows it: pinned in the run's journal when the run is accepted, so that a
 * reload or an upgrade does not change a run under way. It holds no secret; tools' headers stay in
 * the configuration.
 *
 * @param model a name of the configuration, or {@code provider/model}
 * @param instructions what the model is told first, or ""
 * @param limits the bounds of a run
 * @param output what the answer must fit, or null
 * @param mcp servers of further tools
 * @param recovery how its model calls are carried out: its own values over its model's
 */
public record AgentDefinition(
    String name,
    String model,
    String instructions,
    Limits limits,
    @Nullable Output output,
    CallSettings recovery,
    List<ToolDefinition> tools,
    List<Mcp> mcp) {

  public AgentDefinition {
    tools = List.copyOf(tools);
    mcp = List.copyOf(mcp);
  }

  /** An agent without MCP servers. */
  public AgentDefinition(
      String name,
      String model,
      String instructions,
      Limits limits,
      @Nullable Output output,
      CallSettings recovery,
      List<ToolDefinition> tools) {
    this(name, model, instructions, limits, output, recovery, tools, List.of());
  }

  /** An agent with the recovery of its model, any answer, and no MCP servers. */
  public static AgentDefinition of(
      String name, String model, String instructions, Limits limits, List<ToolDefinition> tools) {
    return new AgentDefinition(
        name, model, instructions, limits, null, CallSettings.defaults(), tools);
  }

  /**
   * A server of tools; its command, environment and URL stay in the configuration.
   *
   * @param effects by tool, {@code *} for the rest; unsafe where neither is there
   * @param tools those that may be used; empty for all
   * @param calls how each is called, by tool, {@code *} for the rest
   */
  public record Mcp(
      String name,
      Map<String, ToolDefinition.Effect> effects,
      List<String> tools,
      @Nullable Map<String, ToolDefinition.CallPolicy> calls) {
    public Mcp {
      effects = Map.copyOf(effects);
      tools = List.copyOf(tools);
      // Journals of earlier versions have none.
      calls = calls == null ? Map.of() : Map.copyOf(calls);
    }

    /** A server whose tools are all called as is usual. */
    public Mcp(String name, Map<String, ToolDefinition.Effect> effects, List<String> tools) {
      this(name, effects, tools, Map.of());
    }

    /** How a tool is called. */
    public ToolDefinition.CallPolicy calls(String tool) {
      var all = Objects.requireNonNull(calls);
      return all.getOrDefault(tool, all.getOrDefault("*", ToolDefinition.CallPolicy.DEFAULTS));
    }
  }

  /**
   * The bounds of a run; {@link Agent.RunLimits} declares their defaults.
   *
   * @param maxTurns answers of the model
   * @param costNanos nano-dollars
   * @param tokens in and out together
   * @param toolCalls calls of tools, or null for no bound of its own
   * @param warn percentages at which Mainstay warns
   * @param deadlineMs wall time without the queue and persons
   * @param stallMs silence beyond a step's own limit
   * @param parallel tool calls or plan steps at once
   * @param noProgress turns without a new result
   */
  public record Limits(
      int maxTurns,
      long costNanos,
      long tokens,
      @Nullable Integer toolCalls,
      List<Integer> warn,
      long deadlineMs,
      long stallMs,
      int parallel,
      int noProgress) {
    public static final Limits DEFAULTS = of(Declaration.defaults(Agent.RunLimits.class));

    static Limits of(Agent.RunLimits limits) {
      var budget = limits.budget();
      return new Limits(
          limits.maxTurns(),
          budget.nanos(),
          budget.tokens(),
          budget.toolCalls(),
          budget.warn(),
          limits.deadline().toMillis(),
          limits.stall().toMillis(),
          limits.parallel(),
          limits.noProgress());
    }

    /** The same bounds with at most this money and these tokens. */
    public Limits within(long mostNanos, long mostTokens) {
      return new Limits(
          maxTurns,
          Math.min(costNanos, mostNanos),
          Math.min(tokens, mostTokens),
          toolCalls,
          warn,
          deadlineMs,
          stallMs,
          parallel,
          noProgress);
    }
  }

  /**
   * What an answer must fit.
   *
   * @param schema a JSON Schema
   * @param retries how often the model is told its mistake; default 2
   */
  public record Output(JsonNode schema, int retries) {}

  /** The same agent with {@code other} bounds. */
  public AgentDefinition with(Limits other) {
    return new AgentDefinition(name, model, instructions, other, output, recovery, tools, mcp);
  }

  /** The same agent with {@code more} tools; of two of one name the first stays. */
  public AgentDefinition with(List<ToolDefinition> more) {
    var all = new java.util.ArrayList<>(tools);
    for (var tool : more) {
      if (all.stream().noneMatch(each -> each.name().equals(tool.name()))) {
        all.add(tool);
      }
    }
    return new AgentDefinition(name, model, instructions, limits, output, recovery, all, mcp);
  }

  /** The tool of that name, or null. */
  public @Nullable ToolDefinition tool(String tool) {
    for (var each : tools) {
      if (each.name().equals(tool)) {
        return each;
      }
    }
    return null;
  }

  /** The SHA-256 of the definition, in hex: equal definitions have equal hashes. */
  public String hash() {
    return Digests.sha256(JournalJson.write(this));
  }
}
