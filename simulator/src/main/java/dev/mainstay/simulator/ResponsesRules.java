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

/** What OpenAI refuses in a Responses request. */
final class ResponsesRules {
  private static final Set<String> REQUEST =
      names(
          """
          access_programs background background_options context_management conversation image
          include input instructions max_output_tokens max_tool_calls metadata model moderation
          parallel_tool_calls previous_response_id prompt prompt_cache_key prompt_cache_options
          prompt_cache_retention reasoning safety_identifier service_tier store stream
          stream_options temperature text tool_choice tools top_logprobs top_p truncation user
          """);
  private static final Set<String> MESSAGE = names("type role content id status phase");
  private static final Map<String, Set<String>> ITEMS =
      Map.of(
          "function_call", names("type id call_id name arguments status namespace async caller"),
          "function_call_output", names("type id call_id output status name namespace caller"),
          "custom_tool_call", names("type id call_id name input status namespace async caller"),
          "custom_tool_call_output", names("type id call_id output status name namespace caller"),
          "reasoning", names("type id summary content encrypted_content status"));
  private static final int LONGEST_ID = 64;

  private ResponsesRules() {}

  static void check(JsonNode body) {
    known(body, "", REQUEST);
    if (!says(body, "previous_response_id")
        && !says(body, "prompt")
        && !says(body, "conversation")) {
      required(body, "", "input");
    }
    if (body.path("input").isArray()) items(body);
    for (int i = 0; i < body.path("tools").size(); i++) {
      JsonNode tool = body.path("tools").path(i);
      required(tool, "tools[" + i + "]", "type");
      if (text(tool, "type").equals("function")) {
        OpenAiRules.function(tool, "tools[" + i + "]");
      }
    }
    OpenAiRules.settings(body);
    OpenAiRules.effort(
        text(body, "model"), text(body.path("reasoning"), "effort"), "reasoning.effort");
    if (says(body, "max_output_tokens") && body.path("max_output_tokens").asLong() < 16) {
      throw refused(
          "Invalid 'max_output_tokens': integer below minimum value. Expected a value >= 16.",
          "max_output_tokens",
          "integer_below_min_value");
    }
  }

  private static void items(JsonNode body) {
    JsonNode input = body.path("input");
    OpenAiRules.notEmpty(input, "input");
    var open = new LinkedHashSet<String>();
    for (int i = 0; i < input.size(); i++) {
      JsonNode item = input.path(i);
      String path = "input[" + i + "]";
      String type = says(item, "type") ? text(item, "type") : "message";
      switch (type) {
        case "message" -> message(item, path);
        case "function_call", "custom_tool_call" -> {
          known(item, path, ITEMS.getOrDefault(type, Set.of()));
          required(item, path, "call_id");
          OpenAiRules.length(text(item, "call_id"), LONGEST_ID, path + ".call_id");
          OpenAiRules.name(text(item, "name"), path + ".name");
          open.add(text(item, "call_id"));
        }
        case "function_call_output", "custom_tool_call_output" -> {
          known(item, path, ITEMS.getOrDefault(type, Set.of()));
          String id = text(item, "call_id");
          if (!open.remove(id) && !says(body, "previous_response_id")) {
            throw refused(
                "No tool call found for function call output with call_id " + id + ".",
                "input",
                null);
          }
        }
        case "reasoning" -> known(item, path, ITEMS.getOrDefault(type, Set.of()));
        default -> {}
      }
    }
    for (String id : open) {
      throw refused("No tool output found for function call " + id + ".", "input", null);
    }
  }

  private static void message(JsonNode item, String path) {
    known(item, path, MESSAGE);
    String role = text(item, "role");
    var roles = List.of("assistant", "system", "developer", "user");
    if (!roles.contains(role)) throw OpenAiRules.value(path + ".role", role, roles);
    JsonNode content = item.path("content");
    for (int i = 0; i < content.size(); i++) {
      JsonNode part = content.path(i);
      String at = path + ".content[" + i + "]";
      String type = text(part, "type");
      var allowed =
          role.equals("assistant")
              ? List.of("output_text", "refusal")
              : List.of("input_text", "input_image", "input_file", "input_audio");
      if (!allowed.contains(type)) throw OpenAiRules.value(at + ".type", type, allowed);
      if (type.equals("input_image") && says(part, "image_url")) {
        OpenAiRules.url(text(part, "image_url"), at + ".image_url");
      }
      if (type.equals("input_file") && says(part, "file_data")) {
        OpenAiRules.url(text(part, "file_data"), at + ".file_data");
      }
    }
  }
}
