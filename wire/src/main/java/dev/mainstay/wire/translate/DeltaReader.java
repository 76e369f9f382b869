package dev.mainstay.wire.translate;

import dev.mainstay.wire.json.Tree;
import dev.mainstay.wire.sse.SseEvent;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;

/** What the readers of all dialects share. Not thread-safe. */
public abstract class DeltaReader implements ReplyReader {
  private List<Delta> said = new ArrayList<>();

  @Override
  public final List<Delta> read(SseEvent event) {
    if (!event.hasData()) {
      return List.of();
    }
    said = new ArrayList<>();
    if (!beforeJson(event)) {
      event(event.name(), tree(event.data(), event.dataStart(), event.dataLength()));
    }
    return said;
  }

  @Override
  public final List<Delta> whole(byte[] body) {
    said = new ArrayList<>();
    answer(tree(body, 0, body.length));
    return said;
  }

  @Override
  public final List<Delta> close() {
    said = new ArrayList<>();
    closed();
    return said;
  }

  /** Reads what is not JSON; true where that settles it. */
  protected boolean beforeJson(SseEvent event) {
    return false;
  }

  /** Reads an event of a stream. */
  protected abstract void event(String name, JsonNode data);

  /** Reads a whole answer. */
  protected abstract void answer(JsonNode body);

  /** The bytes of a stream have ended. */
  protected void closed() {}

  protected final void say(Delta delta) {
    said.add(delta);
  }

  protected final void sayText(int choice, @Nullable String text) {
    if (text != null && !text.isEmpty()) {
      said.add(new Delta.Text(choice, text));
    }
  }

  protected final void sayReasoning(int choice, @Nullable String text) {
    if (text != null && !text.isEmpty()) {
      said.add(new Delta.Reasoning(choice, text));
    }
  }

  protected final void sayRefusal(int choice, @Nullable String text) {
    if (text != null && !text.isEmpty()) {
      said.add(new Delta.Refusal(choice, text));
    }
  }

  protected final void sayArguments(int choice, int call, @Nullable String json) {
    if (json != null && !json.isEmpty()) {
      said.add(new Delta.Arguments(choice, call, json));
    }
  }

  private static JsonNode tree(byte[] bytes, int offset, int length) {
    JsonNode node;
    try {
      node = Tree.read(bytes, offset, length);
    } catch (JacksonException e) {
      throw new MalformedReplyException("the answer is not JSON");
    }
    if (!node.isObject()) {
      throw new MalformedReplyException("the answer is not a JSON object");
    }
    return node;
  }
}
