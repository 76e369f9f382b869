package dev.mainstay.http;

import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** Which pages a cursor belongs to: those of one list, with the same filters. */
public final class CursorScope {
  /** What may differ from page to page. */
  private static final Set<String> FREE = Set.of("limit", "cursor");

  private CursorScope() {}

  /**
   * The name of {@code list} with its filters; without any, its own. The same at every gateway.
   *
   * @param query its parameters, without those that are empty
   */
  public static String of(String list, Map<String, String> query) {
    var filters = new TreeMap<>(query);
    filters.keySet().removeAll(FREE);
    return filters.isEmpty() ? list : list + "~" + Integer.toHexString(filters.hashCode());
  }
}
