package dev.mainstay.agent.api;

import static dev.mainstay.agent.api.Reply.join;

import dev.mainstay.agent.journal.JournalEntry;
import dev.mainstay.agent.journal.JournalJson;
import dev.mainstay.agent.journal.RunState;
import dev.mainstay.agent.journal.RunSummary;
import dev.mainstay.ledger.run.RunStore;
import dev.mainstay.ledger.run.RunStore.Run;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.node.ObjectNode;

/** Reads runs of Mainstay's own agents. Blocks on the store. Thread-safe. */
final class RunReader {
  private static final Logger LOG = LoggerFactory.getLogger(RunReader.class);
  private static final int PAGE = 1000;

  private final RunStore store;

  /** A run with its journal and what that adds up to. */
  record Loaded(Run run, RunState state, List<JournalEntry> entries) {}

  RunReader(RunStore store) {
    this.store = store;
  }

  /** The run of that id, or null. */
  @Nullable Run find(String id) {
    var found = join(store.find(id));
    return found.isEmpty() ? null : found.getFirst();
  }

  Loaded load(Run run) {
    var state = new RunState();
    var entries = new ArrayList<JournalEntry>();
    long after = 0;
    while (true) {
      var page = join(store.read(run.id(), after, PAGE));
      for (var stored : page) {
        var entry = JournalJson.read(stored.entry());
        entries.add(entry);
        state.apply(entry);
        after = stored.sequence();
      }
      if (page.size() < PAGE) {
        return new Loaded(run, state, entries);
      }
    }
  }

  /** The run as a list shows it: of its row alone, unless an older Mainstay wrote that last. */
  ObjectNode summary(Run run) {
    var kept = RunSummary.of(run);
    if (kept != null) {
      return RunJson.summary(run, kept);
    }
    var folded = load(run).state().summary();
    store
        .summarize(run.id(), run.entries(), folded.stored(run.entries()))
        .whenComplete(
            (done, failed) -> {
              if (failed != null) {
                LOG.debug(
                    "{} is summed up again for the next list: {}", run.id(), failed.toString());
              }
            });
    return RunJson.summary(run, folded);
  }
}
