package dev.mainstay.ledger.sqlite;

import dev.mainstay.ledger.PrivateFiles;
import io.airlift.compress.MalformedInputException;
import io.airlift.compress.zstd.ZstdCompressor;
import io.airlift.compress.zstd.ZstdDecompressor;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.zip.CRC32C;

/**
 * A closed segment, compressed: {@code NNNN.segz}. A place in the segment is the same place here,
 * since every 256 KiB of it are a zstd frame of their own:
 *
 * <pre>
 * [frame]…[end of each frame: 8 each][length of the segment: 8][frames: 4][crc32c of the ends: 4][magic: 4]
 * </pre>
 *
 * big-endian. The file appears whole, by a rename, and its segment goes only then: a process killed
 * at any point leaves one of both, or both.
 */
final class Packed {
  static final int BLOCK = 256 << 10;
  private static final int MAGIC = 0x4D535A31;
  private static final int FOOTER = 20;

  private Packed() {}

  /** Where the packed form of segment {@code number} is. */
  static Path path(Path directory, int number) {
    var name = Segments.path(directory, number).getFileName().toString();
    return directory.resolve(name + "z");
  }

  /**
   * Packs a segment that nobody writes any more, and deletes it; retention goes on counting from
   * when it was written.
   *
   * @param stop asked now and then; where it says so nothing is changed
   */
  static void pack(Path directory, int number, BooleanSupplier stop) throws IOException {
    var from = Segments.path(directory, number);
    var to = path(directory, number);
    if (!Files.exists(to)) {
      var half = directory.resolve(to.getFileName() + ".tmp");
      try {
        if (!write(from, half, stop)) {
          return;
        }
        Files.setLastModifiedTime(half, Files.getLastModifiedTime(from));
        Files.move(half, to, StandardCopyOption.ATOMIC_MOVE);
      } finally {
        Files.deleteIfExists(half);
      }
    }
    Files.deleteIfExists(from);
  }

  private static boolean write(Path from, Path to, BooleanSupplier stop) throws IOException {
    try (var in = FileChannel.open(from, StandardOpenOption.READ);
        var out =
            PrivateFiles.open(
                to,
                Set.of(
                    StandardOpenOption.CREATE,
                    StandardOpenOption.TRUNCATE_EXISTING,
                    StandardOpenOption.WRITE))) {
      long length = in.size();
      int frames = Math.toIntExact((length + BLOCK - 1) / BLOCK);
      var ends = ByteBuffer.allocate(frames * Long.BYTES);
      var zstd = new ZstdCompressor();
      var raw = new byte[BLOCK];
      var small = new byte[zstd.maxCompressedLength(BLOCK)];
      long end = 0;
      for (int i = 0; i < frames; i++) {
        if (stop.getAsBoolean()) {
          return false;
        }
        int size = (int) Math.min(BLOCK, length - (long) i * BLOCK);
        readFully(in, ByteBuffer.wrap(raw, 0, size), (long) i * BLOCK);
        int packed = zstd.compress(raw, 0, size, small, 0, small.length);
        writeFully(out, ByteBuffer.wrap(small, 0, packed));
        end += packed;
        ends.putLong(end);
      }
      var sum = new CRC32C();
      sum.update(ends.flip());
      writeFully(out, ends.rewind());
      var footer = ByteBuffer.allocate(FOOTER).putLong(length).putInt(frames);
      writeFully(out, footer.putInt((int) sum.getValue()).putInt(MAGIC).flip());
      out.force(true);
      return true;
    }
  }

  /**
   * Bytes of a packed segment; fewer than asked for where it ends before.
   *
   * @throws NoSuchFileException where it is not packed, or gone
   * @throws IOException where it is damaged
   */
  static byte[] read(Path file, long offset, int length) throws IOException {
    try (var in = FileChannel.open(file, StandardOpenOption.READ)) {
      var footer = ByteBuffer.allocate(FOOTER);
      readFully(in, footer, in.size() - FOOTER);
      footer.flip();
      long whole = footer.getLong();
      int frames = footer.getInt();
      int sum = footer.getInt();
      long index = in.size() - FOOTER - (long) frames * Long.BYTES;
      if (footer.getInt() != MAGIC || frames < 0 || index < 0) {
        throw new IOException(file + " is no packed segment");
      }
      var ends = ByteBuffer.allocate(frames * Long.BYTES);
      readFully(in, ends, index);
      var found = new CRC32C();
      found.update(ends.flip());
      if ((int) found.getValue() != sum) {
        throw new IOException(file + " is damaged");
      }
      var out = ByteBuffer.allocate((int) Math.clamp(whole - offset, 0, length));
      while (out.hasRemaining()) {
        long at = offset + out.position();
        int frame = (int) (at / BLOCK);
        var block = block(in, ends, frame, (int) Math.min(BLOCK, whole - (long) frame * BLOCK));
        int within = (int) (at % BLOCK);
        out.put(block, within, Math.min(out.remaining(), block.length - within));
      }
      return out.array();
    }
  }

  private static byte[] block(FileChannel in, ByteBuffer ends, int frame, int size)
      throws IOException {
    long start = frame == 0 ? 0 : ends.getLong((frame - 1) * Long.BYTES);
    var packed = ByteBuffer.allocate(Math.toIntExact(ends.getLong(frame * Long.BYTES) - start));
    readFully(in, packed, start);
    var block = new byte[size];
    try {
      int length =
          new ZstdDecompressor().decompress(packed.array(), 0, packed.capacity(), block, 0, size);
      if (length != size) {
        throw new IOException("a packed segment is damaged");
      }
    } catch (MalformedInputException e) {
      throw new IOException("a packed segment is damaged", e);
    }
    return block;
  }

  private static void readFully(FileChannel in, ByteBuffer into, long at) throws IOException {
    while (into.hasRemaining()) {
      int length = at < 0 ? -1 : in.read(into, at);
      if (length < 0) {
        throw new IOException("a segment is shorter than it was");
      }
      at += length;
    }
  }

  private static void writeFully(FileChannel out, ByteBuffer from) throws IOException {
    while (from.hasRemaining()) {
      out.write(from);
    }
  }
}
