package dev.mainstay.config;

import dev.mainstay.core.settings.Declaration;
import dev.mainstay.core.settings.Setting;
import dev.mainstay.core.settings.ValueType;
import dev.mainstay.wire.json.Tree;
import java.util.Objects;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** Writes the JSON Schema of the file out of the declarations of its settings. */
public final class SchemaWriter {
  /** Filled in before anything is checked, so that any value may be one. */
  private static final String PLACEHOLDER = ".*\\$\\{.*";

  private SchemaWriter() {}

  /** The schema, as it is published. */
  public static String write() {
    var schema = Tree.object();
    schema.put("$schema", "https://json-schema.org/draft/2020-12/schema");
    schema.put("$id", "https://mainstay.dev/config.schema.json");
    schema.put("title", "Mainstay configuration");
    schema.put(
        "description",
        "Mainstay replaces ${VAR} and ${VAR:-default} from the environment before it checks the"
            + " file.");
    section(schema, Config.class);
    var definitions = schema.putObject("$defs");
    text(definitions, "duration", "^([0-9]+(ms|s|m|h|d))+$|^0$|" + PLACEHOLDER);
    text(definitions, "size", "^[0-9]+ *([kKmMgGtT]([iI][bB])?|[bB])?$|" + PLACEHOLDER);
    return JsonMapper.builder().build().writerWithDefaultPrettyPrinter().writeValueAsString(schema)
        + "\n";
  }

  private static void text(ObjectNode definitions, String name, String pattern) {
    var definition = definitions.putObject(name);
    definition.putArray("type").add("string").add("integer");
    definition.put("pattern", pattern);
  }

  private static void section(ObjectNode schema, Class<? extends Record> record) {
    schema.put("type", "object");
    schema.put("additionalProperties", false);
    var properties = schema.putObject("properties");
    var required = Tree.array();
    properties(record, properties, required);
    if (!required.isEmpty()) {
      schema.set("required", required);
    }
  }

  private static void properties(
      Class<? extends Record> record, ObjectNode properties, ArrayNode required) {
    for (var each : Declaration.of(record)) {
      switch (each.shape()) {
        case INLINE -> properties(Objects.requireNonNull(each.section()), properties, required);
        case KEY -> {}
        default -> property(each, properties.putObject(each.name()));
      }
      if (each.setting().required()) {
        required.add(each.name());
      }
    }
  }

  private static void property(Declaration each, ObjectNode property) {
    property.put("description", each.setting().value());
    switch (each.shape()) {
      case VALUE -> value(each, property);
      case SECTION -> element(each, property);
      case VALUES, SECTIONS -> {
        property.put("type", "array");
        if (each.setting().required()) {
          property.put("minItems", 1);
        }
        element(each, property.putObject("items"));
      }
      case NAMED_VALUES, NAMED_SECTIONS -> {
        property.put("type", "object");
        element(each, property.putObject("additionalProperties"));
      }
      case TREE -> property.put("type", "object");
      case INLINE, KEY -> throw new IllegalStateException(each.name());
    }
    if (!each.setting().byDefault().equals(Setting.NONE)) {
      if (each.shape() == Declaration.Shape.VALUES) {
        var values = property.putArray("default");
        for (var text : each.setting().byDefault().split(",", -1)) {
          values.add(text);
        }
      } else {
        byDefault(property, Objects.requireNonNull(each.type()), each.setting().byDefault());
      }
    }
  }

  private static void byDefault(ObjectNode property, ValueType<?> type, String text) {
    switch (type.schema()) {
      case "integer" -> property.put("default", Long.parseLong(text));
      case "number" -> property.put("default", Double.parseDouble(text));
      case "boolean" -> property.put("default", Boolean.parseBoolean(text));
      default -> property.put("default", text);
    }
  }

  /** A section or a value, which may have a short form. */
  private static void element(Declaration each, ObjectNode schema) {
    var record = each.section();
    if (record == null) {
      value(each, schema);
    } else if (each.setting().shortFor().isEmpty()) {
      section(schema, record);
      if (record == ModelRecovery.class) {
        // What is not given there is inherited.
        schema.findParents("default").forEach(parent -> ((ObjectNode) parent).remove("default"));
      }
    } else {
      var forms = schema.putArray("anyOf");
      section(forms.addObject(), record);
      forms.addObject().putArray("type").add("string").add("number").add("boolean");
    }
  }

  private static void value(Declaration each, ObjectNode schema) {
    var type = Objects.requireNonNull(each.type());
    if (!type.choices().isEmpty()) {
      var choices = schema.putArray("enum");
      type.choices().forEach(choices::add);
      return;
    }
    switch (type.schema()) {
      case "duration", "size" -> schema.put("$ref", "#/$defs/" + type.schema());
      case "integer", "number", "boolean" -> {
        schema.putArray("type").add(type.schema()).add("string");
        bound(schema, "minimum", each.setting().least());
        bound(schema, "maximum", each.setting().most());
      }
      default -> schema.putArray("type").add("string").add("number").add("boolean");
    }
  }

  private static void bound(ObjectNode schema, String name, String text) {
    if (!text.equals(Setting.NONE)) {
      double bound = Double.parseDouble(text);
      if (bound == Math.rint(bound)) {
        schema.put(name, (long) bound);
      } else {
        schema.put(name, bound);
      }
    }
  }
}
