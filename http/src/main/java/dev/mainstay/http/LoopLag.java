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
 * collector and no more); and until it has caught up only what comes within the first part of each
 * turn is to be taken on, so that those are answered in time while the rest is refused.
 *
 * <p>A turn is measured by a task that the first request of the turn puts behind it: a loop that
 * nobody asks anything pays nothing. Belongs to its loop.
 */
final class LoopLag {
  /** What a turn may take, 50 ms: a twentieth of what people notice in a first token. */
  static final long LONG = TimeUnit.MILLISECONDS.toNanos(50);

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
      turnBegan = nanos.getAsLong();
      // Behind what has arrived, and then behind the tasks that this leaves.
      loop.execute(() -> loop.execute(this::ended));
    }
  }

  private void ended() {
    inTurn = false;
    if (requests < MANY || nanos.getAsLong() - turnBegan <= LONG) {
      longTurns = false;
    } else if (!longTurns) {
      longTurns = true;
      longSince = turnBegan;
    }
  }

  /** Whether what is taken up now had better be refused. */
  boolean behind() {
    if (!longTurns || !inTurn) {
      return false;
    }
    long now = nanos.getAsLong();
    return now - longSince > SUSTAINED && now - turnBegan > LONG;
  }
}
