package dev.mainstay.wire.translate.request;

import dev.mainstay.wire.json.Tree;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/** The arguments of an earlier call, which OpenAI keeps as the text that the model wrote. */
public final class Arguments {
  private Arguments() {}

  /** They as an object, whatever the model wrote; nothing counts as an empty one. */
  public static ObjectNode read(TranslationContext context, @Nullable Node arguments) {
    if (arguments == null) {
      return Tree.object();
    }
    if (arguments.isObject()) {
      return arguments.object();
    }
    var text = arguments.string();
    if (text.isBlank()) {
      return Tree.object();
    }
    if (Body.parse(text) instanceof ObjectNode object) {
      return object;
    }
    context.lose(Feature.TOOL_ARGUMENTS, arguments.path());
    return Tree.object().put("invalid_json", text);
  }
}
