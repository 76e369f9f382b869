package dev.mainstay.agent.api;

import static dev.mainstay.agent.api.Reply.join;

import dev.mainstay.agent.journal.JournalEntry;
import dev.mainstay.agent.journal.JournalJson;
import dev.mainstay.agent.journal.RunState;
import dev.mainstay.ledger.run.RunStore;
import dev.mainstay.ledger.run.RunStore.Run;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/** Reads runs of Mainstay's own agents. Blocks on the store. Thread-safe. */
final class RunReader {
  private static final int PAGE = 1000;

  /** Summaries kept: a few hundred bytes each. */
  private static final int MOST_KEPT = 10_000;

  private final RunStore store;

  /** A journal of the same length says the same. */
  private final Map<String, Kept> summaries =
      new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Kept> eldest) {
          return size() > MOST_KEPT;
        }
      };

  private record Kept(long entries, RunStore.Status status, ObjectNode json) {}

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

  /** The run as a list shows it. */
  ObjectNode summary(Run run) {
    synchronized (summaries) {
      var kept = summaries.get(run.id());
      if (kept != null && kept.entries() == run.entries() && kept.status() == run.status()) {
        return kept.json();
      }
    }
    var json = RunJson.summary(load(run));
    synchronized (summaries) {
      summaries.put(run.id(), new Kept(run.entries(), run.status(), json));
    }
    return json;
  }
}
