package dev.mainstay.config;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.snakeyaml.engine.v2.common.ScalarStyle;
import org.snakeyaml.engine.v2.nodes.MappingNode;
import org.snakeyaml.engine.v2.nodes.Node;
import org.snakeyaml.engine.v2.nodes.NodeTuple;
import org.snakeyaml.engine.v2.nodes.ScalarNode;
import org.snakeyaml.engine.v2.nodes.SequenceNode;

/**
 * Merge keys ({@code <<: *anchor}), which YAML 1.2 leaves out and files in use have
 * (https://yaml.org/type/merge.html). {@link BoundedParser} has bounded what aliases stand for.
 */
final class MergedKeys {
  private MergedKeys() {}

  /**
   * The entries of {@code mapping}: its own, then those of what it merges whose keys it has not. A
   * merge key with another value than a mapping or a list of mappings stays as it is.
   */
  static List<NodeTuple> of(MappingNode mapping) {
    if (mapping.getValue().stream().noneMatch(MergedKeys::merges)) {
      return mapping.getValue();
    }
    var entries = new ArrayList<NodeTuple>();
    var known = new HashSet<String>();
    for (var tuple : mapping.getValue()) {
      if (!merges(tuple)) {
        entries.add(tuple);
        if (tuple.getKeyNode() instanceof ScalarNode key) {
          known.add(key.getValue());
        }
      }
    }
    for (var tuple : mapping.getValue()) {
      if (merges(tuple)) {
        switch (tuple.getValueNode()) {
          case MappingNode one -> add(one, known, entries);
          case SequenceNode many ->
              many.getValue().forEach(one -> add((MappingNode) one, known, entries));
          default -> throw new IllegalStateException("a merge key merges mappings");
        }
      }
    }
    return entries;
  }

  private static void add(MappingNode from, Set<String> known, List<NodeTuple> entries) {
    for (var tuple : of(from)) {
      if (tuple.getKeyNode() instanceof ScalarNode key && known.add(key.getValue())) {
        entries.add(tuple);
      }
    }
  }

  private static boolean merges(NodeTuple tuple) {
    return tuple.getKeyNode() instanceof ScalarNode key
        && key.getValue().equals("<<")
        && key.getScalarStyle() == ScalarStyle.PLAIN
        && isMappings(tuple.getValueNode());
  }

  private static boolean isMappings(Node node) {
    return node instanceof MappingNode
        || (node instanceof SequenceNode many
            && many.getValue().stream().allMatch(MappingNode.class::isInstance));
  }
}
