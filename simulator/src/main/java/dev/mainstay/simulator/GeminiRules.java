package dev.mainstay.simulator;

import static dev.mainstay.simulator.RequestJson.names;
import static dev.mainstay.simulator.RequestJson.says;

import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import tools.jackson.databind.JsonNode;

/**
 * What Gemini refuses in generateContent: names that its protocol buffers do not have, in camel
 * case or with underscores; contents whose calls and responses do not follow each other; parts that
 * say nothing (ai.google.dev/api/generate-content, and the messages as they were seen in issues).
 */
final class GeminiRules {
  private static final Set<String> REQUEST =
      proto(
          """
          model contents systemInstruction tools toolConfig safetySettings generationConfig
          cachedContent serviceTier store labels
          """);
  private static final Set<String> CONFIG =
      proto(
          """
          audioTimestamp audioTranscriptionConfig candidateCount enableAffectiveDialog
          enableEnhancedCivicAnswers frequencyPenalty imageConfig logprobs maxOutputTokens
          mediaResolution presencePenalty responseFormat responseJsonSchema _responseJsonSchema
          responseLogprobs responseMimeType responseModalities responseSchema seed speechConfig
          stopSequences temperature thinkingConfig topK topP
          """);
  private static final Set<String> DATA =
      proto(
          """
          text inlineData fileData functionCall functionResponse executableCode
          codeExecutionResult toolCall toolResponse
          """);
  private static final Set<String> PART =
      proto(
          """
          text inlineData fileData functionCall functionResponse executableCode
          codeExecutionResult toolCall toolResponse thought thoughtSignature videoMetadata
          mediaResolution partMetadata audioMetadata mediaProcessing
          """);
  private static final Pattern NAME = Pattern.compile("^[a-zA-Z_][a-zA-Z0-9_.:-]{0,127}$");

  private final String model;

  private GeminiRules(String model) {
    this.model = model;
  }

  static void check(String model, JsonNode body) {
    new GeminiRules(model).request(body);
  }

  static Fault.Reply reply(RequestRefused refused) {
    return new Fault.Reply(
        400, Map.of(), Gemini.error(400, "INVALID_ARGUMENT", refused.message(), null));
  }

  private static Set<String> proto(String words) {
    return names(words).stream()
        .flatMap(name -> Stream.of(name, underscored(name)))
        .collect(Collectors.toUnmodifiableSet());
  }

  private static String underscored(String name) {
    return name.replaceAll("([A-Z])", "_$1").toLowerCase(Locale.ROOT);
  }

  private static JsonNode get(JsonNode object, String name) {
    return object.has(name) ? object.path(name) : object.path(underscored(name));
  }

  private static RequestRefused refused(String message) {
    return new RequestRefused(message, "", null);
  }

  private static void known(JsonNode object, String path, Set<String> known) {
    for (String field : RequestJson.unknown(object, known)) {
      String at = path.isEmpty() ? "" : " at '" + path + "'";
      throw refused(
          "Invalid JSON payload received. Unknown name \""
              + field
              + "\""
              + at
              + ": Cannot find"
              + " field.");
    }
  }

  private void request(JsonNode body) {
    known(body, "", REQUEST);
    JsonNode contents = body.path("contents");
    if (contents.isEmpty()) {
      throw refused("* GenerateContentRequest.contents: contents is not specified\n");
    }
    JsonNode system = get(body, "systemInstruction");
    if (system.isObject()) content(system, "system_instruction");
    for (int i = 0; i < contents.size(); i++) {
      String role = contents.path(i).path("role").asString("user");
      if (!List.of("user", "model", "function").contains(role)) {
        throw refused("Please use a valid role: user, model.");
      }
      content(contents.path(i), "contents[" + i + "]");
    }
    order(contents);
    tools(body);
    config(get(body, "generationConfig"));
  }

  private static void content(JsonNode content, String path) {
    known(content, path, names("parts role"));
    if (content.path("parts").isEmpty()) {
      throw refused(
          "* GenerateContentRequest." + path + ".parts: contents.parts must not be empty.\n");
    }
    for (int i = 0; i < content.path("parts").size(); i++) {
      part(content.path("parts").path(i), path + ".parts[" + i + "]");
    }
  }

  private static void part(JsonNode part, String path) {
    known(part, path, PART);
    long kinds = part.propertyNames().stream().filter(DATA::contains).count();
    if (kinds == 0) {
      throw refused(
          "* GenerateContentRequest."
              + path
              + ".data: required oneof field 'data' must have one initialized field\n");
    }
    if (kinds > 1) {
      throw refused("Invalid value at '" + path + "' (oneof), oneof field 'data' is already set.");
    }
    JsonNode inline = get(part, "inlineData");
    if (inline.isObject()) {
      known(inline, path + ".inline_data", proto("mimeType data displayName"));
      bytes(inline.path("data").asString(""), path + ".inline_data.data");
      if (get(inline, "mimeType").asString("").isEmpty()) {
        throw refused("* GenerateContentRequest." + path + ".inline_data.mime_type: must be set\n");
      }
    }
    String signature = get(part, "thoughtSignature").asString("");
    // The marks that Google documents for calls of other models are no base64.
    if (!signature.isEmpty() && !signature.matches("[a-z_]+")) {
      bytes(signature, path + ".thought_signature");
    }
    JsonNode call = get(part, "functionCall");
    if (call.isObject()) {
      known(call, path + ".function_call", proto("id name args partialArgs willContinue"));
      named(call, path + ".function_call", "args");
    }
    JsonNode response = get(part, "functionResponse");
    if (response.isObject()) {
      known(
          response,
          path + ".function_response",
          proto("id name response parts scheduling willContinue"));
      named(response, path + ".function_response", "response");
    }
  }

