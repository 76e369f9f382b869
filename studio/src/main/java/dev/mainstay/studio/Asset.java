package dev.mainstay.studio;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.zip.Deflater;
import java.util.zip.GZIPOutputStream;

/**
 * A file of the bundle, in memory, packed once. Immutable.
 *
 * @param path where it is served: its name carries the hash of its content, so that a browser may
 *     keep it for good
 * @param type its media type
 */
record Asset(String path, String type, ByteBuf plain, ByteBuf packed) {
  /** Characters of the hash in a file's name: 48 bits. */
  private static final int HASH = 12;

  /**
   * @param name such as {@code main.js}
   */
  static Asset of(String name, String type, byte[] content) {
    int dot = name.lastIndexOf('.');
    var path = "/assets/" + name.substring(0, dot) + "-" + hash(content) + name.substring(dot);
    return new Asset(
        path,
        type,
        Unpooled.unreleasableBuffer(Unpooled.wrappedBuffer(content)).asReadOnly(),
        Unpooled.unreleasableBuffer(Unpooled.wrappedBuffer(gzip(content))).asReadOnly());
  }

  static String hash(byte[] content) {
    try {
      var digest = MessageDigest.getInstance("SHA-256").digest(content);
      return HexFormat.of().formatHex(digest).substring(0, HASH);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-256", e);
    }
  }

  private static byte[] gzip(byte[] content) {
    var bytes = new ByteArrayOutputStream(content.length / 3);
    try (var out = new Best(bytes)) {
      out.write(content);
    } catch (IOException e) {
      // Memory does not fail.
      throw new UncheckedIOException(e);
    }
    return bytes.toByteArray();
  }

  private static final class Best extends GZIPOutputStream {
    Best(ByteArrayOutputStream out) throws IOException {
      super(out);
      def.setLevel(Deflater.BEST_COMPRESSION);
    }
  }
}
