package dev.mainstay.wire.translate.chat;

import dev.mainstay.wire.Dialect;
import dev.mainstay.wire.json.Tree;
import dev.mainstay.wire.translate.CitedLink;
import dev.mainstay.wire.translate.DataUrl;
import dev.mainstay.wire.translate.Delta;
import dev.mainstay.wire.translate.Seals;
import dev.mainstay.wire.translate.ToolIds;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/** The parts that a stream's chunk and a whole answer of OpenAI Chat have in common. */
final class ChatAnswer {
  private ChatAnswer() {}

  /** A tool call with {@code arguments}, or the input of a custom one. */
  static ObjectNode call(
      String answer, Delta.ToolCall call, int index, boolean custom, String arguments) {
    var json = Tree.object().put("index", index);
    json.put("id", id(Dialect.OPENAI_CHAT, answer, call, index));
    json.put("type", custom ? "custom" : "function");
    var seal = call.seal();
    if (seal != null && seal.of() == Dialect.GEMINI) {
      // Where Google's own OpenAI endpoint puts it.
      json.putObject("extra_content").putObject("google").set("thought_signature", seal.value());
    }
    json.putObject(custom ? "custom" : "function")
        .put("name", call.name())
        .put(custom ? "input" : "arguments", arguments);
    return json;
  }

  static String id(Dialect dialect, String answer, Delta.ToolCall call, int index) {
    var id = call.id();
    return id == null || id.isEmpty()
        ? ToolIds.invent(dialect, answer, call.choice(), index)
        : ToolIds.fit(dialect, id);
  }

  /** An element of {@code reasoning_details}. */
  static ObjectNode seal(Delta.ReasoningSeal seal, int index) {
    if (seal.of() == Dialect.OPENAI_CHAT && seal.value() instanceof ObjectNode own) {
      return own.deepCopy().put("index", index);
    }
    return Tree.object()
        .put("type", "reasoning.encrypted")
        .put("data", Seals.carry(seal, false))
        .put("format", "mainstay")
        .put("index", index);
  }

  /**
   * An annotation, or null where it can be none.
   *
   * @param from where the text since the last citation begins
   * @param to the length of the text so far
   */
  static @Nullable ObjectNode citation(Delta.Citation citation, long from, long to) {
    if (citation.of() == Dialect.OPENAI_CHAT && citation.value() instanceof ObjectNode own) {
      return own.deepCopy();
    }
    var link = CitedLink.of(citation);
    if (link == null) {
      return null;
    }
    var json = Tree.object().put("type", "url_citation");
    json.set("url_citation", link.annotation(from, to));
    return json;
  }

  /** An image, as OpenRouter sends it; null for what is none. */
  static @Nullable ObjectNode image(Delta.Media media, int index) {
    if (!media.mimeType().startsWith("image/")) {
      return null;
    }
    var json = Tree.object().put("type", "image_url").put("index", index);
    json.putObject("image_url")
        .put("url", new DataUrl(media.mimeType(), media.base64()).toString());
    return json;
  }
}
