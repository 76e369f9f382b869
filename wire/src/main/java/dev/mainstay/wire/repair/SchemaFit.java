package dev.mainstay.wire.repair;

import java.util.HashSet;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * Whether a value fits a JSON Schema, and if not, where and why, in words for a model.
 *
 * <p>Our own, and not a library: schemas come from strangers, so nothing may be fetched, no pattern
 * may backtrack and no reference may run in circles; and the answer has to be one sentence that a
 * model can act on. Known are type (Gemini's upper-case words and {@code nullable} too), enum,
 * const, properties, required, additionalProperties, items, prefixItems, anyOf, oneOf (as anyOf),
 * allOf, $ref within the schema, and the limits of numbers, lengths and sizes. What is not known
 * ({@code pattern}, {@code format}, {@code not}, conditions) is taken as fitting: a call is refused
 * only for what is certainly wrong.
 */
public final class SchemaFit {
  /** Pairs of schema and value that are looked at; a value that needs more is taken as fitting. */
  private static final int MAX_STEPS = 200_000;

  private static final int MAX_DEPTH = 128;
  private static final int MAX_LISTED = 300;

  private final JsonNode root;
  private int steps;

  private SchemaFit(JsonNode root) {
    this.root = root;
  }

  /** Where and why {@code value} does not fit {@code schema}, or null where it does. */
  public static @Nullable String misfit(JsonNode schema, JsonNode value) {
    return new SchemaFit(schema).check(schema, value, "$", 0);
  }

  private @Nullable String check(JsonNode schema, JsonNode value, String path, int depth) {
    if (++steps > MAX_STEPS || depth > MAX_DEPTH) {
      return null;
    }
    if (schema.isBoolean()) {
      return schema.booleanValue() ? null : path + " must not be there";
    }
    if (!schema.isObject() || value.isNull() && Trees.isTrue(schema, "nullable")) {
      return null;
    }
    var wrong = type(schema.get("type"), value, path);
    wrong = wrong != null ? wrong : choices(schema, value, path);
    wrong = wrong != null ? wrong : referred(schema, value, path, depth);
    wrong = wrong != null ? wrong : combined(schema, value, path, depth);
    if (wrong != null) {
      return wrong;
    }
    if (value.isObject()) {
      return object(schema, value, path, depth);
    }
    if (value.isArray()) {
      return array(schema, value, path, depth);
    }
    return SchemaLimits.misfit(schema, value, path);
  }

  private @Nullable String type(@Nullable JsonNode type, JsonNode value, String path) {
    if (type == null || type.isNull() || type.isEmpty() && !type.isString()) {
      return null;
    }
    var names = new StringBuilder();
    if (type.isArray()) {
      for (var one : type) {
        if (!one.isString() || is(one.stringValue(), value)) {
          return null;
        }
        names.append(names.isEmpty() ? "" : " or ").append(article(one.stringValue()));
      }
    } else if (!type.isString() || is(type.stringValue(), value)) {
      return null;
    } else {
      names.append(article(type.stringValue()));
    }
    return path + " must be " + names + ", but it is " + article(nameOf(value));
  }

  private static boolean is(String type, JsonNode value) {
    return switch (type.toLowerCase(Locale.ROOT)) {
      case "object" -> value.isObject();
      case "array" -> value.isArray();
      case "string" -> value.isString();
      case "boolean" -> value.isBoolean();
      case "null" -> value.isNull();
      case "number" -> value.isNumber();
      case "integer" -> isWhole(value);
      default -> true;
    };
  }

  /** 1.0 is an integer to JSON Schema. */
  private static boolean isWhole(JsonNode value) {
    return value.isIntegralNumber()
        || value.isNumber() && value.doubleValue() == Math.rint(value.doubleValue());
  }

  private static String nameOf(JsonNode value) {
    return switch (value.getNodeType()) {
      case OBJECT -> "object";
      case ARRAY -> "array";
      case STRING -> "string";
      case BOOLEAN -> "boolean";
      case NULL -> "null";
      case NUMBER -> value.isIntegralNumber() ? "integer" : "number";
      default -> "something else";
    };
  }

  private static String article(String type) {
    var name = type.toLowerCase(Locale.ROOT);
    return switch (name) {
      case "object", "array", "integer" -> "an " + name;
      case "null", "something else" -> name;
      default -> "a " + name;
    };
  }

  private static @Nullable String choices(JsonNode schema, JsonNode value, String path) {
    var only = schema.get("const");
    if (only != null && !same(only, value)) {
      return path + " must be " + listed(only);
    }
    var choices = schema.get("enum");
    if (choices == null || !choices.isArray() || choices.isEmpty()) {
      return null;
    }
    for (var choice : choices) {
      if (same(choice, value)) {
        return null;
      }
    }
    return path + " must be one of " + listed(choices);
  }

  private static boolean same(JsonNode a, JsonNode b) {
    return a.isNumber() && b.isNumber() ? SchemaLimits.compare(a, b) == 0 : a.equals(b);
  }

  static String listed(JsonNode schema) {
    var text = schema.toString();
    return text.length() > MAX_LISTED ? text.substring(0, MAX_LISTED) + "..." : text;
  }

  private @Nullable String referred(JsonNode schema, JsonNode value, String path, int depth) {
    var ref = Trees.text(schema, "$ref");
    if (ref == null || !ref.startsWith("#")) {
      return null;
    }
    var target = ref.length() == 1 ? root : pointed(ref.substring(1));
    return target == null ? null : check(target, value, path, depth + 1);
  }

  private @Nullable JsonNode pointed(String pointer) {
    if (!pointer.startsWith("/")) {
      return null;
    }
    JsonNode node = root;
    for (var part : pointer.substring(1).split("/", MAX_DEPTH)) {
      var name = part.replace("%24", "$").replace("~1", "/").replace("~0", "~");
      var next = node.get(name);
      if (next == null && node.isArray() && name.matches("[0-9]{1,6}")) {
        next = node.get(Integer.parseInt(name));
      }
      if (next == null) {
        return null;
      }
      node = next;
    }
    return node;
  }

  private @Nullable String combined(JsonNode schema, JsonNode value, String path, int depth) {
    var all = schema.get("allOf");
    if (all != null && all.isArray()) {
      for (var one : all) {
        var wrong = check(one, value, path, depth + 1);
        if (wrong != null) {
          return wrong;
        }
      }
    }
    var wrong = any(Trees.first(schema, "anyOf", "any_of"), value, path, depth);
    return wrong != null ? wrong : any(schema.get("oneOf"), value, path, depth);
  }

  /** Of several forms, what is wrong with the one that came furthest says most. */
  private @Nullable String any(@Nullable JsonNode forms, JsonNode value, String path, int depth) {
    if (forms == null || !forms.isArray() || forms.isEmpty()) {
      return null;
    }
    String best = null;
    for (var form : forms) {
      var wrong = check(form, value, path, depth + 1);
      if (wrong == null) {
        return null;
      }
      if (best == null || wrong.indexOf(' ') > best.indexOf(' ')) {
        best = wrong;
      }
    }
    return best;
  }

  private @Nullable String object(JsonNode schema, JsonNode value, String path, int depth) {
    var required = schema.get("required");
    if (required != null && required.isArray()) {
      for (var name : required) {
        if (name.isString() && !value.has(name.stringValue())) {
          return path + " lacks " + shown(name.stringValue()) + ", which is required";
        }
      }
    }
    var properties = schema.get("properties");
    var others = Trees.first(schema, "additionalProperties", "additional_properties");
    boolean patterns = schema.has("patternProperties");
    for (var field : value.properties()) {
      var own = properties == null ? null : properties.get(field.getKey());
      var rule = own != null ? own : patterns ? null : others;
      if (own == null && rule != null && rule.isBoolean() && !rule.booleanValue()) {
        return path + " must not have " + shown(field.getKey());
      }
      if (rule != null) {
        var wrong = check(rule, field.getValue(), path + "." + shown(field.getKey()), depth + 1);
        if (wrong != null) {
          return wrong;
        }
      }
    }
    return SchemaLimits.size(
        schema, value.size(), path, "minProperties", "maxProperties", "fields");
  }

  private @Nullable String array(JsonNode schema, JsonNode value, String path, int depth) {
    var wrong = SchemaLimits.size(schema, value.size(), path, "minItems", "maxItems", "items");
    if (wrong != null) {
      return wrong;
    }
    var first = schema.get("prefixItems");
    var rest = schema.get("items");
    for (int i = 0; i < value.size(); i++) {
      var rule = first != null && first.isArray() && i < first.size() ? first.get(i) : rest;
      if (rule != null && !rule.isArray()) {
        wrong = check(rule, value.get(i), path + "[" + i + "]", depth + 1);
        if (wrong != null) {
          return wrong;
        }
      }
    }
    if (Trees.isTrue(schema, "uniqueItems")) {
      var seen = new HashSet<JsonNode>();
      for (var item : value) {
        if (!seen.add(item)) {
          return path + " must not have an item twice";
        }
      }
    }
    return null;
  }

  private static String shown(String name) {
    return name.length() > 64 ? name.substring(0, 64) + "..." : name;
  }
}
