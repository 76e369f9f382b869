package dev.mainstay.wire.repair;

import dev.mainstay.wire.Dialect;
import dev.mainstay.wire.json.Json;
import dev.mainstay.wire.repair.OfferedTool.Kind;
import dev.mainstay.wire.translate.request.CustomTool;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.databind.JsonNode;

/** Reads the fields of a request that speak of tools and of the answer's form, and no others. */
final class OfferReader {
  /** Larger than any list of tools; beyond it nothing is known, and no name is wrong. */
  private static final int MAX_LENGTH = 4 << 20;

  private final Dialect dialect;
  private final List<OfferedTool> tools = new ArrayList<>();
  private final Set<String> allowed = new LinkedHashSet<>();
  private boolean open;
  private boolean oneCallAtMost;
  private boolean allStrict;
  private ToolChoice choice = new ToolChoice.Auto();
  private AnswerFormat format = new AnswerFormat.Free();

  OfferReader(Dialect dialect) {
    this.dialect = dialect;
  }

  OfferedTools read(byte[] body) {
    try (var p = Json.parser(body)) {
      p.nextToken();
      Json.fields(p, (name, value) -> field(name, value, body));
    } catch (JacksonException e) {
      // A body that cannot be read never got as far as an answer; what was read stands.
    }
    if (allStrict) {
      tools.replaceAll(tool -> new OfferedTool(tool.name(), tool.kind(), tool.schema(), true));
    }
    return new OfferedTools(dialect, tools, open, oneCallAtMost, choice, allowed, format);
  }

  private void field(String name, JsonParser p, byte[] body) {
    switch (dialect) {
      case OPENAI_CHAT, MISTRAL -> {
        switch (name) {
          case "tools" -> each(tree(p, body), this::chatTool);
          case "functions" -> each(tree(p, body), this::function);
          case "tool_choice", "function_call" -> openAiChoice(tree(p, body));
          case "response_format" -> openAiFormat(tree(p, body), "json_schema");
          case "parallel_tool_calls" -> oneCallAtMost = p.currentToken() == JsonToken.VALUE_FALSE;
          default -> {}
        }
      }
      case OPENAI_RESPONSES -> {
        switch (name) {
          case "tools" -> each(tree(p, body), this::responsesTool);
          case "tool_choice" -> openAiChoice(tree(p, body));
          case "text" -> {
            var text = tree(p, body);
            openAiFormat(text == null ? null : text.get("format"), null);
          }
          case "parallel_tool_calls" -> oneCallAtMost = p.currentToken() == JsonToken.VALUE_FALSE;
          // A prompt that the provider keeps may bring tools of its own.
          case "prompt" -> open |= p.currentToken() != JsonToken.VALUE_NULL;
          default -> {}
        }
      }
      case ANTHROPIC -> {
        switch (name) {
          case "tools" -> each(tree(p, body), this::anthropicTool);
          case "tool_choice" -> anthropicChoice(tree(p, body));
          case "output_format" -> anthropicFormat(tree(p, body));
          case "output_config" -> {
            var config = tree(p, body);
            anthropicFormat(config == null ? null : config.get("format"));
          }
          default -> {}
        }
      }
      case GEMINI -> {
        switch (name) {
          case "tools" -> each(tree(p, body), this::geminiTool);
          case "toolConfig", "tool_config" -> geminiChoice(tree(p, body));
          case "generationConfig", "generation_config" -> geminiFormat(tree(p, body));
          case "cachedContent", "cached_content" ->
              open |= p.currentToken() != JsonToken.VALUE_NULL;
          default -> {}
        }
      }
    }
  }

  private @Nullable JsonNode tree(JsonParser p, byte[] body) {
    int start = Json.start(p);
    int length = Json.end(p) - start;
    open |= length > MAX_LENGTH;
    return length > MAX_LENGTH ? null : Trees.read(body, start, length);
  }

  private static void each(@Nullable JsonNode list, Consumer<JsonNode> visitor) {
    if (list != null && list.isArray()) {
      list.forEach(visitor);
    } else if (list != null && list.isObject()) {
      visitor.accept(list); // Google's JSON reads one where a list is due
    }
  }

  private void chatTool(JsonNode tool) {
    var type = Trees.text(tool, "type");
    if (tool.has("function")) {
      if (type == null || type.equals("function")) {
        function(tool.get("function"));
      } else {
        builtIn(Trees.text(tool.get("function"), "name"));
        open = true;
      }
    } else if ("function".equals(type)) {
      function(tool);
    } else if ("custom".equals(type)) {
      var custom = tool.get("custom");
      custom(Trees.text(custom == null ? tool : custom, "name"));
    } else {
      builtIn(Trees.text(tool, "name"));
      builtIn(type);
      // Chat has no word for a provider's own tools, so their calls look like any other, under
      // names that only the provider knows (Groq's browser.open, Moonshot's $web_search).
      open = true;
    }
  }

  private void responsesTool(JsonNode tool) {
    switch (Trees.text(tool, "type")) {
      case "function" -> function(tool);
      case "custom" -> custom(Trees.text(tool, "name"));
      case "namespace" -> each(tool.get("tools"), this::responsesTool);
      case "tool_search" -> open = true;
      case null -> function(tool);
      default -> {
        builtIn(Trees.text(tool, "name"));
        builtIn(Trees.text(tool, "type"));
      }
    }
  }

