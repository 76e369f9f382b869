package dev.mainstay.wire.translate.gemini;

import dev.mainstay.wire.json.Tree;
import java.util.Set;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** Google reads its fields in camel case and with underscores alike. */
final class CamelCase {
  /** What holds names of the client's own. */
  private static final Set<String> LEFT_ALONE =
      Set.of(
          "args",
          "response",
          "parametersJsonSchema",
          "responseJsonSchema",
          "_responseJsonSchema",
          "labels",
          "partMetadata");

  private CamelCase() {}

  /** A copy of {@code object} with camel case names. */
  static ObjectNode of(ObjectNode object) {
    var copy = Tree.object();
    for (var field : object.properties()) {
      var name = camel(field.getKey());
      copy.set(name, LEFT_ALONE.contains(name) ? field.getValue() : value(name, field.getValue()));
    }
    return copy;
  }

  private static JsonNode value(String name, JsonNode value) {
    return switch (value) {
      // The names of properties are the client's; what they hold is a schema again.
      case ObjectNode map when name.equals("properties") -> {
        var copy = Tree.object();
        for (var field : map.properties()) {
          copy.set(field.getKey(), value("", field.getValue()));
        }
        yield copy;
      }
      case ObjectNode object -> of(object);
      case ArrayNode list -> {
        var copy = Tree.array();
        list.forEach(element -> copy.add(value("", element)));
        yield copy;
      }
      default -> value;
    };
  }

  private static String camel(String name) {
    int at = name.indexOf('_', 1);
    if (at < 0) {
      return name;
    }
    var camel = new StringBuilder(name.length()).append(name, 0, at);
    boolean upper = false;
    for (int i = at; i < name.length(); i++) {
      char c = name.charAt(i);
      if (c == '_') {
        upper = true;
      } else {
        camel.append(upper ? Character.toUpperCase(c) : c);
        upper = false;
      }
    }
    return camel.toString();
  }
}
