package dev.mainstay.gateway;

import dev.mainstay.http.Routes.Described;
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
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Describes routes as OpenAPI 3.1: their paths, and schemas from the records that they give. */
final class OpenApi {
  private static final Pattern SEGMENT = Pattern.compile("\\{([a-z_]+)}");

  private final Map<String, Object> schemas = new TreeMap<>();

  private final Map<String, Class<?>> records = new HashMap<>();

  private final Map<Type, Map<String, Object>> given;

  /** Whether records are described that callers send, and may leave out what can be null. */
  private boolean sent;

  private OpenApi(Map<Type, Map<String, Object>> given) {
    this.given = given;
  }

  /**
   * The description of {@code routes}, as JSON.
   *
   * @param given schemas of types that are not generated
   */
  static String of(List<Route> routes, Map<Type, Map<String, Object>> given) {
    var api = new OpenApi(given);
    var grouped = new TreeMap<String, Map<String, Route>>();
    for (var route : routes) {
      grouped
          .computeIfAbsent(route.path(), path -> new LinkedHashMap<>())
          .merge(route.method().toLowerCase(Locale.ROOT), route, OpenApi::either);
    }
    var paths = new LinkedHashMap<String, Object>();
    grouped.forEach(
        (path, methods) -> {
          var operations = new LinkedHashMap<String, Object>();
          methods.forEach((method, route) -> operations.put(method, api.operation(route)));
          paths.put(path, operations);
        });
    var error = api.reference(ApiException.Body.class);
    return Json.of(
        ordered(
            "openapi",
            "3.1.0",
            "info",
            ordered(
                "title",
                "Mainstay admin API",
                "version",
                "1",
                "description",
                "Send the admin token as Authorization: Bearer, or sign in to an account with POST"
                    + " /api/session. Without a token and accounts, only requests from this"
                    + " machine, to a loopback name, have access."),
            "security",
            List.of(Map.of("token", List.of()), Map.of("session", List.of()), Map.of()),
            "paths",
            paths,
            "components",
            ordered(
                "schemas",
                api.schemas,
                "securitySchemes",
                ordered(
                    "token",
                    Map.of("type", "http", "scheme", "bearer"),
                    "session",
                    ordered("type", "apiKey", "in", "cookie", "name", Sessions.COOKIE)),
                "responses",
                Map.of(
                    "Error",
                    ordered(
                        "description",
                        "What is wrong, and what is allowed",
                        "content",
                        Map.of("application/json", Map.of("schema", error)))))));
  }

  private static Map<String, Object> ordered(Object... pairs) {
    var map = new LinkedHashMap<String, Object>();
    for (int i = 0; i < pairs.length; i += 2) {
      map.put((String) pairs[i], pairs[i + 1]);
    }
    return map;
  }

  /** One operation of two parts that share a path: it gives what either of them gives. */
  private static Route either(Route one, Route other) {
    var both = one.described();
    for (var answer : other.described().shape().gives()) {
      both = both.gives(answer.status(), answer.type(), answer.contentType());
    }
    return new Route(one.needs(), both, one.handler());
  }

  /** What an operation answers, by status. */
  private Map<String, Object> responses(Described described) {
    var contents = new TreeMap<Integer, Map<String, List<Object>>>();
    for (var answer : described.shape().gives()) {
      var content = contents.computeIfAbsent(answer.status(), _ -> new LinkedHashMap<>());
      if (!answer.contentType().isEmpty()) {
        var schemas = content.computeIfAbsent(answer.contentType(), _ -> new ArrayList<>());
        if (answer.type() != null) {
          schemas.add(schema(answer.type(), null));
        }
      }
    }
    var responses = new LinkedHashMap<String, Object>();
    contents.forEach(
        (status, content) -> {
          var response = ordered("description", described.summary());
          var types = new LinkedHashMap<String, Object>();
          content.forEach((type, all) -> types.put(type, either(all)));
          if (!types.isEmpty()) {
            response.put("content", types);
          }
          responses.put(Integer.toString(status), response);
        });
    responses.put("default", Map.of("$ref", "#/components/responses/Error"));
    return responses;
  }

  private static Map<String, Object> either(List<Object> schemas) {
    return switch (schemas.size()) {
      case 0 -> Map.of();
      case 1 -> Map.of("schema", schemas.getFirst());
      default -> Map.of("schema", Map.of("anyOf", schemas));
    };
  }

  private Map<String, Object> operation(Route route) {
    var parameters = new ArrayList<Object>();
    var segments = SEGMENT.matcher(route.path());
    while (segments.find()) {
      parameters.add(
          ordered(
              "name",
              segments.group(1),
              "in",
              "path",
              "required",
              true,
              "schema",
              Map.of("type", "string")));
    }
    var described = route.described();
    for (var each : described.query()) {
      parameters.add(
          ordered(
              "name",
              each.name(),
              "in",
              "query",
              "description",
              each.description(),
              "schema",
              Map.of("type", each.type())));
    }
    var operation =
        ordered(
            "operationId",
            described.id(),
            "summary",
            described.summary(),
            "x-mainstay-role",
            route.needs() == null ? "none" : route.needs().wireName(),
            "parameters",
            parameters);
    var shape = described.shape();
    if (shape.takes() != null) {
      sent = true;
      var schema = schema(shape.takes(), null);
      operation.put(
          "requestBody",
          ordered(
              "required",
              isNeeded(shape.takes()),
              "content",
              Map.of(
                  shape.takes() == String.class ? "text/plain" : "application/json",
                  Map.of("schema", schema))));
      sent = false;
    }
    operation.put("responses", responses(described));
    return operation;
  }

  /** Whether a body must be sent: no bytes are an object without fields. */
  private static boolean isNeeded(Type taken) {
    return !(taken instanceof Class<?> record && record.isRecord())
        || Arrays.stream(record.getRecordComponents())
            .anyMatch(
                each ->
                    !each.isAnnotationPresent(Flat.class)
                        && !each.getAnnotatedType().isAnnotationPresent(Nullable.class));
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
}
