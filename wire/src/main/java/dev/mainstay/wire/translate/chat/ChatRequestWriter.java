package dev.mainstay.wire.translate.chat;

import dev.mainstay.wire.Dialect;
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

/** Writes a request of OpenAI Chat or Mistral. */
public final class ChatRequestWriter {
  /** OpenAI's limit; Mistral documents none. */
  private static final int MOST_STOPS = 4;

  private final TranslationContext context;
  private final boolean mistral;

  private ChatRequestWriter(TranslationContext context) {
    this.context = context;
    this.mistral = context.to() == Dialect.MISTRAL;
  }

  public static ObjectNode write(TranslationContext context, Request request) {
    return new ChatRequestWriter(context).write(request);
  }

  private ObjectNode write(Request request) {
    var body = Tree.object();
    body.put("model", context.model());
    body.set("messages", new RequestMessagesWriter(context).write(request.turns()));
    if (context.stream()) {
      body.put("stream", true);
      if (!mistral) {
        body.putObject("stream_options").put("include_usage", true);
      }
    }
    var choice = request.toolChoice();
    var tools = mistral && choice != null ? Names.only(request.tools(), choice) : request.tools();
    if (!tools.isEmpty()) {
      body.set("tools", tools(tools));
    }
    if (choice != null && !tools.isEmpty()) {
      body.set("tool_choice", toolChoice(choice, tools));
    }
    format(body, request.format());
    thinking(body, request.thinking());
    Settings.write(context, request.settings(), body, settings(body, request));
    return body;
  }

  /** Settings that OpenAI says in another way than the table's first word for them. */
  private Set<Feature> settings(ObjectNode body, Request request) {
    var settings = request.settings();
    var done = EnumSet.of(Feature.STORE);
    if (settings.get(Feature.MAX_TOKENS) instanceof JsonNode most) {
      boolean old = mistral || !Models.openAiReasons(context.model());
      body.set(old ? "max_tokens" : "max_completion_tokens", most);
      done.add(Feature.MAX_TOKENS);
    }
    if (settings.get(Feature.STOP) instanceof ArrayNode stops) {
      body.set("stop", mistral ? stops : Names.most(context, stops, MOST_STOPS));
      done.add(Feature.STOP);
    }
    if (settings.get(Feature.PARALLEL_TOOLS) != null && request.tools().isEmpty()) {
      // OpenAI refuses it without tools.
      done.add(Feature.PARALLEL_TOOLS);
    }
    if (settings.get(Feature.STORE) instanceof JsonNode store) {
      Settings.lose(context, Feature.STORE, store);
    }
    if (settings.get(Feature.TOP_LOGPROBS) != null && !settings.containsKey(Feature.LOGPROBS)) {
      body.put("logprobs", true);
    }
    return done;
  }

  private ArrayNode tools(List<Tool> tools) {
    var list = Tree.array();
    for (var tool : tools) {
      Names.check(context, tool, Names.OPENAI);
      var kind = kind(tool.custom() != null);
      describe(tool, list.addObject().put("type", kind).putObject(kind).put("name", tool.name()));
      if (tool.cache() != null) {
        context.lose(Feature.CACHE_CONTROL, tool);
      }
    }
    return list;
  }

  private void describe(Tool tool, ObjectNode fields) {
    if (tool.description() != null) {
      fields.put("description", tool.description());
    }
    if (tool.custom() != null) {
      if (tool.custom().grammar() != null) {
        fields.putObject("format").put("type", "grammar").set("grammar", tool.custom().grammar());
      }
      return;
    }
    if (tool.schema() != null) {
      fields.set("parameters", tool.schema());
    } else if (mistral) {
      fields.putObject("parameters").put("type", "object").putObject("properties");
    }
    if (tool.strict() != null) {
      fields.put("strict", tool.strict());
    }
  }

  private JsonNode toolChoice(ToolChoice choice, List<Tool> tools) {
    return choice.inOpenAi(
        name -> named(name, tools),
        mode -> {
          if (mistral) {
            // The other tools are not offered.
            return Body.of(mode);
          }
          var written = Tree.object().put("type", "allowed_tools");
          var allowed = written.putObject("allowed_tools").put("mode", mode).putArray("tools");
          choice.only().forEach(name -> allowed.add(named(name, tools)));
          return written;
        });
  }

  private static ObjectNode named(String name, List<Tool> tools) {
    var kind = kind(CustomTool.isOne(name, tools));
    var tool = Tree.object().put("type", kind);
    tool.putObject(kind).put("name", name);
    return tool;
  }

  private static String kind(boolean custom) {
    return custom ? "custom" : "function";
  }

  private static void format(ObjectNode body, @Nullable Format format) {
    switch (format) {
      case null -> {}
      case Format.Json _ -> body.putObject("response_format").put("type", "json_object");
      case Format.Schema schema -> {
        var written = body.putObject("response_format").put("type", "json_schema");
        var inner = written.putObject("json_schema");
        inner.put("name", schema.name() == null ? "answer" : schema.name());
        if (schema.description() != null) {
          inner.put("description", schema.description());
        }
        inner.set("schema", schema.schema());
        if (schema.strict() != null) {
          inner.put("strict", schema.strict());
        }
      }
    }
  }

  private void thinking(ObjectNode body, @Nullable Thinking thinking) {
    if (thinking == null) {
      return;
    }
    if (Boolean.TRUE.equals(thinking.shown())) {
      context.lose(Feature.REASONING_SHOWN, thinking);
    }
    if (Efforts.fit(context, thinking) instanceof Effort effort) {
      body.put("reasoning_effort", effort.name().toLowerCase(Locale.ROOT));
    }
  }
}
