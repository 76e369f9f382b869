package dev.mainstay.wire.translate.anthropic;

import dev.mainstay.wire.Dialect;
import dev.mainstay.wire.json.Tree;
import dev.mainstay.wire.translate.AnswerFeature;
import dev.mainstay.wire.translate.Delta;
import dev.mainstay.wire.translate.GatheredDeltas;
import dev.mainstay.wire.translate.Seals;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** The {@code content} of a whole answer. */
final class MessageContent {
  private final String answer;
  private final Consumer<AnswerFeature> drop;
  private final ArrayNode content = Tree.array();
  private int calls;

  /** The text or thinking block that may still be added to. */
  private @Nullable ObjectNode open;

  MessageContent(String answer, Consumer<AnswerFeature> drop) {
    this.answer = answer;
    this.drop = drop;
  }

  ArrayNode of(GatheredDeltas.Choice choice) {
    choice.pieces().forEach(this::add);
    thinkingEnds();
    if (!choice.logprobs().isEmpty()) {
      drop.accept(AnswerFeature.LOGPROBS);
    }
    return content;
  }

  private void add(GatheredDeltas.Piece piece) {
    switch (piece.delta()) {
      case Delta.Text more -> text(piece.text().toString());
      case Delta.Refusal more -> text(piece.text().toString());
      case Delta.Reasoning more -> thinking(piece.text().toString());
      case Delta.ReasoningSeal seal -> seal(seal);
      case Delta.ToolCall call -> call(call, piece.text().toString());
      case Delta.Citation citation -> cite(citation);
      case Delta.Media media -> drop.accept(AnswerFeature.IMAGES);
      case Delta.Native own -> {
        if (own.of() == Dialect.ANTHROPIC) {
          block(own.value());
        } else {
          drop.accept(AnswerFeature.PROVIDER_TOOLS);
        }
      }
      default -> throw new IllegalStateException("no piece of an answer: " + piece.delta());
    }
  }

  private void block(JsonNode block) {
    thinkingEnds();
    content.add(block);
    open = null;
  }

  private ObjectNode begin(ObjectNode block) {
    block(block);
    open = block;
    return block;
  }

  private void thinkingEnds() {
    if (open != null && open.has("thinking") && !open.has("signature")) {
      open.put("signature", Seals.none());
    }
  }

  private void text(String text) {
    var block = open;
    if (block != null && block.has("text") && !block.has("citations")) {
      block.put("text", Tree.text(block, "text") + text);
    } else if (!text.isEmpty()) {
      begin(Tree.object().put("type", "text").put("text", text));
    }
  }

  private void thinking(String text) {
    if (!text.isEmpty()) {
      begin(Tree.object().put("type", "thinking").put("thinking", text));
    }
  }

  private void seal(Delta.ReasoningSeal seal) {
    var block = open;
    boolean unsigned = block != null && block.has("thinking") && !block.has("signature");
    if (AnswerBlocks.signature(seal)) {
      if (block == null || !unsigned) {
        block = begin(Tree.object().put("type", "thinking").put("thinking", ""));
      }
      block.set("signature", seal.value());
    } else if (block != null && unsigned && seal.of() != Dialect.ANTHROPIC) {
      block.put("signature", Seals.carry(seal, false));
    } else {
      block(AnswerBlocks.sealBlock(seal, false));
    }
  }

  private void call(Delta.ToolCall call, String arguments) {
    var seal = call.seal();
    if (seal != null) {
      block(AnswerBlocks.sealBlock(seal, true));
    }
    var block = AnswerBlocks.call(answer, call, calls++);
    block.set("input", input(arguments));
    block(block);
  }

  private JsonNode input(String arguments) {
    if (arguments.isBlank()) {
      return Tree.object();
    }
    try {
      var input = Tree.read(arguments);
      if (input.isObject()) {
        return input;
      }
    } catch (JacksonException e) {
      // Not JSON: said below.
    }
    drop.accept(AnswerFeature.INVALID_ARGUMENTS);
    return Tree.object().put("invalid_arguments", arguments);
  }

  private void cite(Delta.Citation citation) {
    var value = AnswerBlocks.citation(citation);
    if (value == null || open == null || !open.has("text")) {
      drop.accept(AnswerFeature.CITATIONS);
    } else {
      open.withArray("citations").add(value);
    }
  }
}
