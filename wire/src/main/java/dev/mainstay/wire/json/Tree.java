package dev.mainstay.wire.json;

import java.nio.charset.StandardCharsets;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.cfg.JsonNodeFeature;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * JSON as trees, where a walk over the bytes does not do. Numbers keep every digit. Thread-safe;
 * the trees are not.
 */
public final class Tree {
  private static final JsonMapper MAPPER =
      JsonMapper.builder()
          .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
          .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
          .disable(JsonNodeFeature.STRIP_TRAILING_BIGDECIMAL_ZEROES)
          .build();

  private Tree() {}

  /**
   * Reads {@code length} bytes from {@code offset}.
   *
   * @throws JacksonException if they are not JSON, or more than one value
   */
  public static JsonNode read(byte[] bytes, int offset, int length) {
    try (var parser = Json.parser(bytes, offset, length)) {
      return MAPPER.readValue(parser, JsonNode.class);
    }
  }

  /**
   * Reads {@code text}.
   *
   * @throws JacksonException if it is not JSON, or more than one value
   */
  public static JsonNode read(String text) {
    var bytes = text.getBytes(StandardCharsets.UTF_8);
    return read(bytes, 0, bytes.length);
  }

  public static ObjectNode object() {
    return JsonNodeFactory.instance.objectNode();
  }

  public static ArrayNode array() {
    return JsonNodeFactory.instance.arrayNode();
  }

  /** {@code node} as JSON without white space, safe in an event stream. */
  public static String write(JsonNode node) {
    var text = node.toString();
    // They end a line for some readers of event streams, and occur inside strings only.
    return text.indexOf('\u2028') < 0 && text.indexOf('\u2029') < 0
        ? text
        : text.replace("\u2028", "\\u2028").replace("\u2029", "\\u2029");
  }

  /** The string in {@code node}'s field {@code name}, or "" where there is none. */
  public static String text(JsonNode node, String name) {
    return node.path(name).stringValue("");
  }

  /** Walks {@code node}, which is a small one. */
  public static JsonWalk walk(JsonNode node) {
    return new JsonWalk(node.toString().getBytes(StandardCharsets.UTF_8));
  }
}
