package dev.mainstay.call;

import dev.mainstay.core.failure.Failure.Arrived;
import dev.mainstay.core.recovery.MidStream;
import dev.mainstay.core.recovery.Stage;
import dev.mainstay.wire.sse.SseEvent;
import dev.mainstay.wire.stream.Part;
import dev.mainstay.wire.stream.StreamReader;
import io.netty.buffer.ByteBufAllocator;
import io.netty.handler.codec.http.HttpHeaders;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * What of a stream goes to the client, and when. It outlives the attempts that feed it, because
 * what was delivered binds the next one.
 *
 * <p>Held: the preamble until the commit point; with {@link ToolCalls#HOLD} everything from the
 * first tool call on until the turn has ended well; with {@link MidStream#BUFFER} everything; and
 * the ending itself until it is whole, because an answer that says "stop" and then fails would be
 * taken for a success. Bytes go out as they came in, whole events only.
 *
 * <p>Belongs to the call's loop.
 */
final class Relay {
  private final Recipient to;
  private final Supplier<HttpHeaders> head;
  private final boolean holdAll;
  private final boolean holdTools;
  private final BodyTee tee;
  private final LongSupplier nanos;
  private final Runnable onCommit;

  private final ByteArrayOutputStream held = new ByteArrayOutputStream(1024);
  private boolean stripUsage;
  private boolean toolHeld;
  private boolean tailHeld;
  private boolean begun;
  private boolean committed;
  private Stage delivered = Stage.NOTHING;
  private Arrived arrived = Arrived.HEADERS;
  private long lastWriteAt;

  // The events of one piece that go out together, as they lie side by side in the scanner's buffer.
  private byte[] range = {};
  private int rangeStart;
  private int rangeEnd;

  /**
   * @param head the head of the answer, asked for when it is sent
   * @param onCommit told once, at the commit point
   */
  Relay(
      Recipient to,
      CallSettings settings,
      Supplier<HttpHeaders> head,
      Runnable onCommit,
      BodyTee tee,
      LongSupplier nanos) {
    this.to = to;
    this.head = head;
    this.onCommit = onCommit;
    this.tee = tee;
    this.nanos = nanos;
    lastWriteAt = nanos.getAsLong();
    holdAll = settings.policy().midStream() == MidStream.BUFFER;
    holdTools = settings.toolCalls() == ToolCalls.HOLD;
  }

  /**
   * A new attempt feeds it; what was held of the last one is dropped.
   *
   * @param strip whether its chunk with the usage was asked for by us, not by the client
   */
  void restart(boolean strip) {
    stripUsage = strip;
    held.reset();
    toolHeld = false;
    tailHeld = false;
    arrived = Arrived.HEADERS;
  }

  /** Takes an event that is neither an error nor malformed. */
  @SuppressWarnings("ReferenceEquality") // the very same array
  void event(Part part, SseEvent event, StreamReader reader) {
    note(part);
    if (stripUsage && part == Part.USAGE) {
      return;
    }
    if (part.commits() && tailHeld && !holdAll && !toolHeld && part != Part.TOOL_CALL) {
      // One of several choices had finished; the others go on.
      release();
    }
    if (hold(part)) {
      writeRange();
      held.write(event.buffer(), event.start(), event.end() - event.start());
      if (reader.ended() && (committed || arrived.compareTo(Arrived.REASONING) >= 0)) {
        release();
      }
      return;
    }
    if (!committed) {
      commit();
      writeHeld();
    }
    deliver(part);
    if (rangeEnd != event.start() || range != event.buffer()) {
      writeRange();
      range = event.buffer();
      rangeStart = event.start();
    }
    rangeEnd = event.end();
  }

  private boolean hold(Part part) {
    toolHeld |= holdTools && part == Part.TOOL_CALL;
    tailHeld |= part == Part.FINISH || part == Part.ENDING;
    return holdAll || toolHeld || tailHeld || (!committed && !part.commits());
  }

  /** Hands over what is held: the turn has ended well, or was meant to be empty. */
  void release() {
    if (held.size() == 0) {
      return;
    }
    if (!committed) {
      commit();
    }
    deliver(
        switch (arrived) {
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
    write(held.toByteArray());
    held.reset();
  }

  private void commit() {
    begin();
    committed = true;
    onCommit.run();
  }

  private void begin() {
    if (!begun) {
      begun = true;
      to.begin(200, head.get());
    }
  }

  /** All events of one piece were given: they leave together. */
  void writeRange() {
    int length = rangeEnd - rangeStart;
    if (length > 0) {
      tee.write(range, rangeStart, length);
      lastWriteAt = nanos.getAsLong();
      to.write(ByteBufAllocator.DEFAULT.buffer(length).writeBytes(range, rangeStart, length));
    }
    range = EMPTY;
    rangeStart = 0;
    rangeEnd = 0;
  }

  private static final byte[] EMPTY = {};

  /** Writes bytes of the answer that are no event of a scanner's. */
  void write(byte[] bytes) {
    if (bytes.length == 0) {
      return;
    }
    writeRange();
    tee.write(bytes, 0, bytes.length);
    lastWriteAt = nanos.getAsLong();
    to.write(ByteBufAllocator.DEFAULT.buffer(bytes.length).writeBytes(bytes));
  }

  /** Tells a waiting client that it is not forgotten; the head goes out where it has not yet. */
  void comment(String text) {
    begin();
    write((": " + text + "\n\n").getBytes(StandardCharsets.UTF_8));
  }

  /** Ends the answer with an error event. */
  void fail(byte[] event) {
    begin();
    write(event);
    to.end();
  }

  /** Ends the answer well. */
  void end() {
    writeRange();
    to.end();
  }

  private void note(Part part) {
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

  private void deliver(Part part) {
    var stage =
        switch (part) {
          case REASONING -> Stage.REASONING;
          case CONTENT -> Stage.TEXT;
          case TOOL_CALL -> Stage.DELIVERED_TOOL_CALL;
          default -> Stage.NOTHING;
        };
    if (stage.compareTo(delivered) > 0) {
      delivered = stage;
    }
  }

  /** What the client has received, over all attempts. */
  Stage stage() {
    return delivered == Stage.NOTHING && toolHeld ? Stage.HELD_TOOL_CALL : delivered;
  }

  /** What has arrived of the attempt that feeds it now. */
  Arrived arrived() {
    return arrived;
  }

  /** Whether content has reached the client. */
  boolean committed() {
    return committed;
  }

  /** Whether the head has been sent: an error can only be an event. */
  boolean begun() {
    return begun;
  }

  /** When something was last sent; at first, when the call began. */
  long lastWriteAt() {
    return lastWriteAt;
  }
}
