package dev.mainstay.core.settings;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The value types that a component's class alone names. */
final class ValueTypes {
  private ValueTypes() {}

  static ValueType<?> of(Class<?> type, Setting setting) {
    if (setting.type() != ValueType.class) {
      return made(setting.type());
    }
    if (type.isEnum()) {
      return new Choice(type);
    }
    if (type == long.class || type == Long.class) {
      return switch (setting.unit()) {
        case "bytes" -> new Size();
        case "USD" -> new Dollars();
        default -> new Parsed<>(Long::valueOf, "a whole number", "integer");
      };
    }
    if (type == int.class || type == Integer.class) {
      return new Parsed<>(
          text -> Integer.valueOf(text.replace("_", "")), "a whole number", "integer");
    }
    if (type == double.class || type == Double.class) {
      return new Parsed<>(ValueTypes::finite, "a number", "number");
    }
    if (type == boolean.class || type == Boolean.class) {
      return new YesOrNo();
    }
    if (type == Duration.class) {
      return new DurationType();
    }
    if (type == String.class) {
      return new Text();
    }
    throw new IllegalArgumentException("no value type for " + type);
  }

  private static ValueType<?> made(Class<?> type) {
    try {
      var constructor = type.getDeclaredConstructor();
      constructor.setAccessible(true);
      return (ValueType<?>) constructor.newInstance();
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException(type + " has no constructor without arguments", e);
    }
  }

  private static Double finite(String text) {
    double value = Double.parseDouble(text);
    if (!Double.isFinite(value)) {
      throw new NumberFormatException(text);
    }
    return value;
  }

  /** A text as it stands. */
  private record Text() implements ValueType<String> {
    @Override
    public String parse(String text) {
      return text;
    }

    @Override
    public String allowed() {
      return "a text";
    }
  }

  /** What a parser of the JDK reads. */
  private record Parsed<T>(Function<String, T> read, String allowed, String schema)
      implements ValueType<T> {
    @Override
    public @Nullable T parse(String text) {
      try {
        return read.apply(text.strip());
      } catch (NumberFormatException e) {
        return null;
      }
    }

    @Override
    public Object show(T value) {
      return value;
    }
  }

  private record YesOrNo() implements ValueType<Boolean> {
    @Override
    public @Nullable Boolean parse(String text) {
      return switch (text.strip().toLowerCase(Locale.ROOT)) {
        case "true" -> true;
        case "false" -> false;
        default -> null;
      };
    }

    @Override
    public String allowed() {
      return "false | true";
    }

    @Override
    public Object show(Boolean value) {
      return value;
    }

    @Override
    public String schema() {
      return "boolean";
    }
  }

  private record DurationType() implements ValueType<Duration> {
    @Override
    public @Nullable Duration parse(String text) {
      try {
        return DurationText.parse(text);
      } catch (IllegalArgumentException e) {
        return null;
      }
    }

    @Override
    public String allowed() {
      return "a duration such as 500ms, 30s, 5m or 9m30s";
    }

    @Override
    public String format(Duration value) {
      return DurationText.format(value);
    }

    @Override
    public String schema() {
      return "duration";
    }
  }

  /** Bytes, held as a long. */
  private record Size() implements ValueType<Long> {
    @Override
    public @Nullable Long parse(String text) {
      return SizeText.parse(text.strip());
    }

    @Override
    public String allowed() {
      return "a size such as 65536, 512KiB, 64MiB or 20GiB";
    }

    @Override
    public String format(Long value) {
      return SizeText.format(value);
    }

    @Override
    public String schema() {
      return "size";
    }
  }

  /** A constant of an enum, written in kebab-case. */
  private static final class Choice implements ValueType<Enum<?>> {
    private final List<Enum<?>> constants;

    Choice(Class<?> type) {
      constants = Arrays.stream(type.getEnumConstants()).<Enum<?>>map(Enum.class::cast).toList();
    }

    @Override
    public @Nullable Enum<?> parse(String text) {
      for (var constant : constants) {
        if (format(constant).equalsIgnoreCase(text.strip())) {
          return constant;
        }
      }
      return null;
    }

    @Override
    public String allowed() {
      return String.join(" | ", choices());
    }

    @Override
    public String format(Enum<?> value) {
      return value.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    @Override
    public List<String> choices() {
      return constants.stream().map(this::format).toList();
    }
  }
}
