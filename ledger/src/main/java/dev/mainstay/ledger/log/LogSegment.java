package dev.mainstay.ledger.log;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.nio.file.StandardOpenOption.CREATE_NEW;
import static java.nio.file.StandardOpenOption.READ;
import static java.nio.file.StandardOpenOption.WRITE;

import dev.mainstay.ledger.PrivateFiles;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Files;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Set;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * One file of the log, mapped into memory:
 *
 * <pre>
 * [magic: 8][number: 8][drained: 8][drained, its bits turned: 8]
 * [when its process was alive: 8][the same, its bits turned: 8][unused: 16]
 * [length: 4][crc32c of the payload, mixed with its position: 4][payload][to a multiple of 8] …
 * </pre>
 *
 * in the machine's byte order. Every byte of it was written once before it is mapped: a page that
 * the disk has no room for would end the process (SIGBUS). The number grows with each use of the
 * file and is part of every position, so that what an earlier use left behind is never taken for an
 * entry. A length of 0 ends what was written; it is set last, so that an entry which a kill -9 cut
 * is not there.
 *
 * <p>One thread at a time appends, another reads up to {@link #end}.
 */
final class LogSegment implements AutoCloseable {
  static final int HEADER = 64;
  private static final int FRAME = 8;
  private static final long MAGIC = 0x4D41494E_4C4F4731L;
  private static final int NUMBER_AT = 8;
  private static final int DRAINED_AT = 16;
  private static final int ALIVE_AT = 32;
  private static final VarHandle LENGTH = JAVA_INT.varHandle();

  private final Path path;
  private final Arena arena;
  private final MemorySegment bytes;
  private volatile int end = HEADER;
  private volatile int drained = HEADER;
  private volatile long number;
  private volatile boolean sealed;
  private int appendAt = HEADER;

  private LogSegment(Path path, Arena arena, MemorySegment bytes) {
    this.path = path;
    this.arena = arena;
    this.bytes = bytes;
  }

  /** What a file of {@code payload} bytes in one entry needs. */
  static long sizeFor(int payload) {
    return HEADER + frame(payload);
  }

  private static long frame(int payload) {
    return (FRAME + (long) payload + 7) & ~7L;
  }

  /** Makes a file that is in no use yet; on failure there is none. */
  static LogSegment create(Path path, long size) throws IOException {
    boolean done = false;
    try (var channel = PrivateFiles.open(path, Set.of(CREATE_NEW, READ, WRITE))) {
      var zeros = ByteBuffer.allocateDirect((int) Math.min(size, 256 << 10));
      for (long at = 0; at < size; ) {
        zeros.clear().limit((int) Math.min(zeros.capacity(), size - at));
        at += channel.write(zeros, at);
      }
      var segment = map(path, MapMode.READ_WRITE, channel, size);
      segment.bytes.set(JAVA_LONG, 0, MAGIC);
      done = true;
      return segment;
    } finally {
      if (!done) {
        Files.deleteIfExists(path);
      }
    }
  }

  /** A file that is there already, or null where it is none of the log's. */
  static @Nullable LogSegment open(Path path) throws IOException {
    return open(path, MapMode.READ_WRITE, READ, WRITE);
  }

  /** As {@link #open}, for reading alone, also while another process writes it. */
  static @Nullable LogSegment read(Path path) throws IOException {
    return open(path, MapMode.READ_ONLY, READ);
  }

  private static @Nullable LogSegment open(Path path, MapMode mode, OpenOption... options)
      throws IOException {
    try (var channel = FileChannel.open(path, options)) {
      long size = channel.size();
      if (size < HEADER || size > Integer.MAX_VALUE) {
        return null;
      }
      // What was cut off is written anew before it is mapped, as when the file was made.
      var segment = map(path, mode, channel, size & ~7L);
      if (segment.bytes.get(JAVA_LONG, 0) == MAGIC) {
        segment.number = segment.bytes.get(JAVA_LONG, NUMBER_AT);
        return segment;
      }
      segment.close();
      return null;
    }
  }

  private static LogSegment map(Path path, MapMode mode, FileChannel channel, long size)
      throws IOException {
    var arena = Arena.ofShared();
    try {
      return new LogSegment(path, arena, channel.map(mode, 0, size, arena));
    } catch (IOException | RuntimeException e) {
      arena.close();
      throw e;
    }
  }

  Path path() {
    return path;
  }

  long capacity() {
    return bytes.byteSize();
  }

  /** Which use of a file this is, from 1; 0 while it is in none. */
  long number() {
    return number;
  }

  /** Takes it into use. */
  void begin(long newNumber) {
    bytes.set(JAVA_INT, HEADER, 0);
    setDrained(HEADER);
    appendAt = HEADER;
    end = HEADER;
    sealed = false;
    setNumber(newNumber);
  }

  /** Takes it out of use: what is in it counts no more. */
  void retire() {
    setNumber(0);
  }

  private void setNumber(long newNumber) {
    number = newNumber;
    try {
      bytes.set(JAVA_LONG, NUMBER_AT, newNumber);
    } catch (InternalError e) {
      // The file was cut under the mapping: what is in it cannot be read again.
    }
  }

  /** The position in the log of an offset in this file. */
  long position(int offset) {
    return (number() << 32) | offset;
  }

  // ---- writing

  boolean fits(Entry entry) {
    return frame(entry.size) <= bytes.byteSize() - appendAt;
  }

  /** Appends an entry that fits. */
  void append(Entry entry) {
    int at = appendAt;
    int next = (int) (at + frame(entry.size));
    if (next < bytes.byteSize()) {
      bytes.set(JAVA_INT, next, 0);
    }
    int to = at + FRAME;
    MemorySegment.copy(entry.head, 0, bytes, JAVA_BYTE, to, entry.headSize);
    to += entry.headSize;
    for (var body : entry.bodies) {
      MemorySegment.copy(body, 0, bytes, JAVA_BYTE, to, body.length);
      to += body.length;
    }
    bytes.set(JAVA_INT, at + 4L, mixed(entry.checksum, at));
    LENGTH.setRelease(bytes, (long) at, entry.size);
    appendAt = next;
    end = next;
  }

  private int mixed(int checksum, int at) {
    return checksum ^ (int) ((position(at) * 0x9E3779B97F4A7C15L) >>> 32);
  }

  /** Nothing is appended to it any more. */
  void seal() {
    sealed = true;
  }

  boolean sealed() {
    return sealed;
  }

  // ---- reading

  /** Where what was appended ends. */
  int end() {
    return end;
  }

  /** Where the entry at {@code offset} ends. */
  int next(int offset) {
    return (int) (offset + frame(bytes.get(JAVA_INT, offset)));
  }

  /**
   * The payload of the entry at {@code offset}, which begins before {@link #end}: good while the
   * file is in use.
   */
  MemorySegment payload(int offset) {
    return bytes.asSlice(offset + FRAME, bytes.get(JAVA_INT, offset));
  }

  /** Told of each whole entry that was found. */
  interface Found {
    void entry(int offset, MemorySegment payload);
  }

  /**
   * Reads a file that an earlier process left: up to its end, or to the first entry that is
   * damaged.
   *
   * @return whether it was whole
   */
  boolean scan(Found found) {
    var crc = new CRC32C();
    int at = HEADER;
    boolean whole = true;
    while (at + FRAME <= bytes.byteSize() && bytes.get(JAVA_INT, at) != 0) {
      int length = bytes.get(JAVA_INT, at);
      if (length < 0 || frame(length) > bytes.byteSize() - at) {
        whole = false;
        break;
      }
      var payload = payload(at);
      crc.reset();
      crc.update(payload.asByteBuffer());
      if (mixed((int) crc.getValue(), at) != bytes.get(JAVA_INT, at + 4L)) {
        whole = false;
        break;
      }
      found.entry(at, payload);
      at += (int) frame(length);
    }
    appendAt = at;
    end = at;
    sealed = true;
    long mark = marked(DRAINED_AT);
    drained = mark >= HEADER && mark <= at ? (int) mark : HEADER;
    return whole;
  }

  /** Up to where its entries are in the store. */
  int drained() {
    return drained;
  }

  void setDrained(int offset) {
    drained = offset;
    mark(DRAINED_AT, offset);
  }

  /** When the process that writes it was last known to be alive; 1970 where it never said so. */
  Instant alive() {
    return Instant.ofEpochMilli(marked(ALIVE_AT));
  }

  void setAlive(Instant now) {
    mark(ALIVE_AT, now.toEpochMilli());
  }

  /** A number with its bits turned behind it: one that was torn or damaged counts as 0. */
  private void mark(int at, long value) {
    try {
      bytes.set(JAVA_LONG, at, value);
      bytes.set(JAVA_LONG, at + 8L, ~value);
    } catch (InternalError e) {
      // The file was cut under the mapping: what is in it cannot be read again.
    }
  }

  private long marked(int at) {
    long value = bytes.get(JAVA_LONG, at);
    return value == ~bytes.get(JAVA_LONG, at + 8L) ? value : 0;
  }

  // ---- its end

  @Override
  public void close() {
    arena.close();
  }

  void delete() throws IOException {
    close();
    Files.deleteIfExists(path);
  }
}
