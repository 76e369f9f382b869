package dev.mainstay.wire.translate.gemini;

import dev.mainstay.wire.translate.request.Body;
import dev.mainstay.wire.translate.request.Feature;
import dev.mainstay.wire.translate.request.Format;
import dev.mainstay.wire.translate.request.Node;
import dev.mainstay.wire.translate.request.Request;
import dev.mainstay.wire.translate.request.Schemas;
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
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Reads a request of Gemini's generateContent, in camel case or with underscores. */
public final class GenerateRequestReader {
  private static final Set<String> READ_HERE =
      Set.of("model", "contents", "systemInstruction", "tools", "toolConfig", "generationConfig");

  private static final Set<String> CONFIGURED_HERE =
      Set.of(
          "responseMimeType",
          "responseSchema",
          "responseJsonSchema",
          "_responseJsonSchema",
          "thinkingConfig");

  private final TranslationContext context;

  private GenerateRequestReader(TranslationContext context) {
    this.context = context;
  }

  public static Request read(TranslationContext context, ObjectNode body) {
    return new GenerateRequestReader(context).read(Node.root(CamelCase.of(body)));
  }

  private Request read(Node body) {
    var settings = Settings.read(context, body, Set.of());
    Settings.onlyText(context, settings);
    tier(settings);
    Settings.unknown(context, body, READ_HERE);
    var config = body.get("generationConfig");
    if (config != null) {
      Settings.unknown(context, config, CONFIGURED_HERE);
    }
    var turns = new ArrayList<Turn>();
    var contents = new GenerateContents(context);
    if (body.get("systemInstruction") instanceof Node system) {
      turns.add(contents.system(system));
    }
    turns.addAll(contents.read(body.require("contents")));
    var functions =
        body.get("toolConfig") instanceof Node tool ? tool.get("functionCallingConfig") : null;
    return new Request(
        turns,
        tools(body.get("tools")),
        functions == null ? null : toolChoice(functions),
        settings,
        config == null ? null : format(config),
        config == null ? null : thinking(config.get("thinkingConfig")));
  }

  private static void tier(EnumMap<Feature, JsonNode> settings) {
    if (settings.get(Feature.SERVICE_TIER) instanceof JsonNode tier) {
      var word = tier.asString().toLowerCase(Locale.ROOT).replace("service_tier_", "");
      settings.put(
          Feature.SERVICE_TIER,
          Body.of(
              switch (word) {
                case "standard" -> "default";
                case "unspecified" -> "auto";
                default -> word;
              }));
    }
  }

  private List<Tool> tools(@Nullable Node tools) {
    var read = new ArrayList<Tool>();
    if (tools != null) {
      for (var tool : tools.elements()) {
        for (var kind : tool.fields()) {
          if (kind.name().equals("functionDeclarations")) {
            kind.value().elements().forEach(function -> read.add(tool(function)));
          } else {
            context.lose(Feature.BUILT_IN_TOOLS, kind.value().path());
          }
        }
      }
    }
    return read;
  }

  private Tool tool(Node function) {
    var schema = function.get("parametersJsonSchema");
    var older = function.get("parameters");
    ObjectNode parameters = null;
    if (schema != null) {
      parameters = schema.object();
    } else if (older != null) {
      parameters = Schemas.ofOpenApi(older.object());
    }
    return context.at(
        function,
        new Tool(
            function.require("name").string(),
            function.string("description"),
            parameters,
            null,
            null));
  }

  private ToolChoice toolChoice(Node config) {
    var mode = config.get("mode");
    var said =
        mode == null
            ? Mode.AUTO
            : switch (mode.string().toUpperCase(Locale.ROOT)) {
              case "AUTO", "VALIDATED", "MODE_UNSPECIFIED" -> Mode.AUTO;
              case "ANY" -> Mode.REQUIRED;
              case "NONE" -> Mode.NONE;
              default -> throw mode.wrong("AUTO, ANY, NONE or VALIDATED");
            };
    var only = new ArrayList<String>();
    if (config.get("allowedFunctionNames") instanceof Node names) {
      names.elements().forEach(name -> only.add(name.string()));
    }
    return context.at(config, new ToolChoice(said, only));
  }

  private @Nullable Format format(Node config) {
    var type = config.string("responseMimeType");
    var schema = config.get("responseJsonSchema", "_responseJsonSchema");
    var older = config.get("responseSchema");
    if (schema != null) {
      return context.at(schema, new Format.Schema(null, null, schema.object(), null));
    }
    if (older != null) {
      return context.at(
          older, new Format.Schema(null, null, Schemas.ofOpenApi(older.object()), null));
    }
    return switch (type) {
      case null -> null;
      case "text/plain" -> null;
      case "application/json" -> context.at(config, new Format.Json());
      default ->
          throw context.refuse(
              Feature.JSON_MODE,
              config.path() + ".responseMimeType",
              "this type of answer cannot be asked for");
    };
  }

  private @Nullable Thinking thinking(@Nullable Node thinking) {
    if (thinking == null) {
      return null;
    }
    var level = thinking.get("thinkingLevel");
    var budget = thinking.get("thinkingBudget");
    return context.at(
        thinking,
        new Thinking(
            level == null || level.string().endsWith("UNSPECIFIED") ? null : Thinking.effort(level),
            budget == null ? null : budget.integer(),
            thinking.bool("includeThoughts")));
  }
}
