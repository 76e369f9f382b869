package dev.mainstay.http;

import io.airlift.compress.zstd.ZstdInputStream;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.ByteBufInputStream;
import io.netty.buffer.CompositeByteBuf;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.compression.DecompressionException;
import io.netty.handler.codec.compression.ZlibCodecFactory;
import io.netty.handler.codec.compression.ZlibWrapper;
import java.io.IOException;
import java.io.InputStream;
import java.util.Locale;
import org.brotli.dec.BrotliInputStream;
import org.jspecify.annotations.Nullable;

/** Unpacks a body. Belongs to one thread. */
abstract sealed class Unpacker permits Unpacker.Inflating, Unpacker.Gathering {
  /** Takes what a body unpacks to, piece by piece. */
  @FunctionalInterface
  interface Sink {
    /** Takes {@code piece}, which it owns; false where it wants no more. */
    boolean take(ByteBuf piece);
  }

  /** One for the content-encoding of a body that is gathered, or null where there is none. */
  static @Nullable Unpacker of(String encoding, ByteBufAllocator alloc) {
    return switch (encoding.strip().toLowerCase(Locale.ROOT)) {
      case "br" -> new Gathering(alloc, Brotli::over);
      // Its window is at most 8 MiB, as RFC 9659 asks of this content-encoding.
      case "zstd" -> new Gathering(alloc, ZstdInputStream::new);
      default -> inflating(encoding);
    };
  }

  /** Apart: where the decoder's own class is named, starting with the AOT cache would load it. */
  private static final class Brotli {
    static InputStream over(InputStream packed) throws IOException {
      return new BrotliInputStream(packed);
    }
  }

  /** One that hands on each part as it arrives, or null where there is none for the encoding. */
  static @Nullable Unpacker inflating(String encoding) {
    return switch (encoding.strip().toLowerCase(Locale.ROOT)) {
      case "gzip", "x-gzip" -> new Inflating(ZlibWrapper.GZIP);
      case "deflate" -> new Inflating(ZlibWrapper.ZLIB_OR_NONE);
      default -> null;
    };
  }

  static boolean identity(@Nullable String encoding) {
    return encoding == null || encoding.isBlank() || encoding.strip().equalsIgnoreCase("identity");
  }

  /** Whether it makes at most some thousand times as much of what it is fed. */
  abstract boolean expandsLittle();

  /**
   * Takes ownership of {@code packed}, and hands on what that unpacks to.
   *
   * @throws DecompressionException when it is not what the encoding says
   */
  abstract void feed(ByteBuf packed, Sink sink);

  /**
   * Hands on what is still to be unpacked: all has been fed.
   *
   * @throws DecompressionException when it is not what the encoding says
   */
  abstract void finish(Sink sink);

  /** Frees what it holds; to be called once, whole or not. */
  abstract void close();

  /** gzip and deflate, unpacked as they arrive. */
  static final class Inflating extends Unpacker {
    /**
     * Packed bytes taken at a step: deflate expands at most about 1032 times, so that a step makes
     * 4 MiB at most.
     */
    private static final int STEP = 4096;

    private final EmbeddedChannel channel;

    private Inflating(ZlibWrapper wrapper) {
      channel = new EmbeddedChannel(ZlibCodecFactory.newZlibDecoder(wrapper, 0));
    }

    @Override
    boolean expandsLittle() {
      return true;
    }

    @Override
    void feed(ByteBuf packed, Sink sink) {
      try {
        boolean more = true;
        while (more && packed.isReadable()) {
          channel.writeInbound(packed.readRetainedSlice(Math.min(STEP, packed.readableBytes())));
          more = drain(sink);
        }
      } finally {
        packed.release();
      }
    }

    private boolean drain(Sink sink) {
      boolean more = true;
      for (ByteBuf piece = channel.readInbound(); piece != null; piece = channel.readInbound()) {
        if (piece.isReadable()) more &= sink.take(piece);
        else piece.release();
      }
      return more;
    }

    @Override
    void finish(Sink sink) {}

    @Override
    void close() {
      try {
        channel.finishAndReleaseAll();
      } catch (DecompressionException e) {
        // Ending in the middle, or after garbage: who feeds it knows already.
      }
    }
  }

  /** br and zstd, whose decoders pull: unpacked when the body is whole, a piece at a time. */
  static final class Gathering extends Unpacker {
    /** Most bytes unpacked before the sink is asked again. */
    private static final int PIECE = 64 << 10;

    private interface Decoder {
      InputStream over(InputStream packed) throws IOException;
    }

    private final ByteBufAllocator alloc;
    private final Decoder decoder;
    private final CompositeByteBuf packed;

    private Gathering(ByteBufAllocator alloc, Decoder decoder) {
      this.alloc = alloc;
      this.decoder = decoder;
      packed = alloc.compositeBuffer(1024);
    }

    @Override
    boolean expandsLittle() {
      return false;
    }

    @Override
    void feed(ByteBuf part, Sink sink) {
      packed.addComponent(true, part);
    }

    @Override
    void finish(Sink sink) {
      try (var in = decoder.over(new ByteBufInputStream(packed))) {
        boolean more = true;
        while (more) {
          ByteBuf piece = alloc.heapBuffer(PIECE, PIECE);
          more = fill(piece, in) && sink.take(piece);
        }
        // The sink wants no more, or the end was reached: what follows it is no part of the body.
      } catch (DecompressionException e) {
        throw e;
      } catch (IOException | RuntimeException e) {
        throw new DecompressionException(e);
      }
    }

    /** Fills {@code piece} as far as it goes; frees it and says false where the end was reached. */
    private static boolean fill(ByteBuf piece, InputStream in) throws IOException {
      boolean filled = false;
      try {
        int read = 0;
        while (piece.isWritable() && read >= 0) {
          read =
              in.read(
                  piece.array(), piece.arrayOffset() + piece.writerIndex(), piece.writableBytes());
          if (read > 0) piece.writerIndex(piece.writerIndex() + read);
        }
        filled = piece.isReadable();
        return filled;
      } finally {
        if (!filled) piece.release();
      }
    }

    @Override
    void close() {
      packed.release();
    }
  }
}
