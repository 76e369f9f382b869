package dev.mainstay.wire.translate.responses;

import dev.mainstay.wire.translate.request.Body;
import dev.mainstay.wire.translate.request.CustomTool;
import dev.mainstay.wire.translate.request.Feature;
import dev.mainstay.wire.translate.request.Format;
import dev.mainstay.wire.translate.request.Node;
import dev.mainstay.wire.translate.request.Part;
import dev.mainstay.wire.translate.request.Request;
import dev.mainstay.wire.translate.request.Settings;
import dev.mainstay.wire.translate.request.Thinking;
import dev.mainstay.wire.translate.request.Tool;
import dev.mainstay.wire.translate.request.ToolChoice;
import dev.mainstay.wire.translate.request.ToolChoice.Mode;
import dev.mainstay.wire.translate.request.TranslationContext;
import dev.mainstay.wire.translate.request.Turn;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Reads a request of OpenAI Responses. */
public final class ResponsesRequestReader {
  static final String LOGPROBS = "message.output_text.logprobs";

  private static final Set<String> READ_HERE =
      Set.of(
          "model",
          "input",
          "instructions",
          "stream",
          "stream_options",
          "include",
          "tools",
          "tool_choice",
          "reasoning",
          "text");

  private final TranslationContext context;

  private ResponsesRequestReader(TranslationContext context) {
    this.context = context;
  }

  public static Request read(TranslationContext context, ObjectNode body) {
    return new ResponsesRequestReader(context).read(Node.root(body));
  }

  private Request read(Node body) {
    var settings = Settings.read(context, body, Set.of(Feature.LOGPROBS));
    Settings.unknown(context, body, READ_HERE);
    logprobs(body.get("include"), settings);
    var turns = new ArrayList<Turn>();
    if (body.get("instructions") instanceof Node instructions) {
      var text = context.at(instructions, new Part.Text(instructions.string(), null));
      turns.add(context.at(instructions, new Turn(Turn.Role.SYSTEM, List.of(text))));
    }
    turns.addAll(new ResponsesItems(context).read(body.require("input")));
    var text = body.get("text");
    return new Request(
        turns,
        tools(body.get("tools")),
        toolChoice(body.get("tool_choice")),
        settings,
        text == null ? null : Format.openAi(context, text.get("format"), UnaryOperator.identity()),
        thinking(body.get("reasoning")));
  }

  private static void logprobs(@Nullable Node include, EnumMap<Feature, JsonNode> settings) {
    if (include != null) {
      for (var wanted : include.elements()) {
        if (wanted.string().equals(LOGPROBS)) {
          settings.put(Feature.LOGPROBS, Body.of(true));
        }
      }
    }
  }

  private List<Tool> tools(@Nullable Node tools) {
    var read = new ArrayList<Tool>();
    if (tools != null) {
      for (var tool : tools.elements()) {
        switch (tool.require("type").string()) {
          case "function" -> read.add(tool(tool));
          case "custom" ->
              read.add(context.at(tool, CustomTool.tool(tool, UnaryOperator.identity(), null)));
          default -> context.lose(Feature.BUILT_IN_TOOLS, tool.path());
        }
      }
    }
    return read;
  }

  private Tool tool(Node tool) {
    var parameters = tool.get("parameters");
    return context.at(
        tool,
        new Tool(
            tool.require("name").string(),
            tool.string("description"),
            parameters == null ? null : parameters.object(),
            tool.bool("strict"),
            null));
  }

  private @Nullable ToolChoice toolChoice(@Nullable Node choice) {
    if (choice == null) {
      return null;
    }
    if (choice.isString()) {
      return context.at(choice, ToolChoice.of(ToolChoice.mode(choice)));
    }
    var type = choice.require("type").string();
    return switch (type) {
      case "function", "custom" ->
          context.at(
              choice, new ToolChoice(Mode.REQUIRED, List.of(choice.require("name").string())));
      case "allowed_tools" -> {
        var names = new ArrayList<String>();
        for (var tool : choice.require("tools").elements()) {
          names.add(tool.require("name").string());
        }
        yield context.at(choice, new ToolChoice(ToolChoice.mode(choice.require("mode")), names));
      }
      default ->
          throw context.refuse(
              Feature.BUILT_IN_TOOLS, choice.path(), "a built-in tool cannot be demanded");
    };
  }

  private @Nullable Thinking thinking(@Nullable Node reasoning) {
    if (reasoning == null) {
      return null;
    }
    var effort = reasoning.get("effort");
    var summary = reasoning.get("summary", "generate_summary");
    return effort == null && summary == null
        ? null
        : context.at(
            reasoning,
            new Thinking(
                effort == null ? null : Thinking.effort(effort),
                null,
                summary == null ? null : Boolean.TRUE));
  }
}
