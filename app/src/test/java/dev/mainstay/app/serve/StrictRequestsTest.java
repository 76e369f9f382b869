package dev.mainstay.app.serve;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * No operation of the API ignores a part of its request: for each that the OpenAPI description
 * lists, every field with a value of the wrong type, a field and a parameter that there is not.
 */
@Timeout(180)
class StrictRequestsTest {
  private static final JsonNodeFactory JSON = JsonNodeFactory.instance;

  @TempDir private static Path directory;
  private static RunsServer server;
  private static JsonNode described;

  /** A body with one mistake. */
  private record Mistake(ObjectNode body, String field, String code) {}

  @BeforeAll
  static void start() throws Exception {
    server = new RunsServer(directory, "");
    described = server.get("/api/openapi.json").json();
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  @Test
  void everyFieldOfEveryBodyIsReadOrRefused() throws Exception {
    int bodies = 0;
    for (var path : described.path("paths").properties()) {
      for (var operation : path.getValue().properties()) {
        var content = operation.getValue().at("/requestBody/content");
        if (operation.getKey().equals("post") && !content.has("text/plain")) {
          var concrete = path.getKey().replaceAll("\\{[a-z]+}", "run_x");
          refusesMistakes(concrete, content.at("/application~1json/schema"));
          bodies++;
        }
      }
    }
    assertThat(bodies).isGreaterThan(15);
  }

  private static void refusesMistakes(String path, JsonNode schema) throws Exception {
    for (var body : List.of("[]", "null", "\"x\"", "7", "{", "{} {}")) {
      assertThat(refused(path, body).path("code").asString()).as(path).isEqualTo("invalid_json");
    }
    var mistakes = new ArrayList<Mistake>();
    if (schema.isMissingNode()) {
      mistakes.add(new Mistake(JSON.objectNode().put("x", 1), "x", "unknown_field"));
    } else {
      add(mistakes, schema, JSON.objectNode(), "", "");
    }
    for (var mistake : mistakes) {
      var error = refused(path, mistake.body().toString());
      assertThat(error.path("code").asString())
          .as("%s %s", path, mistake.body())
          .isEqualTo(mistake.code());
      assertThat(error.path("message").asString())
          .as("%s %s", path, mistake.body())
          .contains(mistake.field());
      assertThat(error.path("allowed").isArray()).isTrue();
    }
  }

  private static JsonNode refused(String path, String body) throws Exception {
    var answer = server.post(path, body);
    assertThat(answer.status()).as("%s %s: %s", path, body, answer.json()).isEqualTo(400);
    return answer.json().path("error");
  }

  /** The mistakes that an object of {@code schema} can have at {@code pointer} of a body. */
  private static void add(
      List<Mistake> mistakes, JsonNode given, ObjectNode around, String pointer, String path) {
    var schema = resolved(given);
    if (!schema.path("additionalProperties").asBoolean(false) && schema.has("properties")) {
      mistakes.add(
          new Mistake(
              with(around, pointer, valid(schema).put("x_unknown", 1)),
              path + "x_unknown",
              "unknown_field"));
    }
    for (var property : schema.path("properties").properties()) {
      var name = path + property.getKey();
      var type = resolved(property.getValue());
      var wrong = wrong(type);
      if (wrong != null) {
        var body = valid(schema).set(property.getKey(), wrong);
        var code = "invalid_" + name.replaceFirst("[.\\[].*", "");
        mistakes.add(new Mistake(with(around, pointer, body), name, code));
      }
      if (type.has("properties")) {
        var outer = with(around, pointer, valid(schema));
        add(mistakes, type, outer, pointer + "/" + property.getKey(), name + ".");
      }
      if (type.path("items").has("$ref")) {
        var outer = with(around, pointer, valid(schema).set(property.getKey(), JSON.arrayNode()));
        add(
            mistakes,
            type.path("items"),
            outer,
            pointer + "/" + property.getKey() + "/0",
            name + "[0].");
      }
    }
    for (var required : schema.path("required")) {
      var body = valid(schema);
      body.remove(required.asString());
      var name = path + required.asString();
      var code = "missing_" + name.replaceFirst("[.\\[].*", "");
      mistakes.add(new Mistake(with(around, pointer, body), name, code));
    }
  }

  /** A copy of {@code around} with {@code value} at the place. */
  private static ObjectNode with(ObjectNode around, String pointer, JsonNode value) {
    if (pointer.isEmpty()) {
      return (ObjectNode) value;
    }
    var copy = around.deepCopy();
    int last = pointer.lastIndexOf('/');
    var parent = copy.at(pointer.substring(0, last));
    if (parent instanceof ObjectNode object) {
      object.set(pointer.substring(last + 1), value);
    } else {
      parent.asArray().add(value);
    }
    return copy;
  }

  private static JsonNode resolved(JsonNode schema) {
    if (schema.has("anyOf")) {
      return resolved(schema.path("anyOf").get(0));
    }
    return schema.has("$ref") ? described.at(schema.path("$ref").asString().substring(1)) : schema;
  }

  /** The least object of a schema. */
  private static ObjectNode valid(JsonNode schema) {
    var object = JSON.objectNode();
    for (var required : schema.path("required")) {
      var type = resolved(schema.path("properties").path(required.asString()));
      object.set(
          required.asString(),
          switch (type(type)) {
            case "string" -> JSON.stringNode(type.path("enum").path(0).asString("x"));
            case "integer", "number", "" -> JSON.numberNode(1);
            case "boolean" -> JSON.booleanNode(true);
            case "array" -> JSON.arrayNode();
            default -> valid(type);
          });
    }
    return object;
  }

  private static @Nullable JsonNode wrong(JsonNode schema) {
    return switch (type(schema)) {
      case "string" -> schema.has("enum") ? JSON.stringNode("another") : JSON.numberNode(7);
      case "integer" -> JSON.numberNode(1.5);
      case "number", "boolean", "array" -> JSON.stringNode("yes");
      case "object" -> JSON.arrayNode();
      default -> null;
    };
  }

  private static String type(JsonNode schema) {
    var type = schema.path("type");
    return type.isArray() ? type.get(0).asString() : type.asString("");
  }

  @Test
  void everyOperationRefusesAParameterThatThereIsNot() throws Exception {
    for (var path : described.path("paths").properties()) {
      for (var operation : path.getValue().properties()) {
        var concrete = path.getKey().replaceAll("\\{[a-z]+}", "run_x") + "?colour=blue";
        var method = operation.getKey().toUpperCase(Locale.ROOT);
        var answer = server.send(method, concrete, null, "");
        assertThat(answer.status()).as("%s %s", method, concrete).isEqualTo(400);
        var known = operation.getValue().path("parameters").valueStream();
        assertThat(answer.json().at("/error/allowed").valueStream().map(JsonNode::asString))
            .as("%s %s", method, concrete)
            .containsExactlyElementsOf(
                known
                    .filter(each -> each.path("in").asString().equals("query"))
                    .map(each -> each.path("name").asString())
                    .toList());
      }
    }
  }

  @Test
  void aReplayNamesWhatWasFoundAndWhatIsExpected() throws Exception {
    var error = refused("/api/runs/run_x/replay", "{\"set\":{\"model\":5}}");
    assertThat(error.path("code").asString()).isEqualTo("invalid_set");
    assertThat(error.path("message").asString()).isEqualTo("the field set.model is 5, not a text");
    assertThat(error.path("allowed").path(0).asString()).isEqualTo("a text");
    var unknown = refused("/api/runs/run_x/replay", "{\"set\":{\"colour\":\"red\"}}");
    assertThat(unknown.path("allowed").toString())
        .isEqualTo("[\"model\",\"instructions\",\"temperature\",\"tools\"]");
  }
}
