package dev.mainstay.ledger.log;

import dev.mainstay.ledger.FolderFailure;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The log's files, {@code NNNN.log}, bounded by bytes. Any thread appends; one other drains what
 * was appended, gives files back and makes spare ones, so that an appending thread finds the next
 * file ready. A file that was drained is used again.
 */
final class SegmentedLog {
  private static final Logger LOG = LoggerFactory.getLogger(SegmentedLog.class);

  /** The usual size of a file: 8 MiB. */
  private static final long USUAL = 8L << 20;

  private static final long SMALLEST = 64L << 10;
  private static final int MOST_SPARES = 4;
  private static final long TRY_AGAIN_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final LogFolder files;
  private final long maxBytes;
  private final long segmentBytes;
  private final Object lock = new Object();

  // All below is guarded by the lock.
  private final Deque<LogSegment> used = new ArrayDeque<>();
  private final Deque<LogSegment> spares = new ArrayDeque<>();
  private @Nullable LogSegment current;
  private long bytes;
  private long lastNumber;
  private boolean closed;
  private long refusedNanos;

  // Why no file could be made, in words; null while there is room.
  private volatile @Nullable String trouble;
  private volatile boolean tight;

  /**
   * Finds what an earlier process left in {@code directory}: {@link #leftBehind}.
   *
   * @param maxBytes of all files together
   */
  SegmentedLog(Path directory, long maxBytes) throws IOException {
    this.maxBytes = maxBytes;
    segmentBytes = fileBytes(maxBytes);
    files = new LogFolder(directory);
    for (var segment : files.find()) {
      if (segment.number() > 0) {
        used.add(segment);
        lastNumber = segment.number();
      } else if (spares.isEmpty() && segment.capacity() == segmentBytes) {
        spares.add(segment);
      } else {
        segment.delete();
        continue;
      }
      bytes += segment.capacity();
    }
  }

  /** The size of one file of a log of {@code maxBytes}. */
  static long fileBytes(long maxBytes) {
    return Math.max(SMALLEST, Math.min(USUAL, maxBytes / 4) & ~7L);
  }

  /** What an earlier process left, the oldest first; asked for before anything is appended. */
  List<LogSegment> leftBehind() {
    synchronized (lock) {
      return List.copyOf(used);
    }
  }

  // ---- appending

  /** Appends an entry; false where there is no room for it. For any thread. */
  boolean append(Entry entry) {
    synchronized (lock) {
      try {
        return appendTo(current, entry);
      } catch (InternalError e) {
        // What the JVM makes of SIGBUS: the file was cut, or its disk is broken.
        leave("cannot be written (" + e.getMessage() + ")");
        return appendTo(null, entry);
      }
    }
  }

  private boolean appendTo(@Nullable LogSegment segment, Entry entry) {
    var to = segment == null || !segment.fits(entry) ? next(entry) : segment;
    if (to == null) {
      return false;
    }
    to.append(entry);
    return true;
  }

  /** Goes on in another file. */
  private void leave(String why) {
    var old = current;
    if (old != null) {
      LOG.error("{} {}: the log continues in a new file", old.path(), why);
      old.seal();
      current = null;
    }
    spares.forEach(this::delete);
    spares.clear();
  }

  private @Nullable LogSegment next(Entry entry) {
    if (closed) {
      return null;
    }
    var next = spares.peek();
    if (next != null && LogSegment.sizeFor(entry.size) <= next.capacity()) {
      spares.remove();
    } else {
      // The disk has refused already: asking it again is the draining thread's work.
      next = trouble == null ? make(Math.max(segmentBytes, LogSegment.sizeFor(entry.size))) : null;
    }
    if (next == null) {
      return null;
    }
    next.begin(++lastNumber);
    if (current != null) {
      current.seal();
    }
    current = next;
    used.add(next);
    setTight();
    return next;
  }

  private @Nullable LogSegment make(long size) {
    if (bytes + size > maxBytes) {
      full("the log has reached its bound of " + maxBytes + " bytes");
      return null;
    }
    try {
      var made = files.create(size);
      bytes += made.capacity();
      return made;
    } catch (IOException e) {
      full(cannotExtend(size, e));
      return null;
    }
  }

  private String cannotExtend(long size, IOException e) {
    var shortage = FolderFailure.shortage(files.folder(), size);
    return "the log cannot be extended (" + (shortage == null ? e.getMessage() : shortage) + ")";
  }

