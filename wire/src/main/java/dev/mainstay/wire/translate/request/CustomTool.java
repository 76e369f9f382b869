package dev.mainstay.wire.translate.request;

import dev.mainstay.wire.json.Tree;
import java.util.List;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/**
 * That a tool's input is any text: OpenAI's custom tools
 * (platform.openai.com/docs/guides/function-calling#custom-tools). Everywhere else such a tool is a
 * function with one parameter, {@value #INPUT}, and so it is here, marked.
 *
 * @param grammar what the text must fit, with {@code syntax} and {@code definition}; null for any
 */
public record CustomTool(@Nullable ObjectNode grammar) {
  /** The parameter that holds the text. */
  public static final String INPUT = "input";

  /** What the arguments of its calls must fit. A new one each time. */
  public static ObjectNode schema() {
    var schema = Tree.object().put("type", "object");
    schema
        .putObject("properties")
        .putObject(INPUT)
        .put("type", "string")
        .put("description", "The whole input of the tool, as plain text.");
    schema.putArray("required").add(INPUT);
    return schema.put("additionalProperties", false);
  }

  /** Whether the one of {@code tools} that has this name is custom. */
  public static boolean isOne(String name, List<Tool> tools) {
    return tools.stream().anyMatch(tool -> tool.custom() != null && tool.name().equals(name));
  }

  /** The arguments of a call with {@code input}. */
  public static ObjectNode arguments(String input) {
    return Tree.object().put(INPUT, input);
  }

  /** The input of a call with {@code arguments}. */
  public static String input(ObjectNode arguments) {
    return Tree.text(arguments, INPUT);
  }

  /**
   * Reads a custom tool.
   *
   * @param grammars from the format to the node that holds a grammar's fields, which is where the
   *     dialects differ
   */
  public static Tool tool(Node custom, UnaryOperator<Node> grammars, @Nullable CacheMark cache) {
    return new Tool(
        custom.require("name").string(),
        custom.string("description"),
        schema(),
        null,
        cache,
        new CustomTool(grammar(custom.get("format"), grammars)));
  }

  private static @Nullable ObjectNode grammar(@Nullable Node format, UnaryOperator<Node> grammars) {
    if (format == null) {
      return null;
    }
    var type = format.require("type");
    return switch (type.string()) {
      case "text" -> null;
      case "grammar" -> {
        var fields = grammars.apply(format);
        yield Tree.object()
            .put("syntax", fields.require("syntax").string())
            .put("definition", fields.require("definition").string());
      }
      default -> throw type.wrong("\"text\" or \"grammar\"");
    };
  }

  /** {@code tool} as a function; its grammar in its description, which binds no model. */
  static Tool asFunction(TranslationContext context, Tool tool) {
    var custom = tool.custom();
    if (custom == null) {
      return tool;
    }
    var description = tool.description();
    if (custom.grammar() != null) {
      context.lose(Feature.CUSTOM_TOOLS, tool);
      description =
          (description == null ? "" : description + "\n\n")
              + "The input must fit this grammar ("
              + Tree.text(custom.grammar(), "syntax")
              + "):\n"
              + Tree.text(custom.grammar(), "definition");
    }
    return context.instead(
        tool, new Tool(tool.name(), description, tool.schema(), tool.strict(), tool.cache()));
  }
}
