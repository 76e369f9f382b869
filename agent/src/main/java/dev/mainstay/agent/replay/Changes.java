package dev.mainstay.agent.replay;

import dev.mainstay.agent.AgentDefinition;
import dev.mainstay.agent.ToolDefinition;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * What a replay changes. What is null stays as it was.
 *
 * @param tools by name: {@code description} and {@code parameters} as they are to be; null takes
 *     the tool away
 */
public record Changes(
    @Nullable String model,
    @Nullable String instructions,
    @Nullable Double temperature,
    @Nullable JsonNode tools) {
  private static final Set<String> FIELDS =
      new TreeSet<>(Set.of("model", "instructions", "temperature", "tools"));

  /** Nothing. */
  public static final Changes NONE = new Changes(null, null, null, null);

  /**
   * Reads the field {@code set} of a request.
   *
   * @throws IllegalArgumentException where it says what cannot be changed
   */
  public static Changes read(JsonNode set) {
    if (set.isMissingNode() || set.isNull()) {
      return NONE;
    }
    for (var name : set.propertyNames()) {
      if (!FIELDS.contains(name)) {
        throw new IllegalArgumentException(
            "set.%s cannot be changed. You can change: %s."
                .formatted(name, String.join(", ", FIELDS)));
      }
    }
    var temperature = set.get("temperature");
    if (temperature != null && !temperature.isNumber()) {
      throw new IllegalArgumentException("set.temperature is not a number.");
    }
    var tools = set.get("tools");
    if (tools != null && !tools.isObject()) {
      throw new IllegalArgumentException("set.tools is not an object of tools by their names.");
    }
    return new Changes(
        text(set, "model"),
        text(set, "instructions"),
        temperature == null ? null : (Double) temperature.asDouble(),
        tools);
  }

  private static @Nullable String text(JsonNode set, String name) {
    var value = set.get(name);
    if (value == null) {
      return null;
    }
    if (!value.isString() || (name.equals("model") && value.asString().isBlank())) {
      throw new IllegalArgumentException("set." + name + " is not a text.");
    }
    return value.asString();
  }

  /**
   * {@code was} with the changes.
   *
   * @throws IllegalArgumentException where it has no such tool
   */
  public AgentDefinition to(AgentDefinition was) {
    return new AgentDefinition(
        was.name(),
        model == null ? was.model() : model,
        instructions == null ? was.instructions() : instructions,
        was.limits(),
        was.output(),
        was.recovery(),
        tools(was.tools()));
  }

  private List<ToolDefinition> tools(List<ToolDefinition> were) {
    if (tools == null) {
      return were;
    }
    var names = were.stream().map(ToolDefinition::name).toList();
    for (var name : tools.propertyNames()) {
      if (!names.contains(name)) {
        throw new IllegalArgumentException(
            "set.tools.%s: the agent has no such tool. Its tools: %s."
                .formatted(name, String.join(", ", names)));
      }
    }
    var all = new ArrayList<ToolDefinition>();
    for (var tool : were) {
      var change = tools.get(tool.name());
      if (change == null) {
        all.add(tool);
      } else if (!change.isNull()) {
        all.add(changed(tool, change));
      }
    }
    return all;
  }

  private static ToolDefinition changed(ToolDefinition tool, JsonNode change) {
    return tool.describedAs(
        change.path("description").asString(tool.description()),
        change.path("parameters").isObject() ? change.get("parameters") : tool.parameters());
  }
}
