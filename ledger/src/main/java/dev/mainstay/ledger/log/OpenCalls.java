package dev.mainstay.ledger.log;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import dev.mainstay.ledger.AttemptRecord;
import dev.mainstay.ledger.AttemptStart;
import dev.mainstay.ledger.CallRecord;
import dev.mainstay.ledger.CallStart;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Calls whose start was read and whose end was not. Of one thread. */
final class OpenCalls {
  /**
   * What an interrupted call is recorded with: the gateway's clients saw their connection break.
   */
  private static final int STATUS = 502;

  private static final String VERDICT = "TRANSIENT/stream_interrupted";
  private static final String DECISION = "interrupted";
  private static final String REASON =
      "Mainstay's process ended while this attempt was under way; what came of it is unknown";

  /** The start entries of one call, and in which file the newest copy of the first one is. */
  private static final class Open {
    final List<byte[]> starts = new ArrayList<>(2);
    LogSegment segment;

    Open(LogSegment segment) {
      this.segment = segment;
    }
  }

  private final Map<String, Open> open = new HashMap<>();

  /** Takes in an entry of any kind. */
  void read(MemorySegment payload, LogSegment segment) {
    switch (Entry.kind(payload)) {
      case Entry.START -> {
        var call = new Open(segment);
        call.starts.add(payload.toArray(JAVA_BYTE));
        open.put(Entry.call(payload), call);
      }
      case Entry.ATTEMPT -> {
        var call = open.get(Entry.call(payload));
        if (call != null) {
          call.starts.add(payload.toArray(JAVA_BYTE));
        }
      }
      case Entry.CARRIED -> {
        var call = open.get(Entry.call(payload));
        if (call != null) {
          call.segment = segment;
        }
      }
      default -> open.remove(Entry.call(payload));
    }
  }

  /** As {@link #read}, of a carried call whose start is no longer there. */
  void recover(MemorySegment payload, LogSegment segment) {
    if (Entry.kind(payload) == Entry.CARRIED) {
      var call = new Open(segment);
      call.starts.addAll(Entry.carried(payload));
      open.put(Entry.call(payload), call);
    } else {
      read(payload, segment);
    }
  }

  void ended(String call) {
    open.remove(call);
  }

  void ended(Set<String> calls) {
    calls.forEach(open::remove);
  }

  /** Entries that say again what only {@code segment} says. */
  List<Entry> only(LogSegment segment) {
    var entries = new ArrayList<Entry>();
    open.forEach(
        (call, starts) -> {
          if (starts.segment == segment) {
            entries.add(Entry.carried(call, starts.starts));
          }
        });
    return entries;
  }

  boolean isEmpty() {
    return open.isEmpty();
  }

  /** Records of all of them, as interrupted. */
  List<EndedCall> interrupted(Instant at) {
    var calls = new ArrayList<EndedCall>(open.size());
    for (var call : open.values()) {
      calls.add(interrupted(call.starts, at));
    }
    return calls;
  }

  private static EndedCall interrupted(List<byte[]> starts, Instant at) {
    var attempts = new ArrayList<AttemptRecord>();
    for (var attempt : starts.subList(1, starts.size())) {
      attempts.add(interrupted(Entry.attempt(MemorySegment.ofArray(attempt)), at));
    }
    var call = Entry.start(MemorySegment.ofArray(starts.getFirst()));
    return new EndedCall(interrupted(call, attempts.size(), at), attempts, List.of());
  }

  private static CallRecord interrupted(CallStart call, int attempts, Instant at) {
    var lasted = Duration.between(call.startedAt(), at);
    return new CallRecord(
        call,
        new CallRecord.Outcome(
            null,
            STATUS,
            VERDICT,
            List.of(),
            attempts,
            null,
            lasted.isNegative() ? Duration.ZERO : lasted),
        new CallRecord.Cost(null, null, null));
  }

  private static AttemptRecord interrupted(AttemptStart attempt, Instant at) {
    return new AttemptRecord(
        attempt.call(),
        attempt.number(),
        attempt.target(),
        new AttemptRecord.Times(
            Duration.ZERO,
            attempt.startedAt(),
            null,
            null,
            at.isBefore(attempt.startedAt()) ? attempt.startedAt() : at),
        new AttemptRecord.Outcome(null, null, VERDICT, null, DECISION, REASON),
        new AttemptRecord.Use(0, 0, null, null));
  }
}
