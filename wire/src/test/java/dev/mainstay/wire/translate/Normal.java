package dev.mainstay.wire.translate;

import dev.mainstay.wire.json.Tree;
import dev.mainstay.wire.translate.request.Body;
import dev.mainstay.wire.translate.request.Feature;
import dev.mainstay.wire.translate.request.Format;
import dev.mainstay.wire.translate.request.Media;
import dev.mainstay.wire.translate.request.Part;
import dev.mainstay.wire.translate.request.Request;
import dev.mainstay.wire.translate.request.Settings;
import dev.mainstay.wire.translate.request.Thinking;
import dev.mainstay.wire.translate.request.Thinking.Effort;
import dev.mainstay.wire.translate.request.Tool;
import dev.mainstay.wire.translate.request.ToolChoice.Mode;
import dev.mainstay.wire.translate.request.Turn;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * A request with everything taken out that two ways of saying the same may differ in: where one
 * turn ends and the next of the same side begins, ids, names nobody reads, defaults.
 */
final class Normal {
  private final Map<String, String> ids = new HashMap<>();

  private Normal() {}

  static Request of(Request request) {
    return new Normal().normal(request);
  }

  private Request normal(Request request) {
    var choice = request.toolChoice();
    var tools = request.tools();
    if (choice != null && !choice.only().isEmpty() && choice.mode() == Mode.AUTO) {
      var only = choice.only();
      tools = tools.stream().filter(tool -> only.contains(tool.name())).toList();
      choice = null;
    }
    if (choice != null && choice.mode() == Mode.AUTO) {
      choice = null;
    }
    return new Request(
        turns(request.turns()),
        tools.stream().map(Normal::tool).toList(),
        choice,
        settings(request, tools),
        format(request.format()),
        thinking(request.thinking()));
  }

  private List<Turn> turns(List<Turn> turns) {
    var merged = new ArrayList<Turn>();
    for (var turn : turns) {
      var parts = new ArrayList<Part>();
      turn.parts().forEach(part -> part(part, parts));
      if (!merged.isEmpty()
          && merged.getLast().role() == turn.role()
          && merged.getLast().name() == null
          && turn.name() == null) {
        parts.addAll(0, merged.removeLast().parts());
      }
      var sorted = new ArrayList<Part>();
      parts.stream().filter(Part.ToolResult.class::isInstance).forEach(sorted::add);
      parts.stream().filter(part -> !(part instanceof Part.ToolResult)).forEach(sorted::add);
      if (!sorted.isEmpty()) {
        merged.add(new Turn(turn.role(), sorted, turn.name(), false));
      }
    }
    return merged;
  }

  private void part(Part part, List<Part> parts) {
    switch (part) {
      case Part.Reasoning _ -> {}
      case Part.ToolCall call ->
          parts.add(new Part.ToolCall(id(call.id()), call.name(), call.arguments(), null, null));
      case Part.ToolResult result -> {
        var content = new ArrayList<Part>();
        var text = new StringBuilder();
        for (var piece : result.content()) {
          if (piece instanceof Part.Text more) {
            text.append(text.isEmpty() ? "" : "\n").append(more.text());
          } else {
            part(piece, content);
          }
        }
        content.addFirst(new Part.Text(canonical(text.toString()), null));
        parts.add(new Part.ToolResult(id(result.id()), null, content, result.error(), null));
      }
      case Part.Media media when Media.UNNAMED.equals(media.name()) ->
          parts.add(
              new Part.Media(
                  media.kind(),
                  media.source(),
                  media.mimeType(),
                  null,
                  media.detail(),
                  media.cache()));
      default -> parts.add(part);
    }
  }

  /** A result that is JSON, without regard to how it is set. */
  private static String canonical(String text) {
    return Body.parse(text) instanceof ObjectNode object ? Tree.write(object) : text;
  }

  private String id(String id) {
    return ids.computeIfAbsent(id, _ -> "call " + ids.size());
  }

  private static Tool tool(Tool tool) {
    var schema = tool.schema();
    return new Tool(
        tool.name(),
        tool.description(),
        schema == null || schema.path("properties").isEmpty() ? null : schema,
        Boolean.TRUE.equals(tool.strict()),
        tool.cache());
  }

  private static Map<Feature, JsonNode> settings(Request request, List<Tool> tools) {
    var settings = new EnumMap<Feature, JsonNode>(Feature.class);
    request
        .settings()
        .forEach(
            (feature, value) -> {
              if (!Settings.isNeutral(feature, value)) {
                settings.put(feature, value);
              }
            });
    if (settings.remove(Feature.SAFETY_IDENTIFIER) instanceof JsonNode id) {
      settings.putIfAbsent(Feature.USER, id);
    }
    if (settings.containsKey(Feature.TOP_LOGPROBS)) {
      settings.put(Feature.LOGPROBS, Body.of(true));
    }
    var choice = request.toolChoice();
    if (tools.isEmpty() || (choice != null && choice.mode() == Mode.NONE)) {
      settings.remove(Feature.PARALLEL_TOOLS);
    }
    return settings;
  }

  private static @Nullable Format format(@Nullable Format format) {
    return format instanceof Format.Schema schema
        ? new Format.Schema(null, null, schema.schema(), null)
        : format;
  }

  /** Of efforts, those that every dialect has. */
  private static @Nullable Thinking thinking(@Nullable Thinking thinking) {
    if (thinking == null) {
      return null;
    }
    var effort = thinking.asEffort();
    var shown = Boolean.TRUE.equals(thinking.shown());
    if (effort == null || effort == Effort.NONE) {
      return shown ? new Thinking(null, null, true) : null;
    }
    return new Thinking(
        switch (effort) {
          case MINIMAL, LOW -> Effort.LOW;
          case XHIGH, MAX, HIGH -> Effort.HIGH;
          default -> effort;
        },
        null,
        shown ? true : null);
  }
}
