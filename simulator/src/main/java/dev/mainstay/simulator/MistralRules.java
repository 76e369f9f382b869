package dev.mainstay.simulator;

import static dev.mainstay.simulator.RequestJson.names;
import static dev.mainstay.simulator.RequestJson.says;
import static dev.mainstay.simulator.RequestJson.text;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import tools.jackson.databind.JsonNode;

/**
 * What Mistral refuses in a chat completion: by its schema (422) or, for the order of messages and
 * the calls of tools, by the validator of mistral-common (400 with its codes).
 */
final class MistralRules {
  private static final Set<String> REQUEST =
      names(
          """
          frequency_penalty guardrails logprobs max_tokens messages metadata min_tokens model n
          parallel_tool_calls prediction presence_penalty prompt_cache_key prompt_logprobs
          prompt_mode random_seed reasoning_effort repetition_penalty response_format safe_prompt
          service_tier stop stream temperature tool_choice tools top_k top_logprobs top_p
          top_prompt_logprobs
          """);
  private static final Map<String, Set<String>> MESSAGES =
      Map.of(
          "system", names("role content"),
          "user", names("role content"),
          "assistant", names("role content tool_calls prefix"),
          "tool", names("role content tool_call_id name"));
  private static final Map<String, Set<String>> FOLLOWERS =
      Map.of(
          "system", names("user assistant system"),
          "user", names("assistant system user"),
          "assistant", names("assistant user tool"),
          "tool", names("assistant tool"));
  private static final Set<String> PARTS =
      names("text image_url document_url input_audio reference thinking file");
  private static final Pattern ID = Pattern.compile("^[a-zA-Z0-9]{9}$");
  private static final Pattern NAME = Pattern.compile("^[a-zA-Z0-9_-]{1,64}$");
  private static final String ORDER = "invalid_request_message_order";

  private MistralRules() {}

  /** The place of a refusal by the schema is its location; that of another is its type. */
  static Fault.Reply reply(RequestRefused refused) {
    if (refused.code() != null) {
      return new Fault.Reply(
          400, Map.of(), Mistral.error(refused.message(), refused.param(), refused.code()));
    }
    var error = Json.object().put("object", "error");
    var one = error.putObject("message").putArray("detail").addObject();
    one.put("type", refused.message().startsWith("Extra") ? "extra_forbidden" : "value_error");
    var place = one.putArray("loc").add("body");
    for (String step : refused.param().split("\\.")) place.add(step);
    one.put("msg", refused.message());
    error.put("type", "invalid_request_error").putNull("param").putNull("code");
    return new Fault.Reply(422, Map.of(), Json.write(error));
  }

  private static RequestRefused schema(String place, String message) {
    return new RequestRefused(message, place, null);
  }

  private static RequestRefused refused(String type, String code, String message) {
    return new RequestRefused(message, type, code);
  }

  private static void known(JsonNode object, String path, Set<String> known) {
    for (String field : RequestJson.unknown(object, known)) {
      throw schema(path + field, "Extra inputs are not permitted");
    }
  }

  static void check(JsonNode body) {
    known(body, "", REQUEST);
    if (body.path("messages").isEmpty()) throw schema("messages", "Field required");
    var messages = body.path("messages");
    for (int i = 0; i < messages.size(); i++) message(messages.path(i), "messages." + i + ".");
    order(messages);
    calls(messages);
    for (int i = 0; i < body.path("tools").size(); i++) {
      JsonNode tool = body.path("tools").path(i);
      String path = "tools." + i + ".";
      known(tool, path, names("type function"));
      known(tool.path("function"), path + "function.", names("name description parameters strict"));
      name(text(tool.path("function"), "name"));
      if (!tool.path("function").path("parameters").isObject()) {
        throw schema(path + "function.parameters", "Field required");
      }
    }
    if (body.path("temperature").asDouble(0) > 1.5) {
      throw schema("temperature", "Input should be less than or equal to 1.5");
    }
    if (says(body, "response_format")
        && text(body.path("response_format"), "type").equals("json_schema")
        && !body.path("response_format").path("json_schema").path("schema").isObject()) {
      throw schema("response_format.json_schema.schema", "Field required");
    }
  }

