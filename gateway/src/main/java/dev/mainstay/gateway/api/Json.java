package dev.mainstay.gateway.api;

import dev.mainstay.http.Routes.Flat;
import dev.mainstay.wire.json.JsonStrings;
import java.lang.reflect.Method;
import java.lang.reflect.RecordComponent;
import java.math.BigDecimal;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.Arrays;
import java.util.Collection;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Writes records, maps, lists, texts, numbers and booleans as JSON, in the order they come in. A
 * record's {@code firstTokenMs} is {@code first_token_ms}.
 */
public final class Json {
  /**
   * A component of a record, found out once: a statistic writes each some thousand times.
   *
   * @param name as JSON, with the colon behind it
   * @param flat whether its own components stand in its place
   */
  private record Field(String name, Method accessor, boolean flat) {
    public static Field of(RecordComponent component) {
      var accessor = component.getAccessor();
      accessor.setAccessible(true);
      var name = JsonStrings.append(new StringBuilder(), Json.name(component.getName()));
      return new Field(
          name.append(':').toString(), accessor, component.isAnnotationPresent(Flat.class));
    }
  }

  private static final ClassValue<Field[]> FIELDS =
      new ClassValue<>() {
        @Override
        protected Field[] computeValue(Class<?> type) {
          return Arrays.stream(type.getRecordComponents()).map(Field::of).toArray(Field[]::new);
        }
      };

  /** Where a word of a name in camel case begins. */
  private static final Pattern WORD = Pattern.compile("([A-Z0-9]*[A-Z])");

  private Json() {}

  public static String of(@Nullable Object value) {
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
      case Instant at -> out.append('"').append(time(at)).append('"');
      case Enum<?> name -> JsonStrings.append(out, name.name().toLowerCase(Locale.ROOT));
      default -> JsonStrings.append(out, value.toString());
    }
  }

  /**
   * As {@link Instant#toString} has it, which reads its pattern anew for each: a statistic has some
   * thousand. To the microsecond as the store keeps it: an event and its row later tell one time.
   */
  private static String time(Instant at) {
    int nanos = at.getNano() / 1000 * 1000;
    var time = LocalDateTime.ofEpochSecond(at.getEpochSecond(), nanos, ZoneOffset.UTC).toString();
    // Without seconds where they are 0.
    return time.length() == "2026-11-23T12:00".length() ? time + ":00Z" : time + "Z";
  }

  private static void fields(StringBuilder out, Record object) {
    for (var field : FIELDS.get(object.getClass())) {
      var value = read(field, object);
      if (field.flat && value instanceof Record inner) {
        fields(out, inner);
      } else {
        out.append(field.name);
        append(out, value);
        out.append(',');
      }
    }
  }

  private static @Nullable Object read(Field field, Record of) {
    try {
      return field.accessor.invoke(of);
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException(field + " cannot be read", e);
    }
  }

  /** JSON that is there already. */
  public record Raw(String json) {}
}
