package dev.mainstay.wire.translate;

import dev.mainstay.wire.Dialect;
import dev.mainstay.wire.json.Tree;
import dev.mainstay.wire.sse.SseEvent;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;

/** What the readers of all dialects share. Not thread-safe. */
public abstract class DeltaReader implements ReplyReader {
  private List<Delta> said = new ArrayList<>();
  private final Map<Place, Character> halves = new LinkedHashMap<>(0);
  private Delta.@Nullable ReasoningSeal forCall;

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
    halves(-1);
    return said;
  }

  @Override
  public final List<Delta> close() {
    said = new ArrayList<>();
    halves(-1);
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
    if (delta instanceof Delta.Finished finished) {
      halves(finished.choice());
    }
    said.add(delta);
  }

  protected final void sayText(int choice, @Nullable String text) {
    say(Kind.TEXT, choice, 0, text);
  }

  protected final void sayReasoning(int choice, @Nullable String text) {
    say(Kind.REASONING, choice, 0, text);
  }

  protected final void sayRefusal(int choice, @Nullable String text) {
    say(Kind.REFUSAL, choice, 0, text);
  }

  protected final void sayArguments(int choice, int call, @Nullable String json) {
    say(Kind.ARGUMENTS, choice, call, json);
  }

  /**
   * Says the seal of reasoning that {@code text} is: {@code own}, or what it carries of another
   * dialect. A carried seal of the next tool call waits for {@link #callSeal}.
   */
  protected final void saySeal(String text, Dialect dialect, JsonNode own) {
    var carried = Seals.read(text);
    if (carried == null) {
      say(new Delta.ReasoningSeal(0, dialect, own));
      return;
    }
    var seal = carried.seal(0);
    if (carried.ofCall()) {
      forCall = seal;
    } else if (seal != null) {
      say(seal);
    }
  }

  /** The carried seal of the tool call that begins now, or null; given out once. */
  protected final Delta.@Nullable ReasoningSeal callSeal() {
    var seal = forCall;
    forCall = null;
    return seal;
  }

  // ---- half characters

  private enum Kind {
    TEXT,
    REASONING,
    REFUSAL,
    ARGUMENTS
  }

  private record Place(Kind kind, int choice, int call) {
    Delta delta(String text) {
      return switch (kind) {
        case TEXT -> new Delta.Text(choice, text);
        case REASONING -> new Delta.Reasoning(choice, text);
        case REFUSAL -> new Delta.Refusal(choice, text);
        case ARGUMENTS -> new Delta.Arguments(choice, call, text);
      };
    }
  }

  /**
   * A character beyond U+FFFF is two of UTF-16, and some who cut a text between these send one in
   * each event. Half of one cannot be written in UTF-8: it waits for the other.
   */
  private void say(Kind kind, int choice, int call, @Nullable String text) {
    if (text == null || text.isEmpty()) {
      return;
    }
    var whole = text;
    var place = new Place(kind, choice, call);
    if (!halves.isEmpty() && halves.remove(place) instanceof Character half) {
      whole = half + text;
    }
    char last = whole.charAt(whole.length() - 1);
    if (Character.isHighSurrogate(last)) {
      halves.put(place, last);
      whole = whole.substring(0, whole.length() - 1);
    }
    if (!whole.isEmpty()) {
      said.add(place.delta(whole));
    }
  }

  /** What never got its other half is said as it came. */
  private void halves(int choice) {
    if (!halves.isEmpty()) {
      halves
          .entrySet()
          .removeIf(
              half -> {
                boolean ends = choice < 0 || half.getKey().choice() == choice;
                if (ends) {
                  said.add(half.getKey().delta(half.getValue().toString()));
                }
                return ends;
              });
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
