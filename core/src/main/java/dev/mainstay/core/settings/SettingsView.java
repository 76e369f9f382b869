package dev.mainstay.core.settings;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Settings as people may see them: named and written as in the configuration, secrets hidden. */
public final class SettingsView {
  private SettingsView() {}

  /** Maps, lists, texts, numbers and booleans: what can be read as {@code record} again. */
  public static Map<String, @Nullable Object> of(Record record) {
    var view = new LinkedHashMap<String, @Nullable Object>();
    for (var each : Declaration.of(record.getClass().asSubclass(Record.class))) {
      var value = each.get(record);
      switch (each.shape()) {
        case INLINE -> view.putAll(of((Record) Objects.requireNonNull(value)));
        case KEY -> {}
        default -> view.put(each.name(), value == null ? null : shown(each, value));
      }
    }
    return view;
  }

  private static Object shown(Declaration each, Object value) {
    return switch (value) {
      case Map<?, ?> map when each.shape() != Declaration.Shape.TREE -> {
        var shown = new LinkedHashMap<String, Object>();
        map.forEach((name, element) -> shown.put((String) name, shown(each, element)));
        yield shown;
      }
      case java.util.Collection<?> elements -> {
        var shown = new ArrayList<Object>();
        elements.forEach(element -> shown.add(shown(each, element)));
        yield List.copyOf(shown);
      }
      case Record section when each.section() != null -> of(section);
      default -> each.shape() == Declaration.Shape.TREE ? value : each.show(value);
    };
  }
}
