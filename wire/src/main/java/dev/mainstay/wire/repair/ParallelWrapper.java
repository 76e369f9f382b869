package dev.mainstay.wire.repair;

import dev.mainstay.wire.json.Tree;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A tool that nobody offers and OpenAI's models call at times, with the calls they mean within its
 * arguments: {@code multi_tool_use.parallel} is how they are shown parallel calls, and where they
 * nest it OpenAI hands it over unopened
 * (community.openai.com/t/the-multi-tool-use-parallel-bug-and-how-to-fix-it/880771).
 */
final class ParallelWrapper {
  private static final Set<String> NAMES =
      Set.of("multi_tool_use.parallel", "multi_tool_use_parallel");

  /** As many calls as OpenAI takes tools (platform.openai.com/docs/api-reference/chat). */
  static final int MOST = 128;

  /** A call within it. */
  record Use(String name, String arguments) {}

  private ParallelWrapper() {}

  /** Whether {@code name} is its name, in a namespace or not. */
  static boolean is(String name) {
    return NAMES.contains(name.startsWith("functions.") ? name.substring(10) : name);
  }

  /** The calls within {@code arguments}, in their order; null where something else is in them. */
  static @Nullable List<Use> uses(String arguments) {
    var value = Trees.read(arguments);
    var list = value == null ? null : value.get("tool_uses");
    if (list == null || !list.isArray() || list.isEmpty() || list.size() > MOST) {
      return null;
    }
    var uses = new ArrayList<Use>(list.size());
    for (var use : list) {
      var name = Trees.text(use, "recipient_name");
      if (name == null) {
        return null;
      }
      var parameters = use.path("parameters");
      uses.add(
          new Use(
              name,
              parameters.isMissingNode() || parameters.isNull()
                  ? "{}"
                  : parameters.stringValue(Tree.write(parameters))));
    }
    return uses;
  }
}
