package dev.mainstay.wire.translate.chat;

import dev.mainstay.wire.translate.request.CustomTool;
import dev.mainstay.wire.translate.request.Feature;
import dev.mainstay.wire.translate.request.Format;
import dev.mainstay.wire.translate.request.Node;
import dev.mainstay.wire.translate.request.Request;
import dev.mainstay.wire.translate.request.Settings;
import dev.mainstay.wire.translate.request.Thinking;
import dev.mainstay.wire.translate.request.Tool;
import dev.mainstay.wire.translate.request.ToolChoice;
import dev.mainstay.wire.translate.request.ToolChoice.Mode;
import dev.mainstay.wire.translate.request.TranslationContext;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/** Reads a request of OpenAI Chat or Mistral. */
public final class ChatRequestReader {
  private static final Set<String> READ_HERE =
      Set.of(
          "model",
          "messages",
          "stream",
          "stream_options",
          "tools",
          "tool_choice",
          "functions",
          "function_call",
          "response_format",
          "reasoning_effort",
          "prompt_mode",
          "web_search_options");

  private final TranslationContext context;

  private ChatRequestReader(TranslationContext context) {
    this.context = context;
  }

  public static Request read(TranslationContext context, ObjectNode body) {
    return new ChatRequestReader(context).read(Node.root(body));
  }

  private Request read(Node body) {
    refuseFunctions(body);
    var settings = Settings.read(context, body, Set.of());
    Settings.onlyText(context, settings);
    Settings.unknown(context, body, READ_HERE);
    if (body.get("web_search_options") instanceof Node search) {
      context.lose(Feature.BUILT_IN_TOOLS, search.path());
    }
    return new Request(
        new RequestMessages(context).read(body.require("messages")),
        tools(body.get("tools")),
        toolChoice(body.get("tool_choice")),
        settings,
        Format.openAi(
            context, body.get("response_format"), format -> format.require("json_schema")),
        thinking(body.get("reasoning_effort"), body.get("prompt_mode")));
  }

  private void refuseFunctions(Node body) {
    var old = body.get("functions", "function_call");
    if (old != null) {
      throw context.refuse(
          Feature.LEGACY_FUNCTIONS, old.path(), "the old form of tools cannot be given back");
    }
  }

  private List<Tool> tools(@Nullable Node tools) {
    var read = new ArrayList<Tool>();
    if (tools != null) {
      for (var tool : tools.elements()) {
        switch (tool.string("type")) {
          case "function" -> read.add(tool(tool));
          case "custom" -> read.add(custom(tool));
          case null -> read.add(tool(tool));
          default -> context.lose(Feature.BUILT_IN_TOOLS, tool.path());
        }
      }
    }
    return read;
  }

  private Tool custom(Node tool) {
    var custom = tool.require("custom");
    return context.at(
        custom,
        CustomTool.tool(custom, format -> format.require("grammar"), RequestMessages.cache(tool)));
  }

  private Tool tool(Node tool) {
    var function = tool.require("function");
    var parameters = function.get("parameters");
    return context.at(
        function,
        new Tool(
            function.require("name").string(),
            function.string("description"),
            parameters == null ? null : parameters.object(),
            function.bool("strict"),
            RequestMessages.cache(tool)));
  }

  private @Nullable ToolChoice toolChoice(@Nullable Node choice) {
    if (choice == null) {
      return null;
    }
    if (choice.isString()) {
      return context.at(choice, ToolChoice.of(ToolChoice.mode(choice)));
    }
    var type = choice.string("type");
    if ("allowed_tools".equals(type)) {
      var allowed = choice.get("allowed_tools");
      var list = allowed == null ? choice : allowed;
      var names = new ArrayList<String>();
      for (var tool : list.require("tools").elements()) {
        names.add(named(tool));
      }
      return context.at(choice, new ToolChoice(ToolChoice.mode(list.require("mode")), names));
    }
    if (type != null && !type.equals("function") && !type.equals("custom")) {
      throw context.refuse(Feature.BUILT_IN_TOOLS, choice.path(), "this tool cannot be demanded");
    }
    return context.at(choice, new ToolChoice(Mode.REQUIRED, List.of(named(choice))));
  }

  private static String named(Node tool) {
    return tool.require("custom".equals(tool.string("type")) ? "custom" : "function")
        .require("name")
        .string();
  }

  /**
   * @param mode Mistral's: its own prompt for models that reason as they see fit
   */
  private @Nullable Thinking thinking(@Nullable Node effort, @Nullable Node mode) {
    if (effort != null) {
      return context.at(effort, new Thinking(Thinking.effort(effort), null, null));
    }
    return mode != null && mode.string().equals("reasoning")
        ? context.at(mode, new Thinking(null, -1L, null))
        : null;
  }
}
