package dev.mainstay.call.answer;

import dev.mainstay.call.api.CallMemory;
import dev.mainstay.call.settings.CallSettings;
import dev.mainstay.call.settings.ToolCalls;
import dev.mainstay.core.failure.Failure.StreamEnding;
import dev.mainstay.core.recovery.MidStream;
import dev.mainstay.http.MemoryBudget;
import dev.mainstay.wire.money.Usage;
import dev.mainstay.wire.sse.SseEvent;
import dev.mainstay.wire.stream.Answer;
import dev.mainstay.wire.stream.Part;
import dev.mainstay.wire.stream.StreamReader;
import dev.mainstay.wire.translate.Delta;
import dev.mainstay.wire.translate.MalformedReplyException;
import dev.mainstay.wire.translate.ReplyReader;
import dev.mainstay.wire.translate.ReplyWriter;
import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The answer is read into deltas and written anew: it crosses dialects, or it goes on with one that
 * was delivered in part. Holds what {@link VerbatimPipeline} holds.
 *
 * <p>Every delta goes through {@link Rest} first where there is one: what was delivered is taken
 * out of it.
 */
public final class TranslatingPipeline extends ResponsePipeline {
  /** Takes out of an attempt's answer what the client already has. */
  public interface Rest {
    /** What of {@code delta} is new, in order; a flaw where the answer is not the same one. */
    Step take(Delta delta);

    /**
     * What was still undecided when the answer ended.
     *
     * @param cutOff whether a limit ended it, so that what was to be JSON need not be whole
     */
    Step end(boolean cutOff);

    /** How the seam came out, for a comment in the stream. */
    String seam();

    /** What the delivered part had used, to be told together with what this attempt used. */
    @Nullable Usage usedBefore();
  }

  /** What a rest lets through. */
  public record Step(List<Delta> deltas, ResponsePipeline.@Nullable Flaw flaw) {
    public static final Step NOTHING = new Step(List.of(), null);
  }

  private final Relay relay;
  private final AnswerCheck check;
  private final ReplyReader reader;
  private final ReplyWriter writer;
  private final @Nullable Rest rest;
  private final Consumer<Set<String>> degraded;
  private boolean holdAll;
  private final boolean holdTools;

  private final List<Delta> held = new ArrayList<>();
  private final ByteArrayOutputStream out = new ByteArrayOutputStream(1024);
  private final MemoryBudget.Reservation memory;
  private final MemoryBudget.@Nullable Reservation written;
  private boolean toolHeld;
  private boolean ownHeld;
  private boolean tailHeld;
  private boolean seamTold;
  private boolean lossesTold;

  /**
   * @param reader of the target's dialect
   * @param writer of the client's dialect, which has taken over what was delivered where there is a
   *     {@code rest}
   * @param memory what is held back is taken from
   * @param written the same for what was handed over, where the writer remembers that; else null
   * @param degraded told what the client's dialect could not say
   */
  public TranslatingPipeline(
      Relay relay,
      CallSettings settings,
      AnswerCheck check,
      ReplyReader reader,
      ReplyWriter writer,
      @Nullable Rest rest,
      Consumer<Set<String>> degraded,
      MemoryBudget.Reservation memory,
      MemoryBudget.@Nullable Reservation written) {
    this.memory = memory;
    this.written = written;
    this.relay = relay;
    this.check = check;
    this.reader = reader;
    this.writer = writer;
    this.rest = rest;
    this.degraded = degraded;
    holdAll = settings.policy().midStream() == MidStream.BUFFER;
    holdTools = settings.toolCalls() == ToolCalls.HOLD;
  }

  @Override
  public @Nullable Flaw event(Part part, SseEvent event, StreamReader stream) {
    note(part);
    boolean runs = holdTools && stream.runsTool();
    ownHeld |= runs;
    try {
      var flaw = all(reader.read(event));
      if (flaw != null) {
        return flaw;
      }
      if (ownHeld && !runs) {
        // A provider's own tool, with its result: nobody could go on with half of it.
        ownHeld = false;
        if (!holdAll && !toolHeld && !tailHeld && held.stream().anyMatch(DeltaTraits::commits)) {
          handOver(held);
          held.clear();
        }
      }
    } catch (MalformedReplyException e) {
      return new Flaw(StreamEnding.MALFORMED_EVENT, String.valueOf(e.getMessage()));
    }
    return stream.ended() && relay.committed() ? release() : null;
  }

  private @Nullable Flaw all(List<Delta> deltas) {
    for (var delta : deltas) {
      if (delta instanceof Delta.Finished finished && rest != null) {
        var flaw =
            step(
                rest.end(
                    finished.ending() == Delta.Ending.LENGTH
                        || finished.ending() == Delta.Ending.CONTEXT));
        if (flaw != null) {
          return flaw;
        }
      }
      var flaw = rest == null ? take(delta) : step(rest.take(delta));
      if (flaw != null) {
        return flaw;
      }
    }
    return null;
  }

