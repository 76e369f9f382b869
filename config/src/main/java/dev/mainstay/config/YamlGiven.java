package dev.mainstay.config;

import dev.mainstay.core.settings.Declaration;
import dev.mainstay.core.settings.Given;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.nodes.MappingNode;
import org.snakeyaml.engine.v2.nodes.Node;
import org.snakeyaml.engine.v2.nodes.ScalarNode;
import org.snakeyaml.engine.v2.nodes.SequenceNode;

/** A value of the file, with its place. */
final class YamlGiven implements Given {
  private final Reading reading;
  private final @Nullable Path folder;
  private final String path;
  private final String name;
  private final int line;
  private final @Nullable Node node;
  private final Map<String, Node> keys = new LinkedHashMap<>();
  private final Map<String, Node> values = new LinkedHashMap<>();

  /**
   * @param folder the file's own, or null where there is none
   */
  static YamlGiven root(Reading reading, @Nullable Path folder, @Nullable Node node) {
    return new YamlGiven(reading, folder, "", "", node == null ? 0 : lineOf(node), node);
  }

  private YamlGiven(
      Reading reading,
      @Nullable Path folder,
      String path,
      String name,
      int line,
      @Nullable Node node) {
    this.reading = reading;
    this.folder = folder;
    this.path = path;
    this.name = name;
    this.line = line;
    this.node = node;
    if (node instanceof MappingNode mapping) {
      for (var tuple : MergedKeys.of(mapping)) {
        if (tuple.getKeyNode() instanceof ScalarNode key) {
          keys.put(key.getValue(), key);
          if (values.put(key.getValue(), tuple.getValueNode()) != null) {
            field(key.getValue()).problem("the same key twice", "each key once");
          }
        } else {
          note(lineOf(tuple.getKeyNode()), path, "a key that is not a text", "text");
        }
      }
    }
  }

  @Override
  public String path() {
    return path;
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public boolean absent() {
    return node == null || isNull(node);
  }

  @Override
  public boolean isText() {
    return node instanceof ScalarNode && !absent();
  }

  @Override
  public @Nullable String text() {
    if (node instanceof ScalarNode scalar) {
      return Placeholders.fill(
          scalar.getValue(),
          reading.environment,
          variable ->
              doubt(variable + ", which is not set", "a variable that is set, or ${VAR:-default}"));
    }
    problem(describe(), "a text");
    return null;
  }

  @Override
  public YamlGiven field(String field) {
    var key = keys.get(field);
    return new YamlGiven(
        reading,
        folder,
        Declaration.path(path, field),
        field,
        key == null ? line : lineOf(key),
        values.get(field));
  }

  @Override
  public Collection<String> fields() {
    return values.keySet();
  }

  @Override
  public List<YamlGiven> elements() {
    if (absent()) {
      return List.of();
    }
    if (!(node instanceof SequenceNode sequence)) {
      problem(describe(), "a list");
      return List.of();
    }
    var elements = new ArrayList<YamlGiven>();
    for (var element : sequence.getValue()) {
      var at = "[" + elements.size() + "]";
      elements.add(new YamlGiven(reading, folder, path + at, name + at, lineOf(element), element));
    }
    return elements;
  }

  @Override
  public @Nullable Object tree() {
    return node == null ? null : tree(node);
  }

  private static @Nullable Object tree(Node node) {
    return switch (node) {
      case MappingNode mapping -> {
        var map = new LinkedHashMap<String, @Nullable Object>();
        for (var tuple : MergedKeys.of(mapping)) {
          if (tuple.getKeyNode() instanceof ScalarNode key) {
            map.put(key.getValue(), tree(tuple.getValueNode()));
          }
        }
        yield map;
      }
      case SequenceNode sequence -> {
        var list = new ArrayList<@Nullable Object>();
        sequence.getValue().forEach(element -> list.add(tree(element)));
        yield list;
      }
      case ScalarNode scalar -> scalar(scalar);
      default -> null;
    };
  }

  private static @Nullable Object scalar(ScalarNode scalar) {
    var text = scalar.getValue();
    return switch (scalar.getTag().getValue()) {
      case "tag:yaml.org,2002:null" -> null;
      case "tag:yaml.org,2002:bool" -> Boolean.valueOf(text);
      case "tag:yaml.org,2002:int", "tag:yaml.org,2002:float" -> number(text);
      default -> text;
    };
  }

  private static Object number(String text) {
    try {
      return new java.math.BigDecimal(text);
    } catch (NumberFormatException e) {
      return text;
    }
  }

  @Override
  public String origin() {
    return line > 0 ? reading.file + ":" + line : reading.file;
  }

  @Override
  public void problem(String found, String allowed) {
    note(line, path, found, allowed);
  }

  /** Notes what may be meant, and probably is not. */
  void doubt(String found, String allowed) {
    reading.doubts.add(problem(line, path, found, allowed));
  }

  @Override
  public void allow(Set<String> known) {
    if (node != null && !(node instanceof MappingNode) && !isNull(node)) {
      problem(describe(), "a mapping of keys to values");
    }
    for (var key : values.keySet()) {
      if (!known.contains(key)) {
        field(key).problem("an unknown key", NearestName.hint(key, new TreeSet<>(known)));
      }
    }
  }

  @Override
  public Path resolve(Path file) {
    return folder == null || file.isAbsolute() ? file : folder.resolve(file);
  }

  /** This value at the place of {@code other}. */
  YamlGiven at(YamlGiven other) {
    return new YamlGiven(reading, folder, path, name, other.line, node);
  }

  /** Whether files that the configuration names can be looked at. */
  boolean hasFolder() {
    return folder != null;
  }

  private void note(int at, String where, String found, String allowed) {
    reading.problems.add(problem(at, where, found, allowed));
  }

  private Problem problem(int at, String where, String found, String allowed) {
    return new Problem(reading.file, at, where.isEmpty() ? "(file)" : where, found, allowed);
  }

  private static int lineOf(Node node) {
    return node.getStartMark().map(mark -> mark.getLine() + 1).orElse(0);
  }

  private static boolean isNull(Node node) {
    return node instanceof ScalarNode scalar
        && scalar.getTag().getValue().equals("tag:yaml.org,2002:null");
  }

  private String describe() {
    return switch (node) {
      case MappingNode _ -> "a mapping";
      case SequenceNode _ -> "a list";
      case null, default -> "a text";
    };
  }
}
