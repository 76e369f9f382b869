package dev.mainstay.core.classify;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Names a rule asks for, in lower case, separated by {@code |}: {@code slow_down}, {@code
 * *perday*}, {@code none}. An empty one asks for nothing.
 */
record NamePatterns(Set<String> exact, List<Glob> globs, boolean none, boolean any) {
  static final NamePatterns ANY = new NamePatterns(Set.of(), List.of(), true, true);

  /** A name that may have more before or after it. */
  record Glob(String text, boolean open, boolean openEnd) {
    boolean holds(String name) {
      if (open) {
        return openEnd ? name.contains(text) : name.endsWith(text);
      }
      return name.startsWith(text);
    }
  }

  static NamePatterns parse(String line) {
    var exact = new HashSet<String>();
    var globs = new ArrayList<Glob>();
    boolean none = false;
    for (var word : line.toLowerCase(Locale.ROOT).split("\\|")) {
      var name = word.strip();
      if (name.isEmpty()) {
        throw new IllegalArgumentException("an empty name between '|'");
      }
      boolean open = name.startsWith("*");
      boolean openEnd = name.endsWith("*");
      if (name.equals("none")) {
        none = true;
      } else if (open || openEnd) {
        var text = name.replace("*", "");
        globs.add(new Glob(text, open, openEnd));
      } else {
        exact.add(name);
      }
    }
    return new NamePatterns(Set.copyOf(exact), List.copyOf(globs), none, false);
  }

  /** Whether only one of the exact names will do. */
  boolean isExact() {
    return !any && !none && globs.isEmpty();
  }

  boolean holds(@Nullable String name) {
    if (any) {
      return true;
    }
    if (name == null) {
      return none;
    }
    return exact.contains(name) || globs.stream().anyMatch(glob -> glob.holds(name));
  }

  boolean holdsOne(Collection<String> names) {
    if (any || none && names.isEmpty()) {
      return true;
    }
    for (var name : names) {
      if (exact.contains(name)) {
        return true;
      }
      for (var glob : globs) {
        if (glob.holds(name)) {
          return true;
        }
      }
    }
    return false;
  }
}