  private void anthropicTool(JsonNode tool) {
    var type = Trees.text(tool, "type");
    var name = Trees.text(tool, "name");
    if (type == null || type.equals("custom")) {
      add(name, tool.get("input_schema"), Trees.isTrue(tool, "strict"));
    } else {
      builtIn(name);
    }
  }

  private void geminiTool(JsonNode tool) {
    each(
        Trees.first(tool, "functionDeclarations", "function_declarations"),
        declared ->
            add(
                Trees.text(declared, "name"),
                Trees.first(
                    declared, "parametersJsonSchema", "parameters_json_schema", "parameters"),
                false));
    // Its functions (click_at, type_text_at, ...) are the model's own.
    open |= Trees.first(tool, "computerUse", "computer_use") != null;
  }

  private void function(JsonNode function) {
    add(Trees.text(function, "name"), function.get("parameters"), Trees.isTrue(function, "strict"));
  }

  private void add(@Nullable String name, @Nullable JsonNode schema, boolean strict) {
    var usable = schema != null && (schema.isObject() || schema.isBoolean()) ? schema : null;
    add(name, Kind.FUNCTION, usable, strict);
  }

  private void builtIn(@Nullable String name) {
    add(name, Kind.BUILT_IN, null, false);
  }

  private void custom(@Nullable String name) {
    add(name, Kind.CUSTOM, CustomTool.schema(), true);
  }

  private void add(@Nullable String name, Kind kind, @Nullable JsonNode schema, boolean strict) {
    if (name != null && !name.isEmpty()) {
      tools.add(new OfferedTool(name, kind, schema, strict));
    }
  }

  private void openAiChoice(@Nullable JsonNode said) {
    if (said == null) {
      return;
    }
    if (said.isString()) {
      choice =
          switch (said.stringValue()) {
            case "none" -> new ToolChoice.None();
            case "required", "any" -> new ToolChoice.Any();
            default -> new ToolChoice.Auto();
          };
      return;
    }
    if ("allowed_tools".equals(Trees.text(said, "type"))) {
      var inner = said.has("allowed_tools") ? said.get("allowed_tools") : said;
      each(inner.get("tools"), tool -> note(allowed, functionName(tool)));
      if ("required".equals(Trees.text(inner, "mode"))) {
        choice = new ToolChoice.Any();
      }
      return;
    }
    var name = functionName(said);
    if (name != null) {
      choice = new ToolChoice.Forced(name);
    }
  }

  private static @Nullable String functionName(JsonNode tool) {
    var inner = Trees.first(tool, "function", "custom");
    return Trees.text(inner == null ? tool : inner, "name");
  }

  private static void note(Set<String> names, @Nullable String name) {
    if (name != null) {
      names.add(name);
    }
  }

  private void anthropicChoice(@Nullable JsonNode said) {
    oneCallAtMost = Trees.isTrue(said, "disable_parallel_tool_use");
    var name = Trees.text(said, "name");
    choice =
        switch (Trees.text(said, "type")) {
          case "none" -> new ToolChoice.None();
          case "any" -> new ToolChoice.Any();
          case "tool" -> name == null ? new ToolChoice.Any() : new ToolChoice.Forced(name);
          case null, default -> new ToolChoice.Auto();
        };
  }

  private void geminiChoice(@Nullable JsonNode config) {
    var calling = Trees.first(config, "functionCallingConfig", "function_calling_config");
    each(
        Trees.first(calling, "allowedFunctionNames", "allowed_function_names"),
        name -> note(allowed, name.isString() ? name.stringValue() : null));
    switch (Trees.text(calling, "mode")) {
      case "NONE" -> choice = new ToolChoice.None();
      case "ANY" ->
          choice =
              allowed.size() == 1
                  ? new ToolChoice.Forced(allowed.iterator().next())
                  : new ToolChoice.Any();
      case "VALIDATED" -> allStrict = true;
      case null, default -> {}
    }
  }

  private void openAiFormat(@Nullable JsonNode said, @Nullable String within) {
    switch (Trees.text(said, "type")) {
      case "json_object" -> format = new AnswerFormat.Json(null, false);
      case "json_schema" -> {
        var inner = within == null || said == null ? said : said.get(within);
        json(Trees.first(inner, "schema", "schema_definition"), Trees.isTrue(inner, "strict"));
      }
      case null, default -> {}
    }
  }

  private void anthropicFormat(@Nullable JsonNode said) {
    if ("json_schema".equals(Trees.text(said, "type"))) {
      json(Trees.first(said, "schema"), true);
    }
  }

  private void geminiFormat(@Nullable JsonNode config) {
    var mime = Trees.first(config, "responseMimeType", "response_mime_type");
    if (mime != null && "application/json".equals(mime.stringValue(null))) {
      var schema =
          Trees.first(
              config,
              "responseJsonSchema",
              "response_json_schema",
              "responseSchema",
              "response_schema");
      json(schema, schema != null);
    }
  }

  private void json(@Nullable JsonNode schema, boolean strict) {
    format = new AnswerFormat.Json(schema, strict && schema != null);
  }
}
