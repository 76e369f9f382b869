package dev.mainstay.gateway.api;

import dev.mainstay.http.Routes.Flat;
import dev.mainstay.http.Routes.Optional;
import java.lang.reflect.AnnotatedParameterizedType;
import java.lang.reflect.AnnotatedType;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.math.BigDecimal;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** JSON Schemas of records and of what they hold, by the names of the records. For one thread. */
public final class RecordSchemas {
  private final Map<String, Object> schemas = new TreeMap<>();
  private final Map<String, Class<?>> records = new HashMap<>();
  private final Map<Type, Map<String, Object>> given;

  /** Whether records are described that callers send, and may leave out what can be null. */
  private boolean sent;

  /**
   * @param given schemas of types that are not generated
   */
  public RecordSchemas(Map<Type, Map<String, Object>> given) {
    this.given = given;
  }

  /** All that were referred to so far, by their names. */
  public Map<String, Object> all() {
    return schemas;
  }

  /** The schema of what an answer gives. */
  public Map<String, Object> given(Type type) {
    return schema(type, null);
  }

  /** The schema of a body: it has no other fields, and those that can be null may be missing. */
  public Map<String, Object> taken(Type type) {
    sent = true;
    try {
      return schema(type, null);
    } finally {
      sent = false;
    }
  }

  /** A reference to the schema of a record, which is added where it is missing. */
  private Map<String, Object> reference(Type type) {
    if (type instanceof Class<?> known && given.get(type) instanceof Map<String, Object> schema) {
      schemas.put(known.getSimpleName(), schema);
      return Map.of("$ref", "#/components/schemas/" + known.getSimpleName());
    }
    if (!(type instanceof Class<?> record && record.isRecord())) {
      return schema(type, null);
    }
    var name = record.getSimpleName();
    var outer = record.getEnclosingClass();
    if (List.of("Row", "Page", "Body", "Error", "Bucket").contains(name) && outer != null) {
      name = outer.getSimpleName().replace("Api", "") + name;
    }
    var before = records.putIfAbsent(name, record);
    if (before == null) {
      var properties = new LinkedHashMap<String, Object>();
      var required = new ArrayList<String>();
      boolean open = add(record, properties, required);
      var schema = ordered("type", "object", "properties", properties, "required", required);
      if (open || sent) {
        schema.put("additionalProperties", open);
      }
      schemas.put(name, schema);
    } else if (before != record) {
      throw new IllegalStateException(before + " and " + record + " have one name");
    }
    return Map.of("$ref", "#/components/schemas/" + name);
  }

  /** Adds the components of a record; whether there may be fields of further names. */
  private boolean add(Class<?> record, Map<String, Object> properties, List<String> required) {
    boolean open = false;
    for (var component : record.getRecordComponents()) {
      if (component.isAnnotationPresent(Flat.class)) {
        open |= !component.getType().isRecord() || add(component.getType(), properties, required);
      } else {
        var name = Json.name(component.getName());
        properties.put(name, property(component));
        if (!component.isAnnotationPresent(Optional.class)
            && !(sent && component.getAnnotatedType().isAnnotationPresent(Nullable.class))) {
          required.add(name);
        }
      }
    }
    return open;
  }

  private Map<String, Object> property(RecordComponent component) {
    return orNull(component.getGenericType(), component.getAnnotatedType());
  }

  /** The schema of a type, which may be null where it says so. */
  private Map<String, Object> orNull(Type type, @Nullable AnnotatedType annotated) {
    var schema = schema(type, annotated);
    if (annotated == null || !annotated.isAnnotationPresent(Nullable.class)) {
      return schema;
    }
    if (schema.containsKey("$ref")) {
      return Map.of("anyOf", List.of(schema, Map.of("type", "null")));
    }
    var orNull = new LinkedHashMap<>(schema);
    if (schema.containsKey("type")) {
      orNull.put("type", List.of(String.valueOf(schema.get("type")), "null"));
    }
    return orNull;
  }

  private Map<String, Object> schema(Type type, @Nullable AnnotatedType annotated) {
    if (type instanceof ParameterizedType generic) {
      var arguments = generic.getActualTypeArguments();
      var last =
          annotated instanceof AnnotatedParameterizedType of
              ? of.getAnnotatedActualTypeArguments()[arguments.length - 1]
              : null;
      var inner = orNull(arguments[arguments.length - 1], last);
      return Collection.class.isAssignableFrom((Class<?>) generic.getRawType())
          ? ordered("type", "array", "items", inner)
          : ordered("type", "object", "additionalProperties", inner);
    }
    if (!(type instanceof Class<?> plain)) {
      return Map.of();
    }
    if ((plain.isRecord() && plain != Json.Raw.class) || given.containsKey(plain)) {
      return reference(plain);
    }
    if (plain.isEnum()) {
      return ordered(
          "type",
          "string",
          "enum",
          Arrays.stream(plain.getEnumConstants())
              .map(each -> ((Enum<?>) each).name().toLowerCase(Locale.ROOT))
              .toList());
    }
    return plain(plain);
  }

  private static Map<String, Object> plain(Class<?> type) {
    if (type == String.class) {
      return ordered("type", "string");
    } else if (type == Instant.class) {
      return ordered("type", "string", "format", "date-time");
    } else if (type == boolean.class || type == Boolean.class) {
      return ordered("type", "boolean");
    } else if (type == BigDecimal.class || type == double.class || type == Double.class) {
      return ordered("type", "number");
    } else if (type == Json.Raw.class) {
      return ordered("type", "object");
    } else if (type.isPrimitive() || Number.class.isAssignableFrom(type)) {
      return ordered("type", "integer");
    }
    return Map.of();
  }

  /** A JSON object of {@code pairs} of names and values, in their order. */
  public static Map<String, Object> ordered(Object... pairs) {
    var map = new LinkedHashMap<String, Object>();
    for (int i = 0; i < pairs.length; i += 2) {
      map.put((String) pairs[i], pairs[i + 1]);
    }
    return map;
  }
}
