package dev.mainstay.wire.translate.gemini;

import dev.mainstay.wire.Dialect;
import dev.mainstay.wire.json.Tree;
import dev.mainstay.wire.money.Usage;
import dev.mainstay.wire.translate.CitedLink;
import dev.mainstay.wire.translate.Delta;
import dev.mainstay.wire.translate.Seals;
import dev.mainstay.wire.translate.ToolIds;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** The pieces that Gemini's answers are made of. */
final class GeminiParts {
  private GeminiParts() {}

  static ObjectNode text(String text) {
    return Tree.object().put("text", text);
  }

  static ObjectNode thought(String text) {
    return Tree.object().put("text", text).put("thought", true);
  }

  /**
   * A part that holds nothing but {@code seal}.
   *
   * @param ofThought whether it is reasoning that it follows
   */
  static ObjectNode seal(Delta.ReasoningSeal seal, boolean ofThought) {
    if (seal.of() == Dialect.GEMINI) {
      return (ofThought ? thought("") : text("")).set("thoughtSignature", seal.value());
    }
    return thought("").put("thoughtSignature", Seals.carry(seal, false));
  }

  static ObjectNode media(Delta.Media media) {
    var part = Tree.object();
    part.putObject("inlineData").put("mimeType", media.mimeType()).put("data", media.base64());
    return part;
  }

  /** A call; null where its arguments are no JSON object, which Gemini has no way to write. */
  static @Nullable ObjectNode call(Delta.ToolCall call, String arguments) {
    JsonNode args;
    try {
      args = arguments.isBlank() ? Tree.object() : Tree.read(arguments);
    } catch (JacksonException e) {
      return null;
    }
    if (!args.isObject()) {
      return null;
    }
    var part = Tree.object();
    var function = part.putObject("functionCall");
    if (call.id() != null && !call.id().isEmpty()) {
      function.put("id", ToolIds.fit(Dialect.GEMINI, call.id()));
    }
    function.put("name", call.name()).set("args", args);
    var seal = call.seal();
    if (seal != null && seal.of() == Dialect.GEMINI) {
      part.set("thoughtSignature", seal.value());
    }
    return part;
  }

  /** Whether {@code own} is said of a candidate rather than a part of its content. */
  static boolean note(Delta.Native own) {
    return own.value().has("groundingMetadata")
        || own.value().has("citationMetadata")
        || own.value().has("urlContextMetadata");
  }

  /** {@code links} as the sources that {@code text} rests on. */
  static ObjectNode grounding(List<CitedLink> links, CharSequence text) {
    var json = Tree.object();
    var chunks = json.putArray("groundingChunks");
    var supports = json.putArray("groundingSupports");
    for (var link : links) {
      if (link.end() >= 0) {
        var support = supports.addObject();
        support
            .putObject("segment")
            .put("startIndex", Utf8.bytes(text, link.start()))
            .put("endIndex", Utf8.bytes(text, link.end()));
        support.putArray("groundingChunkIndices").add(chunks.size());
      }
      chunks.addObject().putObject("web").put("uri", link.url()).put("title", link.title());
    }
    return json;
  }

  static ObjectNode candidate(int index, @Nullable ArrayNode parts) {
    var json = Tree.object();
    var content = json.putObject("content");
    if (parts == null) {
      content.putArray("parts").add(text(""));
    } else {
      content.set("parts", parts);
    }
    content.put("role", "model");
    return json.put("index", index);
  }

  static ObjectNode usage(Usage usage) {
    var json = Tree.object().put("promptTokenCount", usage.prompt());
    if (usage.cachedInput() > 0) {
      json.put("cachedContentTokenCount", usage.cachedInput());
    }
    json.put("candidatesTokenCount", usage.output());
    if (usage.reasoning() > 0) {
      json.put("thoughtsTokenCount", usage.reasoning());
    }
    return json.put("totalTokenCount", usage.prompt() + usage.output() + usage.reasoning());
  }
}
