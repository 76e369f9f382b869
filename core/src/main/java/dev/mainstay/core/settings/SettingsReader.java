package dev.mainstay.core.settings;

import dev.mainstay.core.recovery.InvalidPolicyException;
import dev.mainstay.core.settings.Declaration.Shape;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Reads records of declared settings. A mistake is noted where it was given and the value beneath
 * stays, so that one pass finds every mistake. Not thread-safe.
 */
public final class SettingsReader {
  private static final Object MISSING = new Object();

  private final Map<String, String> origins = new TreeMap<>();

  /** Of each value that was read where it was given, by its path. */
  public Map<String, String> origins() {
    return Collections.unmodifiableMap(origins);
  }

  /**
   * Reads a section.
   *
   * @param base what holds where nothing is given; null for the defaults
   * @param baseOrigin where those values come from, as {@link #origins} is to say
   * @return null where the section cannot be used; the mistake is noted then
   */
  public <R extends Record> @Nullable R read(
      Class<R> record, Given given, @Nullable R base, String baseOrigin) {
    given.allow(Declaration.names(record));
    return inside(record, given, base, baseOrigin);
  }

  /** The value of one setting of {@code record} in {@code section}; null where none is given. */
  public @Nullable Object one(Class<? extends Record> record, String name, Given section) {
    for (var each : Declaration.of(record)) {
      if (each.name().equals(name)) {
        var given = section.field(name);
        var text = given.absent() ? null : given.text();
        return text == null ? null : each.parse(text);
      }
    }
    throw new IllegalArgumentException(record + " has no setting " + name);
  }

  private <R extends Record> @Nullable R inside(
      Class<R> record, Given given, @Nullable R base, String baseOrigin) {
    var values = new LinkedHashMap<String, @Nullable Object>();
    boolean usable = true;
    for (var each : Declaration.of(record)) {
      var beneath = base == null ? each.byDefault() : each.get(base);
      var value =
          switch (each.shape()) {
            case INLINE -> inside(section(each), given, (Record) beneath, baseOrigin);
            case KEY -> given.name();
            default -> value(each, given.field(each.name()), beneath, baseOrigin);
          };
      boolean needed = each.setting().required() || each.shape() == Shape.INLINE;
      if (value == MISSING || (value == null && needed)) {
        usable = false;
      }
      values.put(each.component().getName(), value);
    }
    if (!usable) {
      return null;
    }
    try {
      return Declaration.made(record, base, values);
    } catch (InvalidPolicyException e) {
      at(given, e.field(), record).problem(e.reason(), "values that fit together");
      return base != null ? base : null;
    }
  }

  /** The field that a record's own check named, from the section's root or from its own section. */
  private static Given at(Given section, String field, Class<? extends Record> record) {
    var names = Arrays.asList(field.split("\\.", -1));
    if (!Declaration.names(record).contains(names.getFirst())) {
      names = names.subList(names.size() - 1, names.size());
    }
    var at = section;
    for (var name : names) {
      at = at.field(name);
    }
    return at;
  }

  private @Nullable Object value(
      Declaration each, Given given, @Nullable Object beneath, String baseOrigin) {
    if (each.setting().inherited()) {
      return beneath;
    }
    return switch (each.shape()) {
      case VALUE -> text(each, given, beneath, baseOrigin);
      case SECTION ->
          given.absent() && each.setting().optional()
              ? beneath
              : section(each, shortened(each, given), beneath, baseOrigin);
      case VALUES -> values(each, given, beneath, baseOrigin);
      case SECTIONS -> given.absent() ? beneath : sections(each, given);
      case NAMED_VALUES -> given.absent() ? beneath : namedValues(each, given);
      case NAMED_SECTIONS -> given.absent() ? beneath : namedSections(each, given);
      case TREE -> given.absent() ? beneath : tree(each, given, beneath);
      case INLINE, KEY -> throw new IllegalStateException(each.name());
    };
  }

  private static @Nullable Object tree(Declaration each, Given given, @Nullable Object beneath) {
    var tree = given.tree();
    if (each.component().getType().isInstance(tree)) {
      return tree;
    }
    given.problem(given.isText() ? "a text" : "a list", "a mapping of keys to values");
    return beneath;
  }

  private @Nullable Object kept(Given given, @Nullable Object beneath, String origin) {
    origins.putIfAbsent(given.path(), origin);
    return beneath;
  }

