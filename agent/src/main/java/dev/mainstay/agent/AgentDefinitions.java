package dev.mainstay.agent;

import dev.mainstay.config.Agent;
import dev.mainstay.config.AgentTool;
import dev.mainstay.config.Config;
import dev.mainstay.config.ToolCallPolicy;
import dev.mainstay.wire.json.Tree;
import java.io.UncheckedIOException;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
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
   * @param files reads their instructions
   * @throws UncheckedIOException where a file of instructions never could be read
   */
  public static Map<String, AgentDefinition> of(Config config, InstructionFiles files) {
    var all = new LinkedHashMap<String, AgentDefinition>();
    config.agents().keySet().forEach(name -> definition(name, config, files, all));
    return Map.copyOf(all);
  }

  /** The configuration's own checks refuse cycles of sub-agents. */
  private static AgentDefinition definition(
      String name, Config config, InstructionFiles files, Map<String, AgentDefinition> all) {
    var known = all.get(name);
    if (known == null) {
      var agent = Objects.requireNonNull(config.agents().get(name), name);
      var tools = new ArrayList<ToolDefinition>();
      for (var tool : agent.tools()) {
        tools.add(tool(tool, sub -> definition(sub, config, files, all)));
      }
      known = definition(agent, files, tools);
      all.put(name, known);
    }
    return known;
  }

  private static AgentDefinition definition(
      Agent agent, InstructionFiles files, List<ToolDefinition> tools) {
    var output = agent.output();
    return new AgentDefinition(
        agent.name(),
        agent.model(),
        instructions(agent.instructions(), files),
        AgentDefinition.Limits.of(agent.limits()),
        output == null ? null : new AgentDefinition.Output(json(output.schema()), output.retries()),
        agent.recovery().calls(),
        tools,
        agent.mcp().stream().map(AgentDefinitions::server).toList());
  }

  private static AgentDefinition.Mcp server(Agent.McpServer server) {
    var effects = new LinkedHashMap<String, ToolDefinition.Effect>();
    server
        .effects()
        .forEach((tool, effect) -> effects.put(tool, ToolDefinition.Effect.valueOf(effect.name())));
    var calls = new LinkedHashMap<String, ToolDefinition.CallPolicy>();
    server.toolSettings().forEach((tool, settings) -> calls.put(tool, calls(settings)));
    return new AgentDefinition.Mcp(server.name(), effects, server.tools(), calls);
  }

  private static ToolDefinition.CallPolicy calls(ToolCallPolicy settings) {
    return new ToolDefinition.CallPolicy(
        settings.timeout().toMillis(),
        ToolDefinition.Retry.of(settings.retry()),
        approval(settings.approval()),
        nanos(settings.price()));
  }

  private static ToolDefinition.Approval approval(ToolCallPolicy.Approval approval) {
    var above = approval.above();
    return new ToolDefinition.Approval(
        approval.always(), approval.when(), above == null ? 0 : above);
  }

  private static @Nullable Long nanos(@Nullable BigDecimal usd) {
    return usd == null ? null : (Long) usd.movePointRight(9).longValueExact();
  }

  private static String instructions(
      Agent.@Nullable Instructions instructions, InstructionFiles files) {
    if (instructions == null) {
      return "";
    }
    if (instructions.text() != null) {
      return instructions.text();
    }
    return instructions.file() == null ? "" : files.read(instructions.file());
  }

  private static ToolDefinition tool(AgentTool tool, Function<String, AgentDefinition> agents) {
    if (tool.agent() != null) {
      return SubAgents.tool(
          tool.name(),
          tool.description(),
          tool.parameters().isEmpty() ? null : json(tool.parameters()),
          agents.apply(tool.agent()),
          approval(tool.calls().approval()));
    }
    var http = tool.http();
    var reconcile = tool.reconcile();
    if (http == null) {
      throw new IllegalArgumentException("the tool " + tool.name() + " has neither http nor agent");
    }
    return new ToolDefinition(
        tool.name(),
        tool.description(),
        json(tool.parameters()),
        new ToolDefinition.Binding.Http(
            http.method().name(), http.url(), http.headers().keySet().stream().sorted().toList()),
        ToolDefinition.Effect.valueOf(tool.effect().name()),
        reconcile == null ? null : reconcile.url(),
        calls(tool.calls()));
  }

  private static JsonNode json(Map<String, Object> schema) {
    if (schema.isEmpty()) {
      return Tree.object().put("type", "object");
    }
    return MAPPER.valueToTree(schema);
  }

  /** The headers that {@code config} has for a tool of an agent at exactly {@code url}. */
  public static Map<String, String> headers(Config config, String agent, String tool, String url) {
    var found = config.agents().get(agent);
    if (found != null) {
      for (var each : found.tools()) {
        for (var request : Arrays.asList(each.http(), each.reconcile())) {
          if (each.name().equals(tool) && request != null && request.url().equals(url)) {
            return request.headers();
          }
        }
      }
    }
    return Map.of();
  }
}
