package dev.mainstay.call;

import java.util.concurrent.atomic.AtomicLong;

/**
 * Memory for answers that are held until they are whole: what a provider sends must not be able to
 * fill the heap, alone or with others. One that is put together takes twice its size for a moment.
 * Thread-safe.
 */
final class ResponseMemoryLimit {
  private static final long HEAP = Runtime.getRuntime().maxMemory();

  /** An eighth of the heap for one, and a quarter for all; images in base64 fit. */
  static final ResponseMemoryLimit STANDARD =
      new ResponseMemoryLimit((int) Math.min(256 << 20, HEAP / 8), HEAP / 4);

  private final int ofOne;
  private final long ofAll;
  private final AtomicLong taken = new AtomicLong();

  ResponseMemoryLimit(int ofOne, long ofAll) {
    this.ofOne = ofOne;
    this.ofAll = ofAll;
  }

  /** What became of a piece of an answer. */
  enum Fit {
    FITS,
    /** With it, this is more than may be held of one. */
    TOO_LARGE,
    /** Others fill the room. */
    NO_ROOM
  }

  /** What one answer takes of it. */
  Share share() {
    return new Share();
  }

  /** Belongs to the call's loop. */
  final class Share {
    private int mine;

    /** Takes so many bytes more, if they fit. */
    Fit take(int bytes) {
      if (mine + (long) bytes > ofOne) {
        return Fit.TOO_LARGE;
      }
      if (taken.addAndGet(bytes) > ofAll) {
        taken.addAndGet(-bytes);
        return Fit.NO_ROOM;
      }
      mine += bytes;
      return Fit.FITS;
    }

    /** Gives all of it to others. */
    void over() {
      taken.addAndGet(-mine);
      mine = 0;
    }
  }
}
