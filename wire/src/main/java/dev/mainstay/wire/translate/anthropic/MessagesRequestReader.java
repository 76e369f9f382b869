package dev.mainstay.wire.translate.anthropic;

import dev.mainstay.wire.translate.request.Body;
import dev.mainstay.wire.translate.request.Feature;
import dev.mainstay.wire.translate.request.Format;
import dev.mainstay.wire.translate.request.Node;
import dev.mainstay.wire.translate.request.Request;
import dev.mainstay.wire.translate.request.Settings;
import dev.mainstay.wire.translate.request.Thinking;
import dev.mainstay.wire.translate.request.Thinking.Effort;
import dev.mainstay.wire.translate.request.Tool;
import dev.mainstay.wire.translate.request.ToolChoice;
import dev.mainstay.wire.translate.request.ToolChoice.Mode;
import dev.mainstay.wire.translate.request.TranslationContext;
import dev.mainstay.wire.translate.request.Turn;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Reads a request of Anthropic's Messages. */
public final class MessagesRequestReader {
  private static final Set<String> READ_HERE =
      Set.of(
          "model",
          "messages",
          "system",
          "stream",
          "tools",
          "tool_choice",
          "thinking",
          "output_config",
          "output_format",
          "cache_control");

  private final TranslationContext context;

  private MessagesRequestReader(TranslationContext context) {
    this.context = context;
  }

  public static Request read(TranslationContext context, ObjectNode body) {
    return new MessagesRequestReader(context).read(Node.root(body));
  }

  private Request read(Node body) {
    var settings = Settings.read(context, body, Set.of(Feature.PARALLEL_TOOLS));
    Settings.unknown(context, body, READ_HERE);
    if (body.get("cache_control") instanceof Node mark) {
      context.lose(Feature.CACHE_CONTROL, mark.path());
    }
    tier(settings);
    var turns = new ArrayList<Turn>();
    var blocks = new RequestBlocks(context);
    if (body.get("system") instanceof Node system) {
      turns.add(context.at(system, new Turn(Turn.Role.SYSTEM, blocks.content(system))));
    }
    turns.addAll(blocks.turns(body.require("messages")));
    var tools = tools(body.get("tools"));
    var choice = toolChoice(body.get("tool_choice"), tools, settings);
    var output = body.get("output_config");
    return new Request(
        turns,
        tools,
        choice,
        settings,
        format(output == null ? null : output.get("format"), body.get("output_format")),
        thinking(body.get("thinking"), output == null ? null : output.get("effort")));
  }

  private static void tier(EnumMap<Feature, JsonNode> settings) {
    if (settings.get(Feature.SERVICE_TIER) instanceof JsonNode tier
        && tier.asString().equals("standard_only")) {
      settings.put(Feature.SERVICE_TIER, Body.of("default"));
    }
  }

  private List<Tool> tools(@Nullable Node tools) {
    var read = new ArrayList<Tool>();
    if (tools != null) {
      for (var tool : tools.elements()) {
        var type = tool.string("type");
        if (type != null && !type.equals("custom")) {
          context.lose(Feature.BUILT_IN_TOOLS, tool.path());
        } else {
          var schema = tool.get("input_schema");
          read.add(
              context.at(
                  tool,
                  new Tool(
                      tool.require("name").string(),
                      tool.string("description"),
                      schema == null ? null : schema.object(),
                      tool.bool("strict"),
                      RequestBlocks.cache(tool))));
        }
      }
    }
    return read;
  }

  private @Nullable ToolChoice toolChoice(
      @Nullable Node choice, List<Tool> tools, EnumMap<Feature, JsonNode> settings) {
    if (choice == null) {
      return null;
    }
    if (choice.get("disable_parallel_tool_use") instanceof Node single) {
      settings.put(Feature.PARALLEL_TOOLS, Body.of(!single.bool()));
    }
    var type = choice.require("type");
    return switch (type.string()) {
      case "auto" -> ToolChoice.of(Mode.AUTO);
      case "none" -> ToolChoice.of(Mode.NONE);
      case "any" -> {
        if (tools.isEmpty()) {
          throw context.refuse(
              Feature.BUILT_IN_TOOLS, choice.path(), "that a built-in tool must be called");
        }
        yield context.at(choice, ToolChoice.of(Mode.REQUIRED));
      }
      case "tool" -> {
        var name = choice.require("name").string();
        if (tools.stream().noneMatch(tool -> tool.name().equals(name))) {
          throw context.refuse(
              Feature.BUILT_IN_TOOLS,
              choice.path(),
              "this tool is not the client's and cannot be demanded");
        }
        yield context.at(choice, new ToolChoice(Mode.REQUIRED, List.of(name)));
      }
      default -> throw type.wrong("auto, any, tool or none");
    };
  }

  private @Nullable Format format(@Nullable Node format, @Nullable Node older) {
    var said = format == null ? older : format;
    if (said == null) {
      return null;
    }
    var type = said.require("type");
    if (!type.string().equals("json_schema")) {
      throw type.wrong("json_schema");
    }
    return context.at(said, new Format.Schema(null, null, said.require("schema").object(), null));
  }

  private @Nullable Thinking thinking(@Nullable Node thinking, @Nullable Node effort) {
    var said = effort == null ? null : Thinking.effort(effort);
    if (thinking == null) {
      return effort == null ? null : context.at(effort, new Thinking(said, null, null));
    }
    var display = thinking.string("display");
    var shown = display == null ? null : Boolean.valueOf(display.equals("summarized"));
    var type = thinking.require("type");
    return context.at(
        thinking,
        switch (type.string()) {
          case "enabled" -> new Thinking(said, thinking.require("budget_tokens").integer(), shown);
          case "adaptive" -> new Thinking(said, -1L, shown);
          case "disabled", "between_tools" -> new Thinking(Effort.NONE, null, null);
          default -> throw type.wrong("enabled, adaptive or disabled");
        });
  }
}