  private static void message(JsonNode message, String path) {
    String role = text(message, "role");
    var fields = MESSAGES.get(role);
    if (fields == null) {
      throw schema(
          path + "role",
          "Input tag '"
              + role
              + "' found using 'role' does not match any of the"
              + " expected tags: 'system', 'user', 'assistant', 'tool'");
    }
    known(message, path + role + ".", fields);
    JsonNode content = message.path("content");
    boolean empty = content.isString() ? content.asString().isEmpty() : content.isEmpty();
    if (role.equals("assistant") && empty && message.path("tool_calls").isEmpty()) {
      throw refused(
          "invalid_request_assistant_message",
          "3240",
          "Assistant message must have either content or tool_calls, but not none.");
    }
    if (!role.equals("assistant") && (content.isMissingNode() || content.isNull())) {
      throw schema(path + role + ".content", "Field required");
    }
    for (int i = 0; i < content.size(); i++) {
      part(content.path(i), path + role + ".content." + i);
    }
  }

  private static void part(JsonNode part, String path) {
    String type = text(part, "type");
    if (!PARTS.contains(type)) {
      throw schema(path, "Input tag '" + type + "' does not match any of the expected tags");
    }
    JsonNode image = part.path("image_url");
    if (type.equals("image_url")) {
      url(image.isString() ? image.asString() : text(image, "url"), path + ".image_url");
    }
    if (type.equals("document_url")) url(text(part, "document_url"), path + ".document_url");
    JsonNode audio = part.path("input_audio");
    if (type.equals("input_audio")) {
      String data = audio.isString() ? audio.asString() : text(audio, "data");
      if (!RequestJson.isBase64(data) && !RequestJson.isUrl(data)) {
        throw schema(path + ".input_audio", "Input should be base64 or a URL");
      }
    }
  }

  private static void url(String url, String path) {
    if (!RequestJson.isUrl(url)) {
      throw schema(path, "Input should be a valid URL or base64 in a data URL");
    }
  }

  private static void order(JsonNode messages) {
    String before = "";
    for (JsonNode message : messages) {
      String role = text(message, "role");
      if (!before.isEmpty() && !FOLLOWERS.getOrDefault(before, Set.of()).contains(role)) {
        throw refused(ORDER, "3230", "Unexpected role '" + role + "' after role '" + before + "'");
      }
      if (before.isEmpty() && role.equals("tool")) {
        throw refused(ORDER, "3230", "Unexpected role 'tool'");
      }
      before = role;
    }
    JsonNode last = messages.path(messages.size() - 1);
    boolean prefix = before.equals("assistant") && last.path("prefix").asBoolean(false);
    boolean alone = messages.size() == 1 && before.equals("system");
    if (!List.of("user", "tool").contains(before) && !prefix && !alone) {
      throw refused(
          ORDER,
          "3230",
          "Expected last role User or Tool (or Assistant with prefix True) for serving but got "
              + before);
    }
  }

  private static void calls(JsonNode messages) {
    var open = new LinkedHashSet<String>();
    for (JsonNode message : messages) {
      String role = text(message, "role");
      if (!role.equals("tool") && !open.isEmpty()) throw notSameNumber();
      for (JsonNode call : message.path("tool_calls")) {
        known(call, "messages.tool_calls.", names("id type function index"));
        String id = text(call, "id");
        if (!ID.matcher(id).matches()) throw badId(id);
        name(text(call.path("function"), "name"));
        JsonNode arguments = call.path("function").path("arguments");
        if (!arguments.isObject() && !RequestJson.isObject(arguments.asString(""))) {
          throw refused(
              "invalid_function_call", "3281", "Function arguments must be a JSON object");
        }
        open.add(id);
      }
      if (role.equals("tool")) {
        String id = text(message, "tool_call_id");
        if (!ID.matcher(id).matches()) throw badId(id);
        if (!open.remove(id)) {
          throw refused(
              "invalid_request_message_order",
              "3230",
              "Unexpected tool call id " + id + " in tool results");
        }
      }
    }
    if (!open.isEmpty()) throw notSameNumber();
  }

  private static RequestRefused notSameNumber() {
    return refused(ORDER, "3230", "Not the same number of function calls and responses");
  }

  private static RequestRefused badId(String id) {
    return refused(
        "invalid_function_call",
        "3280",
        "Tool call id was " + id + " but must be a-z, A-Z, 0-9, with a length of 9.");
  }

  private static void name(String name) {
    if (!NAME.matcher(name).matches()) {
      throw refused(
          "invalid_function_call",
          "3280",
          "Function name was "
              + name
              + " but must be a-z, A-Z, 0-9, or contain underscores and dashes, with a maximum"
              + " length of 64.");
    }
  }
}
