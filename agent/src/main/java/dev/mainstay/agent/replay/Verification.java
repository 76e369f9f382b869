package dev.mainstay.agent.replay;

import dev.mainstay.agent.decide.NextAction;
import dev.mainstay.agent.decide.TurnRequest;
import dev.mainstay.agent.journal.Digests;
import dev.mainstay.agent.journal.JournalEntry;
import dev.mainstay.agent.journal.JournalEntry.TurnStarted;
import dev.mainstay.agent.journal.RunState;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A run once more from its record, with the network off: each request that Mainstay builds from the
 * journal must equal the one that was sent, by its hash.
 *
 * @param checked requests that were built and compared
 * @param divergence the first that differs, or null
 */
public record Verification(int checked, @Nullable Divergence divergence) {
  private static final NextAction.Bounds ANY = new NextAction.Bounds(1, 0, 1);

  /**
   * A request that differs from the one that was sent.
   *
   * @param recorded the hash of what was sent
   * @param built the hash of what is built now
   * @param diff unified, from what was sent to what is built; null where what was sent is not kept
   */
  public record Divergence(
      int step, int turn, String recorded, String built, @Nullable String diff) {}

  /**
   * Verifies the run {@code id}.
   *
   * @param sent the request that a call sent, by the call's id; null where it is not kept
   */
  public static Verification of(
      String id,
      List<JournalEntry> record,
      Changes changes,
      Function<String, byte @Nullable []> sent) {
    var was = new RunState();
    var now = new RunState();
    int checked = 0;
    int live = 1;
    for (int i = 0; i < record.size(); i++) {
      var entry = record.get(i);
      if (entry instanceof JournalEntry.Forked forked) {
        live = forked.step();
      }
      if (entry instanceof TurnStarted start && start.step() >= live) {
        var built = request(id, now, start, changes);
        checked++;
        var hash = Digests.sha256(built);
        if (!hash.equals(start.requestHash())) {
          var before = sent(id, was, start, call(record, i), sent);
          var diff = before == null ? null : TextDiff.ofJson("recorded", before, "built", built);
          return new Verification(
              checked, new Divergence(start.step(), start.turn(), start.requestHash(), hash, diff));
        }
      }
      was.apply(entry);
      now.apply(
          entry instanceof JournalEntry.Accepted accepted ? changed(accepted, changes) : entry);
    }
    return new Verification(checked, null);
  }

  private static JournalEntry.Accepted changed(JournalEntry.Accepted was, Changes changes) {
    var definition = changes.to(was.definition());
    return new JournalEntry.Accepted(
        definition, definition.hash(), was.request(), was.history(), was.at());
  }

  private static byte[] request(String id, RunState state, TurnStarted start, Changes changes) {
    var call =
        new NextAction.CallModel(start.step(), start.turn(), start.attempt(), start.why(), ANY);
    var request = TurnRequest.of(id, state, call);
    return (changes.temperature() == null
            ? request
            : TurnRequest.withTemperature(request, changes.temperature()))
        .body();
  }

  /**
   * What was sent: as Mainstay would build it now, where that is still the same, or as recorded.
   */
  private static byte @Nullable [] sent(
      String id,
      RunState state,
      TurnStarted start,
      @Nullable String call,
      Function<String, byte @Nullable []> sent) {
    var same = request(id, state, start, Changes.NONE);
    if (Digests.sha256(same).equals(start.requestHash())) {
      return same;
    }
    return call == null ? null : sent.apply(call);
  }

  /** The call that the turn which begins at {@code place} made, or null. */
  private static @Nullable String call(List<JournalEntry> record, int place) {
    for (var entry : record.subList(place + 1, record.size())) {
      switch (entry) {
        case JournalEntry.TurnEnded end -> {
          return end.callId();
        }
        case JournalEntry.TurnFailed failed -> {
          return failed.failure().callId();
        }
        case TurnStarted _ -> {
          return null;
        }
        default -> {}
      }
    }
    return null;
  }
}
