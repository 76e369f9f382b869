package dev.mainstay.engine.model;

import dev.mainstay.wire.json.Tree;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * A tool that the model may call.
 *
 * @param parameters the JSON Schema of its arguments; an object
 */
public record Tool(String name, String description, JsonNode parameters) {

  ObjectNode json() {
    var function =
        Tree.object()
            .put("name", name)
            .put("description", description)
            .set("parameters", parameters);
    return (ObjectNode) Tree.object().put("type", "function").set("function", function);
  }
}
