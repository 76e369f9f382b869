package dev.mainstay.simulator;

import java.nio.charset.StandardCharsets;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** JSON trees: what is simulated is small, and shapes matter more than speed. */
final class Json {
  private static final JsonMapper MAPPER = new JsonMapper();

  private Json() {}

  static ObjectNode object() {
    return MAPPER.createObjectNode();
  }

  /** The tree; a missing node for what is no JSON. */
  static JsonNode read(byte[] bytes) {
    try {
      return MAPPER.readTree(bytes);
    } catch (JacksonException e) {
      return MAPPER.missingNode();
    }
  }

  static ObjectNode read(String json) {
    return (ObjectNode) MAPPER.readTree(json);
  }

  static String write(JsonNode node) {
    return MAPPER.writeValueAsString(node);
  }

  static byte[] bytes(JsonNode node) {
    return write(node).getBytes(StandardCharsets.UTF_8);
  }
}
