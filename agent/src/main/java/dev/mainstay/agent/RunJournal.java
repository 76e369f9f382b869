package dev.mainstay.agent;

import dev.mainstay.agent.journal.JournalEntry;
import dev.mainstay.agent.journal.JournalJson;
import dev.mainstay.agent.journal.RunState;
import dev.mainstay.agent.journal.ToolStep;
import dev.mainstay.ledger.run.RunStore;
import dev.mainstay.ledger.run.RunStore.Appended;
import dev.mainstay.ledger.run.RunStore.Lease;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * The journal of a run that this worker has leased, and the state it adds up to. An entry is on
 * disk when {@link #append} returns. Thread-safe: the tools of one turn append at the same time.
 */
final class RunJournal {
  /** The kind of the message with which the run of a sub-agent wakes its parent. */
  static final String CHILD_ENDED = "child_ended";

  /** Entries read at once; a part of a long result is the longest of them. */
  private static final int PAGE = 100;

  /** A run that waits for another looks again so often, should the other's news be lost. */
  private static final Duration CHILD_LOOK = Duration.ofMinutes(1);

  /** Another worker has the run, or the store did not confirm a write: this worker must stop. */
  static final class LostException extends RuntimeException {
    private static final long serialVersionUID = 1;

    LostException(String message, @Nullable Throwable cause) {
      super(message, cause);
    }
  }

  /** This version cannot read the journal. */
  static final class UnreadableException extends RuntimeException {
    private static final long serialVersionUID = 1;

    UnreadableException(Throwable cause) {
      super(cause.getMessage(), cause);
    }
  }

  private final RunStore store;
  private final Lease lease;
  private final InstantSource clock;
  private final RunNotifier news;
  private final RunActivity activity = new RunActivity();
  private final RunState state = new RunState();

  /** The sequence numbers of the parts of each kept result, by step and offset. */
  private final Map<Integer, TreeMap<Integer, Long>> kept = new HashMap<>();

  private long length;

  private RunJournal(Lease lease, RunContext context) {
    this.store = context.store();
    this.lease = lease;
    this.clock = context.timing().clock();
    this.news = new RunNotifier(lease.run(), context.alerts());
  }

  /** Reads the journal of a leased run, and writes down that a worker begins. */
  static RunJournal open(Lease lease, RunContext context) throws InterruptedException {
    var journal = new RunJournal(lease, context);
    var store = context.store();
    while (journal.length < lease.entries()) {
      var page = result(store.read(lease.run(), journal.length, PAGE));
      if (page.isEmpty()) {
        throw new LostException("the journal is shorter than its lease says", null);
      }
      for (var stored : page) {
        journal.fold(stored);
        journal.length = stored.sequence();
      }
    }
    journal.append(new JournalEntry.WorkerBegan(journal.now()));
    return journal;
  }

  private void fold(RunStore.StoredEntry stored) {
    try {
      apply(JournalJson.read(stored.entry()), stored.sequence());
    } catch (IllegalStateException e) {
      throw new UnreadableException(e);
    }
  }

  private void apply(JournalEntry entry, long sequence) {
    state.apply(entry);
    if (entry instanceof JournalEntry.ResultPart part) {
      kept.computeIfAbsent(part.step(), step -> new TreeMap<>()).put(part.offset(), sequence);
    }
  }

  String run() {
    return lease.run();
  }

  /** When the run last showed life. */
  RunActivity activity() {
    return activity;
  }

  /** What the journal of {@code run} adds up to, read without a lease. */
  static RunState state(RunStore store, String run) throws InterruptedException {
    var state = new RunState();
    long after = 0;
    while (true) {
      var page = result(store.read(run, after, PAGE));
      for (var stored : page) {
        state.apply(JournalJson.read(stored.entry()));
        after = stored.sequence();
      }
      if (page.size() < PAGE) {
        return state;
      }
    }
  }

  /** The store that keeps this journal and others. */
  RunStore store() {
    return store;
  }

  /** UTF-16 units of the kept result of {@code step}, or 0 where it has none. */
  synchronized int keptLength(int step) {
    for (var each : state.steps().all()) {
      if (each.planned().step() == step) {
        return each.keptLength();
      }
    }
    return 0;
  }

  /** The part of a kept result that holds the UTF-16 unit at {@code offset}, or null. */
  JournalEntry.@Nullable ResultPart kept(int step, int offset) throws InterruptedException {
    long sequence;
    synchronized (this) {
      var part = kept.getOrDefault(step, new TreeMap<>()).floorEntry(offset);
      sequence = part == null ? 0 : part.getValue();
    }
    if (sequence == 0) {
      return null;
    }
    var stored = result(store.read(lease.run(), sequence - 1, 1)).getFirst().entry();
    return (JournalEntry.ResultPart) JournalJson.read(stored);
  }

  /** The state so far; to be read under {@code synchronized (this)} while tools run. */
  RunState state() {
    return state;
  }

  long now() {
    return clock.millis();
  }

  /**
   * Writes {@code entries}, all or none.
   *
   * @throws LostException where nothing may be written any more, or the store did not confirm
   */
  synchronized void append(JournalEntry... entries) throws InterruptedException {
    written(store.append(lease, length, with(entries), instant()), entries);
  }

  /** Writes that the run of a sub-agent begins, with its share of what is left. */
  synchronized JournalEntry.ChildStarted startChild(ToolStep step) throws InterruptedException {
    var start = SubAgents.grant(state, lease.run(), step, now());
    append(start);
    return start;
  }

  /** Writes {@code entries} and gives the run back until a person's message, or {@code wakeAt}. */
  synchronized void park(@Nullable Instant wakeAt, JournalEntry... entries)
      throws InterruptedException {
    if (state.steps().openChildren().isEmpty()) {
      written(
          store.park(lease, length, with(entries), wakeAt, state.lastMessage(), instant()),
          entries);
      return;
    }
    var soon = instant().plus(CHILD_LOOK);
    var waits = new JournalEntry.ChildAwaited(now());
    var look = wakeAt == null || soon.isBefore(wakeAt) ? soon : wakeAt;
    written(store.park(lease, length, with(waits), look, state.lastMessage(), instant()), waits);
  }

  /** Cancels the runs that this run waits for, ends it, and wakes the run that waits for it. */
  synchronized void end(JournalEntry.Ended end) throws InterruptedException {
    for (var child : state.steps().openChildren()) {
      post(child.run(), "cancel", "cancel");
    }
    written(
        store.end(
            lease,
            length,
            with(end),
            end.status(),
            state.accepted().request().notifyUrl(),
            instant()),
        end);
    var by = state.startedBy();
    if (by != null) {
      post(by.run(), CHILD_ENDED, "child:" + lease.run());
    }
  }

  private void post(String run, String kind, String about) throws InterruptedException {
    byte[] nothing = "{}".getBytes(StandardCharsets.UTF_8);
    result(store.post(run, kind, about, nothing, "run " + lease.run(), instant()));
  }

  /** Messages of persons that were not taken yet. */
  List<RunStore.Message> messages() throws InterruptedException {
    long after;
    synchronized (this) {
      after = state.lastMessage();
    }
    return result(store.messages(lease.run(), after, PAGE));
  }

  private Instant instant() {
    return clock.instant();
  }

  private RunStore.Entries with(JournalEntry... entries) {
    return state.summary().stored(List.of(entries), length + entries.length);
  }

  private void written(CompletionStage<Appended> stage, JournalEntry... entries)
      throws InterruptedException {
    switch (result(stage)) {
      case Appended.Written written -> {
        for (var entry : entries) {
          apply(entry, ++length);
          news.written(entry, state);
          activity.written(entry, state, now());
        }
        length = written.entries();
      }
      case Appended.LeaseLost _ -> throw new LostException("another worker has the run", null);
      case Appended.OutOfSequence other ->
          throw new LostException("the journal has %d entries".formatted(other.entries()), null);
    }
  }

  static <T> T result(CompletionStage<T> stage) throws InterruptedException {
    try {
      return stage.toCompletableFuture().get();
    } catch (ExecutionException e) {
      var cause = e.getCause() == null ? e : e.getCause();
      throw new LostException("the store did not confirm: " + cause.getMessage(), cause);
    }
  }
}
