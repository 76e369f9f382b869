package dev.mainstay.http;

import io.airlift.compress.zstd.ZstdInputStream;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.ByteBufInputStream;
import io.netty.buffer.CompositeByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.compression.DecompressionException;
import io.netty.handler.codec.compression.JdkZlibDecoder;
import io.netty.handler.codec.compression.ZlibWrapper;
import java.io.IOException;
import java.io.InputStream;
import java.util.List;
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
      case "zstd" -> new Gathering(alloc, Zstd::over);
      default -> inflating(encoding);
    };
  }

  /** Apart: where the decoder's own class is named, starting with the AOT cache would load it. */
  private static final class Brotli {
    static InputStream over(ByteBuf packed) throws IOException {
      return new BrotliInputStream(new ByteBufInputStream(packed));
    }
  }

  private static final class Zstd {
    private static final int MAGIC = 0xFD2FB528;
    private static final int[] DICTIONARY_ID = {0, 1, 2, 4};
    private static final int[] CONTENT_SIZE = {0, 2, 4, 8};

    /**
     * The decoder ignores up to three bytes after the last frame: their absence is checked here.
     */
    static InputStream over(ByteBuf packed) throws IOException {
      int at = packed.readerIndex();
      try {
        while (at < packed.writerIndex()) at = end(packed, at);
      } catch (IndexOutOfBoundsException e) {
        throw new IOException("cut off in the head of a frame or block", e);
      }
      if (at > packed.writerIndex()) throw new IOException("cut off in a block");
      return new ZstdInputStream(new ByteBufInputStream(packed));
    }

    /** Where the frame ends that begins at {@code at} (RFC 8878, 3.1.1). */
    private static int end(ByteBuf packed, int at) throws IOException {
      if (packed.getIntLE(at) != MAGIC) throw new IOException("no frame where one should begin");
      int descriptor = packed.getUnsignedByte(at + 4);
      boolean single = (descriptor & 0x20) != 0;
      int size = CONTENT_SIZE[descriptor >> 6];
      int next = at + 5 + DICTIONARY_ID[descriptor & 3] + (single ? Math.max(1, size) : 1 + size);
      int block;
      do {
        block = packed.getUnsignedMediumLE(next);
        boolean repeated = (block >> 1 & 3) == 1;
        next += 3 + (repeated ? 1 : block >> 3);
      } while ((block & 1) == 0);
      return (descriptor & 4) == 0 ? next : next + 4;
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

  /** Bytes it takes for itself while it works: its window, above all. */
  abstract int working();

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

    private final ZlibWrapper wrapper;
    private EmbeddedChannel channel;
    private Member member;
    private @Nullable ByteBuf after;

    private Inflating(ZlibWrapper wrapper) {
      this.wrapper = wrapper;
      member = new Member();
      channel = new EmbeddedChannel(member);
    }

    /** Inflates up to the end of what it says itself, and keeps what follows apart. */
    private final class Member extends JdkZlibDecoder {
      private Member() {
        super(wrapper, 0);
      }

      @Override
      protected void decode(ChannelHandlerContext ctx, ByteBuf in, List<Object> out)
          throws Exception {
        if (isClosed()) after = in.readRetainedSlice(in.readableBytes());
        else super.decode(ctx, in, out);
      }
    }

    @Override
    int working() {
      return 64 << 10;
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
          more = inflate(packed.readRetainedSlice(Math.min(STEP, packed.readableBytes())), sink);
        }
      } finally {
        packed.release();
      }
    }

    private boolean inflate(ByteBuf part, Sink sink) {
      ByteBuf rest = part;
      boolean more = true;
      while (rest != null) {
        if (member.isClosed()) next(rest);
        channel.writeInbound(rest);
        more &= drain(sink);
        rest = after;
        after = null;
      }
      return more;
    }

    /**
     * A file of gzip may have several members (RFC 1952, 2.2); what else follows is no part of it.
     */
    private void next(ByteBuf rest) {
      if (wrapper != ZlibWrapper.GZIP) {
        rest.release();
        throw new DecompressionException("bytes after the end of what was packed");
      }
      close();
      member = new Member();
      channel = new EmbeddedChannel(member);
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
    void finish(Sink sink) {
      if (!member.isClosed()) throw new DecompressionException("cut off before its end");
    }

    @Override
    void close() {
      if (after != null) after.release();
      after = null;
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
      InputStream over(ByteBuf packed) throws IOException;
    }

    private final ByteBufAllocator alloc;
    private final Decoder decoder;
    private final CompositeByteBuf packed;

    private Gathering(ByteBufAllocator alloc, Decoder decoder) {
      this.alloc = alloc;
      this.decoder = decoder;
      packed = alloc.compositeBuffer(1024);
    }

    /** A window of zstd is 8 MiB, one of br up to 16. */
    @Override
    int working() {
      return 16 << 20;
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
      try (var in = decoder.over(packed)) {
        boolean full = false;
        ByteBuf piece = alloc.heapBuffer(PIECE, PIECE);
        while (!full && fill(piece, in)) {
          full = !sink.take(piece);
          if (!full) piece = alloc.heapBuffer(PIECE, PIECE);
        }
        // The sink wants no more, or the end was reached.
        if (!full && packed.isReadable()) {
          throw new DecompressionException("bytes after the end of what was packed");
        }
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
