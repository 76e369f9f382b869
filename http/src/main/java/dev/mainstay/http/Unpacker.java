package dev.mainstay.http;

import io.netty.buffer.ByteBuf;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.compression.DecompressionException;
import io.netty.handler.codec.compression.ZlibCodecFactory;
import io.netty.handler.codec.compression.ZlibWrapper;
import java.util.Locale;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Unpacks a gzip or deflate body part by part. Belongs to one thread. */
final class Unpacker {
  /**
   * Packed bytes taken at a step: deflate expands at most about 1032 times, so that a step makes 4
   * MiB at most.
   */
  private static final int STEP = 4096;

  private final EmbeddedChannel channel;

  private Unpacker(ZlibWrapper wrapper) {
    channel = new EmbeddedChannel(ZlibCodecFactory.newZlibDecoder(wrapper, 0));
  }

  /** One for the content-encoding, or null where this cannot unpack it. */
  static @Nullable Unpacker of(String encoding) {
    return switch (encoding.strip().toLowerCase(Locale.ROOT)) {
      case "gzip", "x-gzip" -> new Unpacker(ZlibWrapper.GZIP);
      case "deflate" -> new Unpacker(ZlibWrapper.ZLIB_OR_NONE);
      default -> null;
    };
  }

  static boolean identity(@Nullable String encoding) {
    return encoding == null || encoding.isBlank() || encoding.strip().equalsIgnoreCase("identity");
  }

  /**
   * Takes ownership of {@code packed} and hands what it unpacks to, piece by piece, to {@code
   * sink}, which owns the pieces.
   *
   * @throws DecompressionException when it is not what the encoding says
   */
  void feed(ByteBuf packed, Consumer<ByteBuf> sink) {
    try {
      while (packed.isReadable()) {
        channel.writeInbound(packed.readRetainedSlice(Math.min(STEP, packed.readableBytes())));
        drain(sink);
      }
    } finally {
      packed.release();
    }
  }

  private void drain(Consumer<ByteBuf> sink) {
    for (ByteBuf piece = channel.readInbound(); piece != null; piece = channel.readInbound()) {
      if (piece.isReadable()) sink.accept(piece);
      else piece.release();
    }
  }

  /** Frees what it holds; to be called once, whole or not. */
  void close() {
    try {
      channel.finishAndReleaseAll();
    } catch (DecompressionException e) {
      // Ending in the middle, or after garbage: who feeds it knows already.
    }
  }
}
