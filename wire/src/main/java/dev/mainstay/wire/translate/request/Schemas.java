package dev.mainstay.wire.translate.request;

import dev.mainstay.wire.json.Tree;
import java.util.Locale;
import java.util.Set;
import java.util.function.Predicate;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** JSON Schemas as each dialect takes them. */
public final class Schemas {
  /**
   * What Anthropic's structured outputs refuse
   * (platform.claude.com/docs/en/build-with-claude/structured-outputs).
   */
  private static final Set<String> NOT_ANTHROPIC =
      Set.of(
          "minimum",
          "maximum",
          "exclusiveMinimum",
          "exclusiveMaximum",
          "multipleOf",
          "minLength",
          "maxLength",
          "maxItems",
          "uniqueItems",
          "minProperties",
          "maxProperties",
          "patternProperties",
          "propertyNames",
          "not",
          "if",
          "then",
          "else");

  /** What Gemini's subset of JSON Schema knows (ai.google.dev/api/generate-content). */
  private static final Set<String> GEMINI =
      Set.of(
          "$id",
          "$defs",
          "$ref",
          "$anchor",
          "type",
          "format",
          "title",
          "description",
          "enum",
          "items",
          "prefixItems",
          "minItems",
          "maxItems",
          "minimum",
          "maximum",
          "anyOf",
          "oneOf",
          "properties",
          "additionalProperties",
          "required",
          "propertyOrdering");

  /** Words that say nothing about what fits. */
  private static final Set<String> REMARKS =
      Set.of("$schema", "$comment", "default", "example", "examples", "deprecated", "strict");

  private static final Set<String> MAPS = Set.of("properties", "$defs", "definitions");
  private static final Set<String> SCHEMAS = Set.of("items", "additionalProperties");
  private static final Set<String> LISTS = Set.of("anyOf", "oneOf", "allOf", "prefixItems");

  private Schemas() {}

  /** A schema that Anthropic enforces; says so where rules are left out. */
  public static ObjectNode anthropic(TranslationContext context, ObjectNode schema, String path) {
    return walk(schema, node -> forAnthropic(context, node, path));
  }

  private static void forAnthropic(TranslationContext context, ObjectNode schema, String path) {
    if (remove(schema, name -> NOT_ANTHROPIC.contains(name))) {
      context.lose(Feature.SCHEMA_RULES, path);
    }
    if (schema.path("minItems").asInt(0) > 1) {
      schema.remove("minItems");
      context.lose(Feature.SCHEMA_RULES, path);
    }
    if (schema.path("type").asString("").equals("object") || schema.has("properties")) {
      var extra = schema.get("additionalProperties");
      if (extra != null && !extra.isBoolean()) {
        context.lose(Feature.SCHEMA_RULES, path);
      }
      schema.put("additionalProperties", false);
    }
  }

  /** A schema in the subset that Gemini knows; says so where rules are left out. */
  public static ObjectNode gemini(TranslationContext context, ObjectNode schema, String path) {
    return walk(schema, node -> forGemini(context, node, path));
  }

  private static void forGemini(TranslationContext context, ObjectNode schema, String path) {
    var constant = schema.remove("const");
    if (constant != null) {
      schema.putArray("enum").add(constant);
    }
    var definitions = schema.remove("definitions");
    if (definitions != null) {
      schema.set("$defs", definitions);
    }
    if (schema.path("$ref").asString("").startsWith("#/definitions/")) {
      schema.put("$ref", schema.path("$ref").asString().replace("#/definitions/", "#/$defs/"));
    }
    remove(schema, name -> REMARKS.contains(name));
    if (remove(schema, name -> !GEMINI.contains(name))) {
      context.lose(Feature.SCHEMA_RULES, path);
    }
  }

  /** A JSON Schema from Gemini's older form: OpenAPI, with types in capitals. */
  public static ObjectNode ofOpenApi(ObjectNode schema) {
    return walk(schema, Schemas::fromOpenApi);
  }

  private static void fromOpenApi(ObjectNode schema) {
    var type = schema.get("type");
    if (type != null && type.isString()) {
      var name = type.stringValue().toLowerCase(Locale.ROOT);
      var nullable = schema.remove("nullable");
      if (name.equals("type_unspecified")) {
        schema.remove("type");
      } else if (nullable != null && nullable.asBoolean(false)) {
        schema.putArray("type").add(name).add("null");
      } else {
        schema.put("type", name);
      }
    }
    schema.remove("propertyOrdering");
    // Whole numbers travel as strings in Google's JSON.
    for (var name :
        new String[] {
          "minItems", "maxItems", "minLength", "maxLength", "minProperties", "maxProperties"
        }) {
      var value = schema.get(name);
      if (value != null && value.isString()) {
        var number = Body.parse(value.stringValue());
        if (number.isIntegralNumber()) {
          schema.set(name, number);
        }
      }
    }
  }

  private static boolean remove(ObjectNode schema, Predicate<String> name) {
    var names = schema.propertyNames().stream().filter(name).toList();
    schema.remove(names);
    return !names.isEmpty();
  }

  @FunctionalInterface
  private interface Change {
    void apply(ObjectNode schema);
  }

  /** A copy of {@code schema} with every schema in it changed; the depth is that of the body. */
  private static ObjectNode walk(ObjectNode schema, Change change) {
    var copy = Tree.object();
    for (var field : schema.properties()) {
      copy.set(field.getKey(), walk(field.getKey(), field.getValue(), change));
    }
    change.apply(copy);
    return copy;
  }

  private static JsonNode walk(String name, JsonNode value, Change change) {
    if (MAPS.contains(name) && value instanceof ObjectNode map) {
      var copy = Tree.object();
      for (var field : map.properties()) {
        copy.set(field.getKey(), schema(field.getValue(), change));
      }
      return copy;
    }
    if (SCHEMAS.contains(name)) {
      return schema(value, change);
    }
    if (LISTS.contains(name) && value instanceof ArrayNode list) {
      var copy = Tree.array();
      list.forEach(element -> copy.add(schema(element, change)));
      return copy;
    }
    return value;
  }

  private static JsonNode schema(JsonNode value, Change change) {
    return value instanceof ObjectNode object ? walk(object, change) : value;
  }
}
