package dev.mainstay.core.settings;

import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Settings given by {@code MAINSTAY_*} variables. A variable's name is the setting's path in the
 * configuration without {@code recovery}: {@code recovery.retry.max-delay} is {@code
 * MAINSTAY_RETRY_MAX_DELAY}. A blank value counts as not set.
 */
public final class Environment {
  /** Groups in which every variable must be known: a typing error must not go unnoticed. */
  private static final List<String> GROUPS =
      List.of(
          "MAINSTAY_RETRY_",
          "MAINSTAY_FALLBACK_",
          "MAINSTAY_TIMEOUTS_",
          "MAINSTAY_BREAKER_",
          "MAINSTAY_BOUNDS_");

  private final Map<String, String> environment;
  private final Map<String, Declaration> known;
  private final Mistakes mistakes;

  /** Where mistakes go. */
  @FunctionalInterface
  public interface Mistakes {
    /** Notes what was found at {@code variable} and what is allowed. */
    void note(String variable, String found, String allowed);
  }

  /**
   * @param settings whose single values the variables may give
   */
  public Environment(
      Map<String, String> environment, Class<? extends Record> settings, Mistakes mistakes) {
    this.environment = environment;
    this.known = Declaration.values(settings, "");
    this.mistakes = mistakes;
  }

  /** The variable of the setting at {@code path}. */
  public static String variable(String path) {
    var name = path.startsWith("recovery.") ? path.substring("recovery.".length()) : path;
    return "MAINSTAY_" + name.toUpperCase(Locale.ROOT).replace('.', '_').replace('-', '_');
  }

  /** All that the environment gives. */
  public Given given() {
    return new Variable("");
  }

  /** The variables of all settings. */
  public NavigableSet<String> variables() {
    var all = new TreeSet<String>();
    known.keySet().forEach(path -> all.add(variable(path)));
    return all;
  }

  /** Notes variables of a known group that name no setting. */
  public void refuseUnknown() {
    var all = variables();
    for (var group : GROUPS) {
      var members = all.subSet(group, group + '\uffff');
      for (var variable : new TreeSet<>(environment.keySet())) {
        if (variable.startsWith(group) && !members.isEmpty() && !members.contains(variable)) {
          mistakes.note(variable, "a name of no setting", String.join(" | ", members));
        }
      }
    }
  }

  private @Nullable String value(String path) {
    var text = known.containsKey(path) ? environment.get(variable(path)) : null;
    return text == null || text.isBlank() ? null : text.strip();
  }

  private final class Variable implements Given {
    private final String path;
    private final @Nullable String element;

    Variable(String path) {
      this(path, null);
    }

    private Variable(String path, @Nullable String element) {
      this.path = path;
      this.element = element;
    }

    @Override
    public String path() {
      return path;
    }

    @Override
    public String name() {
      return path.substring(path.lastIndexOf('.') + 1);
    }

    @Override
    public boolean absent() {
      return known.keySet().stream()
          .filter(each -> each.equals(path) || path.isEmpty() || each.startsWith(path + "."))
          .allMatch(each -> value(each) == null);
    }

    @Override
    public boolean isText() {
      return value(path) != null;
    }

    @Override
    public @Nullable String text() {
      return element != null ? element : value(path);
    }

    @Override
    public Given field(String name) {
      return new Variable(Declaration.path(path, name));
    }

    @Override
    public Collection<String> fields() {
      return List.of();
    }

    @Override
    public List<? extends Given> elements() {
      var text = value(path);
      return text == null || text.equals("none")
          ? List.of()
          : Arrays.stream(text.split(",", -1)).map(each -> new Variable(path, each)).toList();
    }

    @Override
    public @Nullable Object tree() {
      return null;
    }

    @Override
    public String origin() {
      return variable(path);
    }

    @Override
    public void problem(String found, String allowed) {
      mistakes.note(variable(path), found, allowed);
    }

    @Override
    public void allow(Set<String> names) {}
  }
}
