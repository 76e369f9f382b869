package dev.mainstay.wire.translate.chat;

import dev.mainstay.wire.Dialect;
import dev.mainstay.wire.json.Tree;
import dev.mainstay.wire.openai.OpenAiUsage;
import dev.mainstay.wire.sse.SseEvent;
import dev.mainstay.wire.translate.DataUrl;
import dev.mainstay.wire.translate.Delta;
import dev.mainstay.wire.translate.Delta.Ending;
import dev.mainstay.wire.translate.DeltaReader;
import dev.mainstay.wire.translate.MalformedReplyException;
import dev.mainstay.wire.translate.Seals;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * Reads OpenAI Chat, Mistral, and the many who copy the format: reasoning as {@code
 * reasoning_content}, {@code reasoning}, {@code reasoning_details} or Mistral's blocks, images as
 * OpenRouter sends them, tool calls without an index or all with the same.
 */
public final class ChatReplyReader extends DeltaReader {
  private final Dialect dialect;
  private final Map<Integer, ChatChoice> choices = new HashMap<>();
  private boolean started;
  private boolean done;

  /**
   * @param dialect {@link Dialect#OPENAI_CHAT} or {@link Dialect#MISTRAL}
   */
  public ChatReplyReader(Dialect dialect) {
    this.dialect = dialect;
  }

  @Override
  protected boolean beforeJson(SseEvent event) {
    if (event.dataIs("[DONE]")) {
      end();
      return true;
    }
    return event.name().equals("error");
  }

  @Override
  protected void event(String name, JsonNode data) {
    read(data, "delta");
  }

  @Override
  protected void answer(JsonNode body) {
    if (!body.path("choices").isArray()) {
      throw new MalformedReplyException("the answer has no choices");
    }
    read(body, "message");
    choices.values().forEach(choice -> choice.ends(this::say));
    end();
  }

  private void end() {
    if (!done) {
      done = true;
      say(new Delta.End());
    }
  }

  private void read(JsonNode data, String messageName) {
    var all = data.path("choices");
    // Azure sends the verdict on the prompt in a chunk of its own before the answer, without an id.
    if (!started && (!all.isEmpty() || !Tree.text(data, "id").isEmpty())) {
      started = true;
      say(new Delta.Start(nonEmpty(data, "id"), nonEmpty(data, "model")));
    }
    for (var choice : all) {
      choice(choice, choice.path(choice.has(messageName) ? messageName : "message"));
    }
    if (data.path("usage").isObject()) {
      say(new Delta.Used(OpenAiUsage.read(Tree.walk(data.get("usage")))));
    }
  }

  private static @Nullable String nonEmpty(JsonNode data, String name) {
    var text = Tree.text(data, name);
    return text.isEmpty() ? null : text;
  }

  private void choice(JsonNode choice, JsonNode message) {
    int index = choice.path("index").asInt(0);
    var state = choices.computeIfAbsent(index, ChatChoice::new);
    reasoning(index, message);
    var content = message.path("content");
    if (content.isArray()) {
      content.forEach(block -> block(index, block));
    } else {
      sayText(index, content.stringValue(null));
    }
    sayRefusal(index, message.path("refusal").stringValue(null));
    message.path("annotations").forEach(note -> say(new Delta.Citation(index, dialect, note)));
    message.path("images").forEach(image -> image(index, image.path("image_url")));
    if (message.path("audio").isObject()) {
      var audio = Tree.object();
      audio.set("audio", message.get("audio"));
      say(new Delta.Native(index, dialect, audio));
    }
    var logprobs = choice.path("logprobs").path("content");
    if (!logprobs.isEmpty()) {
      say(new Delta.Logprobs(index, logprobs));
    }
    for (var call : message.path("tool_calls")) {
      state.call(call, this::say);
    }
    if (message.path("function_call").isObject()) {
      state.function(message.get("function_call"), this::say);
    }
    finish(choice, state);
  }

  private void finish(JsonNode choice, ChatChoice state) {
    var word = Tree.text(choice, "finish_reason");
    if (word.isEmpty() || state.finished) {
      return;
    }
    state.finished = true;
    state.ends(this::say);
    var ending = ChatEndings.ending(word, state.calls > 0);
    // vLLM names the stop sequence that was met.
    var met = choice.path("stop_reason").stringValue(null);
    if (ending == Ending.STOP && met != null && !met.isEmpty()) {
      say(new Delta.Finished(state.index, Ending.STOP_SEQUENCE, word, met));
    } else {
      say(new Delta.Finished(state.index, ending, word, null));
    }
  }

  private void reasoning(int index, JsonNode message) {
    var text = Tree.text(message, "reasoning_content");
    if (text.isEmpty()) {
      text = Tree.text(message, "reasoning");
    }
    sayReasoning(index, text);
    for (var detail : message.path("reasoning_details")) {
      if (text.isEmpty()) {
        sayReasoning(index, Tree.text(detail, detail.has("text") ? "text" : "summary"));
      }
      var data = Tree.text(detail, "data");
      var carried = Seals.read(data);
      if (carried != null) {
        var seal = carried.seal(index);
        if (seal != null) {
          say(seal);
        }
      } else if (!data.isEmpty() || !Tree.text(detail, "signature").isEmpty()) {
        say(new Delta.ReasoningSeal(index, dialect, detail));
      }
    }
  }

  /** Mistral sends content as blocks where there is more than text in it. */
  private void block(int index, JsonNode block) {
    switch (Tree.text(block, "type")) {
      case "text" -> sayText(index, Tree.text(block, "text"));
      case "thinking" -> {
        var thinking = block.path("thinking");
        if (thinking.isArray()) {
          thinking.forEach(part -> sayReasoning(index, Tree.text(part, "text")));
        } else {
          sayReasoning(index, thinking.stringValue(null));
        }
      }
      case "image_url" -> image(index, block.path("image_url"));
      case "reference" -> say(new Delta.Citation(index, dialect, block));
      default -> say(new Delta.Native(index, dialect, block));
    }
  }

  private void image(int index, JsonNode place) {
    var url = place.isString() ? place.stringValue() : Tree.text(place, "url");
    var data = DataUrl.read(url);
    if (data != null) {
      say(new Delta.Media(index, data.mimeType(), data.base64()));
    }
  }
}
