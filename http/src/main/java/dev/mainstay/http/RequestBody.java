package dev.mainstay.http;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.compression.DecompressionException;
import org.jspecify.annotations.Nullable;

/**
 * A request body being gathered into one buffer, unpacked on the way, within the server's bounds.
 */
final class RequestBody {
  private final HttpServer server;
  private final ByteBufAllocator alloc;
  private @Nullable Unpacker unpacker;
  private final long announced;
  private ByteBuf bytes = Unpooled.EMPTY_BUFFER;
  private boolean own;
  private long reserved;
  private long packed;
  private @Nullable Refusal refusal;

  /** {@code announced}: the content-length, or below 0 where there is none. */
  RequestBody(
      HttpServer server, ByteBufAllocator alloc, @Nullable Unpacker unpacker, long announced) {
    this.server = server;
    this.alloc = alloc;
    this.unpacker = unpacker;
    this.announced = announced;
  }

  /** Adds a part, which it owns; the refusal where the body is too much or broken. */
  @Nullable Refusal add(ByteBuf part) {
    packed += part.readableBytes();
    if (packed > server.options().maxBody()) {
      part.release();
      return Refusal.BODY_TOO_LARGE;
    }
    if (unpacker == null) {
      append(part);
      return refusal;
    }
    int size = part.readableBytes();
    if (unpacker.gathers()) {
      if (!server.reserve(size)) {
        part.release();
        return Refusal.OVERLOADED;
      }
      reserved += size;
    }
    try {
      unpacker.feed(part, this::append);
    } catch (DecompressionException e) {
      return Refusal.BROKEN_ENCODING;
    }
    return refusal;
  }

  /** Says that no part follows; the refusal where the body is too much or broken. */
  @Nullable Refusal finish() {
    if (unpacker != null) {
      try {
        unpacker.finish(this::append);
      } catch (DecompressionException e) {
        return Refusal.BROKEN_ENCODING;
      }
    }
    return refusal;
  }

  private boolean append(ByteBuf part) {
    int size = part.readableBytes();
    if (refusal != null || size == 0) {
      part.release();
    } else if (bytes.readableBytes() + (long) size > server.options().maxBody()) {
      part.release();
      refusal = Refusal.BODY_TOO_LARGE;
    } else if (!server.reserve(size)) {
      part.release();
      refusal = Refusal.OVERLOADED;
    } else {
      reserved += size;
      join(part, size);
    }
    return refusal == null;
  }

  private void join(ByteBuf part, int size) {
    if (!bytes.isReadable()) {
      // Most bodies come in one piece: that piece is the body.
      bytes = part;
      return;
    }
    if (!own) {
      // Announced sizes are believed up to a megabyte; beyond it, memory is taken as bytes arrive.
      long capacity = Math.max(bytes.readableBytes() + (long) size, Math.min(announced, 1 << 20));
      ByteBuf joined = alloc.buffer((int) capacity);
      joined.writeBytes(bytes);
      bytes.release();
      bytes = joined;
      own = true;
    }
    bytes.writeBytes(part);
    part.release();
  }

  /** The whole body; nothing may be added any more. */
  ByteBuf whole() {
    closeUnpacker();
    return bytes;
  }

  private void closeUnpacker() {
    if (unpacker != null) unpacker.close();
    unpacker = null;
  }

  /** Frees the bytes and what was set aside for them. */
  void release() {
    closeUnpacker();
    server.release(reserved);
    reserved = 0;
    bytes.release();
    bytes = Unpooled.EMPTY_BUFFER;
  }
}
