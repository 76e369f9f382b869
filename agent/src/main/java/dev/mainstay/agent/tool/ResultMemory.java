package dev.mainstay.agent.tool;

import java.util.concurrent.Semaphore;

/**
 * Bounds what the results of tools hold in memory, over the whole process. A result up to {@link
 * #FREE} needs no place. A longer one takes a place for {@link #MOST_RESULT} at once, so that two
 * readers never wait for each other, and gives it back when the result is on disk. Thread-safe.
 */
public final class ResultMemory {
  /** Bytes of a result that need no place. */
  public static final int FREE = 64 << 10;

  /** The most bytes that are read of one result; the rest is cut off, and the result says so. */
  public static final int MOST_RESULT = 8 << 20;

  /** What the results of all runs of this process hold together: 64 MiB. */
  public static final ResultMemory PROCESS = new ResultMemory(64 << 20);

  private final Semaphore places;

  /**
   * @param mostBytes that long results may hold together; at least {@link #MOST_RESULT}
   */
  public ResultMemory(long mostBytes) {
    places = new Semaphore((int) Math.max(1, mostBytes / MOST_RESULT));
  }

  /** A hold on the memory for one result. Not thread-safe. */
  public Hold hold() {
    return new Hold();
  }

  /** A hold that grows once, and ends with {@link #close}. */
  public final class Hold implements AutoCloseable {
    private boolean grown;

    /** Waits for a place for a long result; returns at once where this hold has one. */
    public void grow() throws InterruptedException {
      if (!grown) {
        places.acquire();
        grown = true;
      }
    }

    @Override
    public void close() {
      if (grown) {
        grown = false;
        places.release();
      }
    }
  }
}
