package dev.mainstay.agent.embed;

import dev.mainstay.wire.json.Tree;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.Collection;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** JSON Schemas of the Java types that a tool's parameters may have. */
final class ParameterSchema {
  private static final Set<Class<?>> WHOLE =
      Set.of(
          int.class,
          Integer.class,
          long.class,
          Long.class,
          short.class,
          Short.class,
          byte.class,
          Byte.class,
          BigInteger.class);

  private static final Set<Class<?>> NUMBER =
      Set.of(double.class, Double.class, float.class, Float.class, BigDecimal.class);

  private ParameterSchema() {}

  /**
   * The schema of {@code type}.
   *
   * @throws IllegalArgumentException where a model could not fill it in
   */
  static ObjectNode of(Type type) {
    return of(type, new HashSet<>());
  }

  private static ObjectNode of(Type type, Set<Class<?>> inside) {
    if (type instanceof ParameterizedType generic && generic.getRawType() instanceof Class<?> raw) {
      var arguments = generic.getActualTypeArguments();
      if (Collection.class.isAssignableFrom(raw)) {
        return list(of(arguments[0], inside));
      }
      if (Map.class.isAssignableFrom(raw) && arguments[0] == String.class) {
        var schema = Tree.object().put("type", "object");
        return (ObjectNode) schema.set("additionalProperties", of(arguments[1], inside));
      }
    }
    if (type instanceof Class<?> plain) {
      var schema = plain(plain, inside);
      if (schema != null) {
        return schema;
      }
    }
    throw new IllegalArgumentException(
        type.getTypeName()
            + " is no type for a tool's parameter: use text, numbers, booleans, enums, records, and"
            + " lists and maps of them");
  }

  private static @Nullable ObjectNode plain(Class<?> type, Set<Class<?>> inside) {
    if (type == String.class) {
      return Tree.object().put("type", "string");
    }
    if (WHOLE.contains(type)) {
      return Tree.object().put("type", "integer");
    }
    if (NUMBER.contains(type)) {
      return Tree.object().put("type", "number");
    }
    if (type == boolean.class || type == Boolean.class) {
      return Tree.object().put("type", "boolean");
    }
    if (type == JsonNode.class) {
      return Tree.object();
    }
    if (type.isArray()) {
      return list(of(type.getComponentType(), inside));
    }
    if (type.isEnum()) {
      var schema = Tree.object().put("type", "string");
      var values = schema.putArray("enum");
      for (var constant : type.getEnumConstants()) {
        values.add(((Enum<?>) constant).name());
      }
      return schema;
    }
    return type.isRecord() ? ofRecord(type, inside) : null;
  }

  private static ObjectNode list(ObjectNode items) {
    return (ObjectNode) Tree.object().put("type", "array").set("items", items);
  }

  private static ObjectNode ofRecord(Class<?> type, Set<Class<?>> inside) {
    if (!inside.add(type)) {
      throw new IllegalArgumentException(type.getName() + " contains itself");
    }
    var schema = object();
    for (var component : type.getRecordComponents()) {
      add(schema, component.getName(), of(component.getGenericType(), inside), component);
    }
    inside.remove(type);
    return schema;
  }

  static ObjectNode object() {
    var schema = Tree.object().put("type", "object");
    schema.putObject("properties");
    schema.putArray("required");
    return schema.put("additionalProperties", false);
  }

  /** Adds a property as {@code described} has it. */
  static void add(ObjectNode schema, String name, ObjectNode type, AnnotatedElement described) {
    var param = described.getAnnotation(Param.class);
    if (param != null && !param.value().isEmpty()) {
      type.put("description", param.value());
    }
    ((ObjectNode) schema.path("properties")).set(name, type);
    if (param == null || param.required()) {
      ((ArrayNode) schema.path("required")).add(name);
    }
  }
}
