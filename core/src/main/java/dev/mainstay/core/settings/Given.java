package dev.mainstay.core.settings;

import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A value as somebody gave it, in a file or in the environment: what {@link SettingsReader} reads.
 */
public interface Given {
  /** The path to it, for example {@code providers.openai.base-url}; "" for the whole. */
  String path();

  /** The name under which it stands, the last part of its path. */
  String name();

  /** Whether nothing was given. */
  boolean absent();

  /** Whether it is a plain text, number or boolean. */
  boolean isText();

  /** Its text, or null where it is absent or, which is noted, no text. */
  @Nullable String text();

  /** The value under {@code name}, which may be absent. */
  Given field(String name);

  /** The names under which values were given. */
  Collection<String> fields();

  /** The elements of a list; what is no list is noted. */
  List<? extends Given> elements();

  /** Maps, lists, texts, numbers and booleans as they stand. */
  @Nullable Object tree();

  /** Where it was given: {@code mainstay.yaml:12}, {@code MAINSTAY_MAX_ATTEMPTS}. */
  String origin();

  /** Notes a mistake. */
  void problem(String found, String allowed);

  /** Notes each given name that is not one of {@code known}; the section must be one. */
  void allow(Set<String> known);

  /** The place of a file that the value names. */
  default Path resolve(Path path) {
    return path;
  }
}
