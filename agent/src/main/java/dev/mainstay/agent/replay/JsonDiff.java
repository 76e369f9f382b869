package dev.mainstay.agent.replay;

import dev.mainstay.wire.json.Tree;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;

/** The values in which two trees differ, each by its JSON pointer (RFC 6901). */
final class JsonDiff {
  private final ArrayNode differences = Tree.array();

  private JsonDiff() {}

  static ArrayNode of(@Nullable JsonNode a, @Nullable JsonNode b) {
    var diff = new JsonDiff();
    diff.compare("", a, b);
    return diff.differences;
  }

  private void compare(String pointer, @Nullable JsonNode a, @Nullable JsonNode b) {
    if (a == null ? b == null : a.equals(b)) {
      return;
    }
    if (a != null && b != null && a.isObject() && b.isObject()) {
      var names = new TreeSet<>(a.propertyNames());
      names.addAll(b.propertyNames());
      names.forEach(name -> compare(pointer + '/' + escaped(name), a.get(name), b.get(name)));
    } else if (a != null && b != null && a.isArray() && b.isArray()) {
      for (int i = 0; i < Math.max(a.size(), b.size()); i++) {
        compare(pointer + '/' + i, a.get(i), b.get(i));
      }
    } else {
      var difference = differences.addObject().put("pointer", pointer);
      difference.set("a", a);
      difference.set("b", b);
    }
  }

  private static String escaped(String name) {
    return name.replace("~", "~0").replace("/", "~1");
  }
}
