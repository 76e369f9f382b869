package dev.mainstay.agent.replay;

import dev.mainstay.agent.AgentDefinition;
import dev.mainstay.agent.ToolDefinition;
import java.util.ArrayList;
import java.util.List;
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
  /** Nothing. */
  public static final Changes NONE = new Changes(null, null, null, null);

  /**
   * Reads the field {@code set} of a request, whose fields have the types of these.
   *
   * @throws IllegalArgumentException where the model is blank
   */
  public static Changes read(JsonNode set) {
    if (set.isMissingNode() || set.isNull()) {
      return NONE;
    }
    var model = set.path("model").stringValue(null);
    if (model != null && model.isBlank()) {
      throw new IllegalArgumentException("set.model is blank.");
    }
    var temperature = set.path("temperature");
    var tools = set.path("tools");
    return new Changes(
        model,
        set.path("instructions").stringValue(null),
        temperature.isNumber() ? (Double) temperature.asDouble() : null,
        tools.isObject() ? tools : null);
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
