package dev.mainstay.wire.translate.responses;

import dev.mainstay.wire.json.Tree;
import dev.mainstay.wire.translate.request.Body;
import dev.mainstay.wire.translate.request.CustomTool;
import dev.mainstay.wire.translate.request.Efforts;
import dev.mainstay.wire.translate.request.Feature;
import dev.mainstay.wire.translate.request.Format;
import dev.mainstay.wire.translate.request.Models;
import dev.mainstay.wire.translate.request.Names;
import dev.mainstay.wire.translate.request.Request;
import dev.mainstay.wire.translate.request.Settings;
import dev.mainstay.wire.translate.request.Thinking;
import dev.mainstay.wire.translate.request.Thinking.Effort;
import dev.mainstay.wire.translate.request.Tool;
import dev.mainstay.wire.translate.request.ToolChoice;
import dev.mainstay.wire.translate.request.TranslationContext;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** Writes a request of OpenAI Responses, of which the provider keeps nothing. */
public final class ResponsesRequestWriter {
  /** OpenAI refuses a smaller {@code max_output_tokens}. */
  private static final int LEAST_TOKENS = 16;

  private final TranslationContext context;

  private ResponsesRequestWriter(TranslationContext context) {
    this.context = context;
  }

  public static ObjectNode write(TranslationContext context, Request request) {
    return new ResponsesRequestWriter(context).write(request);
  }

  private ObjectNode write(Request request) {
    var body = Tree.object();
    body.put("model", context.model());
    if (context.stream()) {
      body.put("stream", true);
    }
    body.put("store", false);
    new ResponsesItemsWriter(context).write(request.turns(), body);
    if (!request.tools().isEmpty()) {
      body.set("tools", tools(request.tools()));
    }
    if (request.toolChoice() instanceof ToolChoice choice && !request.tools().isEmpty()) {
      body.set("tool_choice", toolChoice(choice, request.tools()));
    }
    format(body, request.format());
    thinking(body, request.thinking());
    Settings.write(context, request.settings(), body, settings(body, request));
    return body;
  }

  private Set<Feature> settings(ObjectNode body, Request request) {
    var settings = request.settings();
    var done = EnumSet.of(Feature.STORE, Feature.LOGPROBS);
    if (settings.get(Feature.MAX_TOKENS) instanceof JsonNode most && most.asLong() < LEAST_TOKENS) {
      Settings.lose(context, Feature.MAX_TOKENS, most);
      body.put("max_output_tokens", LEAST_TOKENS);
      done.add(Feature.MAX_TOKENS);
    }
    var include = Tree.array();
    if (Models.openAiReasons(context.model())) {
      // Without it the reasoning could not be sent back, since the provider keeps nothing.
      include.add("reasoning.encrypted_content");
    }
    if (settings.get(Feature.LOGPROBS) instanceof JsonNode wanted && wanted.booleanValue()) {
      include.add(ResponsesRequestReader.LOGPROBS);
    }
    if (!include.isEmpty()) {
      body.set("include", include);
    }
    if (settings.get(Feature.STORE) instanceof JsonNode store) {
      Settings.lose(context, Feature.STORE, store);
    }
    return done;
  }

  private ArrayNode tools(List<Tool> tools) {
    var list = Tree.array();
    for (var tool : tools) {
      Names.check(context, tool, Names.OPENAI);
      var written = named(tool.name(), tools);
      list.add(written);
      if (tool.description() != null) {
        written.put("description", tool.description());
      }
      if (tool.custom() != null) {
        format(tool.custom(), written);
      } else {
        parameters(tool, written);
      }
      if (tool.cache() != null) {
        context.lose(Feature.CACHE_CONTROL, tool);
      }
    }
    return list;
  }

  private static void format(CustomTool custom, ObjectNode written) {
    if (custom.grammar() != null) {
      written.putObject("format").put("type", "grammar").setAll(custom.grammar());
    }
  }

  private static void parameters(Tool tool, ObjectNode written) {
    if (tool.schema() == null) {
      written.putObject("parameters").put("type", "object").putObject("properties");
    } else {
      written.set("parameters", tool.schema());
    }
    // Here strict is the default, elsewhere it is not.
    written.put("strict", Boolean.TRUE.equals(tool.strict()));
  }

  private static JsonNode toolChoice(ToolChoice choice, List<Tool> tools) {
    return choice.inOpenAi(
        name -> named(name, tools),
        mode -> {
          var written = Tree.object().put("type", "allowed_tools").put("mode", mode);
          var allowed = written.putArray("tools");
          choice.only().forEach(name -> allowed.add(named(name, tools)));
          return written;
        });
  }

  private static ObjectNode named(String name, List<Tool> tools) {
    return Tree.object()
        .put("type", CustomTool.isOne(name, tools) ? "custom" : "function")
        .put("name", name);
  }

  private static void format(ObjectNode body, @Nullable Format format) {
    switch (format) {
      case null -> {}
      case Format.Json _ -> Body.child(body, "text").putObject("format").put("type", "json_object");
      case Format.Schema schema -> {
        var written = Body.child(body, "text").putObject("format").put("type", "json_schema");
        written.put("name", schema.name() == null ? "answer" : schema.name());
        if (schema.description() != null) {
          written.put("description", schema.description());
        }
        written.set("schema", schema.schema());
        // Here too strict is the default.
        written.put("strict", Boolean.TRUE.equals(schema.strict()));
      }
    }
  }

  private void thinking(ObjectNode body, @Nullable Thinking thinking) {
    if (thinking == null) {
      return;
    }
    var written = Tree.object();
    if (Efforts.fit(context, thinking) instanceof Effort effort) {
      written.put("effort", effort.name().toLowerCase(Locale.ROOT));
    }
    if (Boolean.TRUE.equals(thinking.shown()) && !Models.openAiNeverReasons(context.model())) {
      written.put("summary", "auto");
    }
    if (!written.isEmpty()) {
      body.set("reasoning", written);
    }
  }
}