  private @Nullable Object text(
      Declaration each, Given given, @Nullable Object beneath, String baseOrigin) {
    var text = given.absent() ? null : given.text();
    if (text == null) {
      if (each.setting().required() && beneath == null) {
        if (given.absent()) {
          given.problem("nothing", each.allowed());
        }
        return MISSING;
      }
      return kept(given, beneath, baseOrigin);
    }
    var value = element(each, given, text);
    if (value == null) {
      return each.setting().required() && beneath == null ? MISSING : beneath;
    }
    origins.put(given.path(), given.origin());
    return value;
  }

  private static @Nullable Object element(Declaration each, Given given, String text) {
    var type = Objects.requireNonNull(each.type());
    if (each.setting().required() && text.isBlank()) {
      given.problem("nothing", each.allowed());
      return null;
    }
    var value = each.parse(text);
    if (value == null) {
      given.problem(type.found(text), each.allowed());
    }
    return value instanceof Path path ? given.resolve(path) : value;
  }

  private @Nullable Object values(
      Declaration each, Given given, @Nullable Object beneath, String baseOrigin) {
    boolean needed =
        each.setting().required() && (!(beneath instanceof Collection<?> all) || all.isEmpty());
    if (given.absent() && !needed) {
      return kept(given, beneath, baseOrigin);
    }
    var elements = given.absent() ? List.<Given>of() : given.elements();
    if (needed && elements.isEmpty() && (given.absent() || !given.isText())) {
      given.problem("nothing", each.allowed());
      return MISSING;
    }
    var values = new ArrayList<Object>();
    for (var element : elements) {
      var text = element.text();
      var value = text == null ? null : element(each, element, text);
      if (value != null) {
        values.add(value);
      }
    }
    if (needed && values.isEmpty()) {
      return MISSING;
    }
    origins.put(given.path(), given.origin());
    return each.collected(values);
  }

  private Object sections(Declaration each, Given given) {
    var sections = new ArrayList<Record>();
    for (var element : given.elements()) {
      var section = section(each, shortened(each, element), null, "default");
      if (section != null) {
        sections.add(section);
      }
    }
    return List.copyOf(sections);
  }

  private Object namedSections(Declaration each, Given given) {
    var sections = new LinkedHashMap<String, Record>();
    for (var name : given.fields()) {
      var section = section(each, shortened(each, given.field(name)), null, "default");
      if (section != null) {
        sections.put(name, section);
      }
    }
    return Collections.unmodifiableMap(sections);
  }

  private static Given shortened(Declaration each, Given given) {
    var name = each.setting().shortFor();
    return !name.isEmpty() && given.isText() ? new ShortForm(given, name) : given;
  }

  private Object namedValues(Declaration each, Given given) {
    var values = new LinkedHashMap<String, Object>();
    for (var name : given.fields()) {
      var field = given.field(name);
      var text = field.text();
      var value = text == null ? null : element(each, field, text);
      if (value != null) {
        values.put(name, value);
      }
    }
    return Collections.unmodifiableMap(values);
  }

  private @Nullable Record section(
      Declaration each, Given given, @Nullable Object beneath, String baseOrigin) {
    return read(section(each), given, (Record) beneath, baseOrigin);
  }

  @SuppressWarnings("unchecked")
  private static Class<Record> section(Declaration each) {
    return (Class<Record>) Objects.requireNonNull(each.section());
  }

  /**
   * Notes {@code origin} for each value of {@code after} that differs from {@code before}: those
   * that a preset has changed.
   */
  public void changed(String path, Record before, Record after, String origin) {
    for (var each : Declaration.of(after.getClass().asSubclass(Record.class))) {
      var from = each.get(before);
      var to = each.get(after);
      if (Objects.equals(from, to)) {
        continue;
      }
      var at = each.shape() == Shape.INLINE ? path : Declaration.path(path, each.name());
      if (from instanceof Record old && to instanceof Record now) {
        changed(at, old, now, origin);
      } else {
        origins.put(at, origin);
      }
    }
  }

  /** A text in place of a section, for the one setting that it stands for. */
  private record ShortForm(Given given, String setting) implements Given {
    @Override
    public String path() {
      return given.path();
    }

    @Override
    public String name() {
      return given.name();
    }

    @Override
    public boolean absent() {
      return false;
    }

    @Override
    public boolean isText() {
      return false;
    }

    @Override
    public @Nullable String text() {
      return given.text();
    }

    @Override
    public Given field(String field) {
      return field.equals(setting) ? given : given.field(field);
    }

    @Override
    public List<String> fields() {
      return List.of(setting);
    }

    @Override
    public List<Given> elements() {
      return List.of();
    }

    @Override
    public @Nullable Object tree() {
      return given.tree();
    }

    @Override
    public String origin() {
      return given.origin();
    }

    @Override
    public void problem(String found, String allowed) {
      given.problem(found, allowed);
    }

    @Override
    public void allow(Set<String> known) {}
  }
}
