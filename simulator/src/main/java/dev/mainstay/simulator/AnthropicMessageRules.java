package dev.mainstay.simulator;

import static dev.mainstay.simulator.AnthropicRules.refused;
import static dev.mainstay.simulator.AnthropicRules.required;
import static dev.mainstay.simulator.RequestJson.names;
import static dev.mainstay.simulator.RequestJson.text;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import tools.jackson.databind.JsonNode;

/**
 * What Anthropic refuses in the messages of a request: roles, blocks, pairs of calls and results.
 */
final class AnthropicMessageRules {
  private static final Map<String, Set<String>> BLOCKS =
      Map.of(
          "text", names("type text cache_control citations"),
          "image", names("type source cache_control transformations"),
          "document", names("type source title context citations cache_control"),
          "tool_use", names("type id name input cache_control caller toolset_name"),
          "tool_result", names("type tool_use_id content is_error cache_control toolset_name"),
          "thinking", names("type thinking signature"),
          "redacted_thinking", names("type data"));
  private static final Set<String> IMAGES = names("image/jpeg image/png image/gif image/webp");
  private static final Pattern ID = Pattern.compile("^[a-zA-Z0-9_-]+$");

  private final AnthropicRules rules;

  /**
   * @param rules of the whole request, which count what is marked for the cache
   */
  AnthropicMessageRules(AnthropicRules rules) {
    this.rules = rules;
  }

  void texts(JsonNode blocks, String path) {
    for (int i = 0; i < blocks.size(); i++) {
      if (!text(blocks.path(i), "type").equals("text")) {
        throw refused(path + "." + i + ".type: Input should be 'text'");
      }
      block(blocks.path(i), path + "." + i);
    }
  }

  void messages(JsonNode messages) {
    if (messages.isEmpty()) throw refused("messages: at least one message is required");
    var turns = new ArrayList<List<JsonNode>>();
    String before = "";
    for (int i = 0; i < messages.size(); i++) {
      JsonNode message = messages.path(i);
      rules.known(message, "messages." + i + ".", names("role content"));
      String role = text(message, "role");
      if (role.equals("system")) {
        throw refused(
            "messages: Unexpected role \"system\". The Messages API accepts a top-level `system`"
                + " parameter, not \"system\" as an input message role.");
      }
      if (!role.equals("user") && !role.equals("assistant")) {
        throw refused("messages." + i + ".role: Input should be 'user' or 'assistant'");
      }
      if (i == 0 && role.equals("assistant")) {
        throw refused("messages: first message must use the \"user\" role");
      }
      var blocks = content(message, i, i == messages.size() - 1 && role.equals("assistant"));
      // Messages of one side that follow each other are one turn.
      if (role.equals(before)) turns.getLast().addAll(blocks);
      else turns.add(blocks);
      before = role;
    }
    pairs(turns);
  }

  private List<JsonNode> content(JsonNode message, int index, boolean prefill) {
    JsonNode content = message.path("content");
    String path = "messages." + index;
    if (content.isMissingNode() || content.isNull()) {
      throw refused(path + ".content: Field required");
    }
    if ((content.isString() ? content.asString().isEmpty() : content.isEmpty()) && !prefill) {
      throw refused(
          path
              + ": all messages must have non-empty content except for the optional final assistant"
              + " message");
    }
    var blocks = new ArrayList<JsonNode>();
    if (content.isString()) {
      if (!content.asString().isEmpty()) words(content.asString());
      blocks.add(Json.object().put("type", "text").put("text", content.asString()));
    } else {
      for (int i = 0; i < content.size(); i++) {
        block(content.path(i), path + ".content." + i);
        blocks.add(content.path(i));
      }
    }
    String last = blocks.isEmpty() ? "" : text(blocks.getLast(), "text");
    if (prefill && !last.equals(last.stripTrailing())) {
      throw refused("messages: final assistant content cannot end with trailing whitespace");
    }
    return blocks;
  }

  private static void words(String text) {
    if (text.isEmpty()) throw refused("messages: text content blocks must be non-empty");
    if (text.isBlank()) {
      throw refused("messages: text content blocks must contain non-whitespace text");
    }
  }

