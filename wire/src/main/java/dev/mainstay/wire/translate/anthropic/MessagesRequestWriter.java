package dev.mainstay.wire.translate.anthropic;

import dev.mainstay.wire.json.Tree;
import dev.mainstay.wire.translate.request.Body;
import dev.mainstay.wire.translate.request.Feature;
import dev.mainstay.wire.translate.request.Format;
import dev.mainstay.wire.translate.request.Models;
import dev.mainstay.wire.translate.request.Names;
import dev.mainstay.wire.translate.request.Part;
import dev.mainstay.wire.translate.request.Request;
import dev.mainstay.wire.translate.request.Schemas;
import dev.mainstay.wire.translate.request.Settings;
import dev.mainstay.wire.translate.request.Tool;
import dev.mainstay.wire.translate.request.ToolChoice;
import dev.mainstay.wire.translate.request.ToolChoice.Mode;
import dev.mainstay.wire.translate.request.TranslationContext;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** Writes a request of Anthropic's Messages. */
public final class MessagesRequestWriter {
  /** Claude 4.1 is the first that enforces the schemas of tools. */
  private static final int FIRST_WITH_STRICT = 401;

  /** From Claude 4.7 on, requests with these parameters are refused. */
  private static final int FIRST_WITHOUT_SAMPLING = 407;

  private final TranslationContext context;
  private final int version;

  private MessagesRequestWriter(TranslationContext context) {
    this.context = context;
    this.version = Models.claude(context.model());
  }

  public static ObjectNode write(TranslationContext context, Request request) {
    return new MessagesRequestWriter(context).write(request);
  }

  private ObjectNode write(Request request) {
    var body = Tree.object();
    body.put("model", context.model());
    var settings = request.settings();
    var most = settings.get(Feature.MAX_TOKENS);
    long maxTokens =
        most == null ? Models.claudeOutput(context.model()) : Math.max(1, most.asLong());
    body.put("max_tokens", maxTokens);
    if (context.stream()) {
      body.put("stream", true);
    }
    new RequestBlocksWriter(context).write(request.turns(), body);
    tools(body, request);
    boolean thinks = AnthropicThinking.write(context, request, maxTokens, body);
    format(body, request.format());
    var done = EnumSet.of(Feature.MAX_TOKENS, Feature.PARALLEL_TOOLS);
    sampling(request, thinks, body, done);
    stops(settings.get(Feature.STOP), body, done);
    identity(request, body, done);
    Settings.write(context, settings, body, done);
    return body;
  }

  private void tools(ObjectNode body, Request request) {
    var choice = request.toolChoice();
    var tools = choice == null ? request.tools() : Names.only(request.tools(), choice);
    boolean none = tools.isEmpty();
    if (none) {
      // Calls in the history want their tools declared, if only to forbid them.
      tools = toolsOfHistory(request);
    }
    if (tools.isEmpty()) {
      return;
    }
    body.set("tools", tools(tools));
    boolean single =
        request.settings().get(Feature.PARALLEL_TOOLS) instanceof JsonNode parallel
            && !parallel.booleanValue();
    var written = none ? ToolChoice.of(Mode.NONE) : choice;
    if (written == null && !single) {
      return;
    }
    var said = body.putObject("tool_choice");
    var mode = written == null ? Mode.AUTO : written.mode();
    switch (mode) {
      case NONE -> said.put("type", "none");
      case AUTO -> said.put("type", "auto");
      case REQUIRED -> {
        if (written != null && written.only().size() == 1) {
          said.put("type", "tool").put("name", written.only().getFirst());
        } else {
          said.put("type", "any");
        }
      }
    }
    if (single && mode != Mode.NONE) {
      said.put("disable_parallel_tool_use", true);
    }
  }

  private static List<Tool> toolsOfHistory(Request request) {
    var names = new LinkedHashSet<String>();
    for (var turn : request.turns()) {
      for (var part : turn.parts()) {
        if (part instanceof Part.ToolCall call) {
          names.add(call.name());
        }
      }
    }
    var tools = new ArrayList<Tool>();
    names.forEach(name -> tools.add(new Tool(name, null, null, null, null)));
    return tools;
  }