  private @Nullable Flaw step(Step step) {
    for (var delta : step.deltas()) {
      var flaw = take(delta);
      if (flaw != null) {
        return flaw;
      }
    }
    return step.flaw();
  }

  private @Nullable Flaw take(Delta delta) {
    toolHeld |= holdTools && DeltaTraits.isToolCall(delta);
    boolean tail = DeltaTraits.isTail(delta);
    if (DeltaTraits.commits(delta) && tailHeld && !holdAll && !toolHeld) {
      // One of several choices had finished; the others go on.
      handOver(held);
      held.clear();
      tailHeld = false;
    }
    tailHeld |= tail;
    if (holdAll
        || toolHeld
        || ownHeld
        || tailHeld
        || (!relay.committed() && !DeltaTraits.commits(delta))) {
      long size = DeltaTraits.size(delta);
      if (memory.bytes() + size > WEIGHT * MOST_HELD || memory.exceeds(size)) {
        return TOO_LARGE;
      }
      CallMemory.hold(memory, size);
      held.add(delta);
      return null;
    }
    if (!held.isEmpty()) {
      handOver(held);
      held.clear();
    }
    give(delta);
    return null;
  }

  private void handOver(List<Delta> deltas) {
    deltas.forEach(this::give);
    memory.set(0);
  }

  private void give(Delta delta) {
    var told = delta;
    if (delta instanceof Delta.Used used && rest != null && rest.usedBefore() != null) {
      told = new Delta.Used(used.usage().plus(rest.usedBefore()));
    }
    if (DeltaTraits.commits(told)) {
      relay.commit();
      tellSeam();
    }
    relay.delivers(DeltaTraits.part(told));
    if (written != null) {
      CallMemory.hold(written, DeltaTraits.size(told));
    }
    writer.write(told, out);
  }

  /** Said where the rest begins. */
  private void tellSeam() {
    if (rest != null && !seamTold) {
      seamTold = true;
      flush();
      relay.comment("mainstay continues: " + rest.seam());
    }
  }

  @Override
  public void flush() {
    if (out.size() > 0) {
      relay.write(out.toByteArray());
      out.reset();
    }
  }

  @Override
  public @Nullable Flaw end() {
    var flaw = all(reader.close());
    return flaw == null ? release() : flaw;
  }

  private @Nullable Flaw release() {
    if (held.isEmpty()) {
      flush();
      return null;
    }
    var judged = check.turn(held, !relay.committed());
    switch (judged) {
      case AnswerCheck.Accepted accepted -> {
        relay.commit();
        tellSeam();
        handOver(accepted.deltas());
        held.clear();
        toolHeld = false;
        tellLosses();
        flush();
      }
      case AnswerCheck.Refused refused -> {
        return refused.flaw();
      }
    }
    return null;
  }

  /** The head has gone: what the answer lost is said in a comment. */
  private void tellLosses() {
    var lost = writer.degraded();
    degraded.accept(lost);
    if (!lost.isEmpty() && !lossesTold) {
      lossesTold = true;
      relay.comment("mainstay degraded: " + String.join(",", new TreeSet<>(lost)));
    }
  }

  @Override
  public @Nullable Flaw streamed(byte[] body) {
    // All of it is there, so it is judged before any of it leaves.
    holdAll = true;
    try {
      var deltas = reader.whole(body);
      deltas.forEach(delta -> note(DeltaTraits.part(delta)));
      var flaw = all(deltas);
      return flaw == null ? release() : flaw;
    } catch (MalformedReplyException e) {
      return new Flaw(StreamEnding.MALFORMED_EVENT, String.valueOf(e.getMessage()));
    }
  }

  @Override
  public Whole whole(byte[] body, Answer answer) {
    List<Delta> deltas;
    try {
      deltas = reader.whole(body);
    } catch (MalformedReplyException e) {
      return new Whole(
          Whole.NONE, new Flaw(StreamEnding.MALFORMED_EVENT, String.valueOf(e.getMessage())));
    }
    return switch (check.turn(deltas, true)) {
      case AnswerCheck.Accepted accepted -> {
        var written = writer.whole(accepted.deltas());
        degraded.accept(writer.degraded());
        yield new Whole(written, null);
      }
      case AnswerCheck.Refused refused -> new Whole(Whole.NONE, refused.flaw());
    };
  }

  @Override
  public boolean holdsToolCall() {
    return toolHeld;
  }

  @Override
  public @Nullable String seam() {
    return rest == null ? null : rest.seam();
  }

  @Override
  public boolean mayBeEmpty() {
    return rest != null;
  }
}
