package dev.mainstay.wire.translate.request;

import dev.mainstay.wire.translate.MalformedRequestException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * A value of a request and where it stands, so that a mistake can be named by its path. A field
 * that is null counts as left out.
 */
public record Node(JsonNode json, String path) {

  /** A field of an object. */
  public record Field(String name, Node value) {}

  public static Node root(ObjectNode body) {
    return new Node(body, "");
  }

  public boolean isString() {
    return json.isString();
  }

  public boolean isObject() {
    return json.isObject();
  }

  public boolean isArray() {
    return json.isArray();
  }

  public String string() {
    if (!json.isString()) {
      throw wrong("a string");
    }
    return json.stringValue();
  }

  public boolean bool() {
    if (!json.isBoolean()) {
      throw wrong("true or false");
    }
    return json.booleanValue();
  }

  public long integer() {
    if (!json.isIntegralNumber() || !json.canConvertToLong()) {
      throw wrong("a whole number");
    }
    return json.longValue();
  }

  public ObjectNode object() {
    if (json instanceof ObjectNode object) {
      return object;
    }
    throw wrong("an object");
  }

  /** The elements of a list. */
  public List<Node> elements() {
    if (!(json instanceof ArrayNode array)) {
      throw wrong("a list");
    }
    var elements = new ArrayList<Node>(array.size());
    for (int i = 0; i < array.size(); i++) {
      elements.add(new Node(array.get(i), path + "[" + i + "]"));
    }
    return elements;
  }

  /** The fields of an object that are not null, in order. */
  public List<Field> fields() {
    var fields = new ArrayList<Field>();
    for (var entry : object().properties()) {
      if (!entry.getValue().isNull()) {
        fields.add(new Field(entry.getKey(), child(entry.getKey(), entry.getValue())));
      }
    }
    return fields;
  }

  /** The field of that name, or null where it is left out. */
  public @Nullable Node get(String name) {
    var value = object().get(name);
    return value == null || value.isNull() ? null : child(name, value);
  }

  /** The first of these fields that is there, or null. */
  public @Nullable Node get(String name, String other) {
    var first = get(name);
    return first == null ? get(other) : first;
  }

  /** The field of that name, which must be there. */
  public Node require(String name) {
    var value = get(name);
    if (value == null) {
      throw new MalformedRequestException(join(name), "is missing");
    }
    return value;
  }

  /** The text in the field of that name, or null where it is left out. */
  public @Nullable String string(String name) {
    var value = get(name);
    return value == null ? null : value.string();
  }

  /** The boolean in the field of that name, or null where it is left out. */
  public @Nullable Boolean bool(String name) {
    var value = get(name);
    return value == null ? null : value.bool();
  }

  /** What is wrong with this value: it is not {@code expected}. */
  public MalformedRequestException wrong(String expected) {
    return new MalformedRequestException(path, "is " + kind() + " and must be " + expected);
  }

  private Node child(String name, JsonNode value) {
    return new Node(value, join(name));
  }

  private String join(String name) {
    return path.isEmpty() ? name : path + "." + name;
  }

  private String kind() {
    return switch (json.getNodeType()) {
      case OBJECT -> "an object";
      case ARRAY -> "a list";
      case STRING -> "a string";
      case NUMBER -> "a number";
      case BOOLEAN -> "a boolean";
      case NULL, MISSING -> "null";
      case BINARY, POJO -> "no JSON";
    };
  }
}
