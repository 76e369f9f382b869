package dev.mainstay.wire.translate.chat;

import dev.mainstay.wire.Dialect;
import dev.mainstay.wire.json.Tree;
import dev.mainstay.wire.translate.AnswerFeature;
import dev.mainstay.wire.translate.DataUrl;
import dev.mainstay.wire.translate.Delta;
import dev.mainstay.wire.translate.JsonEnd;
import dev.mainstay.wire.translate.Seals;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** A choice that is being written in Mistral's variant. */
final class MistralChoice {
  final int index;
  private final Consumer<AnswerFeature> drop;
  boolean role;

  /** The finish has been delivered: nothing can follow. */
  boolean closed;

  int calls;
  private Delta.@Nullable ToolCall call;
  private StringBuilder arguments = new StringBuilder();
  private JsonEnd whole = new JsonEnd();
  private Delta.@Nullable Finished finished;

  /** Takes a field of the message: {@code content} or {@code tool_calls}. */
  interface Pieces {
    void piece(MistralChoice choice, String field, JsonNode value);
  }

  MistralChoice(int index, Consumer<AnswerFeature> drop) {
    this.index = index;
    this.drop = drop;
  }

  void add(String answer, Delta delta, Pieces pieces) {
    if (closed || finished != null) {
      return;
    }
    if (!(delta instanceof Delta.Arguments)) {
      callEnds(answer, pieces);
    }
    switch (delta) {
      case Delta.Text more -> text(more.text(), pieces);
      case Delta.Refusal more -> text(more.text(), pieces);
      case Delta.Reasoning more -> {
        if (!more.text().isEmpty()) {
          var block = Tree.object().put("type", "thinking");
          block.putArray("thinking").addObject().put("type", "text").put("text", more.text());
          block(block, pieces);
        }
      }
      case Delta.ReasoningSeal seal -> sealed(Seals.carry(seal, false), pieces);
      case Delta.ToolCall begins -> {
        call = begins;
        arguments = new StringBuilder();
        whole = new JsonEnd();
        var seal = begins.seal();
        if (seal != null) {
          sealed(Seals.carry(seal, true), pieces);
        }
      }
      case Delta.Arguments more -> {
        arguments.append(more.json());
        whole.feed(more.json());
        if (whole.ended()) {
          callEnds(answer, pieces);
        }
      }
      case Delta.Citation citation -> {
        if (citation.of() == Dialect.MISTRAL) {
          block(citation.value(), pieces);
        } else {
          drop.accept(AnswerFeature.CITATIONS);
        }
      }
      case Delta.Logprobs logprobs -> drop.accept(AnswerFeature.LOGPROBS);
      case Delta.Media media -> {
        if (media.mimeType().startsWith("image/")) {
          var url = new DataUrl(media.mimeType(), media.base64()).toString();
          block(Tree.object().put("type", "image_url").put("image_url", url), pieces);
        } else {
          drop.accept(AnswerFeature.IMAGES);
        }
      }
      case Delta.Native own -> {
        if (own.of() == Dialect.MISTRAL) {
          block(own.value(), pieces);
        } else {
          drop.accept(AnswerFeature.PROVIDER_TOOLS);
        }
      }
      case Delta.Finished ends -> {
        finished = ends;
        if (ends.stopSequence() != null) {
          drop.accept(AnswerFeature.STOP_SEQUENCE);
        }
      }
      default -> throw new IllegalStateException("no piece of a choice: " + delta);
    }
  }

  private void text(String text, Pieces pieces) {
    if (!text.isEmpty()) {
      pieces.piece(this, "content", Tree.object().put("text", text).get("text"));
    }
  }

  /** A thinking block has a signature, which clients send back unread. */
  private void sealed(String signature, Pieces pieces) {
    var block = Tree.object().put("type", "thinking");
    block.putArray("thinking");
    block(block.put("signature", signature), pieces);
  }

  private void block(JsonNode block, Pieces pieces) {
    pieces.piece(this, "content", Tree.array().add(block));
  }

  private void callEnds(String answer, Pieces pieces) {
    var begun = call;
    if (begun == null) {
      return;
    }
    call = null;
    var json =
        Tree.object()
            .put("id", ChatAnswer.id(Dialect.MISTRAL, answer, begun, calls))
            .put("type", "function");
    json.putObject("function")
        .put("name", begun.name())
        .put("arguments", arguments.isEmpty() ? "{}" : arguments.toString());
    json.put("index", calls++);
    pieces.piece(this, "tool_calls", Tree.array().add(json));
  }

  /** Why it finished, or null where nobody said. */
  @Nullable String word() {
    return finished == null ? null : ChatEndings.word(Dialect.MISTRAL, finished, calls > 0);
  }

  private static boolean isOfCall(JsonNode block) {
    return Seals.read(Tree.text(block, "signature")) instanceof Seals.Carried carried
        && carried.ofCall();
  }

  /** Adds {@code value}, a string or a list of one block, to the blocks of a whole answer. */
  static void join(ArrayNode blocks, JsonNode value) {
    var block =
        value.isString() ? Tree.object().put("type", "text").set("text", value) : value.get(0);
    if (!blocks.isEmpty() && blocks.get(blocks.size() - 1) instanceof ObjectNode last) {
      var type = Tree.text(last, "type");
      if (type.equals(Tree.text(block, "type"))) {
        if (type.equals("text")) {
          last.put("text", Tree.text(last, "text") + Tree.text(block, "text"));
          return;
        }
        if (type.equals("thinking")
            && last.path("thinking").path(0) instanceof ObjectNode thought
            && !last.has("signature")
            && !isOfCall(block)) {
          thought.put(
              "text",
              Tree.text(thought, "text") + Tree.text(block.path("thinking").path(0), "text"));
          if (block.has("signature")) {
            last.set("signature", block.get("signature"));
          }
          return;
        }
      }
    }
    blocks.add(block);
  }
}
