package dev.mainstay.wire.translate.chat;

import dev.mainstay.wire.Dialect;
import dev.mainstay.wire.json.Tree;
import dev.mainstay.wire.translate.AnswerFeature;
import dev.mainstay.wire.translate.CustomInput;
import dev.mainstay.wire.translate.Delta;
import dev.mainstay.wire.translate.GatheredDeltas;
import java.util.function.Consumer;
import java.util.function.Predicate;
import tools.jackson.databind.node.ObjectNode;

/** A whole answer's choices. */
final class ChatMessage {
  private final String answer;
  private final Predicate<Delta.ToolCall> custom;
  private final Consumer<AnswerFeature> drop;

  ChatMessage(String answer, Predicate<Delta.ToolCall> custom, Consumer<AnswerFeature> drop) {
    this.answer = answer;
    this.custom = custom;
    this.drop = drop;
  }

  ObjectNode choice(int number, GatheredDeltas.Choice from) {
    var json = Tree.object().put("index", number);
    json.set("message", message(from));
    if (from.logprobs().isEmpty()) {
      json.putNull("logprobs");
    } else {
      var logprobs = json.putObject("logprobs");
      var content = logprobs.putArray("content");
      from.logprobs().forEach(more -> more.value().forEach(content::add));
      logprobs.putNull("refusal");
    }
    var finished = from.finished();
    if (finished == null) {
      return json.putNull("finish_reason");
    }
    json.put("finish_reason", ChatEndings.word(Dialect.OPENAI_CHAT, finished, from.calls()));
    if (finished.stopSequence() != null) {
      json.put("stop_reason", finished.stopSequence());
    }
    return json;
  }

  private ObjectNode message(GatheredDeltas.Choice from) {
    var text = new StringBuilder();
    var refusal = new StringBuilder();
    var reasoning = new StringBuilder();
    var details = Tree.array();
    var annotations = Tree.array();
    var images = Tree.array();
    var calls = Tree.array();
    var own = Tree.object();
    boolean says = false;
    int cited = 0;
    for (var piece : from.pieces()) {
      switch (piece.delta()) {
        case Delta.Text more -> {
          text.append(piece.text());
          says = true;
        }
        case Delta.Refusal more -> refusal.append(piece.text());
        case Delta.Reasoning more -> reasoning.append(piece.text());
        case Delta.ReasoningSeal seal -> details.add(ChatAnswer.seal(seal, details.size()));
        case Delta.ToolCall call -> {
          boolean free = custom.test(call);
          var arguments = piece.text().isEmpty() ? "{}" : piece.text().toString();
          var json =
              ChatAnswer.call(
                  answer, call, calls.size(), free, free ? CustomInput.of(arguments) : arguments);
          json.remove("index");
          calls.add(json);
        }
        case Delta.Citation citation -> {
          var note = ChatAnswer.citation(citation, cited, text.length());
          cited = text.length();
          if (note == null) {
            drop.accept(AnswerFeature.CITATIONS);
          } else {
            annotations.add(note);
          }
        }
        case Delta.Media media -> {
          var image = ChatAnswer.image(media, images.size());
          if (image == null) {
            drop.accept(AnswerFeature.IMAGES);
          } else {
            images.add(image);
          }
        }
        case Delta.Native only -> {
          if (only.of() == Dialect.OPENAI_CHAT && only.value() instanceof ObjectNode fields) {
            own.setAll(fields);
          } else {
            drop.accept(AnswerFeature.PROVIDER_TOOLS);
          }
        }
        default -> throw new IllegalStateException("no piece of an answer: " + piece.delta());
      }
    }
    var json = Tree.object().put("role", "assistant");
    json.put("content", says ? text.toString() : null);
    json.put("refusal", refusal.isEmpty() ? null : refusal.toString());
    if (!reasoning.isEmpty()) {
      json.put("reasoning_content", reasoning.toString());
    }
    json.setAll(own);
    if (!details.isEmpty()) {
      json.set("reasoning_details", details);
    }
    if (!annotations.isEmpty()) {
      json.set("annotations", annotations);
    }
    if (!images.isEmpty()) {
      json.set("images", images);
    }
    if (!calls.isEmpty()) {
      json.set("tool_calls", calls);
    }
    return json;
  }
}
