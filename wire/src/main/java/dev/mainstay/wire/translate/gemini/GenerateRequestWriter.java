package dev.mainstay.wire.translate.gemini;

import dev.mainstay.wire.json.Tree;
import dev.mainstay.wire.translate.request.Body;
import dev.mainstay.wire.translate.request.Efforts;
import dev.mainstay.wire.translate.request.Feature;
import dev.mainstay.wire.translate.request.Format;
import dev.mainstay.wire.translate.request.Models;
import dev.mainstay.wire.translate.request.Names;
import dev.mainstay.wire.translate.request.Request;
import dev.mainstay.wire.translate.request.Schemas;
import dev.mainstay.wire.translate.request.Settings;
import dev.mainstay.wire.translate.request.Thinking;
import dev.mainstay.wire.translate.request.Thinking.Effort;
import dev.mainstay.wire.translate.request.Tool;
import dev.mainstay.wire.translate.request.ToolChoice.Mode;
import dev.mainstay.wire.translate.request.TranslationContext;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** Writes a request of Gemini's generateContent; model and stream are said in the path. */
public final class GenerateRequestWriter {
  private static final int MOST_STOPS = 5;
  private static final int GEMINI_2_5 = 205;

  /** The most and the least that models of 2.5 think, and the least that Pro cannot go below. */
  private static final long MOST_FLASH = 24_576;

  private static final long MOST_PRO = 32_768;
  private static final long LEAST_PRO = 128;
  private static final long LEAST_LITE = 512;

  private final TranslationContext context;
  private final int version;

  private GenerateRequestWriter(TranslationContext context) {
    this.context = context;
    this.version = Models.gemini(context.model());
  }

  public static ObjectNode write(TranslationContext context, Request request) {
    return new GenerateRequestWriter(context).write(request);
  }

  private ObjectNode write(Request request) {
    var body = Tree.object();
    new GenerateContentsWriter(context).write(request.turns(), body);
    tools(body, request);
    format(body, request);
    if (request.thinking() instanceof Thinking thinking) {
      thinking(body, thinking);
    }
    Settings.write(context, request.settings(), body, settings(body, request));
    return body;
  }

  private Set<Feature> settings(ObjectNode body, Request request) {
    var settings = request.settings();
    var done = EnumSet.of(Feature.STORE);
    if (settings.get(Feature.STOP) instanceof ArrayNode stops) {
      done.add(Feature.STOP);
      var kept = Names.most(context, stops, MOST_STOPS);
      if (!kept.isEmpty()) {
        Body.child(body, "generationConfig").set("stopSequences", kept);
      }
    }
    if (settings.containsKey(Feature.TOP_LOGPROBS) && !settings.containsKey(Feature.LOGPROBS)) {
      Body.child(body, "generationConfig").put("responseLogprobs", true);
    }
    if (settings.get(Feature.STORE) instanceof JsonNode store) {
      Settings.lose(context, Feature.STORE, store);
    }
    if (settings.get(Feature.SERVICE_TIER) instanceof JsonNode tier) {
      done.add(Feature.SERVICE_TIER);
      switch (tier.asString()) {
        case "auto" -> {}
        case "default" -> body.put("serviceTier", "standard");
        case "flex", "priority" -> body.set("serviceTier", tier);
        default -> Settings.lose(context, Feature.SERVICE_TIER, tier);
      }
    }
    if (settings.containsKey(Feature.PARALLEL_TOOLS) && request.tools().isEmpty()) {
      done.add(Feature.PARALLEL_TOOLS);
    }
    return done;
  }

  private void tools(ObjectNode body, Request request) {
    var choice = request.toolChoice();
    if (!request.tools().isEmpty()) {
      var tools =
          choice != null && choice.mode() == Mode.AUTO
              ? Names.only(request.tools(), choice)
              : request.tools();
      body.putArray("tools").addObject().set("functionDeclarations", declarations(tools));
    }
    if (choice != null) {
      var config = body.putObject("toolConfig").putObject("functionCallingConfig");
      config.put(
          "mode",
          switch (choice.mode()) {
            case AUTO -> "AUTO";
            case NONE -> "NONE";
            case REQUIRED -> "ANY";
          });
      if (choice.mode() == Mode.REQUIRED && !choice.only().isEmpty()) {
        var names = config.putArray("allowedFunctionNames");
        choice.only().forEach(names::add);
      }
    }
  }

  private ArrayNode declarations(List<Tool> tools) {
    var list = Tree.array();
    for (var tool : tools) {
      Names.check(context, tool, Names.GEMINI);
      var written = list.addObject().put("name", tool.name());
      if (tool.description() != null) {
        written.put("description", tool.description());
      }
      var schema = tool.schema();
      if (schema != null && !schema.path("properties").isEmpty()) {
        written.set("parametersJsonSchema", Schemas.gemini(context, schema, context.place(tool)));
      }
      if (Boolean.TRUE.equals(tool.strict())) {
        context.lose(Feature.TOOL_STRICT, tool);
      }
      if (tool.cache() != null) {
        context.lose(Feature.CACHE_CONTROL, tool);
      }
    }
    return list;
  }

  /** Before Gemini 3 an answer in JSON excludes tools. */
  private void format(ObjectNode body, Request request) {
    var format = request.format();
    if (format == null) {
      return;
    }
    if (version != Models.UNKNOWN
        && version < GenerateContentsWriter.GEMINI_3
        && !request.tools().isEmpty()) {
      context.lose(format instanceof Format.Json ? Feature.JSON_MODE : Feature.JSON_SCHEMA, format);
      return;
    }
    var config = Body.child(body, "generationConfig").put("responseMimeType", "application/json");
    if (format instanceof Format.Schema schema) {
      config.set(
          "responseJsonSchema", Schemas.gemini(context, schema.schema(), context.place(schema)));
    }
  }

  private void thinking(ObjectNode body, Thinking thinking) {
    var effort = thinking.asEffort();
    var budget = thinking.asBudget();
    if (version != Models.UNKNOWN && version < GEMINI_2_5) {
      if (effort != null && effort != Effort.NONE) {
        context.lose(Feature.REASONING_EFFORT, thinking);
      }
      return;
    }
    var written = Tree.object();
    if (version == GEMINI_2_5) {
      budget(thinking, budget, written);
    } else {
      // Gemini 3 cannot be told not to think.
      if (Efforts.fit(context, thinking) instanceof Effort level) {
        written.put("thinkingLevel", level.name());
      }
    }
    if (thinking.shown() != null) {
      written.put("includeThoughts", thinking.shown());
    }
    if (!written.isEmpty()) {
      Body.child(body, "generationConfig").set("thinkingConfig", written);
    }
  }

  private void budget(Thinking thinking, @Nullable Long budget, ObjectNode written) {
    if (budget == null) {
      return;
    }
    boolean pro = context.model().contains("pro");
    long least = pro ? LEAST_PRO : context.model().contains("lite") ? LEAST_LITE : 0;
    long said = budget;
    if (said >= 0) {
      said = Math.min(said, pro ? MOST_PRO : MOST_FLASH);
      said = said == 0 && !pro ? 0 : Math.max(said, least);
    }
    if (budget == 0 && said > 0) {
      context.lose(Feature.REASONING_EFFORT, thinking);
    }
    written.put("thinkingBudget", said);
  }
}
