package dev.mainstay.config;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.nodes.MappingNode;
import org.snakeyaml.engine.v2.nodes.Node;
import org.snakeyaml.engine.v2.nodes.ScalarNode;
import org.snakeyaml.engine.v2.nodes.SequenceNode;

/**
 * One mapping of the file, read key by key. What is wrong is noted with its place and the default
 * is used instead, so that one pass finds every mistake. {@link #finish} notes the keys that nobody
 * asked for.
 */
final class Section {
  private final Reading reading;
  private final String path;
  private final int line;
  private final Map<String, Node> values = new LinkedHashMap<>();
  private final Map<String, Integer> lines = new LinkedHashMap<>();
  private final TreeSet<String> known = new TreeSet<>();

  /** What all sections of one file share. */
  static final class Reading {
    final String file;
    final Map<String, String> environment;
    final List<Problem> problems = new ArrayList<>();

    Reading(String file, Map<String, String> environment) {
      this.file = file;
      this.environment = environment;
    }

    void problem(int line, String path, String found, String allowed) {
      problems.add(new Problem(file, line, path.isEmpty() ? "(file)" : path, found, allowed));
    }
  }

  Section(Reading reading, String path, @Nullable Node node) {
    this.reading = reading;
    this.path = path;
    this.line = node == null ? 0 : lineOf(node);
    if (node instanceof MappingNode mapping) {
      for (var tuple : mapping.getValue()) {
        if (tuple.getKeyNode() instanceof ScalarNode key) {
          if (values.put(key.getValue(), tuple.getValueNode()) != null) {
            reading.problem(lineOf(key), at(key.getValue()), "the same key twice", "each key once");
          }
          lines.put(key.getValue(), lineOf(key));
        } else {
          reading.problem(lineOf(tuple.getKeyNode()), path, "a key that is no text", "text");
        }
      }
    } else if (node != null && !isNull(node)) {
      reading.problem(line, path, describe(node), "a mapping of keys to values");
    }
  }

  String path() {
    return path;
  }

  int line() {
    return line;
  }

  boolean has(String key) {
    var node = values.get(key);
    return node != null && !isNull(node);
  }

  Collection<String> keys() {
    return values.keySet();
  }

  int lineOfKey(String key) {
    return lines.getOrDefault(key, line);
  }

  void problem(String key, String found, String allowed) {
    reading.problem(lineOfKey(key), at(key), found, allowed);
  }

  /** A mapping; an empty one where the key is missing. */
  Section section(String key) {
    known.add(key);
    return new Section(reading, at(key), values.get(key));
  }

  /** The text, filled in from the environment, or {@code missing}. */
  String text(String key, String missing) {
    var text = textOrNull(key);
    return text == null ? missing : text;
  }

  @Nullable String textOrNull(String key) {
    known.add(key);
    var node = values.get(key);
    if (node == null || isNull(node)) {
      return null;
    }
    if (node instanceof ScalarNode scalar) {
      return Placeholders.fill(scalar.getValue(), reading.environment);
    }
    problem(key, describe(node), "a text");
    return null;
  }

  Secret secret(String key) {
    return new Secret(text(key, ""));
  }

  Duration duration(String key, Duration missing) {
    var text = textOrNull(key);
    if (text == null) {
      return missing;
    }
    var duration = Units.duration(text);
    if (duration == null) {
      problem(key, quoted(text), Units.DURATION);
    }
    return duration == null ? missing : duration;
  }

  @Nullable Duration durationOrNull(String key) {
    known.add(key);
    return has(key) ? duration(key, Duration.ofSeconds(1)) : null;
  }

  @Nullable Integer integerOrNull(String key) {
    known.add(key);
    return has(key) ? (Integer) integer(key, 1, 1, Integer.MAX_VALUE) : null;
  }

  long size(String key, long missing) {
    var text = textOrNull(key);
    if (text == null) {
      return missing;
    }
    var size = Units.size(text);
    if (size == null) {
      problem(key, quoted(text), Units.SIZE);
    }
    return size == null ? missing : size;
  }

  int integer(String key, int missing, int least, int most) {
    var text = textOrNull(key);
    if (text == null) {
      return missing;
    }
    try {
      int value = Integer.parseInt(text.replace("_", ""));
      if (value >= least && value <= most) {
        return value;
      }
    } catch (NumberFormatException e) {
      // Noted below, like one out of range.
    }
    problem(key, quoted(text), "a whole number from " + least + " to " + most);
    return missing;
  }

