package dev.mainstay.wire.translate.request;

import dev.mainstay.wire.json.Tree;
import dev.mainstay.wire.translate.request.ToolChoice.Mode;
import java.util.List;
import tools.jackson.databind.node.ArrayNode;

/** What writers share about the names of tools, and about lists that a dialect bounds. */
public final class Names {
  /** Longest names and the characters besides letters and digits. */
  public record Rule(int most, String besides) {}

  public static final Rule OPENAI = new Rule(64, "_-");
  public static final Rule ANTHROPIC = new Rule(128, "_-");
  public static final Rule GEMINI = new Rule(128, "_-.:");

  private Names() {}

  /** Refuses a tool whose name the target does not accept. */
  public static void check(TranslationContext context, Tool tool, Rule rule) {
    if (!fits(tool.name(), rule)) {
      throw context.refuse(
          Feature.TOOL_NAME,
          context.place(tool) + ".name",
          "this name of a tool is not accepted, at most "
              + rule.most()
              + " letters, digits and "
              + rule.besides()
              + ", and cannot be said");
    }
  }

  private static boolean fits(String name, Rule rule) {
    return !name.isEmpty()
        && name.length() <= rule.most()
        && name.chars()
            .allMatch(
                c ->
                    (c >= 'a' && c <= 'z')
                        || (c >= 'A' && c <= 'Z')
                        || (c >= '0' && c <= '9')
                        || rule.besides().indexOf(c) >= 0);
  }

  /** The tools that {@code choice} leaves, for a dialect that cannot list them. */
  public static List<Tool> only(List<Tool> tools, ToolChoice choice) {
    if (choice.only().isEmpty() || (choice.mode() == Mode.REQUIRED && choice.only().size() == 1)) {
      return tools;
    }
    return tools.stream().filter(tool -> choice.only().contains(tool.name())).toList();
  }

  /** The first of {@code stops}; says so where there are more. */
  public static ArrayNode most(TranslationContext context, ArrayNode stops, int most) {
    if (stops.size() <= most) {
      return stops;
    }
    context.lose(Feature.STOP, Settings.path(context, Feature.STOP));
    var first = Tree.array();
    for (int i = 0; i < most; i++) {
      first.add(stops.get(i));
    }
    return first;
  }
}
