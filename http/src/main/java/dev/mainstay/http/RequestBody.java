package dev.mainstay.http;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.CompositeByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.compression.DecompressionException;
import java.util.ArrayList;
import org.jspecify.annotations.Nullable;

/**
 * A request body being gathered into one buffer, within the server's bounds, and then unpacked: a
 * few bytes can unpack to as much as the bounds allow, so that all but the smallest are unpacked
 * elsewhere ({@link #slow}), while nothing else here is called but {@link #release}.
 */
final class RequestBody {
  /** Packed bytes of gzip or deflate that are unpacked at once: to some 4 MiB at the very most. */
  private static final int AT_ONCE = 4096;

  /** Bytes that are gathered in one buffer, and the most that is believed of an announced size. */
  private static final int STEP = 1 << 20;

  /** Parts of a packed body before they are joined to one. */
  private static final int MOST_PARTS = 1024;

  private final HttpServer server;
  private final MemoryBudget.Reservation memory;
  private final ByteBufAllocator alloc;
  private @Nullable Unpacker unpacker;
  private final long announced;

  /**
   * What came before {@link #bytes} of a large body: to grow one buffer takes it twice each time.
   */
  private final ArrayList<ByteBuf> full = new ArrayList<>(0);

  private ByteBuf bytes = Unpooled.EMPTY_BUFFER;
  private long length;
  private boolean own;
  private long packed;
  private @Nullable CompositeByteBuf waiting;
  private boolean busy;
  private boolean released;
  private @Nullable Refusal refusal;

  /**
   * @param memory what its bytes are taken from
   * @param announced the content-length, or below 0 where there is none
   */
  RequestBody(
      HttpServer server,
      MemoryBudget.Reservation memory,
      ByteBufAllocator alloc,
      @Nullable Unpacker unpacker,
      long announced) {
    this.server = server;
    this.memory = memory;
    this.alloc = alloc;
    this.unpacker = unpacker;
    this.announced = announced;
  }

  /** Adds a part, which it owns; the refusal where the body is too much or broken. */
  @Nullable Refusal add(ByteBuf part) {
    packed += part.readableBytes();
    if (packed > server.options().limits().body()) {
      part.release();
      return Refusal.BODY_TOO_LARGE;
    }
    if (unpacker == null) {
      append(part);
      return refusal;
    }
    int size = part.readableBytes();
    if (!memory.grow(size)) {
      part.release();
      return Refusal.OVERLOADED;
    }
    if (waiting == null) waiting = alloc.compositeBuffer(MOST_PARTS);
    waiting.addComponent(true, part);
    return null;
  }

  /**
   * Whether {@link #finish} may take longer than a loop may: call {@link #begin} and go elsewhere.
   */
  boolean slow() {
    return unpacker != null && !(packed <= AT_ONCE && unpacker.expandsLittle());
  }

  /** From now on another thread has it, until {@link #finished}. */
  void begin() {
    busy = true;
  }

  /** It is this thread's again. */
  void finished() {
    busy = false;
    if (released) release();
  }

  /** Unpacks: no part follows. The refusal where the body is too much or broken. */
  @Nullable Refusal finish() {
    ByteBuf all = waiting;
    if (unpacker == null || all == null) return joined();
    int working = unpacker.working();
    if (!memory.grow(working)) return Refusal.OVERLOADED;
    waiting = null;
    try {
      unpacker.feed(all, this::append);
      if (refusal == null) unpacker.finish(this::append);
      return joined();
    } catch (DecompressionException e) {
      return Refusal.BROKEN_ENCODING;
    } finally {
      memory.set(memory.bytes() - working);
    }
  }

  private boolean append(ByteBuf part) {
    int size = part.readableBytes();
    if (refusal != null || size == 0) {
      part.release();
    } else if (length + size > server.options().limits().body()) {
      part.release();
      refusal = Refusal.BODY_TOO_LARGE;
    } else if (!memory.grow(size)) {
      part.release();
      refusal = Refusal.OVERLOADED;
    } else {
      length += size;
      join(part, size);
    }
    return refusal == null;
  }

  /** Makes one array of a large body. */
  private @Nullable Refusal joined() {
    if (refusal != null || full.isEmpty()) return refusal;
    if (!memory.grow(length)) return Refusal.OVERLOADED;
    ByteBuf all = Unpooled.buffer((int) length, (int) length);
    for (ByteBuf each : full) {
      all.writeBytes(each);
      each.release();
    }
    full.clear();
    all.writeBytes(bytes);
    bytes.release();
    bytes = all;
    memory.set(memory.bytes() - length);
    return null;
  }

  private void join(ByteBuf part, int size) {
    if (!bytes.isReadable()) {
      // Most bodies come in one piece: that piece is the body.
      bytes = part;
      return;
    }
    if (!own) {
      // Beyond the step, memory is taken as bytes arrive.
      long capacity = Math.max(bytes.readableBytes() + (long) size, Math.min(announced, STEP));
      // On the heap: what is taken at the end is, as a rule, this very array.
      ByteBuf joined = Unpooled.buffer((int) capacity);
      joined.writeBytes(bytes);
      bytes.release();
      bytes = joined;
      own = true;
    }
    if (bytes.readableBytes() + size > STEP) {
      bytes.writeBytes(part, Math.max(0, Math.min(size, STEP - bytes.readableBytes())));
      full.add(bytes);
      bytes = Unpooled.buffer(STEP);
    }
    bytes.writeBytes(part);
    part.release();
  }

  /** The whole body; nothing may be added any more. */
  ByteBuf whole() {
    closeUnpacker();
    return bytes;
  }

  /**
   * The whole body as an array. What it was read into is free again at once: a small body would pin
   * a large buffer for as long as its answer takes. Its room stays taken until {@link #release}.
   */
  byte[] take() {
    // Not copied where the array is the body's own and full.
    byte[] taken = ByteBufUtil.getBytes(bytes, bytes.readerIndex(), bytes.readableBytes(), !own);
    bytes.release();
    bytes = Unpooled.EMPTY_BUFFER;
    return taken;
  }

  private void closeUnpacker() {
    if (unpacker != null) unpacker.close();
    unpacker = null;
  }

  /** Frees the bytes and what was set aside for them, as soon as nobody else has them. */
  void release() {
    released = true;
    if (busy) return;
    closeUnpacker();
    if (waiting != null) waiting.release();
    waiting = null;
    memory.close();
    full.forEach(ByteBuf::release);
    full.clear();
    bytes.release();
    bytes = Unpooled.EMPTY_BUFFER;
  }
}
