package dev.mainstay.call.attempt;

import dev.mainstay.call.answer.BodyTee;
import dev.mainstay.call.answer.Relay;
import dev.mainstay.call.answer.ResponsePipeline;
import dev.mainstay.call.api.CallMemory;
import dev.mainstay.core.failure.Failure;
import dev.mainstay.core.failure.Failure.StreamEnding;
import dev.mainstay.http.MemoryBudget;
import dev.mainstay.wire.Readers;
import dev.mainstay.wire.money.Usage;
import dev.mainstay.wire.sse.SseEvent;
import dev.mainstay.wire.sse.SseScanner;
import dev.mainstay.wire.stream.Part;
import dev.mainstay.wire.stream.StreamReader;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * An answer that comes as a stream of events. A success only with its protocol's own ending, and
 * nothing takes that back.
 */
final class EventReading extends Reading {
  private static final byte[] BLANK_LINE = {'\n', '\n'};

  /** Bytes of an unfinished event that are not counted: nearly every event is smaller. */
  private static final int SMALL = 4096;

  private final Attempt.Owner owner;
  private final LongSupplier nanos;
  private final AttemptTimeouts timer;
  private final Relay relay;
  private final ResponsePipeline pipeline;
  private final BodyTee tee;

  /** For an event that is not whole yet. */
  private final MemoryBudget.Reservation unfinished;

  private final SseScanner scanner = new SseScanner();
  private final StreamReader stream;

  private long firstTokenAt;

  /** The answer is whole, and what came after it was not worth reading. */
  private boolean spoilt;

  /** Its protocol's last event has come. */
  private boolean finished;

  private Ending.@Nullable Failed found;

  EventReading(
      Attempt.Owner owner,
      LongSupplier nanos,
      AttemptTimeouts timer,
      AttemptPlan plan,
      Relay relay,
      ResponsePipeline pipeline,
      CallMemory memory) {
    super(plan.rules(), pipeline);
    this.owner = owner;
    this.nanos = nanos;
    this.timer = timer;
    this.relay = relay;
    this.pipeline = pipeline;
    tee = new BodyTee(plan.recorded(), memory.part());
    unfinished = memory.part();
    stream = Readers.stream(plan.operation().dialect());
  }

  @Override
  @Nullable Ending take(byte[] bytes) {
    tee.keep(bytes);
    boolean nothingBefore = scanner.pending() == 0;
    try {
      scanner.feed(bytes, 0, bytes.length, this::event);
    } catch (SseScanner.EventTooLarge e) {
      found = failed(StreamEnding.MALFORMED_EVENT, null);
    }
    if (!unfinished.resize(scanner.pending() <= SMALL ? 0 : 2L * scanner.pending())) {
      throw new CallMemory.Shortage();
    }
    if (nothingBefore) {
      pipeline.flush(bytes);
    } else {
      pipeline.flush();
    }
    if (found != null) {
      return found;
    }
    if (spoilt || finished) {
      return end();
    }
    resumed();
    return null;
  }

  private boolean event(SseEvent event) {
    if (spoilt) {
      return false;
    }
    boolean ended = stream.ended();
    var part = stream.read(event);
    if (part == Part.ERROR || part == Part.MALFORMED) {
      if (ended) {
        // Nothing takes back an answer that has come to its protocol's own ending.
        spoilt = true;
        return false;
      }
      found =
          failed(
              part == Part.ERROR ? StreamEnding.ERROR_EVENT : StreamEnding.MALFORMED_EVENT,
              cut(event.dataText()));
      return false;
    }
    if (part.commits() && firstTokenAt == 0) {
      firstTokenAt = nanos.getAsLong();
      owner.firstToken();
    }
    ResponsePipeline.Flaw flaw;
    try {
      flaw = pipeline.event(part, event, stream);
    } catch (RuntimeException e) {
      found = unforeseen(e);
      return false;
    }
    if (flaw != null) {
      found = failed(flaw);
      return false;
    }
    finished |= part == Part.ENDING && stream.ended();
    return true;
  }

  private static String cut(String text) {
    return text.length() > MOST_OF_ERROR ? text.substring(0, MOST_OF_ERROR) : text;
  }

  /** The next silence is counted from now. */
  @Override
  void resumed() {
    if (stream.ended()) {
      timer.lingers(nanos.getAsLong());
    } else if (firstTokenAt != 0) {
      timer.event(nanos.getAsLong(), relay.committed());
    }
  }

  @Override
  Ending end() {
    return end(StreamEnding.CLOSED);
  }

  @Override
  Ending broken(Throwable cause) {
    return stream.ended() ? end(StreamEnding.RESET) : failed(StreamEnding.RESET, null);
  }

  @Override
  Ending silent(Throwable missed) {
    return stream.ended() ? end() : failed(StreamEnding.SILENT, null);
  }

  private Ending end(StreamEnding how) {
    boolean endedBefore = stream.ended();
    boolean cutInside = false;
    if (scanner.cut()) {
      // A last event without its blank line: whole if it can be read, else it was cut.
      // Without data it brings nothing, and its bytes must not go out.
      scanner.feed(BLANK_LINE, 0, BLANK_LINE.length, event -> !event.hasData() || event(event));
      pipeline.flush();
      if (found != null
          && found.failure() instanceof Failure.Stream last
          && last.ending() == StreamEnding.MALFORMED_EVENT) {
        found = null;
        cutInside = true;
      }
    }
    if (found != null) {
      return found;
    }
    if (!stream.ended() || (cutInside && !endedBefore)) {
      // What half an event says does not count, not even that the answer has ended.
      return failed(how, null);
    }
    if (firstTokenAt == 0 && !stream.emptyIsMeant() && !pipeline.mayBeEmpty()) {
      return failed(StreamEnding.EMPTY, null);
    }
    ResponsePipeline.Flaw flaw;
    try {
      flaw = pipeline.end();
    } catch (RuntimeException e) {
      return unforeseen(e);
    }
    return flaw == null ? new Ending.Streamed() : failed(flaw);
  }

  /** When the first token came, or 0. */
  long firstTokenAt() {
    return firstTokenAt;
  }

  @Override
  void over() {
    unfinished.close();
  }

  @Override
  @Nullable String responseId() {
    return stream.responseId();
  }

  @Override
  byte[] received() {
    return tee.bytes();
  }

  @Override
  Attempt.Bill bill(boolean cancelled) {
    if (stream.ended()) {
      return Attempt.Bill.TOLD;
    }
    if (firstTokenAt != 0) {
      return cancelled ? Attempt.Bill.SEEN : Attempt.Bill.OPEN;
    }
    boolean refused =
        found != null
            && found.failure() instanceof Failure.Stream end
            && end.ending() == StreamEnding.ERROR_EVENT;
    return refused ? Attempt.Bill.NOTHING : Attempt.Bill.OPEN;
  }

  @Override
  @Nullable Usage usage(long requestBytes) {
    var told = stream.usage();
    if (told != null) {
      // Some tell at the beginning what the prompt used, and at the end what the answer did.
      return stream.ended() ? told : told.withAtLeast(stream.contentBytes());
    }
    return firstTokenAt == 0 ? null : Usage.estimate(requestBytes, stream.contentBytes());
  }
}