  private void full(String why) {
    if (trouble == null) {
      LOG.warn("{}: Mainstay records calls while the log's last file has room", why);
    }
    trouble = why;
    refusedNanos = System.nanoTime();
    tight = true;
  }

  private void setTight() {
    tight = trouble != null || bytes - spares.size() * segmentBytes > maxBytes / 4 * 3;
  }

  /** Whether there is no file to append to, neither now nor once those in use are drained. */
  boolean isEmpty() {
    synchronized (lock) {
      return used.isEmpty() && spares.isEmpty();
    }
  }

  /** Why the log cannot grow, or keeps no bodies, in words; null while all is well. */
  @Nullable String trouble() {
    var reason = trouble;
    return reason == null && tight
        ? "the log has filled three quarters of its bound of " + maxBytes + " bytes"
        : reason;
  }

  /** Whether what is left of it is for records alone, without bodies. */
  boolean tight() {
    return tight;
  }

  // ---- draining; one thread's

  /** The file after {@code segment}, which is in use; the oldest in use after null. */
  @Nullable LogSegment after(@Nullable LogSegment segment) {
    synchronized (lock) {
      boolean found = segment == null;
      for (var next : used) {
        if (found) {
          return next;
        }
        found = next == segment;
      }
      return null;
    }
  }

  /** Up to where anything was appended; 0 before that. */
  long position() {
    synchronized (lock) {
      var last = used.peekLast();
      return last == null ? 0 : last.position(last.end());
    }
  }

  /** What was appended and is not known to be in the store. */
  long waitingBytes() {
    synchronized (lock) {
      long waiting = 0;
      for (var segment : used) {
        waiting += segment.end() - segment.drained();
      }
      return waiting;
    }
  }

  /** Gives back the oldest file, whose entries are all in the store. */
  void release(LogSegment segment) {
    synchronized (lock) {
      used.remove(segment);
      segment.retire();
      if (segment.capacity() == segmentBytes
          && Files.exists(segment.path())
          && spares.size() < (closed ? 1 : MOST_SPARES)) {
        spares.add(segment);
      } else {
        delete(segment);
      }
      hasRoom();
    }
  }

  private void delete(LogSegment segment) {
    bytes -= segment.capacity();
    try {
      segment.delete();
    } catch (IOException e) {
      LOG.warn("Mainstay cannot delete {}: {}", segment.path(), e.getMessage());
    }
  }

  /**
   * Makes the next file ready where it will be needed soon. Not under the lock: it takes a while.
   */
  void prepare() {
    synchronized (lock) {
      leaveRemoved();
      boolean soon = current == null || current.end() > current.capacity() / 2;
      if (closed || !soon || !spares.isEmpty() || bytes + segmentBytes > maxBytes) {
        return;
      }
      if (trouble != null && System.nanoTime() - refusedNanos < TRY_AGAIN_NANOS) {
        return;
      }
      bytes += segmentBytes;
    }
    LogSegment made = null;
    String refused = "";
    try {
      made = files.create(segmentBytes);
    } catch (IOException e) {
      refused = cannotExtend(segmentBytes, e);
    }
    synchronized (lock) {
      if (made == null) {
        bytes -= segmentBytes;
        full(refused);
      } else {
        spares.add(made);
        hasRoom();
      }
    }
  }

  /** What is in a removed file goes with the process: nothing more is appended to one. */
  private void leaveRemoved() {
    var to = current;
    if (closed || to == null || Files.exists(to.path())) {
      return;
    }
    leave("was removed while Mainstay runs");
    try {
      files.make();
    } catch (IOException e) {
      full("the log's folder cannot be made (" + e.getMessage() + ")");
    }
  }

  private void hasRoom() {
    if (trouble != null) {
      LOG.info("The log has room again");
    }
    trouble = null;
    setTight();
  }

  /** From now on nothing is appended. */
  void end() {
    synchronized (lock) {
      closed = true;
      if (current != null) {
        current.seal();
        current = null;
      }
    }
  }

  /** Lets go of the files; what was not drained stays in them for the next process. */
  void close() {
    synchronized (lock) {
      end();
      while (!used.isEmpty() && used.peek().drained() == used.peek().end()) {
        release(used.peek());
      }
      used.forEach(LogSegment::close);
      used.clear();
      spares.forEach(LogSegment::close);
      spares.clear();
      current = null;
    }
  }
}
