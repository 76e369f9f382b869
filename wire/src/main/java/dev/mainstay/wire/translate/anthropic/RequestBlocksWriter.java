package dev.mainstay.wire.translate.anthropic;

import dev.mainstay.wire.Dialect;
import dev.mainstay.wire.json.Tree;
import dev.mainstay.wire.translate.ToolIds;
import dev.mainstay.wire.translate.request.Feature;
import dev.mainstay.wire.translate.request.Part;
import dev.mainstay.wire.translate.request.Part.Source;
import dev.mainstay.wire.translate.request.TranslationContext;
import dev.mainstay.wire.translate.request.Turn;
import dev.mainstay.wire.translate.request.Turn.Role;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Writes system prompt and messages. Turns of one side that follow each other become one message,
 * in which results of tools come first: Anthropic wants all results of a turn's calls at the
 * beginning of the next message.
 */
final class RequestBlocksWriter {
  private static final Set<String> IMAGES =
      Set.of("image/jpeg", "image/png", "image/gif", "image/webp");

  /** Said for the user where the conversation begins with the assistant. */
  private static final String BEGINNING = "(The conversation begins.)";

  private final TranslationContext context;
  private final ArrayNode system = Tree.array();
  private final ArrayNode messages = Tree.array();

  RequestBlocksWriter(TranslationContext context) {
    this.context = context;
  }

  void write(List<Turn> turns, ObjectNode body) {
    for (var turn : turns) {
      if (turn.name() != null) {
        context.lose(Feature.PARTICIPANT_NAME, turn);
      }
      if (turn.role() == Role.SYSTEM) {
        if (!messages.isEmpty()) {
          context.lose(Feature.SYSTEM_POSITION, turn);
        }
        system.addAll(blocks(turn.parts()));
      } else {
        message(turn);
      }
    }
    if (messages.isEmpty() && !system.isEmpty()) {
      context.lose(Feature.SYSTEM_POSITION, "");
      messages.addObject().put("role", "user").set("content", system);
    } else if (!system.isEmpty()) {
      body.set("system", simple(system));
    }
    trimPrefill();
    if (messages.isEmpty()) {
      throw context.refuse(
          Feature.TEXT, "", "a conversation in which nothing is said cannot be sent");
    }
    messages.forEach(message -> unwrap((ObjectNode) message));
    body.set("messages", messages);
  }

  private void message(Turn turn) {
    var blocks = blocks(turn.parts());
    if (blocks.isEmpty()) {
      return;
    }
    var role = turn.role() == Role.USER ? "user" : "assistant";
    if (messages.isEmpty() && turn.role() == Role.ASSISTANT) {
      context.lose(Feature.FIRST_TURN, turn);
      append("user", Tree.array().add(text(BEGINNING)));
    }
    append(role, blocks);
  }

  private void append(String role, ArrayNode blocks) {
    if (!messages.isEmpty()
        && messages.get(messages.size() - 1) instanceof ObjectNode last
        && last.path("role").asString().equals(role)
        && last.get("content") instanceof ArrayNode content) {
      content.addAll(blocks);
    } else {
      messages.addObject().put("role", role).set("content", blocks);
    }
  }

  /** Results first, and one text alone as a string. */
  private static void unwrap(ObjectNode message) {
    if (!(message.get("content") instanceof ArrayNode content)) {
      return;
    }
    var results = new ArrayList<JsonNode>();
    var rest = new ArrayList<JsonNode>();
    for (var block : content) {
      (block.path("type").asString().equals("tool_result") ? results : rest).add(block);
    }
    var sorted = Tree.array().addAll(results).addAll(rest);
    message.set("content", simple(sorted));
  }

  private static JsonNode simple(ArrayNode blocks) {
    return blocks.size() == 1
            && blocks.get(0).size() == 2
            && blocks.get(0).get("text") instanceof JsonNode text
        ? text
        : blocks;
  }

  /** Anthropic refuses a last assistant text that ends in white space. */
  private void trimPrefill() {
    if (messages.isEmpty()
        || !messages.get(messages.size() - 1).path("role").asString().equals("assistant")
        || !(messages.get(messages.size() - 1).get("content") instanceof ArrayNode content)) {
      return;
    }
    if (content.get(content.size() - 1) instanceof ObjectNode last
        && last.get("text") instanceof JsonNode text) {
      var trimmed = text.asString().stripTrailing();
      if (trimmed.isEmpty()) {
        content.remove(content.size() - 1);
        if (content.isEmpty()) {
          messages.remove(messages.size() - 1);
        }
      } else {
        last.put("text", trimmed);
      }
    }
  }

