package dev.mainstay.core.settings;

import dev.mainstay.core.recovery.InvalidPolicyException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * One setting as its record declares it. Immutable.
 *
 * @param name in the configuration
 * @param setting what the record says of it
 * @param shape what may be given
 * @param type of its value or of each of its elements; null for sections and trees
 * @param section the record of its section or of each of its elements; null for values
 * @param range of its value
 * @param component that holds it
 */
public record Declaration(
    String name,
    Setting setting,
    Shape shape,
    @Nullable ValueType<?> type,
    @Nullable Class<? extends Record> section,
    SettingRange range,
    RecordComponent component) {

  /** What may be given for a setting. */
  public enum Shape {
    VALUE,
    SECTION,
    /** A section without a name: its settings stand beside the others. */
    INLINE,
    VALUES,
    SECTIONS,
    NAMED_VALUES,
    NAMED_SECTIONS,
    /** Any mapping. */
    TREE,
    /** The name of the section in its mapping. */
    KEY
  }

  private static final ClassValue<List<Declaration>> ALL =
      new ClassValue<>() {
        @Override
        protected List<Declaration> computeValue(Class<?> record) {
          return Arrays.stream(record.getRecordComponents())
              .filter(component -> component.isAnnotationPresent(Setting.class))
              .map(Declaration::of)
              .toList();
        }
      };

  /** The settings that {@code record} declares, in its order. */
  public static List<Declaration> of(Class<? extends Record> record) {
    return ALL.get(record);
  }

  /**
   * A record of the defaults alone.
   *
   * @throws IllegalStateException where one of its settings must be given
   */
  public static <R extends Record> R defaults(Class<R> record) {
    var values = new LinkedHashMap<String, @Nullable Object>();
    for (var each : of(record)) {
      if (each.setting.required()) {
        throw new IllegalStateException(record + " has no default for " + each.name);
      }
      values.put(each.component.getName(), each.byDefault());
    }
    return made(record, null, values);
  }

  /** {@code base} with other values of some components. */
  public static <R extends Record> R with(R base, Map<String, ?> values) {
    @SuppressWarnings("unchecked")
    var type = (Class<R>) base.getClass();
    return made(type, base, values);
  }

  /** {@code name} in the section at {@code path}. */
  public static String path(String path, String name) {
    return path.isEmpty() ? name : path + "." + name;
  }

  /** Every single value of {@code record} and its sections, by its path; none in lists and maps. */
  public static Map<String, Declaration> values(Class<? extends Record> record, String path) {
    var values = new LinkedHashMap<String, Declaration>();
    for (var each : of(record)) {
      switch (each.shape) {
        case INLINE -> values.putAll(values(Objects.requireNonNull(each.section), path));
        case SECTION ->
            values.putAll(values(Objects.requireNonNull(each.section), path(path, each.name)));
        case VALUE, VALUES -> values.put(path(path, each.name), each);
        case SECTIONS, NAMED_VALUES, NAMED_SECTIONS, TREE, KEY -> {}
      }
    }
    return values;
  }

  /** The text of every single value that {@code record} and its sections hold, by its path. */
  public static Map<String, String> texts(Record record, String path) {
    var texts = new LinkedHashMap<String, String>();
    for (var each : of(record.getClass().asSubclass(Record.class))) {
      var value = each.get(record);
      switch (each.shape) {
        case INLINE -> texts.putAll(texts((Record) Objects.requireNonNull(value), path));
        case SECTION -> {
          if (value != null) {
            texts.putAll(texts((Record) value, path(path, each.name)));
          }
        }
        case VALUE, VALUES -> texts.put(path(path, each.name), each.format(value));
        case SECTIONS, NAMED_VALUES, NAMED_SECTIONS, TREE, KEY -> {}
      }
    }
    return texts;
  }

  /**
   * Refuses values outside of what {@code record} declares. Its constructor calls this, because
   * programs make the records too.
   *
   * @param path of the section, as errors name it; "" at the top
   * @param values of all that it declares, in its order
   * @throws InvalidPolicyException naming the setting that is out of its range
   * @throws NullPointerException naming the setting that has no value and needs one
   */
  public static void check(
      String path, Class<? extends Record> record, @Nullable Object... values) {
    var all = of(record);
    if (values.length != all.size()) {
      throw new IllegalArgumentException(record + " declares " + all.size() + " settings");
    }
    for (int i = 0; i < values.length; i++) {
      var each = all.get(i);
      var value = values[i];
      if (value == null) {
        if (each.mustHaveValue()) {
          throw new NullPointerException(path(path, each.name));
        }
      } else if (each.shape == Shape.VALUE) {
        var problem = each.range.problem(value);
        if (problem != null) {
          throw new InvalidPolicyException(path(path, each.name), problem);
        }
      }
    }
  }

  private boolean mustHaveValue() {
    return shape == Shape.VALUE
        ? !setting.byDefault().equals(Setting.NONE) || component.getType().isPrimitive()
        : !setting.optional();
  }

  /** The names that may be given in a section of {@code record}. */
  public static Set<String> names(Class<? extends Record> record) {
    var names = new LinkedHashSet<String>();
    for (var each : of(record)) {
      if (each.shape == Shape.INLINE) {
        names.addAll(names(Objects.requireNonNull(each.section)));
      } else if (each.shape != Shape.KEY) {
        names.add(each.name);
      }
    }
    return names;
  }

  /** What may be given, in words, with the range. */
  public String allowed() {
    var allowed = type == null ? "a mapping of keys to values" : type.allowed();
    var words = range.toString();
    return words.isEmpty()
        ? allowed
        : allowed + (words.startsWith("from") && !allowed.contains("such as") ? " " : ", ") + words;
  }

  /** The value that {@code text} gives, or null where it is none that is allowed. */
  @Nullable Object parse(String text) {
    var value = Objects.requireNonNull(type).parse(text);
    return value != null && range.problem(value) == null ? value : null;
  }

  /** The value as {@link ValueType#show} shows it. */
  @SuppressWarnings("unchecked")
  Object show(Object value) {
    return ((ValueType<Object>) Objects.requireNonNull(type)).show(value);
  }

  /** The value, or the elements, as text. */
  @SuppressWarnings("unchecked")
  String format(@Nullable Object value) {
    var each = (ValueType<Object>) Objects.requireNonNull(type);
    return switch (value) {
      case null -> "";
      case Iterable<?> elements -> {
        var texts = new ArrayList<String>();
        elements.forEach(element -> texts.add(each.format(element)));
        yield texts.isEmpty() ? "none" : String.join(",", texts);
      }
      default -> each.format(value);
    };
  }

  /** The default; null where there is none. */
  @Nullable Object byDefault() {
    var text = setting.byDefault();
    return switch (shape) {
      case VALUE -> text.equals(Setting.NONE) ? null : Objects.requireNonNull(parse(text), name);
      case SECTION, INLINE -> setting.optional() ? null : defaults(Objects.requireNonNull(section));
      case VALUES ->
          collected(
              text.equals(Setting.NONE)
                  ? List.of()
                  : Stream.of(text.split(",", -1))
                      .map(each -> Objects.requireNonNull(parse(each), each))
                      .toList());
      case SECTIONS -> List.of();
      case NAMED_VALUES, NAMED_SECTIONS, TREE -> Map.of();
      case KEY -> "";
    };
  }

  /** {@code values} in the collection that the component holds. */
  Object collected(List<?> values) {
    return Set.class.isAssignableFrom(component.getType())
        ? Collections.unmodifiableSet(new LinkedHashSet<>(values))
        : List.copyOf(values);
  }

  /** The value that {@code record} holds. */
  @Nullable Object get(Record record) {
    try {
      var accessor = component.getAccessor();
      accessor.setAccessible(true);
      return accessor.invoke(record);
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException(e);
    }
  }

  /**
   * A record of {@code values}, by their components' names, over those of {@code base}.
   *
   * @throws RuntimeException what the record's own checks throw
   */
  static <R extends Record> R made(
      Class<R> record, @Nullable R base, Map<String, ? extends @Nullable Object> values) {
    var components = record.getRecordComponents();
    var types = new Class<?>[components.length];
    var arguments = new @Nullable Object[components.length];
    int given = 0;
    try {
      for (int i = 0; i < components.length; i++) {
        var name = components[i].getName();
        types[i] = components[i].getType();
        if (values.containsKey(name)) {
          arguments[i] = values.get(name);
          given++;
        } else if (base != null) {
          var accessor = components[i].getAccessor();
          accessor.setAccessible(true);
          arguments[i] = accessor.invoke(base);
        }
      }
      if (given < values.size()) {
        throw new IllegalArgumentException(
            record.getSimpleName() + " has not all of the components " + values.keySet());
      }
      var constructor = record.getDeclaredConstructor(types);
      constructor.setAccessible(true);
      return constructor.newInstance(arguments);
    } catch (InvocationTargetException e) {
      if (e.getCause() instanceof RuntimeException cause) {
        throw cause;
      }
      throw new IllegalStateException(e);
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException(e);
    }
  }

  private static Declaration of(RecordComponent component) {
    var setting = component.getAnnotation(Setting.class);
    var type = component.getType();
    var name = setting.name().isEmpty() ? kebab(component.getName()) : setting.name();
    var element = element(component.getGenericType());
    boolean sections = element.isRecord() && setting.type() == ValueType.class;
    Shape shape;
    if (setting.key()) {
      shape = Shape.KEY;
    } else if (element == Object.class) {
      shape = Shape.TREE;
    } else if (Map.class.isAssignableFrom(type)) {
      shape = sections ? Shape.NAMED_SECTIONS : Shape.NAMED_VALUES;
    } else if (Iterable.class.isAssignableFrom(type) && type != java.nio.file.Path.class) {
      shape = sections ? Shape.SECTIONS : Shape.VALUES;
    } else if (setting.inline()) {
      shape = Shape.INLINE;
    } else {
      shape = sections ? Shape.SECTION : Shape.VALUE;
    }
    var values = sections || shape == Shape.TREE ? null : ValueTypes.of(element, setting);
    return new Declaration(
        name,
        setting,
        shape,
        values,
        sections ? element.asSubclass(Record.class) : null,
        values == null ? SettingRange.NONE : SettingRange.of(setting, values),
        component);
  }

  /** The class of a value, or of the elements of a collection. */
  private static Class<?> element(Type type) {
    return switch (type) {
      case Class<?> plain -> plain;
      case ParameterizedType generic -> {
        var arguments = generic.getActualTypeArguments();
        yield element(arguments[arguments.length - 1]);
      }
      default -> Object.class;
    };
  }

  private static String kebab(String camel) {
    return camel.replaceAll("([A-Z])", "-$1").toLowerCase(Locale.ROOT);
  }
}
