package dev.mainstay.wire.repair;

import java.nio.charset.StandardCharsets;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * Takes the quotes off arguments that a model wrote as a JSON string where the schema wants an
 * object or a list: {@code {"paths": "[\"a\"]"}}.
 */
final class QuotedFields {
  private QuotedFields() {}

  /** {@code arguments} without such quotes, or null where there are none. */
  static @Nullable String unquote(JsonNode schema, String arguments) {
    var object = LocatedValue.object(BodyEdits.utf8(arguments));
    var properties = schema.get("properties");
    if (object == null || properties == null || !properties.isObject()) {
      return null;
    }
    var edits = new BodyEdits(BodyEdits.utf8(arguments));
    for (var field : object.fields()) {
      var wanted = Trees.text(properties.get(field.name()), "type");
      if (wanted != null && field.value().isString()) {
        var inner = field.value().text().strip();
        var value = inner.isEmpty() ? null : Trees.read(inner);
        boolean fits =
            value != null
                && switch (wanted.toLowerCase(Locale.ROOT)) {
                  case "object" -> value.isObject();
                  case "array" -> value.isArray();
                  default -> false;
                };
        if (fits) {
          edits.replace(field.value(), inner);
        }
      }
    }
    return edits.isEmpty() ? null : new String(edits.apply(), StandardCharsets.UTF_8);
  }
}
