package dev.mainstay.ledger.log;

import java.lang.foreign.MemorySegment;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What an earlier process left in the log.
 *
 * @param ended calls that ended and are not known to be in the store
 * @param interrupted calls that were under way when it ended
 * @param lastNumber of the newest of its files; 0 where there is none
 */
record PreviousLog(int ended, List<EndedCall> interrupted, long lastNumber) {
  private static final Logger LOG = LoggerFactory.getLogger(PreviousLog.class);

  static PreviousLog in(List<LogSegment> segments) {
    var scan = new Scan();
    for (var segment : segments) {
      boolean whole = segment.scan((offset, payload) -> scan.entry(segment, offset, payload));
      scan.pass(segment);
      scan.alive(segment.alive());
      if (!whole) {
        LOG.warn(
            "{} is damaged after byte {}. The calls recorded there are lost",
            segment.path(),
            segment.end());
      }
    }
    // A call that was carried on may have ended before.
    scan.open.ended(scan.finished);
    return new PreviousLog(
        scan.ended,
        scan.open.interrupted(scan.newest),
        segments.isEmpty() ? 0 : segments.getLast().number());
  }

  private static final class Scan {
    final OpenCalls open = new OpenCalls();
    final HashSet<String> finished = new HashSet<>();
    // When the process lived still.
    Instant newest = Instant.EPOCH;
    int ended;
    private final ArrayList<Integer> ends = new ArrayList<>();

    void entry(LogSegment segment, int offset, MemorySegment payload) {
      open.recover(payload, segment);
      switch (Entry.kind(payload)) {
        case Entry.START -> alive(Entry.start(payload).startedAt());
        case Entry.ATTEMPT -> alive(Entry.attempt(payload).startedAt());
        case Entry.END -> {
          finished.add(Entry.call(payload));
          ends.add(offset);
        }
        default -> {}
      }
    }

    /** Where it was drained to can be told only once it is known where it ends. */
    void pass(LogSegment segment) {
      int drained = segment.drained();
      ended += (int) ends.stream().filter(offset -> offset >= drained).count();
      ends.clear();
    }

    private void alive(Instant at) {
      if (at.isAfter(newest)) {
        newest = at;
      }
    }
  }

  /** For the log of what a start found. */
  String summary() {
    return "%d calls that the last process had not brought to the store, and %d that it left under way"
        .formatted(ended, interrupted.size());
  }

  boolean isEmpty() {
    return ended == 0 && interrupted.isEmpty();
  }
}
