package dev.mainstay.simulator;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.api.LoadSettings;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.dataformat.yaml.YAMLFactory;
import tools.jackson.dataformat.yaml.YAMLMapper;

/** Reads the fields of scripts, and says where a mistake is and what is allowed there. */
final class ScriptFields {
  /** SnakeYAML's own size of a buffer. */
  private static final int BUFFER = 1024;

  private ScriptFields() {}

  /** One that reads {@code yaml} at once: SnakeYAML fails where a buffer ends inside a 🌍. */
  private static YAMLMapper mapper(String yaml) {
    var whole = LoadSettings.builder().setBufferSize(Math.max(BUFFER, yaml.length() + 1)).build();
    return new YAMLMapper(YAMLFactory.builder().loadSettings(whole).build());
  }

  /** The root of {@code yaml}, which is a mapping. */
  static JsonNode tree(String yaml) {
    JsonNode root;
    try {
      root = mapper(yaml).readTree(yaml);
    } catch (JacksonException e) {
      var at = e.getLocation();
      throw new IllegalArgumentException(
          "line " + at.getLineNr() + ", column " + at.getColumnNr() + ": not readable as YAML");
    }
    if (root == null || root.isMissingNode() || root.isNull()) return Json.object();
    if (!root.isObject()) throw wrong("", "a mapping with models, keys, known-only", root);
    return root;
  }

  /** A string as it is, anything else as JSON. */
  static String text(JsonNode node) {
    if (node.isMissingNode() || node.isNull()) return "";
    return node.isString() ? node.asString() : Json.write(node);
  }

  static @Nullable String orNull(JsonNode node) {
    return node.isMissingNode() || node.isNull() ? null : text(node);
  }

  /** A duration such as 30s; zero where there is none. */
  static Duration duration(JsonNode node, String path) {
    if (node.isMissingNode() || node.isNull()) return Duration.ZERO;
    String text = node.asString("");
    try {
      if (text.endsWith("ms"))
        return Duration.ofMillis(Long.parseLong(text.substring(0, text.length() - 2)));
      if (text.endsWith("s"))
        return Duration.ofSeconds(Long.parseLong(text.substring(0, text.length() - 1)));
      if (text.endsWith("m"))
        return Duration.ofMinutes(Long.parseLong(text.substring(0, text.length() - 1)));
    } catch (NumberFormatException e) {
      // Said below.
    }
    throw wrong(path, "a duration like 500ms, 30s or 5m", node);
  }

  /** A whole number. */
  static int whole(JsonNode node, String path, int otherwise) {
    if (node.isMissingNode()) return otherwise;
    if (!node.isInt()) throw wrong(path, "a whole number", node);
    return node.asInt();
  }

  /** True or false; false where there is none. */
  static boolean flag(JsonNode node, String name, String path) {
    JsonNode value = node.path(name);
    if (value.isMissingNode()) return false;
    if (!value.isBoolean()) throw wrong(path + name, "true or false", value);
    return value.asBoolean();
  }

  /** The fields of a mapping; none where there is none. */
  static Iterable<Map.Entry<String, JsonNode>> fields(JsonNode node, String name, String path) {
    JsonNode value = node.path(name);
    if (value.isMissingNode() || value.isNull()) return List.of();
    if (!value.isObject())
      throw wrong(path.isEmpty() ? name : path + "." + name, "a mapping", value);
    return value.properties();
  }

  /** Refuses fields that are not {@code allowed}. */
  static void known(JsonNode node, String path, Set<String> allowed) {
    if (!node.isObject()) throw wrong(path, "a mapping with " + list(allowed), node);
    for (var field : node.properties()) {
      if (!allowed.contains(field.getKey())) {
        throw new IllegalArgumentException(
            at(path) + "unknown field \"" + field.getKey() + "\"; allowed: " + list(allowed));
      }
    }
  }

  private static String list(Set<String> names) {
    return String.join(", ", new TreeSet<>(names));
  }

  /** Makes a part of a script from fields that were read. */
  interface Making<T> {
    T make();
  }

  /** What {@code making} makes, whose mistakes are told with their place. */
  static <T> T checked(String path, Making<T> making) {
    try {
      return making.make();
    } catch (IllegalArgumentException e) {
      String message = String.valueOf(e.getMessage());
      throw message.startsWith(path) ? e : new IllegalArgumentException(at(path) + message, e);
    }
  }

  private static String at(String path) {
    return path.isEmpty() ? "" : path + ": ";
  }

  /** A mistake: where, what was found, what is allowed. */
  static IllegalArgumentException wrong(String path, String allowed, JsonNode found) {
    String what =
        found.isMissingNode()
            ? "nothing"
            : found.isContainer()
                ? found.isArray() ? "a list" : "a mapping"
                : "\"" + found.asString() + "\"";
    return new IllegalArgumentException(at(path) + "found " + what + ", allowed: " + allowed);
  }
}
