package dev.mainstay.ledger.log;

import dev.mainstay.ledger.AttemptRecord;
import dev.mainstay.ledger.AttemptStart;
import dev.mainstay.ledger.Body;
import dev.mainstay.ledger.CallRecord;
import dev.mainstay.ledger.CallStart;
import dev.mainstay.ledger.Recorder;
import dev.mainstay.ledger.Redactor;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Records calls in the log, from where a thread of its own moves them to the store. An event loop
 * pays for the encoding and a copy into memory, about a microsecond, and for no system call.
 *
 * <p>While the store is away or the disk refuses, calls wait in the log up to its bound. Beyond
 * three quarters of it calls are kept without their bodies, and beyond all of it they are dropped
 * and counted.
 */
public final class CallLog implements Recorder, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(CallLog.class);

  /** How long a closing log goes on trying to write to a store that refuses. */
  private static final Duration CLOSING_PATIENCE = Duration.ofSeconds(5);

  private final SegmentedLog log;
  private final Redactor redactor;
  private final Drain drain;
  private final AtomicLong appended = new AtomicLong();
  private final AtomicLong droppedBodies = new AtomicLong();
  private final AtomicLong droppedCalls = new AtomicLong();

  private CallLog(SegmentedLog log, Redactor redactor, Drain drain, long leftBehind) {
    this.log = log;
    this.redactor = redactor;
    this.drain = drain;
    appended.set(leftBehind);
  }

  /**
   * Opens the log in {@code directory}, which no other process may use, and begins to drain it:
   * first what an earlier process left.
   *
   * @param maxBytes of its files together
   * @param redactor what is taken out before anything reaches the disk
   * @param store where calls go; stays the caller's to close, after this
   * @param clock for retention
   * @throws IOException where there is no file, and no room for one
   */
  public static CallLog open(
      Path directory, long maxBytes, Redactor redactor, CallStore store, InstantSource clock)
      throws IOException {
    return open(directory, maxBytes, redactor, store, clock, CLOSING_PATIENCE);
  }

  static CallLog open(
      Path directory,
      long maxBytes,
      Redactor redactor,
      CallStore store,
      InstantSource clock,
      Duration closingPatience)
      throws IOException {
    var log = new SegmentedLog(directory, maxBytes);
    var left = PreviousLog.in(log.leftBehind());
    log.prepare();
    if (log.isEmpty()) {
      // A call could not be put on record at all.
      throw new IOException(log.trouble());
    }
    if (!left.isEmpty()) {
      LOG.info("The log holds {}", left.summary());
    }
    var drain = new Drain(log, store, clock, left, closingPatience);
    var calls = new CallLog(log, redactor, drain, left.ended() + (long) left.interrupted().size());
    drain.start();
    return calls;
  }

  /**
   * What a log needs on disk to begin.
   *
   * @param maxBytes as in {@link #open}
   */
  public static long fileBytes(long maxBytes) {
    return SegmentedLog.fileBytes(maxBytes);
  }

  @Override
  public void started(CallStart call) {
    log.append(Entry.of(call));
  }

  @Override
  public void attempted(AttemptStart attempt) {
    log.append(Entry.of(attempt));
  }

  @Override
  public void record(CallRecord call, List<AttemptRecord> attempts, List<Body> bodies) {
    var ended = redacted(call, attempts, bodies);
    droppedBodies.addAndGet(bodies.size() - (long) ended.bodies().size());
    // Before the append: the drain counts it down from there.
    appended.incrementAndGet();
    boolean kept = !log.tight() && log.append(Entry.of(call, ended.attempts(), ended.bodies()));
    if (!kept) {
      droppedBodies.addAndGet(ended.bodies().size());
      kept = log.append(Entry.of(call, ended.attempts(), List.of()));
    }
    if (!kept) {
      appended.decrementAndGet();
      droppedCalls.incrementAndGet();
    }
    drain.wake();
  }

  /** A redactor with a bug costs the bodies and the facts, not the record. */
  private EndedCall redacted(CallRecord call, List<AttemptRecord> attempts, List<Body> bodies) {
    if (redactor == Redactor.NONE) {
      return new EndedCall(call, attempts, nonEmpty(bodies));
    }
    try {
      return new EndedCall(call, facts(attempts), clean(nonEmpty(bodies)));
    } catch (RuntimeException e) {
      LOG.warn("Redaction failed on call {}. Mainstay keeps it without bodies", call.id(), e);
      return new EndedCall(
          call, attempts.stream().map(attempt -> attempt.withFailure(null)).toList(), List.of());
    }
  }

  /** An array that several bodies share is cleaned once. */
  @SuppressWarnings("ArrayEquals") // the very same array
  private List<Body> clean(List<Body> bodies) {
    var clean = new ArrayList<Body>(bodies.size());
    for (var body : bodies) {
      int same = 0;
      while (bodies.get(same).bytes() != body.bytes()) {
        same++;
      }
      clean.add(
          new Body(
              body.attempt(),
              body.part(),
              same < clean.size() ? clean.get(same).bytes() : redactor.body(body.bytes())));
    }
    return clean;
  }

  private List<AttemptRecord> facts(List<AttemptRecord> attempts) {
    var clean = new ArrayList<AttemptRecord>(attempts.size());
    for (var attempt : attempts) {
      var failure = attempt.failure();
      clean.add(failure == null ? attempt : attempt.withFailure(redactor.facts(failure)));
    }
    return clean;
  }

  private static List<Body> nonEmpty(List<Body> bodies) {
    for (var body : bodies) {
      if (body.bytes().length == 0) {
        return bodies.stream().filter(one -> one.bytes().length > 0).toList();
      }
    }
    return bodies;
  }

  @Override
  public boolean flush(Duration patience) throws InterruptedException {
    return drain.await(log.position(), patience);
  }

  @Override
  public Health health() {
    long handled = drain.store().written() + drain.store().refused();
    // A call that was interrupted by closing was never appended.
    long waiting = Math.max(0, appended.get() - handled);
    long dropped = droppedCalls.get() + drain.store().refused();
    return new Health(
        trouble(waiting, dropped),
        drain.store().written(),
        waiting,
        log.waitingBytes(),
        droppedBodies.get(),
        dropped);
  }

  private @Nullable String trouble(long waiting, long dropped) {
    var reasons =
        Stream.of(drain.store().trouble(), log.trouble())
            .filter(Objects::nonNull)
            .collect(Collectors.joining(", and "));
    return reasons.isEmpty()
        ? null
        : "%s: %d calls wait in the log, %d were dropped, and %d bodies"
            .formatted(reasons, waiting, dropped, droppedBodies.get());
  }

  /**
   * Brings to the store what is in the log, for up to five seconds; what it does not take by then
   * stays in the log for the next start.
   */
  @Override
  public void close() throws InterruptedException {
    log.end();
    drain.finish();
    var health = health();
    log.close();
    if (health.waiting() > 0 || health.droppedCalls() > 0) {
      LOG.warn(
          "The log closed with {} calls that are not in the store yet; Mainstay dropped {} calls"
              + " and {} bodies",
          health.waiting(),
          health.droppedCalls(),
          health.droppedBodies());
    }
  }
}
