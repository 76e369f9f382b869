package dev.mainstay.agent.decide;

import dev.mainstay.agent.journal.RunState;
import dev.mainstay.agent.tool.ToolText;
import dev.mainstay.engine.model.Tool;
import dev.mainstay.wire.json.Tree;
import java.util.ArrayList;
import java.util.List;
import tools.jackson.databind.JsonNode;

/** The tools that the model may call: the agent's, and Mainstay's own where there is use for it. */
public final class OfferedTools {
  /** Reads on in a result that is too long to show; an agent's own tools have other names. */
  public static final String READ_RESULT = "read_result";

  private OfferedTools() {}

  static List<Tool> of(RunState state) {
    var offered = new ArrayList<Tool>();
    for (var tool : state.definition().tools()) {
      offered.add(new Tool(tool.name(), tool.description(), tool.parameters()));
    }
    if (state.steps().hasKeptResults()) {
      offered.add(
          new Tool(
              READ_RESULT,
              "Reads on in a tool's result that was too long to show. Returns up to %d characters."
                  .formatted(ToolText.MOST_SHOWN),
              parameters()));
    }
    return offered;
  }

  private static JsonNode parameters() {
    var schema = Tree.object().put("type", "object");
    var properties = schema.putObject("properties");
    properties
        .putObject("step")
        .put("type", "integer")
        .put("description", "the step that the excerpt names");
    properties
        .putObject("offset")
        .put("type", "integer")
        .put("minimum", 0)
        .put("description", "the character to begin at");
    schema.putArray("required").add("step").add("offset");
    return schema;
  }
}