  private ArrayNode tools(List<Tool> tools) {
    var list = Tree.array();
    for (var tool : tools) {
      Names.check(context, tool, Names.ANTHROPIC);
      var written = list.addObject().put("name", tool.name());
      if (tool.description() != null) {
        written.put("description", tool.description());
      }
      boolean strict = Boolean.TRUE.equals(tool.strict());
      if (strict && version != Models.UNKNOWN && version < FIRST_WITH_STRICT) {
        context.lose(Feature.TOOL_STRICT, tool);
        strict = false;
      }
      written.set("input_schema", schema(tool, strict));
      if (strict) {
        written.put("strict", true);
      }
      if (tool.cache() != null) {
        var mark = written.putObject("cache_control").put("type", "ephemeral");
        if (tool.cache().lasting()) {
          mark.put("ttl", "1h");
        }
      }
    }
    return list;
  }

  private ObjectNode schema(Tool tool, boolean strict) {
    var schema = tool.schema();
    if (schema == null || schema.isEmpty()) {
      var none = Tree.object().put("type", "object");
      none.putObject("properties");
      if (strict) {
        none.put("additionalProperties", false);
      }
      return none;
    }
    var written =
        strict ? Schemas.anthropic(context, schema, context.place(tool)) : schema.deepCopy();
    if (!written.has("type")) {
      written.put("type", "object");
    }
    return written;
  }

  private void format(ObjectNode body, @Nullable Format format) {
    switch (format) {
      case null -> {}
      case Format.Json json -> context.lose(Feature.JSON_MODE, json);
      case Format.Schema schema -> {
        var written = Body.child(body, "output_config").putObject("format");
        written.put("type", "json_schema");
        written.set("schema", Schemas.anthropic(context, schema.schema(), context.place(schema)));
      }
    }
  }

  /** Temperature ends at 1; thinking and newer models leave no choice. */
  private void sampling(Request request, boolean thinks, ObjectNode body, Set<Feature> done) {
    var settings = request.settings();
    var temperature = settings.get(Feature.TEMPERATURE);
    boolean fixed = thinks || version >= FIRST_WITHOUT_SAMPLING;
    for (var feature : List.of(Feature.TEMPERATURE, Feature.TOP_P, Feature.TOP_K)) {
      if (settings.get(feature) instanceof JsonNode value) {
        boolean one = feature != Feature.TOP_K && value.asDouble() == 1;
        boolean second =
            feature == Feature.TOP_P && temperature != null && version >= FIRST_WITH_STRICT;
        if (fixed || second) {
          done.add(feature);
          if (!one) {
            Settings.lose(context, feature, value);
          }
        }
      }
    }
    if (temperature != null && !done.contains(Feature.TEMPERATURE) && temperature.asDouble() > 1) {
      Settings.lose(context, Feature.TEMPERATURE, temperature);
      body.put("temperature", 1);
      done.add(Feature.TEMPERATURE);
    }
  }

  /** Stop sequences of white space alone are refused. */
  private void stops(@Nullable JsonNode stops, ObjectNode body, Set<Feature> done) {
    if (stops == null) {
      return;
    }
    done.add(Feature.STOP);
    var kept = Tree.array();
    for (var stop : stops) {
      if (stop.asString().isBlank()) {
        Settings.lose(context, Feature.STOP, stops);
      } else {
        kept.add(stop);
      }
    }
    if (!kept.isEmpty()) {
      body.set("stop_sequences", kept);
    }
  }

  private void identity(Request request, ObjectNode body, Set<Feature> done) {
    var settings = request.settings();
    if (settings.get(Feature.SAFETY_IDENTIFIER) instanceof JsonNode id
        && !settings.containsKey(Feature.USER)) {
      body.putObject("metadata").set("user_id", id);
      done.add(Feature.SAFETY_IDENTIFIER);
    }
    if (settings.get(Feature.SERVICE_TIER) instanceof JsonNode tier) {
      done.add(Feature.SERVICE_TIER);
      switch (tier.asString()) {
        case "auto" -> body.put("service_tier", "auto");
        case "default" -> body.put("service_tier", "standard_only");
        default -> Settings.lose(context, Feature.SERVICE_TIER, tier);
      }
    }
  }
}
