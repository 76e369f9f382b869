package dev.mainstay.gateway.api;

import dev.mainstay.http.Routes.Flat;
import dev.mainstay.http.Routes.Optional;
import dev.mainstay.wire.json.Tree;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.AnnotatedParameterizedType;
import java.lang.reflect.AnnotatedType;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.math.BigDecimal;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Reads the JSON body of a request as the record demands that describes it, the same from which
 * OpenAPI's schema is made: an unknown field, a missing one and a value of the wrong type are
 * refused with a 400 that names the field, what was found and what is expected. A component that is
 * {@link Nullable} may be missing or null; a {@link Flat} map takes further fields of any name.
 */
public final class TypedBody {
  private TypedBody() {}

  /** The body of a request that takes none: no bytes, or an object without fields. */
  public record Nothing() {}

  /**
   * Reads {@code bytes}; none are an empty object.
   *
   * @param type a record
   * @throws ApiException where they are not what it demands
   */
  static ObjectNode read(Type type, byte[] bytes) {
    JsonNode json;
    try {
      json = bytes.length == 0 ? Tree.object() : Tree.read(bytes, 0, bytes.length);
    } catch (JacksonException e) {
      throw ApiException.of(400, "invalid_json", "the body is not JSON");
    }
    if (!(json instanceof ObjectNode object)) {
      throw ApiException.of(
          400, "invalid_json", "the body is %s, not an object".formatted(of(json)));
    }
    fields(object, (Class<?>) type, "");
    return object;
  }

  /** The components of a record and of those that stand among them; an open one has null too. */
  private static Map<String, @Nullable RecordComponent> components(Class<?> record) {
    var all = new LinkedHashMap<String, @Nullable RecordComponent>();
    for (var component : record.getRecordComponents()) {
      if (!component.isAnnotationPresent(Flat.class)) {
        all.put(Json.name(component.getName()), component);
      } else if (component.getType().isRecord()) {
        all.putAll(components(component.getType()));
      } else {
        all.put("", null);
      }
    }
    return all;
  }

  private static void fields(ObjectNode object, Class<?> record, String path) {
    var components = components(record);
    for (var given : object.properties()) {
      if (!components.containsKey(given.getKey()) && !components.containsKey("")) {
        var known = components.keySet().toArray(String[]::new);
        throw ApiException.of(
            400, "unknown_field", "there is no field " + path + given.getKey(), known);
      }
    }
    components.forEach(
        (name, component) -> {
          if (component != null) {
            field(object.get(name), component, path + name);
          }
        });
  }

  private static void field(@Nullable JsonNode value, RecordComponent component, String path) {
    var type = component.getAnnotatedType();
    if (value == null) {
      if (!component.isAnnotationPresent(Optional.class) && !isNullable(type)) {
        throw ApiException.of(
            400,
            "missing_" + root(path),
            "the field %s is missing: %s".formatted(path, expected(type.getType())));
      }
    } else {
      value(value, type, type.getType(), path);
    }
  }

  private static void value(
      JsonNode value, @Nullable AnnotatedType annotated, Type type, String path) {
    if (value.isNull() && (type == JsonNode.class || isNullable(annotated))) {
      return;
    }
    if (!fits(value, type)) {
      throw ApiException.of(
          400,
          "invalid_" + root(path),
          "the field %s is %s, not %s".formatted(path, of(value), expected(type)),
          allowed(type).toArray(String[]::new));
    }
    if (type instanceof ParameterizedType generic) {
      var arguments = generic.getActualTypeArguments();
      var last = arguments.length - 1;
      var inner =
          annotated instanceof AnnotatedParameterizedType of
              ? of.getAnnotatedActualTypeArguments()[last]
              : null;
      for (var each : value.properties()) {
        value(each.getValue(), inner, arguments[last], path + "." + each.getKey());
      }
      for (int i = 0; value.isArray() && i < value.size(); i++) {
        value(value.get(i), inner, arguments[last], path + "[" + i + "]");
      }
    } else if (value instanceof ObjectNode object && type instanceof Class<?> c && c.isRecord()) {
      fields(object, c, path + ".");
    }
  }

  private static boolean isNullable(@Nullable AnnotatedElement type) {
    return type != null && type.isAnnotationPresent(Nullable.class);
  }

  private static boolean fits(JsonNode value, Type type) {
    if (type instanceof ParameterizedType generic) {
      return isList(generic) ? value.isArray() : value.isObject();
    }
    if (!(type instanceof Class<?> plain) || plain == JsonNode.class) {
      return true;
    }
    if (plain.isEnum()) {
      return value.isString() && names(plain).contains(value.asString());
    }
    if (plain == Instant.class) {
      return isTime(value.stringValue(""));
    }
    if (plain == String.class) {
      return value.isString();
    }
    if (plain == boolean.class || plain == Boolean.class) {
      return value.isBoolean();
    }
    if (plain == int.class || plain == Integer.class) {
      return value.isIntegralNumber() && value.canConvertToInt();
    }
    if (plain == long.class || plain == Long.class) {
      return value.isIntegralNumber() && value.canConvertToLong();
    }
    if (plain == double.class || plain == Double.class) {
      return value.isNumber() && Double.isFinite(value.decimalValue().doubleValue());
    }
    return plain == BigDecimal.class ? value.isNumber() : value.isObject();
  }

  private static boolean isList(ParameterizedType type) {
    return List.class.isAssignableFrom((Class<?>) type.getRawType());
  }

  private static boolean isTime(String text) {
    try {
      var unused = Instant.parse(text);
      return true;
    } catch (DateTimeException e) {
      return false;
    }
  }

  private static List<String> names(Class<?> enumeration) {
    return Arrays.stream(enumeration.getEnumConstants())
        .map(each -> ((Enum<?>) each).name().toLowerCase(Locale.ROOT))
        .toList();
  }

  /** What is expected, in words. */
  private static String expected(Type type) {
    if (type instanceof ParameterizedType generic) {
      return isList(generic) ? "a list" : "an object";
    }
    if (type instanceof Class<?> plain && plain.isEnum()) {
      return "one of " + String.join(", ", names(plain));
    }
    return switch (type.getTypeName()) {
      case "java.lang.String" -> "a text";
      case "java.time.Instant" -> "a time such as 2026-11-21T12:00:00Z";
      case "boolean", "java.lang.Boolean" -> "true or false";
      case "int", "java.lang.Integer", "long", "java.lang.Long" -> "a whole number";
      case "double", "java.lang.Double", "java.math.BigDecimal" -> "a number";
      case "tools.jackson.databind.JsonNode" -> "any JSON";
      default -> "an object";
    };
  }

  private static List<String> allowed(Type type) {
    return type instanceof Class<?> plain && plain.isEnum()
        ? names(plain)
        : List.of(expected(type));
  }

  /** What was found, in words; a text may be a prompt. */
  private static String of(JsonNode value) {
    return switch (value.getNodeType()) {
      case STRING -> "a text";
      case NUMBER, BOOLEAN -> value.asString();
      case ARRAY -> "a list";
      case OBJECT -> "an object";
      default -> "null";
    };
  }

  /** The field of the body in which the path is. */
  private static String root(String path) {
    return path.replaceFirst("[.\\[].*", "");
  }
}