  double number(String key, double missing, double least, double most) {
    var text = textOrNull(key);
    if (text == null) {
      return missing;
    }
    try {
      double value = Double.parseDouble(text);
      if (value >= least && value <= most) {
        return value;
      }
    } catch (NumberFormatException e) {
      // Noted below, like one out of range.
    }
    problem(key, quoted(text), "a number from " + least + " to " + most);
    return missing;
  }

  boolean bool(String key, boolean missing) {
    return choice(key, Map.of("true", true, "false", false), missing);
  }

  /** One of {@code choices} by its name. */
  <T> T choice(String key, Map<String, T> choices, T missing) {
    var text = textOrNull(key);
    if (text == null) {
      return missing;
    }
    T chosen = choices.get(text);
    if (chosen == null) {
      problem(key, quoted(text), String.join(" | ", new TreeSet<>(choices.keySet())));
    }
    return chosen == null ? missing : chosen;
  }

  /** The elements of a list. */
  List<Element> elements(String key) {
    known.add(key);
    var node = values.get(key);
    if (node == null || isNull(node)) {
      return List.of();
    }
    if (!(node instanceof SequenceNode sequence)) {
      problem(key, describe(node), "a list");
      return List.of();
    }
    var elements = new ArrayList<Element>();
    for (int i = 0; i < sequence.getValue().size(); i++) {
      elements.add(new Element(reading, at(key) + "[" + i + "]", sequence.getValue().get(i)));
    }
    return elements;
  }

  /** One element of a list: a text or a mapping. */
  record Element(Reading reading, String path, Node node) {
    int line() {
      return lineOf(node);
    }

    boolean isMapping() {
      return node instanceof MappingNode;
    }

    Section section() {
      return new Section(reading, path, node);
    }

    /** Its text, filled in, or null where it is none, which is noted. */
    @Nullable String text() {
      if (node instanceof ScalarNode scalar) {
        return Placeholders.fill(scalar.getValue(), reading.environment);
      }
      reading.problem(line(), path, describe(node), "a text");
      return null;
    }

    void problem(String found, String allowed) {
      reading.problem(line(), path, found, allowed);
    }
  }

  /** Leaves {@code key} unread: it belongs to a part of the product that is not there yet. */
  void leave(String... keys) {
    known.addAll(List.of(keys));
  }

  /** Notes every key that nobody asked for. */
  void finish() {
    for (var key : values.keySet()) {
      if (!known.contains(key)) {
        var near = nearest(key);
        problem(
            key,
            "an unknown key",
            (near == null ? "" : "did you mean " + near + "? ") + String.join(" | ", known));
      }
    }
  }

  private @Nullable String nearest(String key) {
    String best = null;
    int least = 3;
    for (var candidate : known) {
      int distance = distance(key, candidate);
      if (distance < least) {
        least = distance;
        best = candidate;
      }
    }
    return best;
  }

  private static int distance(String a, String b) {
    var row = new int[b.length() + 1];
    for (int j = 0; j <= b.length(); j++) {
      row[j] = j;
    }
    for (int i = 1; i <= a.length(); i++) {
      int diagonal = row[0];
      row[0] = i;
      for (int j = 1; j <= b.length(); j++) {
        int kept = row[j];
        int same = diagonal + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
        row[j] = Math.min(same, Math.min(row[j], row[j - 1]) + 1);
        diagonal = kept;
      }
    }
    return row[b.length()];
  }

  private String at(String key) {
    return path.isEmpty() ? key : path + "." + key;
  }

  private static String quoted(String text) {
    return text.isEmpty() ? "nothing" : "\"" + text + "\"";
  }

  private static int lineOf(Node node) {
    return node.getStartMark().map(mark -> mark.getLine() + 1).orElse(0);
  }

  private static boolean isNull(Node node) {
    return node instanceof ScalarNode scalar
        && scalar.getTag().getValue().equals("tag:yaml.org,2002:null");
  }

  private static String describe(Node node) {
    return switch (node) {
      case MappingNode _ -> "a mapping";
      case SequenceNode _ -> "a list";
      default -> "a text";
    };
  }
}
