package dev.mainstay.simulator;

import static dev.mainstay.simulator.RequestJson.names;
import static dev.mainstay.simulator.RequestJson.says;
import static dev.mainstay.simulator.RequestJson.text;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * What OpenAI refuses in Chat and Responses alike: unknown parameters, values out of range, names
 * of tools and efforts that a model does not take (platform.openai.com/docs/api-reference, and the
 * messages as they were seen in issues).
 */
final class OpenAiRules {
  private static final Pattern NAME = Pattern.compile("^[a-zA-Z0-9_-]{1,64}$");
  private static final Pattern REASONS = Pattern.compile("^(o\\d|gpt-5).*");
  private static final Set<String> FUNCTION =
      names(
          "name description parameters strict type allowed_callers async defer_loading"
              + " output_schema");

  private OpenAiRules() {}

  static Fault.Reply reply(RequestRefused refused) {
    return new Fault.Reply(
        400,
        Map.of(),
        OpenAiErrors.body(
            refused.message(),
            "invalid_request_error",
            refused.param().isEmpty() ? null : refused.param(),
            refused.code()));
  }

  static RequestRefused refused(String message, String param, @Nullable String code) {
    return new RequestRefused(message, param, code);
  }

  static void known(JsonNode object, String path, Set<String> known) {
    for (String field : RequestJson.unknown(object, known)) {
      String param = path.isEmpty() ? field : path + "." + field;
      throw refused("Unknown parameter: '" + param + "'.", param, "unknown_parameter");
    }
  }

  static void required(JsonNode object, String path, String field) {
    if (!says(object, field)) {
      String param = path.isEmpty() ? field : path + "." + field;
      throw refused(
          "Missing required parameter: '" + param + "'.", param, "missing_required_parameter");
    }
  }

  static void notEmpty(JsonNode list, String param) {
    if (list.isArray() && list.isEmpty()) {
      throw refused(
          "Invalid '"
              + param
              + "': empty array. Expected an array with minimum length 1, but got an empty array"
              + " instead.",
          param,
          "empty_array");
    }
  }

  static RequestRefused value(String param, String found, List<String> supported) {
    return refused(
        "Invalid value: '"
            + found
            + "'. Supported values are: "
            + String.join(", ", supported.stream().map(each -> "'" + each + "'").toList())
            + ".",
        param,
        "invalid_value");
  }

  static void length(String value, int most, String param) {
    if (value.length() > most) {
      throw refused(
          "Invalid '%s': string too long. Expected a string with maximum length %d, but got a string with length %d instead."
              .formatted(param, most, value.length()),
          param,
          "string_above_max_length");
    }
  }

  static void name(String name, String param) {
    if (!NAME.matcher(name).matches()) {
      throw refused(
          "Invalid '%s': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'."
              .formatted(param),
          param,
          "invalid_value");
    }
  }

  static void url(String url, String param) {
    if (!RequestJson.isUrl(url)) {
      throw refused(
          "Invalid '" + param + "'. Expected a valid URL, or a data URL with base64.",
          param,
          "invalid_value");
    }
  }

  /** A function or custom tool, as far as both dialects have it alike. */
  static void function(JsonNode function, String path) {
    known(function, path, FUNCTION);
    required(function, path, "name");
    name(text(function, "name"), path + ".name");
    if (says(function, "parameters") && !function.path("parameters").isObject()) {
      throw refused(
          "Invalid type for '" + path + ".parameters': expected an object.",
          path + ".parameters",
          "invalid_type");
    }
  }

  /** Settings by the names that both dialects have. */
  static void settings(JsonNode body) {
    range(body, "temperature", 0, 2);
    range(body, "top_p", 0, 1);
    range(body, "top_logprobs", 0, 20);
    range(body, "presence_penalty", -2, 2);
    range(body, "frequency_penalty", -2, 2);
    if (body.path("tools").isEmpty()) {
      for (String field : List.of("parallel_tool_calls", "tool_choice")) {
        if (says(body, field) && !text(body, field).equals("none")) {
          throw refused(
              "Invalid value for '"
                  + field
                  + "': '"
                  + field
                  + "' is only allowed when 'tools' are"
                  + " specified.",
              field,
              null);
        }
      }
    }
    notEmpty(body.path("tools"), "tools");
    if (says(body, "stream_options") && !body.path("stream").asBoolean(false)) {
      throw refused(
          "The 'stream_options' parameter is only allowed when 'stream' is enabled.",
          "stream_options",
          null);
    }
  }

  private static void range(JsonNode body, String field, double least, double most) {
    if (says(body, field)) {
      double value = body.path(field).asDouble(Double.NaN);
      if (!(value >= least && value <= most)) {
        throw refused("Invalid '" + field + "': out of range.", field, "decimal_above_max_value");
      }
    }
  }

  static void effort(String model, String effort, String param) {
    if (effort.isEmpty()) return;
    var supported = efforts(model.toLowerCase(Locale.ROOT));
    if (supported.isEmpty()) {
      throw refused("Unrecognized request argument supplied: " + param, "", null);
    }
    if (!supported.contains(effort)) {
      throw refused(
          "Unsupported value: '%s' is not supported with the '%s' model. Supported values are: %s."
              .formatted(effort, model, String.join(", ", supported)),
          param,
          "unsupported_value");
    }
  }

  private static List<String> efforts(String model) {
    if (model.matches("gpt-(3|4).*")) return List.of();
    if (model.startsWith("gpt-5-pro")) return List.of("high");
    if (model.matches("gpt-5(-(mini|nano|2025).*)?")) {
      return List.of("minimal", "low", "medium", "high");
    }
    if (model.matches("o\\d.*")) return List.of("low", "medium", "high");
    if (model.matches("gpt-5\\.1(?!.*codex-max).*")) {
      return List.of("none", "low", "medium", "high");
    }
    if (model.matches("gpt-5\\.[2-5].*")) return List.of("none", "low", "medium", "high", "xhigh");
    return List.of("none", "minimal", "low", "medium", "high", "xhigh", "max");
  }

  static boolean reasons(String model) {
    return REASONS.matcher(model.toLowerCase(Locale.ROOT)).matches();
  }
}
