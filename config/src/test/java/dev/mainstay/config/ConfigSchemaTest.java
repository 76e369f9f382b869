package dev.mainstay.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.mainstay.wire.json.Tree;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** The published schema and the parser name the same keys and the same defaults. */
final class ConfigSchemaTest {
  private static final String STRAY = "zz-stray";

  private static JsonNode schema() {
    return Tree.read(ConfigLoader.schema());
  }

  /** Each closed section of the schema by its path, with the keys it knows. */
  private static void sections(JsonNode schema, String path, Map<String, TreeSet<String>> into) {
    if (schema.has("properties")) {
      if (!schema.path("additionalProperties").asBoolean(true)) {
        into.put(path, new TreeSet<>(schema.get("properties").propertyNames()));
      }
      schema
          .get("properties")
          .properties()
          .forEach(each -> sections(each.getValue(), at(path, each.getKey()), into));
    }
    if (schema.path("additionalProperties").isObject()) {
      sections(schema.get("additionalProperties"), at(path, "x"), into);
    }
    if (schema.path("items").isObject()) {
      sections(schema.get("items"), path + "[0]", into);
    }
  }

  /** A file with a stray key in every closed section. */
  private static ObjectNode stray(JsonNode schema) {
    var node = Tree.object();
    if (!schema.path("additionalProperties").asBoolean(true)) {
      node.put(STRAY, 1);
    }
    schema
        .path("properties")
        .properties()
        .forEach(each -> put(node, each.getKey(), each.getValue()));
    if (schema.path("additionalProperties").isObject()) {
      put(node, "x", schema.get("additionalProperties"));
    }
    return node;
  }

  private static void put(ObjectNode node, String key, JsonNode schema) {
    if (schema.has("properties") || schema.path("additionalProperties").has("properties")) {
      node.set(key, stray(schema));
    } else if (schema.path("items").has("properties")) {
      node.putArray(key).add(stray(schema.get("items")));
    }
  }

  private static String at(String path, String key) {
    return path.isEmpty() ? key : path + "." + key;
  }

  @Test
  void everySectionKnowsTheKeysThatTheSchemaNames() {
    var described = new TreeMap<String, TreeSet<String>>();
    sections(schema(), "", described);
    var broken =
        Objects.requireNonNull(
            catchThrowableOfType(
                ConfigException.class,
                () -> ConfigLoader.parse(stray(schema()).toString(), "stray.json", Map.of())));
    var parsed = new TreeMap<String, TreeSet<String>>();
    for (var problem : broken.problems()) {
      if (problem.path().endsWith(STRAY)) {
        var path = problem.path().substring(0, problem.path().length() - STRAY.length());
        parsed.put(
            path.isEmpty() ? "" : path.substring(0, path.length() - 1),
            new TreeSet<>(List.of(problem.allowed().split(" \\| "))));
      }
    }
    // What is a setting of the top alone is read in a model to be refused there.
    var model = Objects.requireNonNull(parsed.get("models.x.recovery"));
    model.removeAll(List.of("breaker", "retry-budget", "in-flight"));
    assertThat(parsed).isEqualTo(described).hasSizeGreaterThan(25);
  }

  @Test
  void theDefaultsOfTheSchemaAreThoseOfTheParser() throws Exception {
    var written = Tree.object();
    var paths = new ArrayList<String>();
    defaults(schema(), written, "", paths);
    assertThat(paths).contains("server.port", "recovery.retry.factor").hasSizeGreaterThan(30);
    assertThat(ConfigLoader.parse(written.toString(), "defaults.json", Map.of()))
        .isEqualTo(ConfigLoader.parse("{}", "empty.yaml", Map.of()));
  }

  private static void defaults(JsonNode schema, ObjectNode into, String path, List<String> paths) {
    schema
        .path("properties")
        .properties()
        .forEach(
            each -> {
              var here = at(path, each.getKey());
              var value = each.getValue();
              if (value.has("default")) {
                into.set(each.getKey(), value.get("default"));
                paths.add(here);
              } else if (value.has("properties")) {
                var below = Tree.object();
                defaults(value, below, here, paths);
                if (!below.isEmpty()) {
                  into.set(each.getKey(), below);
                }
              }
            });
  }
}
