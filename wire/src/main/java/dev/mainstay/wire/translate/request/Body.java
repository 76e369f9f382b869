package dev.mainstay.wire.translate.request;

import dev.mainstay.wire.json.Tree;
import dev.mainstay.wire.translate.MalformedRequestException;
import java.nio.charset.StandardCharsets;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** The body of a request, and the values in it. */
public final class Body {
  private Body() {}

  /**
   * Reads a body.
   *
   * @throws MalformedRequestException where it is not one JSON object, or nested too deeply
   */
  public static ObjectNode read(byte[] bytes) {
    JsonNode node;
    try {
      node = Tree.read(bytes, 0, bytes.length);
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
      return Tree.read(json);
    } catch (JacksonException e) {
      return JsonNodeFactory.instance.missingNode();
    }
  }

  public static byte[] bytes(JsonNode body) {
    return Tree.write(body).getBytes(StandardCharsets.UTF_8);
  }

  public static JsonNode of(boolean value) {
    return JsonNodeFactory.instance.booleanNode(value);
  }

  public static JsonNode of(String text) {
    return JsonNodeFactory.instance.stringNode(text);
  }

  /** The object that holds the last name of a dotted {@code path}, made where there is none yet. */
  public static ObjectNode parent(ObjectNode root, String path) {
    var at = root;
    int from = 0;
    for (int dot = path.indexOf('.'); dot >= 0; dot = path.indexOf('.', from)) {
      at = child(at, path.substring(from, dot));
      from = dot + 1;
    }
    return at;
  }

  /** The object in the field {@code name}, made where there is none yet. */
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
