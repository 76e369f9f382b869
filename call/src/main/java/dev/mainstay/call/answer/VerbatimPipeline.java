package dev.mainstay.call.answer;

import dev.mainstay.call.api.CallMemory;
import dev.mainstay.call.settings.CallSettings;
import dev.mainstay.call.settings.ToolCalls;
import dev.mainstay.core.failure.Failure.Arrived;
import dev.mainstay.core.recovery.MidStream;
import dev.mainstay.http.MemoryBudget;
import dev.mainstay.wire.sse.SseEvent;
import dev.mainstay.wire.stream.Answer;
import dev.mainstay.wire.stream.Part;
import dev.mainstay.wire.stream.StreamReader;
import java.util.Arrays;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Client and target speak the same dialect and nothing was delivered before: bytes go out as they
 * came in, whole events only.
 *
 * <p>Held: the preamble until the commit point; with {@link ToolCalls#HOLD} everything from the
 * first tool call on until the turn has ended well; with {@link MidStream#BUFFER} everything; and
 * the ending itself until it is whole, because an answer that says "stop" and then fails would be
 * taken for a success.
 */
public final class VerbatimPipeline extends ResponsePipeline {
  private static final byte[] EMPTY = {};

  private final Relay relay;
  private final AnswerCheck check;
  private final boolean holdAll;
  private final boolean holdTools;
  private final boolean stripUsage;
  private final @Nullable StreamedCallCheck callCheck;
  private final Supplier<TranslatingPipeline> translating;

  private final ByteChunks held = new ByteChunks();
  private final MemoryBudget.Reservation memory;
  private boolean toolSeen;
  private boolean toolHeld;
  private boolean ownHeld;
  private boolean tailHeld;

  // The events of one piece that go out together, as they lie side by side in the scanner's buffer.
  private byte[] range = EMPTY;
  private int rangeStart;
  private int rangeEnd;

  /**
   * @param callCheck judges calls that are not held, each at its end; null where there can be none
   * @param translating writes a stream of what came whole
   * @param memory what is held back is taken from
   * @param stripUsage whether its chunk with the usage was asked for by us, not by the client
   */
  public VerbatimPipeline(
      Relay relay,
      CallSettings settings,
      AnswerCheck check,
      @Nullable StreamedCallCheck callCheck,
      Supplier<TranslatingPipeline> translating,
      boolean stripUsage,
      MemoryBudget.Reservation memory) {
    this.memory = memory;
    this.relay = relay;
    this.check = check;
    this.callCheck = callCheck;
    this.translating = translating;
    this.stripUsage = stripUsage;
    holdAll = settings.policy().midStream() == MidStream.BUFFER;
    holdTools = settings.toolCalls() == ToolCalls.HOLD;
  }

  @Override
  @SuppressWarnings("ReferenceEquality") // the very same array
  public @Nullable Flaw event(Part part, SseEvent event, StreamReader reader) {
    note(part);
    var flaw = callCheck == null ? null : callCheck.event(event);
    if (flaw != null) {
      return flaw;
    }
    if (stripUsage && part == Part.USAGE) {
      return null;
    }
    toolSeen |= part == Part.TOOL_CALL;
    if (part.commits() && tailHeld && !holdAll && !toolHeld && part != Part.TOOL_CALL) {
      // One of several choices had finished; the others go on.
      handOver();
    }
    boolean runs = holdTools && reader.runsTool();
    if (hold(part) || runs || ownHeld) {
      boolean ran = ownHeld && !runs;
      ownHeld = runs;
      flush();
      int length = event.end() - event.start();
      if (held.size() + length > MOST_HELD || memory.exceeds(WEIGHT * length)) {
        return TOO_LARGE;
      }
      CallMemory.hold(memory, WEIGHT * length);
      held.add(Arrays.copyOfRange(event.buffer(), event.start(), event.end()));
      if (reader.ended() && (relay.committed() || arrived().compareTo(Arrived.REASONING) >= 0)) {
        return release();
      }
      if (ran && !holdAll && !toolHeld && !tailHeld) {
        // A provider's own tool, with its result: nobody could go on with half of it.
        handOver();
      }
      return null;
    }
    if (!relay.committed()) {
      relay.commit();
      writeHeld();
    }
    relay.delivers(part);
    if (rangeEnd != event.start() || range != event.buffer()) {
      flush();
      range = event.buffer();
      rangeStart = event.start();
    }
    rangeEnd = event.end();
    return null;
  }

  private boolean hold(Part part) {
    toolHeld |= holdTools && part == Part.TOOL_CALL;
    tailHeld |= part == Part.FINISH || part == Part.ENDING;
    return holdAll || toolHeld || tailHeld || (!relay.committed() && !part.commits());
  }

  @Override
  public @Nullable Flaw end() {
    return release();
  }

  /** Hands over what is held where it can stand: the turn has ended well, or was meant empty. */
  private @Nullable Flaw release() {
    if (held.size() == 0) {
      return null;
    }
    flush();
    var judged = check.stream(relay::bytes, held.whole(), toolSeen, !relay.committed());
    switch (judged) {
      case AnswerCheck.Unchanged _ -> handOver();
      case AnswerCheck.Repaired mended -> {
        held.clear();
        held.add(mended.bytes());
        handOver();
      }
      case AnswerCheck.Rejected rejected -> {
        return rejected.flaw();
      }
    }
    return null;
  }

  private void handOver() {
    flush();
    relay.commit();
    relay.delivers(
        switch (arrived()) {
          case TOOL_CALL -> Part.TOOL_CALL;
          case TEXT -> Part.CONTENT;
          case REASONING -> Part.REASONING;
          default -> Part.NOTHING;
        });
    writeHeld();
    toolHeld = false;
    tailHeld = false;
  }

  private void writeHeld() {
    relay.write(held.whole());
    held.clear();
    memory.set(0);
  }

  @Override
  public void flush() {
    if (rangeEnd > rangeStart) {
      send(Arrays.copyOfRange(range, rangeStart, rangeEnd));
    }
  }

  @Override
  public void flush(byte[] piece) {
    if (rangeEnd - rangeStart == piece.length) {
      send(piece);
    } else {
      flush();
    }
  }

  private void send(byte[] bytes) {
    relay.write(bytes);
    range = EMPTY;
    rangeStart = 0;
    rangeEnd = 0;
  }

  @Override
  public @Nullable Flaw streamed(byte[] body) {
    return translating.get().streamed(body);
  }

  @Override
  public Whole whole(byte[] body, Answer answer) {
    return switch (check.whole(body, answer)) {
      case AnswerCheck.Unchanged _ -> new Whole(body, null);
      case AnswerCheck.Repaired mended -> new Whole(mended.bytes(), null);
      case AnswerCheck.Rejected rejected -> new Whole(Whole.NONE, rejected.flaw());
    };
  }

  @Override
  public boolean holdsToolCall() {
    return toolHeld;
  }
}