  private static void named(JsonNode object, String path, String content) {
    if (object.path("name").asString("").isEmpty()) {
      throw refused("* GenerateContentRequest." + path + ".name: Name cannot be empty.\n");
    }
    if (says(object, content) && !object.path(content).isObject()) {
      throw refused(
          "Invalid value at '"
              + path
              + "."
              + content
              + "' (type.googleapis.com/google.protobuf.Struct)");
    }
  }

  /** JSON of protocol buffers takes both alphabets, with and without padding. */
  private static void bytes(String data, String path) {
    try {
      Base64.getDecoder().decode(data.replace('-', '+').replace('_', '/'));
    } catch (IllegalArgumentException e) {
      throw refused(
          "Invalid value at '"
              + path
              + "' (TYPE_BYTES), Base64 decoding failed for \""
              + data.substring(0, Math.min(20, data.length()))
              + "\"");
    }
  }

  private void order(JsonNode contents) {
    int open = 0;
    String before = "";
    for (int i = 0; i < contents.size(); i++) {
      JsonNode content = contents.path(i);
      String role = content.path("role").asString("user").equals("model") ? "model" : "user";
      int calls = count(content, "functionCall");
      int responses = count(content, "functionResponse");
      if (calls > 0 && (before.isEmpty() || before.equals("model"))) {
        throw refused(
            "Please ensure that function call turn comes immediately after a user turn or after a"
                + " function response turn.");
      }
      if (responses > 0 && open == 0) {
        throw refused(
            "Please ensure that function response turn comes immediately after a function call"
                + " turn.");
      }
      if (open > 0 && responses != open) {
        throw refused(
            "Please ensure that the number of function response parts is equal to the number of"
                + " function call parts of the function call turn.");
      }
      open = calls;
      if (calls > 0) signed(contents, i);
      before = role;
    }
  }

  /** Gemini 3 wants the first call of each step of the current turn signed. */
  private void signed(JsonNode contents, int at) {
    if (!model.startsWith("gemini-3")) return;
    for (int i = at + 1; i < contents.size(); i++) {
      boolean asks = count(contents.path(i), "functionResponse") == 0;
      if (asks && !contents.path(i).path("role").asString("user").equals("model")) return;
    }
    for (JsonNode part : contents.path(at).path("parts")) {
      if (get(part, "functionCall").isObject()) {
        if (get(part, "thoughtSignature").asString("").isEmpty()) {
          throw refused(
              "Function call is missing a thought_signature in functionCall parts. This is required"
                  + " for tools to work correctly, and missing thought_signature may lead to"
                  + " degraded model performance.");
        }
        return;
      }
    }
  }

  private static int count(JsonNode content, String kind) {
    int count = 0;
    for (JsonNode part : content.path("parts")) {
      if (get(part, kind).isObject()) count++;
    }
    return count;
  }

  private static void tools(JsonNode body) {
    for (int i = 0; i < body.path("tools").size(); i++) {
      JsonNode functions = get(body.path("tools").path(i), "functionDeclarations");
      for (int k = 0; k < functions.size(); k++) {
        JsonNode function = functions.path(k);
        String path = "tools[" + i + "].function_declarations[" + k + "]";
        known(
            function,
            path,
            proto(
                "name description parameters parametersJsonSchema response responseJsonSchema behavior"));
        if (!NAME.matcher(function.path("name").asString("")).matches()) {
          throw refused(
              "* GenerateContentRequest."
                  + path
                  + ".name: Invalid function name. Must start with a letter or an underscore. Must"
                  + " be alphanumeric (a-z, A-Z, 0-9), underscores (_), dots (.), colons (:), or"
                  + " dashes (-), with a maximum length of 128.\n");
        }
        if (function.has("parameters") && get(function, "parametersJsonSchema").isObject()) {
          throw refused("parameters and parameters_json_schema cannot both be set.");
        }
      }
    }
  }

  private void config(JsonNode config) {
    if (!config.isObject()) return;
    known(config, "generation_config", CONFIG);
    if (get(config, "stopSequences").size() > 5) {
      throw refused("The number of stop sequences must be at most 5.");
    }
    JsonNode thinking = get(config, "thinkingConfig");
    if (!thinking.isObject()) return;
    known(
        thinking,
        "generation_config.thinking_config",
        proto("includeThoughts thinkingBudget thinkingLevel"));
    String level = get(thinking, "thinkingLevel").asString("").toUpperCase(Locale.ROOT);
    boolean budget = get(thinking, "thinkingBudget").isNumber();
    if (!level.isEmpty() && budget) {
      throw refused("You can only set only one of thinking budget and thinking level.");
    }
    if (!level.isEmpty() && model.matches("gemini-[12].*")) {
      throw refused("Thinking level is not supported for this model.");
    }
    boolean pro = model.contains("pro");
    if (!level.isEmpty()
        && pro
        && (level.equals("MINIMAL") || (level.equals("MEDIUM") && model.startsWith("gemini-3-")))) {
      throw refused("Thinking level " + level + " is not supported for this model.");
    }
    long tokens = get(thinking, "thinkingBudget").asLong(-1);
    if (budget
        && pro
        && model.startsWith("gemini-2.5")
        && tokens != -1
        && (tokens < 128 || tokens > 32768)) {
      throw refused(
          "The thinking budget "
              + tokens
              + " is invalid. Please choose a value between 128 and 32768.");
    }
    if (budget && !pro && tokens > 24576) {
      throw refused(
          "The thinking budget "
              + tokens
              + " is invalid. Please choose a value between 0 and 24576.");
    }
  }
}
