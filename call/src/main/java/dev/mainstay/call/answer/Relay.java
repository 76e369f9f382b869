package dev.mainstay.call.answer;

import dev.mainstay.call.api.Recipient;
import dev.mainstay.core.recovery.Stage;
import dev.mainstay.wire.Dialect;
import dev.mainstay.wire.stream.Part;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http.HttpHeaders;
import java.nio.charset.StandardCharsets;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * A streamed answer on its way to the client. It outlives the attempts whose pipelines write to it,
 * because what was delivered binds the next one; so it keeps a copy of that.
 *
 * <p>Belongs to the call's loop.
 */
public final class Relay {
  private static final byte[] BLANK = {'\n', '\n'};
  private static final byte[] LINE_FEED = {'\n'};

  private final Recipient to;
  private final Dialect dialect;
  private final Supplier<HttpHeaders> head;
  private final BodyTee copy;
  private final LongSupplier nanos;
  private final Runnable onCommit;

  private boolean begun;
  private boolean committed;
  private Stage delivered = Stage.NOTHING;

  /**
   * The provider's last bytes were the first half of the CRLF that ends an event. Clients that look
   * for the other half must have it, whatever follows.
   */
  private boolean halfBlankLine;

  private long lastWriteAt;

  /**
   * @param dialect the client's
   * @param head the head of the answer, asked for when it is sent
   * @param onCommit told once, at the commit point
   * @param copy keeps what was delivered
   */
  public Relay(
      Recipient to,
      Dialect dialect,
      Supplier<HttpHeaders> head,
      Runnable onCommit,
      BodyTee copy,
      LongSupplier nanos) {
    this.to = to;
    this.dialect = dialect;
    this.head = head;
    this.onCommit = onCommit;
    this.copy = copy;
    this.nanos = nanos;
    lastWriteAt = nanos.getAsLong();
  }

  /** The commit point, where it has not been passed. */
  void commit() {
    if (!committed) {
      begin();
      committed = true;
      onCommit.run();
    }
  }

  private void begin() {
    if (!begun) {
      begun = true;
      to.begin(200, head.get());
    }
  }

  /** Writes more of the answer: whole events, which nobody may change any more. */
  public void write(byte[] bytes) {
    if (bytes.length == 0) {
      return;
    }
    begin();
    if (halfBlankLine && bytes[0] != '\n') {
      send(LINE_FEED);
    }
    int end = bytes.length;
    halfBlankLine = end > 1 && bytes[end - 1] == '\r' && bytes[end - 2] == '\n';
    send(bytes);
  }

  private void send(byte[] bytes) {
    copy.keep(bytes);
    lastWriteAt = nanos.getAsLong();
    to.write(Unpooled.wrappedBuffer(bytes));
  }

  /**
   * Tells the client something beside the answer; the head goes out where it has not yet. Gemini's
   * client for Python takes every line that is not data for an error: its connection is kept busy
   * by blank lines, and what they would say is in the record.
   */
  public void comment(String text) {
    write(
        dialect == Dialect.GEMINI
            ? BLANK
            : (": " + text + "\n\n").getBytes(StandardCharsets.UTF_8));
  }

  /** Completes what was written, so that only the answer's end is missing. */
  public void complete() {
    begin();
    if (halfBlankLine) {
      halfBlankLine = false;
      send(LINE_FEED);
    }
  }

  /** Notes that what is written now brings {@code part} to the client. */
  void delivers(Part part) {
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
  public Stage delivered() {
    return delivered;
  }

  /** Every byte that was written, up to the bound of the copy. */
  public byte[] bytes() {
    return copy.bytes();
  }

  /** Whether {@link #bytes} is everything. */
  public boolean remembered() {
    return !copy.cut();
  }

  /** Whether content has reached the client. */
  public boolean committed() {
    return committed;
  }

  /** Whether the head has been sent: an error can only be an event. */
  public boolean begun() {
    return begun;
  }

  /** When something was last sent; at first, when the call began. */
  public long lastWriteAt() {
    return lastWriteAt;
  }
}
