package dev.mainstay.http;

import io.netty.handler.codec.http.HttpContent;
import io.netty.util.ReferenceCountUtil;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/**
 * What a pipelining client has sent of its next requests while one is being answered. Belongs to
 * the connection's loop.
 */
final class PipelinedInput {
  /** Pieces of later requests (heads and parts of bodies) that are kept. */
  private static final int MOST = 64;

  /** Bytes of them; a head counts as {@link #HEAD_BYTES}. */
  private static final long MOST_BYTES = 64 << 10;

  private static final long HEAD_BYTES = 8 << 10;

  private final ArrayDeque<Object> pieces = new ArrayDeque<>();
  private long bytes;

  void add(Object piece) {
    pieces.add(piece);
    bytes += weight(piece);
  }

  /** The oldest piece, which is the caller's to release; null where there is none. */
  @Nullable Object poll() {
    Object piece = pieces.poll();
    if (piece != null) bytes -= weight(piece);
    return piece;
  }

  boolean isEmpty() {
    return pieces.isEmpty();
  }

  /** Whether the client is not to be read any further. */
  boolean isFull() {
    return pieces.size() >= MOST || bytes >= MOST_BYTES;
  }

  void release() {
    for (Object piece = poll(); piece != null; piece = poll()) {
      ReferenceCountUtil.release(piece);
    }
  }

  private static long weight(Object piece) {
    return piece instanceof HttpContent content ? content.content().readableBytes() : HEAD_BYTES;
  }
}
