package dev.mainstay.config.migrate;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A mapping of the other gateway's file, which knows what of it was read. */
final class Given {
  private final Map<?, ?> values;
  private final Set<String> read = new LinkedHashSet<>();

  Given(@Nullable Object values) {
    this.values = values instanceof Map<?, ?> map ? map : Map.of();
  }

  boolean has(String name) {
    return values.get(name) != null;
  }

  @Nullable Object value(String name) {
    read.add(name);
    return values.get(name);
  }

  /** A single value as it is written in ours: LiteLLM's {@code os.environ/X} is {@code ${X}}. */
  @Nullable String text(String name) {
    var value = value(name);
    return value == null || value instanceof Map || value instanceof List
        ? null
        : variable(String.valueOf(value));
  }

  Given map(String name) {
    return new Given(value(name));
  }

  List<Given> list(String name) {
    var all = new ArrayList<Given>();
    if (value(name) instanceof List<?> list) {
      list.forEach(one -> all.add(new Given(one)));
    }
    return all;
  }

  /** A number, or null where there is none. */
  @Nullable Double number(String name) {
    var value = value(name);
    try {
      return value == null ? null : (Double) Double.parseDouble(String.valueOf(value));
    } catch (NumberFormatException e) {
      return null;
    }
  }

  Map<String, String> texts(String name) {
    var all = new LinkedHashMap<String, String>();
    if (value(name) instanceof Map<?, ?> map) {
      map.forEach((key, text) -> all.put(String.valueOf(key), variable(String.valueOf(text))));
    }
    return all;
  }

  /** Notes what nothing has read. */
  void rest(String path, Map<String, String> advice, ConfigDraft draft) {
    for (var key : values.keySet()) {
      var name = String.valueOf(key);
      if (!read.contains(name)) {
        draft.note(
            path.isEmpty() ? name : path + "." + name,
            advice.getOrDefault(name, "there is no setting of this kind"));
      }
    }
  }

  private static String variable(String text) {
    return text.startsWith("os.environ/")
        ? "${" + text.substring("os.environ/".length()) + "}"
        : text.replace("$", "$$");
  }
}
