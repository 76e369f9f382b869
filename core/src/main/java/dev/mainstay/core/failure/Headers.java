package dev.mainstay.core.failure;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The headers of a reply, by lower-case name. Immutable; of a repeated header the first value
 * counts.
 */
public record Headers(Map<String, String> byName) {
  private static final Headers NONE = new Headers(Map.of());

  public Headers {
    var lower = new TreeMap<String, String>();
    byName.forEach((name, value) -> lower.putIfAbsent(name.toLowerCase(Locale.ROOT), value));
    byName = Map.copyOf(lower);
  }

  /** No headers. */
  public static Headers none() {
    return NONE;
  }

  /** From names and value lists, as HTTP clients give them. */
  public static Headers of(Map<String, List<String>> values) {
    var first = new TreeMap<String, String>();
    values.forEach(
        (name, list) -> {
          if (name != null && !list.isEmpty()) {
            first.putIfAbsent(name.toLowerCase(Locale.ROOT), list.getFirst());
          }
        });
    return first.isEmpty() ? NONE : new Headers(first);
  }

  /** The value of {@code name}, which must be in lower case, or null. */
  public @Nullable String get(String name) {
    return byName.get(name);
  }

  public boolean isEmpty() {
    return byName.isEmpty();
  }
}
