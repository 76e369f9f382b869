package dev.mainstay.wire.stream;

import dev.mainstay.wire.json.JsonShape;
import dev.mainstay.wire.json.JsonWalk;
import dev.mainstay.wire.money.Usage;
import dev.mainstay.wire.sse.SseEvent;
import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Reads the stream of one attempt, event by event, and remembers what its record needs. One
 * subclass per dialect. Not thread-safe.
 */
public abstract class StreamReader {
  /** The first byte of U+FEFF; no JSON begins with it. */
  private static final byte BYTE_ORDER_MARK = (byte) 0xef;

  private long contentBytes;
  private boolean ended;
  private @Nullable String finish;
  private @Nullable String responseId;
  private @Nullable String model;

  /** Calls of the provider's own tools whose results have not come, by their ids. */
  private final Set<String> running = new HashSet<>(0);

  /** Set by {@link #object} while an event is read. */
  private Part part = Part.NOTHING;

  /** The last event that was read, where one like it says the same again. */
  private final JsonShape shape = new JsonShape();

  private String shapeName = "";
  private Part shapePart = Part.NOTHING;
  private boolean once;

  /** What {@code event} brings. Never throws on what a provider sent. */
  public final Part read(SseEvent event) {
    if (!event.hasData()) {
      return Part.NOTHING;
    }
    part = Part.NOTHING;
    if (beforeJson(event)) {
      return part;
    }
    int chars = shape.fit(event.data(), event.dataStart(), event.dataLength());
    if (chars >= 0 && event.name().equals(shapeName)) {
      contentBytes += chars;
      return shapePart;
    }
    shape.begin();
    once = false;
    if (event.dataLength() > 0 && event.data()[event.dataStart()] == BYTE_ORDER_MARK) {
      // Ours would read on; those of the clients stop with an error of their own.
      return Part.MALFORMED;
    }
    try {
      var walk = new JsonWalk(event.data(), event.dataStart(), event.dataLength());
      if (walk.kind() != JsonWalk.Kind.OBJECT) {
        return Part.MALFORMED;
      }
      object(event, walk);
      walk.end();
    } catch (JsonWalk.Malformed e) {
      return Part.MALFORMED;
    }
    if (part.commits() && !once) {
      shape.learn(event.data(), event.dataStart(), event.dataLength());
      shapeName = event.name();
      shapePart = part;
    }
    return part;
  }

  /** For tests: the next event is read, whatever the last one was like. */
  final void forget() {
    shape.begin();
  }

  /**
   * What the event says counts as often as it is said, so that it is read each time: what it used,
   * why the answer ended.
   */
  protected final void countsEachTime() {
    once = true;
  }

  /**
   * The value that comes next is not asked for. Calling this is never needed; where such a value
   * differs from event to event, it spares reading the others.
   */
  protected final void free(JsonWalk walk) {
    shape.free(walk);
  }

  /** Reads what is not JSON; true where that settles it, with {@link #brings} called before. */
  protected boolean beforeJson(SseEvent event) {
    return false;
  }

  /** Reads the event's JSON object, before which {@code walk} stands. */
  protected abstract void object(SseEvent event, JsonWalk walk);

  /** The usage as far as the provider has told it, or null where it told none. */
  public abstract @Nullable Usage usage();

  /** Whether the protocol's own ending has come, and everything that must come before it. */
  public boolean ended() {
    return ended;
  }

  /** Whether an answer without any content is what the model meant, as with a spent token limit. */
  public boolean emptyIsMeant() {
    var reason = finish;
    return reason != null && !Finish.ordinary(reason);
  }

  /** The last reason the provider gave for ending, in its own words, or null. */
  public @Nullable String finish() {
    return finish;
  }

  public @Nullable String responseId() {
    return responseId;
  }

  /** The model that says it answers, or null. */
  public @Nullable String model() {
    return model;
  }

  /** Bytes of content, reasoning and arguments so far, for an estimate where usage is not told. */
  public long contentBytes() {
    return contentBytes;
  }

  /** Notes that the event brings {@code what}, where that outweighs what was noted before. */
  protected final void brings(Part what) {
    if (weight(what) > weight(part)) {
      part = what;
    }
  }

  private static int weight(Part part) {
    return switch (part) {
      case NOTHING -> 0;
      case PREAMBLE -> 1;
      case USAGE -> 2;
      case ENDING -> 3;
      case FINISH -> 4;
      case REASONING -> 5;
      case CONTENT -> 6;
      case TOOL_CALL -> 7;
      case MALFORMED -> 8;
      case ERROR -> 9;
    };
  }

  /** Notes content of {@code what} where something comes next that says anything. */
  protected final void content(Part what, JsonWalk walk) {
    if (saysAnything(walk)) {
      brings(what);
    }
  }

  /** Whether something comes next that says anything; text is counted as content. */
  protected final boolean saysAnything(JsonWalk walk) {
    return walk.kind() == JsonWalk.Kind.STRING ? text(walk) : walk.says();
  }

  /** Counts the text that comes next as content; whether there is any. */
  protected final boolean text(JsonWalk walk) {
    int length = shape.counted(walk);
    contentBytes += Math.max(0, length);
    return length > 0;
  }

  /**
   * Whether the provider has begun to use a tool of its own and its result has not come whole: a
   * part of the answer that nobody else can finish.
   */
  public final boolean runsTool() {
    return !running.isEmpty();
  }

  /** The provider begins to use a tool of its own. */
  protected final void runs(@Nullable String call) {
    running.add(String.valueOf(call));
    countsEachTime();
  }

  /** The result of {@code call} has come. */
  protected final void ran(@Nullable String call) {
    running.remove(String.valueOf(call));
    countsEachTime();
  }

  /** The answer goes on: whatever was run has come to its end. */
  protected final void ranAll() {
    running.clear();
  }

  protected final void end() {
    ended = true;
    countsEachTime();
  }

  protected final void finish(String reason) {
    finish = reason;
    countsEachTime();
    brings(Part.FINISH);
  }

  /** Takes the id that comes next, where none was told before. */
  protected final void responseId(JsonWalk walk) {
    if (responseId == null) {
      responseId = filled(walk.string());
    }
  }

  /** Takes the model that comes next, where none was told before. */
  protected final void model(JsonWalk walk) {
    if (model == null) {
      model = filled(walk.string());
    }
  }

  private static @Nullable String filled(@Nullable String text) {
    return text == null || text.isEmpty() ? null : text;
  }
}