  private void block(JsonNode block, String path) {
    String type = text(block, "type");
    var fields = BLOCKS.get(type);
    if (fields == null) {
      if (type.isEmpty()) throw refused(path + ".type: Field required");
      return; // A block of the provider's own tools.
    }
    rules.known(block, path + "." + type + ".", fields);
    switch (type) {
      case "text" -> words(text(block, "text"));
      case "image", "document" -> source(block.path("source"), type, path + "." + type);
      case "tool_use" -> {
        id(text(block, "id"), path + ".tool_use.id");
        if (!AnthropicRules.NAME.matcher(text(block, "name")).matches()) {
          throw refused(
              path + ".tool_use.name: String should match pattern '" + AnthropicRules.NAME + "'");
        }
        if (!block.path("input").isObject()) {
          throw refused(path + ".tool_use.input: Input should be a valid dictionary");
        }
      }
      case "tool_result" -> {
        id(text(block, "tool_use_id"), path + ".tool_result.tool_use_id");
        JsonNode content = block.path("content");
        for (int i = 0; i < content.size(); i++) {
          block(content.path(i), path + ".tool_result.content." + i);
        }
      }
      case "thinking" -> required(block, path + ".thinking.", "signature");
      default -> {}
    }
  }

  private static void id(String id, String path) {
    if (!ID.matcher(id).matches()) {
      throw refused(path + ": String should match pattern '" + ID + "'");
    }
  }

  private void source(JsonNode source, String kind, String path) {
    String at = path + ".source";
    switch (text(source, "type")) {
      case "base64" -> {
        rules.known(source, at + ".base64.", names("type media_type data"));
        String media = text(source, "media_type");
        boolean fits =
            kind.equals("image") ? IMAGES.contains(media) : media.equals("application/pdf");
        if (!fits) throw refused(at + ".base64.media_type: Input should be a supported media type");
        if (!RequestJson.isBase64(text(source, "data"))) {
          throw refused(at + ".base64: invalid base64 data");
        }
      }
      case "url" -> {
        if (!text(source, "url").startsWith("https://")) {
          throw refused(at + ".url.url: Only HTTPS URLs are supported.");
        }
      }
      case "text" -> {
        if (text(source, "data").isEmpty()) throw refused(at + ".text.data: must be non-empty");
      }
      case "content", "file" -> {}
      default -> throw refused(at + ": Input tag does not match any of the expected tags");
    }
  }

  /** Every call has its result at the beginning of the next turn, and every result its call. */
  private static void pairs(List<List<JsonNode>> turns) {
    var used = new HashSet<String>();
    for (int i = 0; i < turns.size(); i++) {
      var called = new LinkedHashSet<String>();
      for (JsonNode block : turns.get(i)) {
        if (text(block, "type").equals("tool_use")) {
          called.add(text(block, "id"));
          if (!used.add(text(block, "id")))
            throw refused("messages: `tool_use` ids must be unique");
        }
      }
      var given = i + 1 < turns.size() ? leadingResults(turns.get(i + 1)) : Set.<String>of();
      if (i + 1 < turns.size() && !given.containsAll(called)) {
        called.removeAll(given);
        throw refused(
            "messages.%d: `tool_use` ids were found without `tool_result` blocks immediately after: %s. Each `tool_use` block must have a corresponding `tool_result` block in the next message."
                .formatted(i, String.join(", ", called)));
      }
      var next = i + 1 < turns.size() ? allResults(turns.get(i + 1)) : Set.<String>of();
      for (String id : next) {
        if (!called.contains(id)) {
          throw refused(
              "messages.%d.content.0: unexpected `tool_use_id` found in `tool_result` blocks: %s. Each `tool_result` block must have a corresponding `tool_use` block in the previous message."
                  .formatted(i + 1, id));
        }
      }
    }
    if (!allResults(turns.getFirst()).isEmpty()) {
      throw refused(
          "messages.0.content.0: unexpected `tool_use_id` found in `tool_result` blocks: Each"
              + " `tool_result` block must have a corresponding `tool_use` block in the previous"
              + " message.");
    }
  }

  private static Set<String> leadingResults(List<JsonNode> blocks) {
    var ids = new LinkedHashSet<String>();
    for (JsonNode block : blocks) {
      if (!text(block, "type").equals("tool_result")) break;
      ids.add(text(block, "tool_use_id"));
    }
    return ids;
  }

  private static Set<String> allResults(List<JsonNode> blocks) {
    var ids = new LinkedHashSet<String>();
    for (JsonNode block : blocks) {
      if (text(block, "type").equals("tool_result")) ids.add(text(block, "tool_use_id"));
    }
    return ids;
  }
}
