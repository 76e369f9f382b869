package dev.mainstay.http;

import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Whether a loop has more to do than it can. A loop works in turns: it takes up what has arrived on
 * all its connections, one after the other, and what arrives meanwhile waits for the next turn. So
 * the length of a turn is how long a request waits before anybody looks at it. Where every turn of
 * the last two seconds was longer than {@link #LONG}, the loop is behind, as a queue is whose
 * shortest wait over a while is long (CoDel, RFC 8289, section 3.1; one long turn is a pause of the
 * collector and no more). Until it has caught up each turn takes on no more requests than will let
 * the next ones last {@link #AIM}, by how many the last one took on and how long it was, and the
 * rest is refused.
 *
 * <p>To refuse a request costs two system calls of the six that answering costs, so that a gateway
 * that refuses half of what comes answers fewer than it could. That is why it begins late.
 *
 * <p>A turn is measured by a task that the first request of the turn puts behind it: a loop that
 * nobody asks anything pays nothing. Belongs to its loop.
 */
final class LoopLag {
  /** What a turn may take, 250 ms: less than a refused client waits before it asks again. */
  static final long LONG = TimeUnit.MILLISECONDS.toNanos(250);

  /** What turns are to take while the loop is behind: not so little that it seems to have ended. */
  static final long AIM = 2 * LONG;

  /**
   * How long all turns must have been too long, 2 s: thousands of clients that come at once after a
   * restart are served late rather than sent away.
   */
  static final long SUSTAINED = TimeUnit.SECONDS.toNanos(2);

  /**
   * Requests that make a turn long by their number. With fewer it is the processor that is busy
   * with something else, and to refuse them would not help.
   */
  static final int MANY = 64;

  private final Executor loop;
  private final LongSupplier nanos;
  private boolean inTurn;
  private int requests;
  private int taken;
  private int mostTaken = Integer.MAX_VALUE;
  private long turnBegan;
  private boolean longTurns;
  private long longSince;

  /**
   * @param loop runs what it is given after the rest of the turn
   */
  LoopLag(Executor loop, LongSupplier nanos) {
    this.loop = loop;
    this.nanos = nanos;
  }

  /** A request has been taken up. */
  void entered() {
    requests++;
    if (!inTurn) {
      inTurn = true;
      requests = 1;
      taken = 0;
      turnBegan = nanos.getAsLong();
      // Behind what has arrived, and then behind the tasks that this leaves.
      loop.execute(() -> loop.execute(this::ended));
    }
  }

  private void ended() {
    inTurn = false;
    long now = nanos.getAsLong();
    long length = now - turnBegan;
    if (requests < MANY || length <= LONG) {
      longTurns = false;
      mostTaken = Integer.MAX_VALUE;
      return;
    }
    if (!longTurns) {
      longTurns = true;
      longSince = turnBegan;
    }
    if (now - longSince > SUSTAINED) {
      mostTaken = (int) Math.max(MANY, taken * (double) AIM / length);
    }
  }

  /** Whether the request that was taken up is to be taken on; to be asked once for each. */
  boolean takesOn() {
    boolean room = taken < mostTaken;
    if (room) {
      taken++;
    }
    return room;
  }
}
