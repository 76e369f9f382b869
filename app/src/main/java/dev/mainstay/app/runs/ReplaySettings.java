package dev.mainstay.app.runs;

import dev.mainstay.app.UsageException;
import java.util.Map;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;
import tools.jackson.databind.node.StringNode;

/** {@code --set name=value} of a replay: values are JSON where they read as it, else text. */
public final class ReplaySettings {
  private ReplaySettings() {}

  /**
   * The values as an object.
   *
   * @throws UsageException where a text holds what must be JSON
   */
  public static ObjectNode of(Map<String, String> set) {
    var json = JsonMapper.shared().createObjectNode();
    set.forEach((name, value) -> json.set(name, value(name, value)));
    return json;
  }

  private static JsonNode value(String name, String text) {
    // A model or instructions that look like a number are text all the same.
    if (name.equals("model") || name.equals("instructions")) {
      return StringNode.valueOf(text);
    }
    try {
      return JsonMapper.shared().readTree(text);
    } catch (JacksonException e) {
      return StringNode.valueOf(text);
    }
  }
}
