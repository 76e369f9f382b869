package dev.mainstay.simulator;

import static dev.mainstay.simulator.OpenAiRules.known;
import static dev.mainstay.simulator.OpenAiRules.refused;
import static dev.mainstay.simulator.OpenAiRules.required;
import static dev.mainstay.simulator.RequestJson.names;
import static dev.mainstay.simulator.RequestJson.says;
import static dev.mainstay.simulator.RequestJson.text;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import tools.jackson.databind.JsonNode;

/** What OpenAI refuses in a Chat Completions request. */
final class OpenAiChatRules {
  private static final Set<String> REQUEST =
      names(
          """
          audio frequency_penalty function_call functions logit_bias logprobs max_completion_tokens
          max_tokens messages metadata modalities model moderation n parallel_tool_calls prediction
          presence_penalty prompt_cache_key prompt_cache_options prompt_cache_retention
          reasoning_effort response_format safety_identifier seed service_tier stop store stream
          stream_options temperature tool_choice tools top_logprobs top_p user verbosity
          web_search_options
          """);
  private static final List<String> ROLES =
      List.of("system", "assistant", "user", "function", "tool", "developer");
  private static final Map<String, Set<String>> MESSAGES =
      Map.of(
          "system", names("role content name"),
          "developer", names("role content name"),
          "user", names("role content name"),
          "function", names("role content name"),
          "tool", names("role content tool_call_id"),
          "assistant",
              names("role content name audio function_call refusal tool_calls annotations"));
  private static final Map<String, Set<String>> PARTS =
      Map.of(
          "text", names("type text prompt_cache_breakpoint"),
          "image_url", names("type image_url prompt_cache_breakpoint"),
          "input_audio", names("type input_audio prompt_cache_breakpoint"),
          "file", names("type file prompt_cache_breakpoint"),
          "refusal", names("type refusal"));
  private static final int LONGEST_ID = 40;

  private OpenAiChatRules() {}

  static void check(JsonNode body) {
    for (String field : RequestJson.unknown(body, REQUEST)) {
      throw refused("Unrecognized request argument supplied: " + field, "", null);
    }
    required(body, "", "messages");
    OpenAiRules.notEmpty(body.path("messages"), "messages");
    messages(body.path("messages"));
    for (int i = 0; i < body.path("tools").size(); i++) {
      tool(body.path("tools").path(i), "tools[" + i + "]");
    }
    OpenAiRules.settings(body);
    if (body.path("stop").size() > 4) {
      throw refused(
          "Invalid 'stop': array too long. Expected an array with maximum length 4.",
          "stop",
          "array_above_max_length");
    }
    if (says(body, "top_logprobs") && !body.path("logprobs").asBoolean(false)) {
      throw refused("'logprobs' must be true if 'top_logprobs' is set.", "top_logprobs", null);
    }
    String model = text(body, "model");
    if (says(body, "max_tokens") && OpenAiRules.reasons(model)) {
      throw refused(
          "Unsupported parameter: 'max_tokens' is not supported with this model. Use"
              + " 'max_completion_tokens' instead.",
          "max_tokens",
          "unsupported_parameter");
    }
    OpenAiRules.effort(model, text(body, "reasoning_effort"), "reasoning_effort");
    JsonNode format = body.path("response_format");
    if (text(format, "type").equals("json_schema")) {
      required(format, "response_format", "json_schema");
      required(format.path("json_schema"), "response_format.json_schema", "name");
    }
  }

  private static void messages(JsonNode messages) {
    var open = new LinkedHashSet<String>();
    boolean called = false;
    for (int i = 0; i < messages.size(); i++) {
      JsonNode message = messages.path(i);
      String path = "messages[" + i + "]";
      String role = text(message, "role");
      if (!ROLES.contains(role)) throw OpenAiRules.value(path + ".role", role, ROLES);
      known(message, path, MESSAGES.getOrDefault(role, Set.of()));
      if (role.equals("tool")) {
        if (!called || !open.remove(text(message, "tool_call_id"))) {
          throw refused(
              "Invalid parameter: messages with role 'tool' must be a response to a preceeding"
                  + " message with 'tool_calls'.",
              "messages.[" + i + "].role",
              null);
        }
      } else {
        answered(open, i);
        called = false;
      }
      if (role.equals("assistant") && message.path("tool_calls").isArray()) {
        calls(message.path("tool_calls"), path + ".tool_calls", open);
        called = true;
      }
      content(message, path, role);
    }
    answered(open, messages.size());
  }

