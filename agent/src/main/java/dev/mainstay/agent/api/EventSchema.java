package dev.mainstay.agent.api;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import dev.mainstay.agent.AgentDefinition;
import dev.mainstay.agent.journal.JournalEntry;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * The JSON Schema of a run's events, from the journal's entries: what {@link RunJson#event} makes
 * of each, by its {@code type}. Events of a later version may have more fields and types.
 */
final class EventSchema {
  private EventSchema() {}

  static Map<String, Object> of() {
    var kinds =
        Arrays.stream(JournalEntry.class.getPermittedSubclasses()).map(EventSchema::event).toList();
    return Map.of("oneOf", kinds);
  }

  private static Map<String, Object> event(Class<?> entry) {
    var properties = new LinkedHashMap<String, Object>();
    properties.put("type", Map.of("const", RunJson.type(entry)));
    return object(entry, properties);
  }

  private static Map<String, Object> object(Class<?> type, Map<String, Object> properties) {
    add(type, properties);
    var schema = new LinkedHashMap<String, Object>();
    schema.put("type", "object");
    schema.put("properties", properties);
    schema.put("required", List.copyOf(properties.keySet()));
    return schema;
  }

  private static void add(Class<?> type, Map<String, Object> properties) {
    for (var component : type.getRecordComponents()) {
      if (component.getAccessor().isAnnotationPresent(JsonUnwrapped.class)) {
        add(component.getType(), properties);
      } else if (!RunJson.isHidden(component.getName(), type)) {
        properties.put(RunJson.name(component.getName()), property(component));
      }
    }
  }

  private static Map<String, Object> property(RecordComponent component) {
    var schema =
        switch (component.getName()) {
          case "at" -> Map.<String, Object>of("type", "string", "format", "date-time");
          case "costNanos" -> Map.<String, Object>of("type", "number");
          default -> schema(component.getGenericType());
        };
    var type = schema.get("type");
    if (type == null || !component.getAnnotatedType().isAnnotationPresent(Nullable.class)) {
      return schema;
    }
    var orNull = new LinkedHashMap<>(schema);
    orNull.put("type", List.of(type, "null"));
    return orNull;
  }

  private static Map<String, Object> schema(Type type) {
    if (type instanceof ParameterizedType generic) {
      var of = generic.getActualTypeArguments();
      var inner = schema(of[of.length - 1]);
      return generic.getRawType() == List.class
          ? Map.of("type", "array", "items", inner)
          : Map.of("type", "object", "additionalProperties", inner);
    }
    if (!(type instanceof Class<?> plain) || JsonNode.class.isAssignableFrom(plain)) {
      return Map.of();
    }
    if (plain == AgentDefinition.class || plain.isInterface()) {
      return Map.of("type", "object");
    }
    if (plain.isRecord()) {
      return object(plain, new LinkedHashMap<>());
    }
    if (plain.isEnum()) {
      var names = new ArrayList<String>();
      Arrays.stream(plain.getEnumConstants()).forEach(each -> names.add(((Enum<?>) each).name()));
      return Map.of("type", "string", "enum", names);
    }
    if (plain == String.class) {
      return Map.of("type", "string");
    }
    if (plain == boolean.class || plain == Boolean.class) {
      return Map.of("type", "boolean");
    }
    return Map.of("type", plain == double.class || plain == Double.class ? "number" : "integer");
  }
}
