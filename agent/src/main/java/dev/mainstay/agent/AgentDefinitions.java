package dev.mainstay.agent;

import dev.mainstay.config.Agent;
import dev.mainstay.config.AgentTool;
import dev.mainstay.config.Config;
import dev.mainstay.wire.json.Tree;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Agents as the configuration declares them. */
public final class AgentDefinitions {
  private static final JsonMapper MAPPER = JsonMapper.builder().build();

  private AgentDefinitions() {}

  /**
   * The agents of {@code config}, by name.
   *
   * @throws UncheckedIOException where a file of instructions cannot be read
   */
  public static Map<String, AgentDefinition> of(Config config) {
    var all = new LinkedHashMap<String, AgentDefinition>();
    config.agents().forEach((name, agent) -> all.put(name, definition(agent)));
    return Map.copyOf(all);
  }

  private static AgentDefinition definition(Agent agent) {
    var tools = new ArrayList<ToolDefinition>();
    agent.tools().forEach(tool -> tools.add(tool(tool)));
    var budget = agent.budget();
    var output = agent.output();
    return new AgentDefinition(
        agent.name(),
        agent.model(),
        instructions(agent.instructions()),
        new AgentDefinition.Limits(
            agent.maxTurns(),
            budget.nanos(),
            budget.tokens(),
            budget.toolCalls(),
            budget.warn(),
            agent.deadline().toMillis(),
            agent.stall().toMillis(),
            agent.parallel(),
            agent.noProgress()),
        output == null ? null : new AgentDefinition.Output(json(output.schema()), output.retries()),
        agent.recovery().calls(),
        tools);
  }

  private static String instructions(Agent.@Nullable Instructions instructions) {
    if (instructions == null) {
      return "";
    }
    if (instructions.text() != null) {
      return instructions.text();
    }
    try {
      return instructions.file() == null ? "" : Files.readString(instructions.file());
    } catch (IOException e) {
      throw new UncheckedIOException("the instructions cannot be read: " + instructions.file(), e);
    }
  }

  private static ToolDefinition tool(AgentTool tool) {
    var http = tool.http();
    var reconcile = tool.reconcile();
    var approval = tool.approval();
    var above = approval.above();
    var price = tool.price();
    ToolDefinition.Binding binding =
        http != null
            ? new ToolDefinition.Binding.Http(http.method().name(), http.url())
            : new ToolDefinition.Binding.SubAgent(String.valueOf(tool.agent()));
    return new ToolDefinition(
        tool.name(),
        tool.description(),
        json(tool.parameters()),
        binding,
        ToolDefinition.Effect.valueOf(tool.effect().name()),
        reconcile == null ? null : reconcile.url(),
        tool.timeout().toMillis(),
        new ToolDefinition.Retry(
            tool.retry().attempts(), tool.retry().initialDelay().toMillis(), tool.retry().factor()),
        new ToolDefinition.Approval(approval.always(), approval.when(), above == null ? 0 : above),
        price == null ? null : (Long) price.movePointRight(9).longValueExact());
  }

  private static JsonNode json(Map<String, Object> schema) {
    if (schema.isEmpty()) {
      return Tree.object().put("type", "object");
    }
    return MAPPER.valueToTree(schema);
  }

  /** The headers that the configuration has for a tool of any agent, by the tool's name. */
  public static Map<String, String> headers(Config config, String tool) {
    for (var agent : config.agents().values()) {
      for (var each : agent.tools()) {
        if (each.name().equals(tool) && each.http() != null) {
          return each.http().headers();
        }
      }
    }
    return Map.of();
  }
}