  private static void answered(Set<String> open, int at) {
    if (!open.isEmpty()) {
      throw refused(
          "An assistant message with 'tool_calls' must be followed by tool messages responding to"
              + " each 'tool_call_id'. The following tool_call_ids did not have response messages: "
              + String.join(", ", open),
          "messages.[" + at + "].role",
          null);
    }
  }

  private static void calls(JsonNode calls, String path, Set<String> open) {
    OpenAiRules.notEmpty(calls, path);
    for (int i = 0; i < calls.size(); i++) {
      JsonNode call = calls.path(i);
      String at = path + "[" + i + "]";
      known(call, at, names("id type function custom"));
      required(call, at, "id");
      OpenAiRules.length(text(call, "id"), LONGEST_ID, at + ".id");
      String kind = text(call, "type");
      if (!kind.equals("function") && !kind.equals("custom")) {
        throw OpenAiRules.value(at + ".type", kind, List.of("function", "custom"));
      }
      required(call, at, kind);
      OpenAiRules.name(text(call.path(kind), "name"), at + "." + kind + ".name");
      String said = kind.equals("custom") ? "input" : "arguments";
      if (!call.path(kind).path(said).isString()) {
        throw refused(
            "Invalid type for '" + at + "." + kind + "." + said + "': expected a string.",
            at + "." + kind + "." + said,
            "invalid_type");
      }
      open.add(text(call, "id"));
    }
  }

  private static void content(JsonNode message, String path, String role) {
    JsonNode content = message.path("content");
    if (content.isNull() || content.isMissingNode()) {
      boolean says =
          says(message, "tool_calls")
              || says(message, "refusal")
              || says(message, "function_call")
              || says(message, "audio");
      if (!role.equals("assistant") || !says) {
        throw refused(
            "Invalid value for 'content': expected a string, got null.", path + ".content", null);
      }
    } else if (content.isArray()) {
      OpenAiRules.notEmpty(content, path + ".content");
      for (int i = 0; i < content.size(); i++) {
        part(content.path(i), path + ".content[" + i + "]", role);
      }
    } else if (!content.isString()) {
      throw refused(
          "Invalid type for '" + path + ".content': expected a string or an array.",
          path + ".content",
          "invalid_type");
    }
  }

  private static void part(JsonNode part, String path, String role) {
    String type = text(part, "type");
    var allowed =
        switch (role) {
          case "user" -> List.of("text", "image_url", "input_audio", "file");
          case "assistant" -> List.of("text", "refusal");
          default -> List.of("text");
        };
    if (!allowed.contains(type)) throw OpenAiRules.value(path + ".type", type, allowed);
    known(part, path, PARTS.getOrDefault(type, Set.of()));
    required(part, path, type);
    switch (type) {
      case "image_url" ->
          OpenAiRules.url(text(part.path("image_url"), "url"), path + ".image_url.url");
      case "input_audio" -> {
        if (!RequestJson.isBase64(text(part.path("input_audio"), "data"))) {
          throw refused(
              "Invalid base64 in '" + path + ".input_audio.data'.",
              path + ".input_audio.data",
              "invalid_value");
        }
      }
      case "file" -> {
        JsonNode file = part.path("file");
        known(file, path + ".file", names("file_data file_id filename"));
        if (says(file, "file_data")) {
          OpenAiRules.url(text(file, "file_data"), path + ".file.file_data");
          required(file, path + ".file", "filename");
        }
      }
      default -> {}
    }
  }

  private static void tool(JsonNode tool, String path) {
    known(tool, path, names("type function custom"));
    String type = text(tool, "type");
    required(tool, path, "type");
    required(tool, path, type);
    if (type.equals("function")) OpenAiRules.function(tool.path("function"), path + ".function");
  }
}
