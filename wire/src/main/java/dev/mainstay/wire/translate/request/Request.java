package dev.mainstay.wire.translate.request;

import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * What a request asks for, in no dialect. Immutable.
 *
 * @param toolChoice null where not said
 * @param settings the values of the table's rows that are settings, as JSON
 * @param format null for plain text
 * @param thinking null where not said
 */
public record Request(
    List<Turn> turns,
    List<Tool> tools,
    @Nullable ToolChoice toolChoice,
    Map<Feature, JsonNode> settings,
    @Nullable Format format,
    @Nullable Thinking thinking) {
  public Request {
    turns = List.copyOf(turns);
    tools = List.copyOf(tools);
    var copy = new EnumMap<Feature, JsonNode>(Feature.class);
    copy.putAll(settings);
    settings = Collections.unmodifiableMap(copy);
  }

  /** The same with functions in the place of custom tools. */
  public Request withoutCustomTools(TranslationContext context) {
    return tools.stream().allMatch(tool -> tool.custom() == null)
        ? this
        : new Request(
            turns,
            tools.stream().map(tool -> CustomTool.asFunction(context, tool)).toList(),
            toolChoice,
            settings,
            format,
            thinking);
  }
}
