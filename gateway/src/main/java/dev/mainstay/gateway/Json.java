package dev.mainstay.gateway;

import dev.mainstay.http.Routes.Flat;
import dev.mainstay.wire.json.JsonStrings;
import java.lang.reflect.RecordComponent;
import java.math.BigDecimal;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Collection;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Writes records, maps, lists, texts, numbers and booleans as JSON, in the order they come in. A
 * record's {@code firstTokenMs} is {@code first_token_ms}.
 */
final class Json {
  private static final ClassValue<RecordComponent[]> COMPONENTS =
      new ClassValue<>() {
        @Override
        protected RecordComponent[] computeValue(Class<?> type) {
          var components = type.getRecordComponents();
          for (var each : components) {
            each.getAccessor().setAccessible(true);
          }
          return components;
        }
      };

  /** Where a word of a name in camel case begins. */
  private static final Pattern WORD = Pattern.compile("([A-Z0-9]*[A-Z])");

  private Json() {}

  static String of(@Nullable Object value) {
    var out = new StringBuilder(256);
    append(out, value);
    return out.toString();
  }

  /**
   * The name in JSON of a record's component: {@code first_token_ms} of {@code firstTokenMs},
   * {@code class} of {@code class_}.
   */
  static String name(String component) {
    var plain =
        component.endsWith("_") ? component.substring(0, component.length() - 1) : component;
    return WORD.matcher(plain).replaceAll("_$1").toLowerCase(Locale.ROOT);
  }

  private static void append(StringBuilder out, @Nullable Object value) {
    switch (value) {
      case null -> out.append("null");
      case BigDecimal number -> out.append(number.toPlainString());
      case Number number -> out.append(number);
      case Boolean flag -> out.append(flag);
      case Map<?, ?> map -> {
        char before = '{';
        for (var entry : map.entrySet()) {
          out.append(before);
          JsonStrings.append(out, String.valueOf(entry.getKey())).append(':');
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
      case Record object -> {
        out.append('{');
        fields(out, object);
        if (out.charAt(out.length() - 1) == ',') {
          out.setLength(out.length() - 1);
        }
        out.append('}');
      }
      // What the store keeps: an event and its row later tell one time.
      case Instant at -> JsonStrings.append(out, at.truncatedTo(ChronoUnit.MICROS).toString());
      case Enum<?> name -> JsonStrings.append(out, name.name().toLowerCase(Locale.ROOT));
      default -> JsonStrings.append(out, value.toString());
    }
  }

  private static void fields(StringBuilder out, Record object) {
    for (var component : COMPONENTS.get(object.getClass())) {
      var value = read(component, object);
      if (component.isAnnotationPresent(Flat.class) && value instanceof Record inner) {
        fields(out, inner);
      } else {
        JsonStrings.append(out, name(component.getName())).append(':');
        append(out, value);
        out.append(',');
      }
    }
  }

  private static @Nullable Object read(RecordComponent component, Record of) {
    try {
      return component.getAccessor().invoke(of);
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException(component + " cannot be read", e);
    }
  }

  /** JSON that is there already. */
  record Raw(String json) {}
}
