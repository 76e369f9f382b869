package dev.mainstay.ledger.run;

import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Runs: accepted once, worked on by one instance at a time, their journals append-only.
 *
 * <p>A worker leases a run with {@link #claim}. The lease lives as long as the worker's instance
 * sends its heartbeat; when the instance dies, another instance takes the run over within the lease
 * time, under a new {@link Lease#token()}. Every write of a worker carries its token: a worker that
 * was paused and comes back writes nothing, and learns so from the result.
 *
 * <p>Threads and failures are those of {@link dev.mainstay.ledger.state.DurableState}: nothing
 * blocks, a stage completes when its operation is on disk, operations that arrive together share
 * one commit. A stage that fails says that the store did not confirm the operation.
 */
public interface RunStore {

  /** Where a run stands. */
  enum Status {
    /** Waits for a worker. */
    QUEUED,
    /** A worker has leased it. */
    RUNNING,
    /** Waits for a time or a person; no worker holds it. */
    PARKED,
    /** Has its outcome. */
    ENDED
  }

  /**
   * What a run is from its acceptance on.
   *
   * @param id unique; sorts by time
   * @param agent the agent's name
   * @param client the client's name, or "" where no client key is needed
   * @param parent the run that started it, or null
   * @param session the session it continues, or null
   * @param priority higher runs first; 0 by default
   */
  record Origin(
      String id,
      String agent,
      String client,
      @Nullable String parent,
      @Nullable String session,
      int priority) {}

  /**
   * A run to accept.
   *
   * @param key the idempotency key, or null
   * @param bodyHash identifies the request: another request under the same key is refused
   * @param first the first entries of its journal, at least one
   */
  record NewRun(Origin origin, @Nullable String key, String bodyHash, Entries first) {
    public NewRun {
      if (first.list().isEmpty()) {
        throw new IllegalArgumentException("a run begins with an entry in its journal");
      }
    }
  }

  /**
   * An entry of a journal.
   *
   * @param kind a short name, for example {@code step_started}
   * @param payload the writer's own format; the store does not read it
   */
  @SuppressWarnings("ArrayRecordComponent") // written and read once
  record Entry(String kind, byte[] payload) {}

  /**
   * Entries that are written together, all or none, and what the run comes to with them.
   *
   * @param summary what lists show of the run, in the writer's own format; the store does not read
   *     it. Null: it keeps the one that it has
   */
  record Entries(List<Entry> list, @Nullable String summary) {
    public Entries {
      list = List.copyOf(list);
    }

    /** Entries without a summary. */
    public static Entries of(Entry... entries) {
      return new Entries(List.of(entries), null);
    }
  }

  /**
   * An entry as it is kept.
   *
   * @param sequence its place in the journal, from 1 without gaps
   */
  record StoredEntry(long sequence, Instant at, Entry entry) {}

  /**
   * A run as it is kept.
   *
   * @param entries in its journal
   * @param wakeAt when a parked run is queued again, or null: a message wakes it
   * @param outcome a short name, for example {@code completed}; null until it has ended
   * @param summary that {@link Entries} brought last, or null
   */
  record Run(
      Origin origin,
      Status status,
      Instant acceptedAt,
      @Nullable Instant endedAt,
      long entries,
      @Nullable Instant wakeAt,
      @Nullable String outcome,
      @Nullable String summary) {
    public String id() {
      return origin.id();
    }
  }

  /** What became of a run that was to be accepted. */
  sealed interface Accepted {
    /** It is queued, and this is on disk. */
    record Fresh() implements Accepted {}

    /** Its key has a run already. */
    record Known(String run) implements Accepted {}

    /** Its key was used for another request. */
    record OtherRequest() implements Accepted {}

    /** The queue has reached its bound. */
    record Full(long queued) implements Accepted {}
  }

  /**
   * Accepts a run, and queues it.
   *
   * @param mostQueued runs that may be queued; beyond it the run is refused
   * @param until when its key is free again
   */
  CompletionStage<Accepted> accept(NewRun run, int mostQueued, Instant now, Instant until);

  /**
   * The right to write to a run.
   *
   * @param token differs for each lease of a run, and grows
   * @param entries in the run's journal when it was leased
   */
  record Lease(String run, long token, long entries) {}

  /**
   * Leases queued runs to this instance: the highest priority first, then the oldest. A run of a
   * session waits until every earlier run of its client's session has ended.
   */
  CompletionStage<List<Lease>> claim(int limit, Instant now);

  /** What became of entries that were to be appended. */
  sealed interface Appended {
    /** They are on disk; {@code entries} is the journal's new length. */
    record Written(long entries) implements Appended {}

    /** The lease is over: another worker has the run, or it has ended. Nothing was written. */
    record LeaseLost() implements Appended {}

    /** The journal is longer or shorter than expected. Nothing was written. */
    record OutOfSequence(long entries) implements Appended {}
  }

  /**
   * Appends to a run's journal, all entries or none.
   *
   * @param after the journal's length as the caller knows it: {@link Lease#entries()} and what it
   *     has appended since
   */
  CompletionStage<Appended> append(Lease lease, long after, Entries entries, Instant now);

  /**
   * Appends the last entries before the run waits, and gives the lease back. The run is queued
   * again at {@code wakeAt}, or when somebody {@linkplain #post posts} to it, and at once where a
   * message has arrived after number {@code read}.
   *
   * @param wakeAt null to wait for a message alone
   * @param read the number of the last message the worker has read; 0 where it has read none
   */
  CompletionStage<Appended> park(
      Lease lease, long after, Entries entries, @Nullable Instant wakeAt, long read, Instant now);

  /** Gives the lease back and queues the run again, as a worker that stops does. */
  CompletionStage<Boolean> giveBack(Lease lease);

  /** As {@link #end(Lease, long, Entries, String, String, Instant)}, with nobody to notify. */
  default CompletionStage<Appended> end(
      Lease lease, long after, Entries entries, String outcome, Instant now) {
    return end(lease, after, entries, outcome, null, now);
  }

  /**
   * Appends the last entries of a run, and ends it.
   *
   * @param notify where the end is to be posted, or null: it is due with the end, on disk
   */
  CompletionStage<Appended> end(
      Lease lease,
      long after,
      Entries entries,
      String outcome,
      @Nullable String notify,
      Instant now);

  /**
   * An end that is to be posted.
   *
   * @param tries so far, this one included
   */
  record Notice(String run, String url, int tries) {}

  /** How often an end is posted before it is given up on: nine times within some six hours. */
  int MOST_NOTICES = 9;

  /**
   * The ends that are due. Each is due again later, after a pause that grows fourfold, unless
   * {@link #noticed} says that it has arrived; after {@value #MOST_NOTICES} tries it is not. No
   * other instance gets it meanwhile.
   */
  CompletionStage<List<Notice>> notices(int limit, Instant now);

  /** The end of {@code run} has arrived. */
  CompletionStage<Boolean> noticed(String run);

  /** Whether the lease is still held. */
  CompletionStage<Boolean> holds(Lease lease);

  /**
   * Entries of a journal in their order.
   *
   * @param after the sequence number to begin behind; 0 for all
   */
  CompletionStage<List<StoredEntry>> read(String run, long after, int limit);

  /** The run of that id: one, or none. */
  default CompletionStage<List<Run>> find(String run) {
    return find(List.of(run));
  }

  /** Those of {@code runs} that there are, in any order. */
  CompletionStage<List<Run>> find(Collection<String> runs);

  /**
   * Runs, the newest first.
   *
   * @param query which of them
   */
  CompletionStage<List<Run>> list(Query query);

  /**
   * Which runs to list. A filter that is null lets all through.
   *
   * @param limit at most so many
   * @param before only those that come after this place in the list
   * @param filter what is equal in all of them
   * @param from only those accepted at this time or later
   * @param to only those accepted before this time
   */
  record Query(
      int limit,
      CallRun.@Nullable Place before,
      Filter filter,
      @Nullable Instant from,
      @Nullable Instant to) {
    /** The newest runs. */
    public static Query newest(int limit, Filter filter) {
      return new Query(limit, null, filter, null, null);
    }
  }

  /**
   * What is equal in all runs of a list; null lets all through.
   *
   * @param run the id: of one run at most
   */
  record Filter(
      @Nullable String run,
      @Nullable Status status,
      @Nullable String outcome,
      @Nullable String agent,
      @Nullable String client,
      @Nullable String parent,
      @Nullable String session) {
    public static final Filter NONE = new Filter(null, null, null, null, null, null, null);

    /** The runs that {@code parent} started. */
    public static Filter startedBy(String parent) {
      return new Filter(null, null, null, null, null, parent, null);
    }

    /** Runs that have ended; null lets all of them through. */
    public static Filter ended(
        @Nullable String outcome, @Nullable String client, @Nullable String session) {
      return new Filter(null, Status.ENDED, outcome, null, client, null, session);
    }
  }

  /**
   * A message to a run: what a person says, a decision, a wish to pause, resume or cancel.
   *
   * @param number orders the messages of all runs
   * @param kind a short name, for example {@code cancel}
   * @param about what it decides, or null; a run has one message about each matter
   */
  @SuppressWarnings("ArrayRecordComponent") // written and read once
  record Message(
      long number, Instant at, String kind, @Nullable String about, byte[] content, String by) {}

  /** What became of a message. */
  sealed interface Posted {
    /** It is on disk, and wakes the run. */
    record Taken(long number) implements Posted {}

    /** Somebody has decided this matter before. */
    record DecidedBefore(Message decision) implements Posted {}

    /** There is no such run, or it has ended. */
    record NoRun() implements Posted {}
  }

  /**
   * Posts a message to a run, and wakes the run where it is parked. Of any number of messages about
   * one matter the first is taken.
   *
   * @param about the matter that it decides, for example the id of an approval; null for none
   * @param by who posts it
   */
  CompletionStage<Posted> post(
      String run, String kind, @Nullable String about, byte[] content, String by, Instant now);

  /** The matter that {@link #settle} decides. */
  String DEAD_LETTER = "dead-letter";

  /**
   * Decides, once, what becomes of a run that ended as a dead letter: a message about {@link
   * #DEAD_LETTER}.
   *
   * @param kind redrive or discard
   */
  CompletionStage<Posted> settle(String run, String kind, byte[] content, String by, Instant now);

  /** What was decided about those of {@code runs} that are dead letters, by run. */
  CompletionStage<Map<String, Message>> settled(Collection<String> runs);

  /**
   * The messages to a run in their order. A worker that has acted on one appends that to the
   * journal, so that its successor does not act on it again.
   *
   * @param after the number to begin behind; 0 for all
   */
  CompletionStage<List<Message>> messages(String run, long after, int limit);

  /**
   * Keeps the summary of a run whose writer brought none, unless its journal has grown meanwhile.
   *
   * @param entries in the journal that {@code summary} is of
   */
  CompletionStage<Boolean> summarize(String run, long entries, String summary);

  /** Writes {@code entries} of a run that has ended over those of the same places. */
  CompletionStage<Boolean> replace(String run, List<StoredEntry> entries);

  /**
   * Appends the last entries of a run that has ended, once, and empties what persons said to it.
   *
   * @param after how many entries the journal has
   */
  CompletionStage<Boolean> purged(String run, long after, Entries last, Instant now);

  /**
   * Deletes runs that ended longer ago than {@code retention}, with their journals and their keys;
   * 30 days unless it is said.
   */
  void keepFor(Duration retention);

  /**
   * Registers {@code listener} for news of runs: one was queued or ended, or a message was posted.
   * It receives the run's id, or "" where many runs may be meant. News may be late or missing: ask
   * {@link #claim} once a second too. The listener must not block.
   */
  void onNews(Consumer<String> listener);
}
