package dev.mainstay.gateway;

import dev.mainstay.wire.json.Quote;
import java.util.Collection;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Writes maps, lists, texts, numbers and booleans as JSON, in the order they come in. */
final class Json {
  private Json() {}

  static String of(@Nullable Object value) {
    var out = new StringBuilder(256);
    append(out, value);
    return out.toString();
  }

  private static void append(StringBuilder out, @Nullable Object value) {
    switch (value) {
      case null -> out.append("null");
      case Number number -> out.append(number);
      case Boolean flag -> out.append(flag);
      case Map<?, ?> map -> {
        char before = '{';
        for (var entry : map.entrySet()) {
          out.append(before);
          Quote.append(out, String.valueOf(entry.getKey())).append(':');
          append(out, entry.getValue());
          before = ',';
        }
        out.append(before == '{' ? "{}" : "}");
      }
      case Collection<?> list -> {
        char before = '[';
        for (var element : list) {
          out.append(before);
          append(out, element);
          before = ',';
        }
        out.append(before == '[' ? "[]" : "]");
      }
      case Raw raw -> out.append(raw.json());
      default -> Quote.append(out, value.toString());
    }
  }

  /** JSON that is there already. */
  record Raw(String json) {}
}
