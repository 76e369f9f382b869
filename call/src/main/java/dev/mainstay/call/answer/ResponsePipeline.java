package dev.mainstay.call.answer;

import dev.mainstay.core.failure.Failure.Arrived;
import dev.mainstay.core.failure.Failure.StreamEnding;
import dev.mainstay.wire.sse.SseEvent;
import dev.mainstay.wire.stream.Answer;
import dev.mainstay.wire.stream.Part;
import dev.mainstay.wire.stream.StreamReader;
import org.jspecify.annotations.Nullable;

/**
 * What becomes of one attempt's answer on its way to the client: its bytes as they are ({@link
 * VerbatimPipeline}), or read and written anew ({@link TranslatingPipeline}). One per attempt;
 * belongs to the call's loop.
 */
public abstract sealed class ResponsePipeline permits VerbatimPipeline, TranslatingPipeline {
  /**
   * Why an answer cannot stand that has come whole.
   *
   * @param detail in words, without the answer's own text where it may be long
   */
  public record Flaw(StreamEnding ending, String detail) {}

  /** A whole answer as it goes to the client, or why it cannot. */
  @SuppressWarnings("ArrayRecordComponent") // written at once
  public record Whole(byte[] body, @Nullable Flaw flaw) {
    static final byte[] NONE = {};
  }

  /** The most that one attempt holds back: tool calls, a buffered answer. */
  static final int MOST_HELD = 32 << 20;

  /** Bytes in memory for each byte that is held back: those, and what is made of them to judge. */
  static final long WEIGHT = 3;

  static final Flaw TOO_LARGE =
      new Flaw(
          StreamEnding.TOO_LARGE, "the answer has more to hold back than the limit for one answer");

  private Arrived arrived = Arrived.HEADERS;

  /** Takes an event that is neither an error nor malformed; not null where the answer ends here. */
  public abstract @Nullable Flaw event(Part part, SseEvent event, StreamReader reader);

  /** All events of one piece were given: they leave together. */
  public abstract void flush();

  /**
   * Sends on what has been taken, which may be all of {@code piece} and nothing else: then its very
   * bytes may be sent on, and are in memory once.
   */
  public void flush(byte[] piece) {
    flush();
  }

  /** The stream has ended well: what is still held is handed over, unless it cannot stand. */
  public abstract @Nullable Flaw end();

  /**
   * A whole answer where a stream was asked for, which many OpenAI-compatible servers give: it goes
   * to the client as a stream. Not null where it cannot stand.
   */
  public abstract @Nullable Flaw streamed(byte[] body);

  /** A whole answer that is one. */
  public abstract Whole whole(byte[] body, Answer answer);

  /** Whether tool calls have begun that are held back. */
  public abstract boolean holdsToolCall();

  /** How the seam came out where the answer goes on with one that broke, else null. */
  public @Nullable String seam() {
    return null;
  }

  /** Whether an answer that says nothing is one: all of it had been delivered before. */
  public boolean mayBeEmpty() {
    return false;
  }

  final void note(Part part) {
    var now =
        switch (part) {
          case REASONING -> Arrived.REASONING;
          case CONTENT -> Arrived.TEXT;
          case TOOL_CALL -> Arrived.TOOL_CALL;
          case PREAMBLE, FINISH -> Arrived.PREAMBLE;
          default -> Arrived.HEADERS;
        };
    if (now.compareTo(arrived) > 0) {
      arrived = now;
    }
  }

  /** What has arrived of this attempt. */
  public final Arrived arrived() {
    return arrived;
  }
}
