package dev.mainstay.wire.translate.request;

import dev.mainstay.wire.translate.MalformedRequestException;
import tools.jackson.core.JacksonException;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.cfg.JsonNodeFeature;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** JSON as a tree: numbers keep their digits, nesting is bounded. Thread-safe. */
public final class Tree {
  /** As deep as the gateway reads a body at all. */
  private static final int MAX_DEPTH = 512;

  private static final JsonMapper MAPPER =
      JsonMapper.builder(
              JsonFactory.builder()
                  .streamReadConstraints(
                      StreamReadConstraints.builder()
                          .maxNestingDepth(MAX_DEPTH)
                          .maxStringLength(Integer.MAX_VALUE)
                          .build())
                  .build())
          .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
          .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
          .disable(JsonNodeFeature.STRIP_TRAILING_BIGDECIMAL_ZEROES)
          .build();

  private Tree() {}

  /**
   * Reads a body.
   *
   * @throws MalformedRequestException where it is not one JSON object
   */
  public static ObjectNode body(byte[] bytes) {
    JsonNode node;
    try {
      node = MAPPER.readTree(bytes);
    } catch (JacksonException e) {
      throw new MalformedRequestException("", "the body is not valid JSON" + place(e));
    }
    if (node instanceof ObjectNode object) {
      return object;
    }
    throw new MalformedRequestException("", "the body is not a JSON object");
  }

  private static String place(JacksonException e) {
    var at = e.getLocation();
    return at == null || at.getLineNr() < 1
        ? ""
        : " at line " + at.getLineNr() + ", column " + at.getColumnNr();
  }

  /** Reads JSON text that stands in a string; a missing node where it is not JSON. */
  public static JsonNode parse(String json) {
    try {
      return MAPPER.readTree(json);
    } catch (JacksonException e) {
      return JsonNodeFactory.instance.missingNode();
    }
  }

  public static byte[] bytes(JsonNode node) {
    return MAPPER.writeValueAsBytes(node);
  }

  /** The node as JSON text. */
  public static String json(JsonNode node) {
    return MAPPER.writeValueAsString(node);
  }

  public static ObjectNode object() {
    return JsonNodeFactory.instance.objectNode();
  }

  public static ArrayNode array() {
    return JsonNodeFactory.instance.arrayNode();
  }

  public static JsonNode bool(boolean value) {
    return JsonNodeFactory.instance.booleanNode(value);
  }

  public static JsonNode string(String text) {
    return JsonNodeFactory.instance.stringNode(text);
  }

  /** The object at the dotted {@code path}'s parent, made where it is not there yet. */
  public static ObjectNode parent(ObjectNode root, String path) {
    var at = root;
    int from = 0;
    for (int dot = path.indexOf('.'); dot >= 0; dot = path.indexOf('.', from)) {
      at = child(at, path.substring(from, dot));
      from = dot + 1;
    }
    return at;
  }

  /** The object in the field {@code name}, made where it is not there yet. */
  public static ObjectNode child(ObjectNode parent, String name) {
    if (parent.get(name) instanceof ObjectNode child) {
      return child;
    }
    return parent.putObject(name);
  }

  /** The last name of a dotted path. */
  public static String leaf(String path) {
    return path.substring(path.lastIndexOf('.') + 1);
  }
}
