package dev.mainstay.gateway.admin;

import dev.mainstay.gateway.health.Health;
import dev.mainstay.ledger.AttemptRecord;
import dev.mainstay.ledger.AttemptStart;
import dev.mainstay.ledger.Body;
import dev.mainstay.ledger.CallRecord;
import dev.mainstay.ledger.CallStart;
import dev.mainstay.ledger.Recorder;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What happened last, for those who watch. A ring of {@value #ROOM} records, without bodies: an
 * event loop adds to it in passing, listeners read on from where they were. One that falls behind
 * misses what the ring has let go of, and learns so. Thread-safe.
 */
public final class LiveFeed {
  private static final int ROOM = 4096;

  private final @Nullable Object[] ring = new Object[ROOM];
  private final String epoch;
  private long next;

  /**
   * @param clock tells this process's numbers from those of the one before it
   */
  public LiveFeed(InstantSource clock) {
    epoch = Long.toString(clock.millis(), 36);
  }

  /**
   * An upstream request of a call begins.
   *
   * @param number 1 for the call's first
   */
  record Attempted(String call, int number, String target) {}

  /** Tells the process's numbers from those of another. */
  String epoch() {
    return epoch;
  }

  /** The number of the next event. */
  synchronized long next() {
    return next;
  }

  /** Adds what happened. */
  public synchronized void add(Object event) {
    ring[(int) (next++ % ROOM)] = event;
  }

  /**
   * What happened from number {@code from} on, at most {@code limit} events.
   *
   * @return null where that is no longer, or not yet, known
   */
  public synchronized @Nullable List<Object> from(long from, int limit) {
    if (from > next || from < Math.max(0, next - ROOM)) {
      return null;
    }
    var events = new ArrayList<Object>();
    for (long at = from; at < Math.min(next, from + limit); at++) {
      var event = ring[(int) (at % ROOM)];
      if (event != null) {
        events.add(event);
      }
    }
    return events;
  }

  /** A recorder that tells of what goes through it to {@code to}. */
  public Recorder before(Recorder to) {
    return new Recorder() {
      @Override
      public void started(CallStart call) {
        to.started(call);
        add(call);
      }

      @Override
      public void attempted(AttemptStart attempt) {
        to.attempted(attempt);
        add(new Attempted(attempt.call(), attempt.number(), attempt.target()));
      }

      @Override
      public void record(CallRecord call, List<AttemptRecord> attempts, List<Body> bodies) {
        to.record(call, attempts, bodies);
        add(call);
      }

      @Override
      public boolean flush(Duration patience) throws InterruptedException {
        return to.flush(patience);
      }

      @Override
      public Health health() {
        return to.health();
      }
    };
  }
}
