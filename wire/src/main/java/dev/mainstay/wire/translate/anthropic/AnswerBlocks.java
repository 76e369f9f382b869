package dev.mainstay.wire.translate.anthropic;

import dev.mainstay.wire.Dialect;
import dev.mainstay.wire.json.Tree;
import dev.mainstay.wire.money.Usage;
import dev.mainstay.wire.translate.CitedLink;
import dev.mainstay.wire.translate.Delta;
import dev.mainstay.wire.translate.Seals;
import dev.mainstay.wire.translate.ToolIds;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** The parts that a stream and a whole answer of Anthropic Messages have in common. */
final class AnswerBlocks {
  private AnswerBlocks() {}

  static ObjectNode message(String id, String model, @Nullable Usage usage) {
    var json =
        Tree.object()
            .put("id", id)
            .put("type", "message")
            .put("role", "assistant")
            .put("model", model);
    json.putArray("content");
    json.putNull("stop_reason").putNull("stop_sequence");
    json.set("usage", usage(usage));
    return json;
  }

  static ObjectNode usage(@Nullable Usage usage) {
    var u = usage == null ? new Usage(0, 0, 0, 0, 0, true) : usage;
    var json =
        Tree.object()
            .put("input_tokens", u.input())
            .put("cache_creation_input_tokens", u.cacheWrite())
            .put("cache_read_input_tokens", u.cachedInput())
            .put("output_tokens", u.output() + u.reasoning());
    if (u.reasoning() > 0) {
      json.putObject("output_tokens_details").put("thinking_tokens", u.reasoning());
    }
    if (u.tools().webSearches() > 0) {
      json.putObject("server_tool_use").put("web_search_requests", u.tools().webSearches());
    }
    return json;
  }

  /** A tool call's block, its input empty. */
  static ObjectNode call(String answer, Delta.ToolCall call, int number) {
    var id = call.id();
    var json =
        Tree.object()
            .put("type", "tool_use")
            .put(
                "id",
                id == null || id.isEmpty()
                    ? ToolIds.invent(Dialect.ANTHROPIC, answer, call.choice(), number)
                    : ToolIds.fit(Dialect.ANTHROPIC, id))
            .put("name", call.name());
    json.putObject("input");
    return json;
  }

  /** Whether {@code seal} is the signature of a thinking block rather than a block of its own. */
  static boolean signature(Delta.ReasoningSeal seal) {
    return seal.of() == Dialect.ANTHROPIC && seal.value().isString();
  }

  /** A block that holds nothing but {@code seal}. */
  static JsonNode sealBlock(Delta.ReasoningSeal seal, boolean ofCall) {
    return seal.of() == Dialect.ANTHROPIC
        ? seal.value()
        : Tree.object().put("type", "redacted_thinking").put("data", Seals.carry(seal, ofCall));
  }

  /** A citation, or null where it can be none. */
  static @Nullable JsonNode citation(Delta.Citation citation) {
    if (citation.of() == Dialect.ANTHROPIC) {
      return citation.value();
    }
    var link = CitedLink.of(citation);
    return link == null
        ? null
        : Tree.object()
            .put("type", "web_search_result_location")
            .put("cited_text", link.cited())
            // Anthropic's own proof of what it found, which only Anthropic can make.
            .put("encrypted_index", Seals.none())
            .put("title", link.title())
            .put("url", link.url());
  }

  static void stop(ObjectNode holder, Delta.Finished finished, boolean calls, boolean refused) {
    holder
        .put("stop_reason", MessageEndings.word(finished, calls, refused))
        .put("stop_sequence", finished.stopSequence());
  }

  /** How a block of a server's own tool begins in a stream. */
  static JsonNode withoutInput(JsonNode block) {
    return block instanceof ObjectNode object && object.has("input")
        ? object.deepCopy().set("input", Tree.object())
        : block;
  }
}
