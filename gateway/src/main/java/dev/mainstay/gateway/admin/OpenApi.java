package dev.mainstay.gateway.admin;

import static dev.mainstay.gateway.api.RecordSchemas.ordered;

import dev.mainstay.gateway.api.ApiException;
import dev.mainstay.gateway.api.Json;
import dev.mainstay.gateway.api.RecordSchemas;
import dev.mainstay.gateway.api.Route;
import dev.mainstay.http.Routes.Described;
import dev.mainstay.http.Routes.Flat;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Describes routes as OpenAPI 3.1: their paths, and schemas from the records that they give. */
public final class OpenApi {
  private static final Pattern SEGMENT = Pattern.compile("\\{([a-z_]+)}");

  private final RecordSchemas schemas;

  private OpenApi(RecordSchemas schemas) {
    this.schemas = schemas;
  }

  /**
   * The description of {@code routes}, as JSON.
   *
   * @param given schemas of types that are not generated
   */
  static String of(List<Route> routes, Map<Type, Map<String, Object>> given) {
    var api = new OpenApi(new RecordSchemas(given));
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
    var error = api.schemas.given(ApiException.Body.class);
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
                api.schemas.all(),
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
        var all = content.computeIfAbsent(answer.contentType(), _ -> new ArrayList<>());
        if (answer.type() != null) {
          all.add(schemas.given(answer.type()));
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
      var schema = schemas.taken(shape.takes());
      operation.put(
          "requestBody",
          ordered(
              "required",
              isNeeded(shape.takes()),
              "content",
              Map.of(
                  shape.takes() == String.class ? "text/plain" : "application/json",
                  Map.of("schema", schema))));
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
}
