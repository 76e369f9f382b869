package dev.mainstay.ledger.sqlite;

import dev.mainstay.ledger.LedgerException;
import dev.mainstay.ledger.PrivateFiles;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.util.Arrays;
import java.util.Locale;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * Bodies in append-only files {@code NNNN.seg}. Each entry is
 *
 * <pre>[length: 4][crc32c of hash and payload: 4][hash: 8][payload]</pre>
 *
 * big-endian. Entries are gathered in memory and written by {@link #flush()} before the rows that
 * point at them are committed, so that a row never points at what is not there; what a crash or a
 * full disk left behind the last row is written over. A body that is in the segment already is not
 * written again. For one thread, the writer's; {@link #read} is for any.
 */
final class Segments implements AutoCloseable {
  static final int HEADER = 16;

  /** The length of a file where there is room for many: 64 MiB. */
  private static final long USUAL = 64L << 20;

  /** A last file shorter than this is gone on with at start; checking it takes a few ms: 4 MiB. */
  private static final long GO_ON_BELOW = 4L << 20;

  private static final int GATHER = 512 << 10;

  private final Path directory;
  private final SegmentFiles files;

  /** Beyond this length the next body begins a new file. */
  private final long full;

  private final ByteBuffer gathered = ByteBuffer.allocateDirect(GATHER);
  private final BodyOffsets seen = new BodyOffsets();
  private final RecentBodies recent = new RecentBodies();
  private final CRC32C crc = new CRC32C();

  // Read by the packer too, which leaves this one and all after it alone.
  private volatile int number;
  private SegmentFiles.File file;
  // Bytes of the current file that are on disk; `gathered` comes after them.
  private long written;
  // Where the file ended when the last batch was committed.
  private long committed;

  /**
   * @param full from {@link #lengthFor}
   */
  Segments(Path directory, SegmentFiles files, long full) throws IOException {
    this.directory = directory;
    this.files = files;
    this.full = full;
    PrivateFiles.folder(directory);
    var existing = list(directory);
    if (!existing.isEmpty()
        && existing.lastEntry().getValue() < GO_ON_BELOW
        && Files.exists(path(directory, existing.lastKey()))) {
      number = existing.lastKey();
      written = endOfWhole(path(directory, number));
    } else {
      number = existing.isEmpty() ? 1 : existing.lastKey() + 1;
    }
    committed = written;
    file = files.open(path(directory, number));
  }

  /**
   * The length of a file where all may take {@code maxBytes}: an eighth at most, since the one that
   * is written cannot be deleted.
   */
  static long lengthFor(long maxBytes) {
    return Math.min(USUAL, maxBytes / 8);
  }

  /** Where a body is. */
  record Place(int segment, long offset, int length) {
    /** As a column holds it: {@code segment:offset:length}. */
    String text() {
      return segment + ":" + offset + ":" + length;
    }

    static Place parse(String text) {
      int first = text.indexOf(':');
      int second = text.indexOf(':', first + 1);
      return new Place(
          Integer.parseInt(text, 0, first, 10),
          Long.parseLong(text, first + 1, second, 10),
          Integer.parseInt(text, second + 1, text.length(), 10));
    }
  }

  /** The place of {@code bytes}, which are on disk after the next {@link #flush()}. */
  Place append(byte[] bytes) throws IOException {
    long hash = ContentHash.of(bytes);
    long twin = seen.find(hash);
    if (twin >= 0 && twin < end() && holds(twin, hash, bytes)) {
      return new Place(number, twin, bytes.length);
    }
    if (end() > 0 && end() + HEADER + bytes.length > full) {
      next();
    }
    long offset = end();
    if (gathered.remaining() < HEADER + bytes.length) {
      flush();
    }
    if (gathered.capacity() < HEADER + bytes.length) {
      var large = ByteBuffer.allocate(HEADER + bytes.length);
      put(large, hash, bytes);
      written = writeAll(large.flip(), written);
    } else {
      put(gathered, hash, bytes);
    }
    seen.put(hash, offset);
    recent.put(offset, bytes);
    return new Place(number, offset, bytes.length);
  }

  /** Writes what was gathered. On failure nothing is lost but what {@link #undo()} takes back. */
  void flush() throws IOException {
    if (gathered.position() > 0) {
      written = writeAll(gathered.flip(), written);
      gathered.clear();
    }
  }

  /** What was appended has been committed. */
  void commit() {
    committed = end();
  }

  /** Takes back what was appended since the last commit. */
  void undo() {
    gathered.clear();
    written = committed;
    // Its places are given to other bodies now.
    recent.clear();
  }

  @Override
  public void close() throws IOException {
    file.close();
  }

  private long end() {
    return written + gathered.position();
  }

  private void next() throws IOException {
    flush();
    int nextNumber = number + 1;
    var following = files.open(path(directory, nextNumber));
    file.close();
    file = following;
    number = nextNumber;
    written = 0;
    committed = 0;
    seen.clear();
    recent.clear();
  }

  private void put(ByteBuffer into, long hash, byte[] bytes) {
    into.putInt(bytes.length).putInt(checksum(crc, hash, bytes)).putLong(hash).put(bytes);
  }

  private long writeAll(ByteBuffer from, long at) throws IOException {
    while (from.hasRemaining()) {
      at += file.write(from, at);
    }
    return at;
  }

  private boolean holds(long offset, long hash, byte[] bytes) throws IOException {
    var held = recent.get(offset);
    if (held != null) {
      return Arrays.equals(held, bytes);
    }
    if (offset >= written) {
      int at = (int) (offset - written);
      return at + HEADER + bytes.length <= gathered.position()
          && gathered.getInt(at) == bytes.length
          && gathered.getLong(at + 8) == hash
          && ByteBuffer.wrap(bytes).equals(gathered.slice(at + HEADER, bytes.length));
    }
    if (offset + HEADER + bytes.length > written) {
      return false;
    }
    var entry = ByteBuffer.allocate(HEADER + bytes.length);
    boolean same =
        file.read(entry, offset) == entry.capacity()
            && entry.getInt(0) == bytes.length
            && entry.getLong(8) == hash
            && Arrays.equals(entry.array(), HEADER, entry.capacity(), bytes, 0, bytes.length);
    if (same) {
      recent.put(offset, bytes);
    }
    return same;
  }

  /**
   * The bytes at a place.
   *
   * @throws LedgerException where the file is gone by retention, or the bytes are damaged
   */
  static byte[] read(Path directory, Place place) {
    var bytes = readKept(directory, place);
    if (bytes == null) {
      throw new LedgerException("the body is no longer kept: retention deleted it");
    }
    return bytes;
  }

  /**
   * The bytes at a place, or null where the file is gone by retention.
   *
   * @throws LedgerException where the bytes are damaged
   */
  static byte @Nullable [] readKept(Path directory, Place place) {
    var path = path(directory, place.segment());
    try {
      var entry = ByteBuffer.wrap(new byte[HEADER + place.length()]);
      entry.put(bytes(directory, place.segment(), place.offset(), entry.capacity()));
      var bytes = Arrays.copyOfRange(entry.array(), HEADER, entry.capacity());
      if (entry.hasRemaining()
          || entry.getInt(0) != place.length()
          || entry.getInt(4) != checksum(new CRC32C(), entry.getLong(8), bytes)) {
        throw new LedgerException(
            "the body is damaged, in %s at %d".formatted(path, place.offset()));
      }
      return bytes;
    } catch (NoSuchFileException e) {
      return null;
    } catch (IOException e) {
      throw new LedgerException("the body cannot be read: " + e.getMessage(), e);
    }
  }

  /** Bytes of a segment, packed or not; fewer than asked for where it ends before. */
  private static byte[] bytes(Path directory, int segment, long offset, int length)
      throws IOException {
    try (var channel = Files.newByteChannel(path(directory, segment), StandardOpenOption.READ)) {
      var into = ByteBuffer.allocate(length);
      channel.position(offset);
      int read = 0;
      while (into.hasRemaining() && read >= 0) {
        read = channel.read(into);
      }
      return Arrays.copyOf(into.array(), into.position());
    } catch (NoSuchFileException e) {
      return Packed.read(Packed.path(directory, segment), offset, length);
    }
  }

  /** When a segment was written to last. */
  static Instant modified(Path directory, int segment) throws IOException {
    var path = path(directory, segment);
    try {
      return Files.getLastModifiedTime(path).toInstant();
    } catch (NoSuchFileException e) {
      return Files.getLastModifiedTime(Packed.path(directory, segment)).toInstant();
    }
  }

  /** Deletes a segment in whichever form it is there. */
  static void delete(Path directory, int segment) throws IOException {
    Files.deleteIfExists(path(directory, segment));
    Files.deleteIfExists(Packed.path(directory, segment));
  }

  /** The segments there are, packed or not: number to bytes on the disk. */
  static NavigableMap<Integer, Long> list(Path directory) throws IOException {
    var found = new TreeMap<Integer, Long>();
    if (Files.isDirectory(directory)) {
      try (var paths = Files.newDirectoryStream(directory, "*.{seg,segz}")) {
        for (var path : paths) {
          var name = path.getFileName().toString();
          try {
            found.merge(
                Integer.parseInt(name.substring(0, name.indexOf('.'))),
                Files.size(path),
                Long::sum);
          } catch (NoSuchFileException e) {
            // Packed or deleted since it was listed.
          } catch (NumberFormatException e) {
            // Somebody else's file: it is left alone.
          }
        }
      }
    }
    return found;
  }

  static Path path(Path directory, int number) {
    return directory.resolve(String.format(Locale.ROOT, "%04d.seg", number));
  }

  int current() {
    return number;
  }

  private static int checksum(CRC32C crc, long hash, byte[] bytes) {
    crc.reset();
    crc.update(ByteBuffer.allocate(Long.BYTES).putLong(hash).flip());
    crc.update(bytes, 0, bytes.length);
    return (int) crc.getValue();
  }

  /** Where the last whole entry ends: behind it is what a crash cut off. */
  private static long endOfWhole(Path path) throws IOException {
    var all = ByteBuffer.wrap(Files.readAllBytes(path));
    var crc = new CRC32C();
    while (all.remaining() >= HEADER) {
      int start = all.position();
      int length = all.getInt();
      int sum = all.getInt();
      long hash = all.getLong();
      if (length < 0 || length > all.remaining()) {
        return start;
      }
      var bytes = new byte[length];
      all.get(bytes);
      if (checksum(crc, hash, bytes) != sum) {
        return start;
      }
    }
    return all.position();
  }
}
