package dev.mainstay.core.classify;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Which tables a provider's failures go through, and by what a provider is recognised where it is
 * not named. Read from {@code providers.txt}:
 *
 * <pre>
 * openai   tables: openai          names: open-ai     signs: platform.openai.com | openaiexception
 * azure    tables: azure openai    signs: aka.ms/oai
 * always   tables: general transport
 * </pre>
 */
final class Providers {
  private final Map<String, List<String>> tables = new LinkedHashMap<>();
  private final Map<String, String> names = new LinkedHashMap<>();
  private final Map<String, List<Phrase>> signs = new LinkedHashMap<>();
  private final Map<String, String> shapes = new LinkedHashMap<>();

  private Providers() {}

  static Providers parse(String file, String text) {
    var providers = new Providers();
    int number = 0;
    for (var raw : text.split("\n", -1)) {
      number++;
      var line = raw.strip();
      if (line.isEmpty() || line.startsWith("#")) {
        continue;
      }
      try {
        providers.line(line);
      } catch (IllegalArgumentException problem) {
        throw new RuleSyntaxException(file, number, String.valueOf(problem.getMessage()));
      }
    }
    return providers;
  }

  private void line(String line) {
    int space = line.indexOf(' ');
    var name = space < 0 ? line : line.substring(0, space);
    var own = field(line, "tables:");
    tables.put(name, own == null ? List.of(name) : List.of(own.split("\\s+")));
    names.put(plain(name), name);
    var others = field(line, "names:");
    if (others != null) {
      for (var other : others.split("\\s+")) {
        names.put(plain(other), name);
      }
    }
    var marks = field(line, "signs:");
    if (marks != null) {
      signs.put(name, Phrase.alternatives(marks));
    }
    var shape = field(line, "shape:");
    if (shape != null) {
      shapes.put(shape, name);
    }
  }

  private static @Nullable String field(String line, String key) {
    int from = line.indexOf(" " + key);
    if (from < 0) {
      return null;
    }
    int end = line.length();
    for (var other : List.of("tables:", "names:", "signs:", "shape:")) {
      int next = line.indexOf(" " + other, from + key.length());
      end = next > 0 ? Math.min(end, next) : end;
    }
    return line.substring(from + 1 + key.length(), end).strip();
  }

  /** Every table that is named, in order, each once. */
  List<String> allTables() {
    var all = new ArrayList<String>();
    tables.values().forEach(list -> list.stream().filter(t -> !all.contains(t)).forEach(all::add));
    return all;
  }

  /** The tables for {@code provider}, before those for all. */
  List<String> tablesOf(String provider) {
    return tables.getOrDefault(provider, List.of());
  }

  /** The tables for all. */
  List<String> always() {
    return tablesOf("always");
  }

  /** Our name for what someone calls a provider, or null. */
  @Nullable String known(@Nullable String name) {
    return name == null || name.length() > 60 ? null : names.get(plain(name));
  }

  @Nullable String ofShape(String shape) {
    return shapes.get(shape);
  }

  Map<String, List<Phrase>> signs() {
    return signs;
  }

  private static String plain(String name) {
    var out = new StringBuilder();
    name.toLowerCase(Locale.ROOT)
        .chars()
        .filter(Character::isLetterOrDigit)
        .forEach(c -> out.append((char) c));
    return out.toString();
  }
}
