package dev.mainstay.app.serve;

import static org.assertj.core.api.Assertions.assertThat;

import com.networknt.schema.InputFormat;
import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.SpecificationVersion;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** The OpenAPI description of a gateway, with no field allowed that it does not describe. */
final class ApiDescription {
  private static final JsonMapper JSON = JsonMapper.shared();

  private final JsonNode document;

  ApiDescription(JsonNode document) {
    this.document = document;
    closed(document);
  }

  /** All operations: method and path. */
  Set<String> operations() {
    var all = new TreeSet<String>();
    for (var path : document.path("paths").properties()) {
      for (var method : path.getValue().propertyNames()) {
        all.add(method.toUpperCase(Locale.ROOT) + " " + path.getKey());
      }
    }
    return all;
  }

  /** Fails unless an answer of this status and content is described as it is. */
  void fits(String method, String path, int status, String contentType, String body) {
    var where = "%s %s %d: %s".formatted(method, path, status, body);
    var operation = document.path("paths").path(path).path(method.toLowerCase(Locale.ROOT));
    var response = operation.path("responses").path(Integer.toString(status));
    assertThat(response.isObject()).as(where).isTrue();
    var content = response.path("content");
    if (content.isMissingNode()) {
      assertThat(body).as(where).isEmpty();
      return;
    }
    assertThat(content.propertyNames()).as(where).contains(contentType);
    for (var json : jsons(contentType, body)) {
      fits(json, content.path(contentType).path("schema"), where);
    }
  }

  private static List<JsonNode> jsons(String type, String body) {
    return switch (type) {
      case "application/json", "application/schema+json" -> List.of(JSON.readTree(body));
      case "application/jsonl" -> body.lines().map(JSON::readTree).toList();
      case "text/event-stream" ->
          body.lines()
              .filter(line -> line.startsWith("data: "))
              .map(line -> JSON.readTree(line.substring("data: ".length())))
              .toList();
      default -> List.of();
    };
  }

  private void fits(JsonNode answer, JsonNode schema, String where) {
    assertThat(schema.isObject() && !schema.isEmpty()).as("a schema of " + where).isTrue();
    var whole = ((ObjectNode) schema).deepCopy();
    whole.set("components", document.path("components"));
    var problems =
        SchemaRegistry.withDefaultDialect(SpecificationVersion.DRAFT_2020_12)
            .getSchema(whole.toString(), InputFormat.JSON)
            .validate(answer.toString(), InputFormat.JSON);
    assertThat(problems).as(where).isEmpty();
  }

  /** A field that is not described is a mistake, too. */
  private static void closed(JsonNode schema) {
    if (schema instanceof ObjectNode object
        && object.has("properties")
        && !object.has("additionalProperties")) {
      object.put("additionalProperties", false);
    }
    for (var each : List.copyOf(schema.values())) {
      closed(each);
    }
  }
}
