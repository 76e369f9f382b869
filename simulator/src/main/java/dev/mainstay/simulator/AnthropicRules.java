package dev.mainstay.simulator;

import static dev.mainstay.simulator.RequestJson.names;
import static dev.mainstay.simulator.RequestJson.says;
import static dev.mainstay.simulator.RequestJson.text;

import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import tools.jackson.databind.JsonNode;

/**
 * What Anthropic refuses in a Messages request (platform.claude.com/docs/en/api/messages, and the
 * messages as they were seen in issues).
 */
final class AnthropicRules {
  private static final Set<String> REQUEST =
      names(
          """
          billing_policy cache_control compaction container context_management diagnostics
          fallback_credit_token fallbacks inference_geo max_tokens mcp_servers messages metadata
          model output_config output_format service_tier speed stop_sequences stream system
          temperature thinking thread tool_choice tools top_k top_p user_profile_id
          """);
  private static final Set<String> TOOL =
      names(
          """
          type name description input_schema strict cache_control allowed_callers defer_loading
          eager_input_streaming input_examples
          """);
  static final Pattern NAME = Pattern.compile("^[a-zA-Z0-9_-]{1,128}$");
  private static final Pattern VERSION = Pattern.compile("-(\\d{1,2})(?:-(\\d{1,2}))?(?=-|$)");
  private static final int LEAST_BUDGET = 1024;

  private int marks;

  private AnthropicRules() {}

  static void check(JsonNode body) {
    new AnthropicRules().request(body);
  }

  static Fault.Reply reply(RequestRefused refused) {
    return new Fault.Reply(
        400, Map.of(), Anthropic.error("invalid_request_error", refused.message()));
  }

  static RequestRefused refused(String message) {
    return new RequestRefused(message, "", null);
  }

  void known(JsonNode object, String path, Set<String> known) {
    for (String field : RequestJson.unknown(object, known)) {
      throw refused(path + field + ": Extra inputs are not permitted");
    }
    if (says(object, "cache_control")) marks++;
  }

  static void required(JsonNode object, String path, String field) {
    if (!says(object, field)) throw refused(path + field + ": Field required");
  }

  private void request(JsonNode body) {
    known(body, "", REQUEST);
    for (String field : List.of("model", "max_tokens", "messages")) required(body, "", field);
    if (body.path("max_tokens").asLong() < 1) {
      throw refused("max_tokens: Input should be greater than or equal to 1");
    }
    var messages = new AnthropicMessageRules(this);
    if (body.path("system").isArray()) messages.texts(body.path("system"), "system");
    tools(body);
    messages.messages(body.path("messages"));
    settings(body);
    thinking(body);
    if (marks > 4) {
      throw refused(
          "A maximum of 4 blocks with cache_control may be provided. Found " + marks + ".");
    }
  }

  private void tools(JsonNode body) {
    var seen = new HashSet<String>();
    for (int i = 0; i < body.path("tools").size(); i++) {
      JsonNode tool = body.path("tools").path(i);
      String path = "tools." + i + ".custom.";
      if (says(tool, "type") && !text(tool, "type").equals("custom")) continue;
      known(tool, path, TOOL);
      required(tool, path, "name");
      required(tool, path, "input_schema");
      if (!NAME.matcher(text(tool, "name")).matches()) {
        throw refused(path + "name: String should match pattern '" + NAME + "'");
      }
      if (!seen.add(text(tool, "name"))) throw refused("tools: Tool names must be unique.");
      if (!text(tool.path("input_schema"), "type").equals("object")) {
        throw refused(path + "input_schema.type: Input should be 'object'");
      }
    }
    if (says(body, "tool_choice") && seen.isEmpty() && body.path("tools").isEmpty()) {
      throw refused("tool_choice may only be specified while providing tools.");
    }
  }

  private static void settings(JsonNode body) {
    double temperature = body.path("temperature").asDouble(0);
    if (temperature < 0 || temperature > 1) throw refused("temperature: range: 0..1");
    for (JsonNode stop : body.path("stop_sequences")) {
      if (stop.asString("").isBlank()) {
        throw refused("stop_sequences: each stop sequence must contain non-whitespace");
      }
    }
    String effort = text(body.path("output_config"), "effort");
    if (!effort.isEmpty() && !names("low medium high xhigh max").contains(effort)) {
      throw refused(
          "output_config.effort: Input should be 'low', 'medium', 'high', 'xhigh' or 'max'");
    }
  }

  /** 4.5 is 405; a name without a number is the newest. */
  private static int version(String model) {
    var found = VERSION.matcher(model);
    if (!found.find()) return Integer.MAX_VALUE;
    String minor = found.group(2);
    return Integer.parseInt(found.group(1)) * 100 + (minor == null ? 0 : Integer.parseInt(minor));
  }

  private static void thinking(JsonNode body) {
    JsonNode thinking = body.path("thinking");
    String type = text(thinking, "type");
    String model = text(body, "model");
    int version = version(model);
    boolean adaptive = version >= 406;
    boolean budgeted = version < 407;
    switch (type) {
      case "", "disabled" -> {
        return;
      }
      case "adaptive" -> {
        if (!adaptive) {
          throw refused("adaptive thinking is not supported on this model");
        }
      }
      case "enabled" -> {
        if (!budgeted && model.startsWith("claude")) {
          throw refused(
              "\"thinking.type.enabled\" is not supported for this model. Use"
                  + " \"thinking.type.adaptive\" and \"output_config.effort\" to control thinking"
                  + " behavior.");
        }
        long budget = thinking.path("budget_tokens").asLong(0);
        if (budget < LEAST_BUDGET) {
          throw refused(
              "thinking.enabled.budget_tokens: Input should be greater than or equal to 1024");
        }
        if (budget >= body.path("max_tokens").asLong()) {
          throw refused("`max_tokens` must be greater than `thinking.budget_tokens`.");
        }
      }
      default ->
          throw refused(
              "thinking: Input tag '"
                  + type
                  + "' found using 'type' does not match any of the"
                  + " expected tags: 'disabled', 'enabled', 'adaptive'");
    }
    if (says(body, "temperature") && body.path("temperature").asDouble() != 1) {
      throw refused("`temperature` may only be set to 1 when thinking is enabled.");
    }
    if (names("any tool").contains(text(body.path("tool_choice"), "type"))) {
      throw refused("Thinking may not be enabled when tool_choice forces tool use.");
    }
  }
}
