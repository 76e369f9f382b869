package dev.mainstay.core.failure;

import java.util.Collection;
import java.util.Map;
import java.util.TreeMap;

/** Header collections that offer {@code names()} and {@code values(name)} and no map. */
final class NamedValues {
  private static final int MAX = 200;

  private NamedValues() {}

  static Map<String, Object> read(Object headers) {
    var found = new TreeMap<String, Object>();
    var names = Accessors.method(headers.getClass(), "names");
    var values = Accessors.method(headers.getClass(), "values", String.class);
    if (names == null || values == null) {
      return found;
    }
    if (Accessors.call(names, headers) instanceof Collection<?> all) {
      for (var name : all) {
        var value = found.size() < MAX ? Accessors.call(values, headers, name) : null;
        if (value != null) {
          found.put(String.valueOf(name), value);
        }
      }
    }
    return found;
  }
}