  private ArrayNode blocks(List<Part> parts) {
    var blocks = Tree.array();
    for (var part : parts) {
      if (block(part) instanceof ObjectNode block) {
        var mark = part.mark();
        if (mark != null) {
          var written = block.putObject("cache_control").put("type", "ephemeral");
          if (mark.lasting()) {
            written.put("ttl", "1h");
          }
        }
        blocks.add(block);
      }
    }
    return blocks;
  }

  private @Nullable ObjectNode block(Part part) {
    return switch (part) {
      case Part.Text text -> text.text().isBlank() ? null : text(text.text());
      case Part.Refusal refusal -> {
        context.lose(Feature.REFUSAL, refusal);
        yield refusal.text().isBlank() ? null : text(refusal.text());
      }
      case Part.Media media -> media(media);
      case Part.ToolCall call -> call(call);
      case Part.ToolResult result -> result(result);
      case Part.Reasoning reasoning -> reasoning(reasoning);
    };
  }

  private static ObjectNode text(String text) {
    return Tree.object().put("type", "text").put("text", text);
  }

  private ObjectNode call(Part.ToolCall call) {
    var block = Tree.object().put("type", "tool_use");
    block.put("id", ToolIds.fit(Dialect.ANTHROPIC, call.id()));
    block.put("name", call.name());
    block.set("input", call.arguments());
    return block;
  }

  private ObjectNode result(Part.ToolResult result) {
    var block = Tree.object().put("type", "tool_result");
    block.put("tool_use_id", ToolIds.fit(Dialect.ANTHROPIC, result.id()));
    var content = blocks(result.content());
    if (!content.isEmpty()) {
      block.set("content", simple(content));
    }
    if (result.error()) {
      block.put("is_error", true);
    }
    return block;
  }

  private @Nullable ObjectNode reasoning(Part.Reasoning reasoning) {
    var seal = reasoning.seal();
    if (seal == null || seal.of() != Dialect.ANTHROPIC) {
      context.lose(Feature.REASONING_HISTORY, reasoning);
      return null;
    }
    return seal.value() instanceof ObjectNode redacted
        ? redacted.deepCopy()
        : Tree.object()
            .put("type", "thinking")
            .put("thinking", reasoning.text())
            .put("signature", seal.value().asString());
  }

  private ObjectNode media(Part.Media media) {
    return switch (media.kind()) {
      case IMAGE -> image(media);
      case DOCUMENT -> document(media);
      case AUDIO -> throw context.refuse(Feature.AUDIO, context.place(media));
      case VIDEO -> throw context.refuse(Feature.VIDEO, context.place(media));
    };
  }

  private ObjectNode image(Part.Media media) {
    if (media.detail() != null) {
      context.lose(Feature.IMAGE_DETAIL, media);
    }
    var block = Tree.object().put("type", "image");
    var source = block.putObject("source");
    switch (media.source()) {
      case Source.Url url -> source.put("type", "url").put("url", url.url());
      case Source.Base64 base64 -> {
        var type = media.mimeType() == null ? "image/png" : media.mimeType();
        var known = type.equals("image/jpg") ? "image/jpeg" : type;
        if (!IMAGES.contains(known)) {
          throw context.refuse(
              Feature.IMAGE, context.place(media), "an image of this type cannot be sent");
        }
        source.put("type", "base64").put("media_type", known).put("data", base64.data());
      }
      case Source.Plain _ -> throw context.refuse(Feature.IMAGE, context.place(media));
    }
    return block;
  }

  private ObjectNode document(Part.Media media) {
    var block = Tree.object().put("type", "document");
    var source = block.putObject("source");
    switch (media.source()) {
      case Source.Url url -> source.put("type", "url").put("url", url.url());
      case Source.Plain plain -> plain(source, plain.text());
      case Source.Base64 base64 -> {
        var type = media.mimeType() == null ? "application/pdf" : media.mimeType();
        if (type.equals("application/pdf")) {
          source.put("type", "base64").put("media_type", type).put("data", base64.data());
        } else if (type.startsWith("text/") || type.equals("application/json")) {
          plain(source, decoded(media, base64.data()));
        } else {
          throw context.refuse(
              Feature.DOCUMENT, context.place(media), "a document of this type cannot be sent");
        }
      }
    }
    if (media.name() != null) {
      block.put("title", media.name());
    }
    return block;
  }

  private static void plain(ObjectNode source, String text) {
    source.put("type", "text").put("media_type", "text/plain").put("data", text);
  }

  private String decoded(Part.Media media, String data) {
    try {
      return new String(Base64.getDecoder().decode(data), StandardCharsets.UTF_8);
    } catch (IllegalArgumentException e) {
      throw context.refuse(
          Feature.DOCUMENT, context.place(media), "a document that is not base64 cannot be sent");
    }
  }
}
