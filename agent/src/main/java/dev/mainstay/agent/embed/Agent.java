package dev.mainstay.agent.embed;

import dev.mainstay.agent.AgentDefinition;
import dev.mainstay.agent.ToolDefinition;
import dev.mainstay.agent.tool.MethodTools;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * An agent as plain code: a model, instructions, and annotated methods as tools. Immutable; an
 * {@link AgentRunner} runs it.
 *
 * @param definition what runs of it are pinned to
 * @param methods what carries its tools out
 */
public record Agent(AgentDefinition definition, Map<String, MethodTools.Method> methods) {

  public Agent {
    methods = Map.copyOf(methods);
  }

  /** An agent named {@code name}: runs find it by that name after a restart. */
  public static Builder builder(String name) {
    return new Builder(name);
  }

  /** The agent's name. */
  public String name() {
    return definition.name();
  }

  /** Builds an agent. Not thread-safe. */
  public static final class Builder {
    private final String name;
    private String model = "";
    private String instructions = "";
    private AgentDefinition.Limits limits = AgentDefinition.Limits.DEFAULTS;
    private final List<ToolDefinition> tools = new ArrayList<>();
    private final Map<String, MethodTools.Method> methods = new HashMap<>();

    private Builder(String name) {
      if (name.isBlank()) {
        throw new IllegalArgumentException("an agent needs a name");
      }
      this.name = name;
    }

    /** A name of the configuration's {@code models}, or {@code provider/model}. Required. */
    public Builder model(String value) {
      model = value;
      return this;
    }

    /** What the model is told first; nothing by default. */
    public Builder instructions(String value) {
      instructions = value;
      return this;
    }

    /** The bounds of a run; {@link AgentDefinition.Limits#DEFAULTS} by default. */
    public Builder limits(AgentDefinition.Limits value) {
      limits = value;
      return this;
    }

    /**
     * Adds the methods of {@code object} that carry {@link ToolMethod}.
     *
     * @throws IllegalArgumentException where it has none, or one that a model could not call
     */
    public Builder tools(Object object) {
      for (var tool : MethodTool.of(object)) {
        var id = name + "." + tool.name();
        add(tool.definition(id));
        methods.put(id, tool.caller());
      }
      return this;
    }

    /** Adds a tool that is no method, for example an HTTP request. */
    public Builder tool(ToolDefinition tool) {
      add(tool);
      return this;
    }

    /** Adds another agent as a tool. */
    public Builder agent(Agent agent, String description) {
      add(ToolDefinition.ofAgent(agent.name(), description, agent.definition()));
      methods.putAll(agent.methods());
      return this;
    }

    private void add(ToolDefinition tool) {
      if (tools.stream().anyMatch(each -> each.name().equals(tool.name()))) {
        throw new IllegalArgumentException(name + " has two tools named " + tool.name());
      }
      tools.add(tool);
    }

    /**
     * The agent.
     *
     * @throws IllegalStateException where it has no model
     */
    public Agent build() {
      if (model.isBlank()) {
        throw new IllegalStateException("the agent " + name + " has no model");
      }
      return new Agent(AgentDefinition.of(name, model, instructions, limits, tools), methods);
    }
  }
}
