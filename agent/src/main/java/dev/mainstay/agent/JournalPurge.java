package dev.mainstay.agent;

import dev.mainstay.agent.journal.JournalEntry;
import dev.mainstay.agent.journal.JournalJson;
import dev.mainstay.agent.journal.Purge;
import dev.mainstay.agent.journal.RunSummary;
import dev.mainstay.ledger.run.CallRun.Place;
import dev.mainstay.ledger.run.RunStore;
import dev.mainstay.ledger.run.RunStore.Run;
import dev.mainstay.ledger.run.RunStore.Status;
import dev.mainstay.wire.json.Tree;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Purges the journals of ended runs where bodies are not to be kept. What something still goes on
 * from stays: the last completed run of a session until the next one of it has completed, a dead
 * letter until a person has redriven or discarded it. Thread-safe.
 */
final class JournalPurge {
  private static final Logger LOG = LoggerFactory.getLogger(JournalPurge.class);
  private static final int PAGE = 100;

  private final RunStore store;
  private final BooleanSupplier keepsBodies;
  private final InstantSource clock;

  JournalPurge(RunStore store, BooleanSupplier keepsBodies, InstantSource clock) {
    this.store = store;
    this.keepsBodies = keepsBodies;
    this.clock = clock;
  }

  /** A worker has no more to do with {@code id}: it may have ended. */
  void ended(String id) {
    if (keepsBodies.getAsBoolean()) {
      return;
    }
    try {
      for (var run : RunJournal.result(store.find(id))) {
        purgeIfDone(run);
        if (run.origin().session() != null && run.status() == Status.ENDED) {
          each(RunStore.Filter.ended("completed", run.origin().client(), run.origin().session()));
        }
      }
    } catch (InterruptedException | RunJournal.LostException e) {
      LOG.warn(
          "Mainstay could not purge the journal of {} and tries again at the next start: {}",
          id,
          e.toString());
    }
  }

  /** Purges what an earlier process left. */
  void sweep() {
    if (keepsBodies.getAsBoolean()) {
      return;
    }
    try {
      each(RunStore.Filter.ended(null, null, null));
    } catch (InterruptedException | RunJournal.LostException e) {
      LOG.warn(
          "Mainstay could not purge journals and tries again at the next start: {}", e.toString());
    }
  }

  private void each(RunStore.Filter filter) throws InterruptedException {
    Place after = null;
    while (true) {
      var page = RunJournal.result(store.list(new RunStore.Query(PAGE, after, filter, null, null)));
      for (var run : page) {
        purgeIfDone(run);
      }
      if (page.size() < PAGE) {
        return;
      }
      after = new Place(page.getLast().acceptedAt(), page.getLast().id());
    }
  }

  private void purgeIfDone(Run run) throws InterruptedException {
    if (run.status() == Status.ENDED && !isNeeded(run) && !isPurged(run)) {
      purge(run);
    }
  }

  private boolean isNeeded(Run run) throws InterruptedException {
    return switch (String.valueOf(run.outcome())) {
      case "dead_letter" -> !isSettled(run);
      case "completed" -> run.origin().session() != null && run.equals(lastOfSession(run));
      default -> false;
    };
  }

  private boolean isSettled(Run run) throws InterruptedException {
    for (var each : RunJournal.result(store.messages(run.id(), 0, 10_000))) {
      if (RunStore.DEAD_LETTER.equals(each.about())) {
        return each.kind().equals("discard") || isRedriven(each);
      }
    }
    return false;
  }

  /** A redrive counts once the new run, which has the journal then, was accepted. */
  private boolean isRedriven(RunStore.Message redrive) throws InterruptedException {
    var content = Tree.read(redrive.content(), 0, redrive.content().length);
    return !RunJournal.result(store.find(content.path("run").asString(""))).isEmpty();
  }

  private @Nullable Run lastOfSession(Run run) throws InterruptedException {
    var filter = RunStore.Filter.ended("completed", run.origin().client(), run.origin().session());
    var last = RunJournal.result(store.list(RunStore.Query.newest(1, filter)));
    return last.isEmpty() ? null : last.getFirst();
  }

  private boolean isPurged(Run run) throws InterruptedException {
    var last = RunJournal.result(store.read(run.id(), run.entries() - 1, 1));
    return !last.isEmpty()
        && last.getFirst().entry().kind().equals(JournalJson.kind(JournalEntry.Purged.class));
  }

  private void purge(Run run) throws InterruptedException {
    var summary = RunSummary.of(List.of());
    long after = 0;
    while (after < run.entries()) {
      var page = RunJournal.result(store.read(run.id(), after, PAGE));
      if (page.isEmpty()) {
        return;
      }
      var left = new ArrayList<RunStore.StoredEntry>();
      for (var stored : page) {
        var entry = Purge.without(JournalJson.read(stored.entry()));
        summary = summary.with(List.of(entry));
        left.add(
            new RunStore.StoredEntry(stored.sequence(), stored.at(), JournalJson.stored(entry)));
        after = stored.sequence();
      }
      RunJournal.result(store.replace(run.id(), left));
    }
    var purged =
        summary.stored(List.of(new JournalEntry.Purged(clock.millis())), run.entries() + 1);
    RunJournal.result(store.purged(run.id(), run.entries(), purged, clock.instant()));
  }
}
