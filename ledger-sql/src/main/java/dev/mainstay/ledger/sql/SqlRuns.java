package dev.mainstay.ledger.sql;

import dev.mainstay.ledger.run.RunStore;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** A row for each run. The row says which process may write to the run and its journal. */
final class SqlRuns implements RunStore {
  private static final String TOPIC = "runs";
  private volatile Duration kept = Duration.ofDays(30);

  private static final String LEASED =
      " where id = ? and token = ? and holder = ? and status = 'running'";

  private final GroupCommit commits;
  private final Registration me;
  private final SqlSignals signals;
  private final List<Consumer<String>> listeners = new CopyOnWriteArrayList<>();
  private final RunQueue queue;
  private final RunNotices notices;

  SqlRuns(GroupCommit commits, Registration me, SqlSignals signals, Database database) {
    this.commits = commits;
    this.me = me;
    this.signals = signals;
    queue = new RunQueue(database);
    notices = new RunNotices(database);
    signals.on(TOPIC, this::news);
  }

  /** What a process was working on waits for another one. */
  static void takeOver(Db db, long token) throws SQLException {
    db.update(
        "update runs set status = 'queued', holder = 0 where holder = ? and status = 'running'",
        token);
  }

  private static String lock(String run) {
    return "run " + run;
  }

  @Override
  public CompletionStage<Accepted> accept(NewRun run, int mostQueued, Instant now, Instant until) {
    var origin = run.origin();
    var key = run.key();
    var locks = new ArrayList<>(List.of(lock(origin.id())));
    if (key != null) {
      locks.add("run key " + origin.client() + ' ' + key);
    }
    if (origin.session() != null) {
      // Runs of a session come one after the other in the order of their rows.
      locks.add("run session " + origin.client() + ' ' + origin.session());
    }
    return telling(
        origin.id(),
        Accepted.Fresh.class,
        commits.write(
            db -> RunQueue.accept(db, run, mostQueued, now, until), locks.toArray(String[]::new)));
  }

  @Override
  public CompletionStage<List<Lease>> claim(int limit, Instant now) {
    return commits.write(
        db -> queue.claim(db, limit, me.token(), now),
        (db, leases) -> {
          for (var lease : leases) {
            requeue(db, lease);
          }
        },
        me.claims());
  }

  @Override
  public CompletionStage<Appended> append(Lease lease, long after, Entries entries, Instant now) {
    return commits.write(db -> append(db, lease, after, entries, now, ""), lock(lease.run()));
  }

  /**
   * @param update of more of the run's row, with these values
   */
  private Appended append(
      Db db,
      Lease lease,
      long after,
      Entries entries,
      Instant now,
      String update,
      @Nullable Object... more)
      throws SQLException {
    var values = new ArrayList<@Nullable Object>();
    values.add(entries.list().size());
    values.add(entries.summary());
    values.addAll(java.util.Arrays.asList(more));
    values.add(lease.run());
    values.add(lease.token());
    values.add(me.token());
    values.add(after);
    long seq =
        db.number(
            "update runs set entries = entries + ?, summary = coalesce(?, summary)"
                + update
                + LEASED
                + " and entries = ? returning seq",
            values.toArray());
    if (seq == 0) {
      var length =
          db.first(
              "select entries from runs" + LEASED,
              row -> row.getLong(1),
              lease.run(),
              lease.token(),
              me.token());
      return length == null ? new Appended.LeaseLost() : new Appended.OutOfSequence(length);
    }
    RunJournal.add(db, seq, after, entries.list(), now);
    return new Appended.Written(after + entries.list().size());
  }

  @Override
  public CompletionStage<Appended> park(
      Lease lease, long after, Entries entries, @Nullable Instant wakeAt, long read, Instant now) {
    return commits.write(
        db ->
            append(
                db,
                lease,
                after,
                entries,
                now,
                ", holder = 0, wake_at = ?, status = case when posted > ? then 'queued' else"
                    + " 'parked' end",
                wakeAt == null ? null : (Long) Micros.of(wakeAt),
                read),
        lock(lease.run()));
  }

  @Override
  public CompletionStage<Boolean> giveBack(Lease lease) {
    return commits
        .<Boolean>mustArrive(db -> requeue(db, lease), lease.run().length(), lock(lease.run()))
        .thenApply(
            given -> {
              tell(lease.run());
              return given;
            });
  }

  private boolean requeue(Db db, Lease lease) throws SQLException {
    return db.update(
            "update runs set status = 'queued', holder = 0" + LEASED,
            lease.run(),
            lease.token(),
            me.token())
        > 0;
  }

  @Override
  public CompletionStage<Appended> end(
      Lease lease,
      long after,
      Entries entries,
      String outcome,
      @Nullable String notify,
      Instant now) {
    return telling(
        lease.run(),
        Appended.Written.class,
        commits.<Appended>write(
            db -> {
              var appended =
                  append(
                      db,
                      lease,
                      after,
                      entries,
                      now,
                      ", holder = 0, status = 'ended', outcome = ?, ended_at = ?",
                      outcome,
                      Micros.of(now));
              if (notify != null && appended instanceof Appended.Written) {
                RunNotices.add(db, lease.run(), notify, now);
              }
              return appended;
            },
            lock(lease.run())));
  }

  @Override
  public CompletionStage<List<Notice>> notices(int limit, Instant now) {
    return commits.write(db -> notices.due(db, limit, now));
  }

  @Override
  public CompletionStage<Boolean> noticed(String run) {
    return commits.write(db -> RunNotices.posted(db, run));
  }

  @Override
  public CompletionStage<Boolean> holds(Lease lease) {
    return commits.write(
        db ->
            db.number("select count(*) from runs" + LEASED, lease.run(), lease.token(), me.token())
                > 0);
  }

  @Override
  public CompletionStage<List<StoredEntry>> read(String run, long after, int limit) {
    return commits.read(db -> RunJournal.read(db, run, after, limit));
  }

  @Override
  public CompletionStage<List<Run>> find(Collection<String> runs) {
    if (runs.isEmpty()) {
      return CompletableFuture.completedStage(List.of());
    }
    var ids = InList.of(runs);
    return commits.read(
        db ->
            db.all(
                RunRows.READ + "where id in " + ids.places(),
                RunRows::read,
                ids.values().toArray()));
  }

  @Override
  public CompletionStage<Map<String, Message>> settled(Collection<String> runs) {
    if (runs.isEmpty()) {
      return CompletableFuture.completedStage(Map.of());
    }
    var values = new ArrayList<Object>(List.of(DEAD_LETTER));
    var ids = InList.of(runs);
    values.addAll(ids.values());
    return commits
        .read(
            db ->
                db.all(
                    "select number, at, kind, about, content, author, id from run_messages m join"
                        + " runs r on r.seq = m.run where about = ? and"
                        + " id in "
                        + ids.places(),
                    row -> Map.entry(row.getString(7), RunRows.message(row)),
                    values.toArray()))
        .thenApply(
            found ->
                found.stream().collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue)));
  }

  @Override
  public CompletionStage<Boolean> summarize(String run, long entries, String summary) {
    return commits.write(
        db ->
            db.update(
                    "update runs set summary = ? where id = ? and entries = ?",
                    summary,
                    run,
                    entries)
                > 0,
        lock(run));
  }

  @Override
  public CompletionStage<List<Run>> list(Query query) {
    var rows = RunRows.query(query);
    return commits.read(db -> db.all(rows.text(), RunRows::read, rows.values().toArray()));
  }

  @Override
  public CompletionStage<Posted> post(
      String run, String kind, @Nullable String about, byte[] content, String by, Instant now) {
    return telling(
        run,
        Posted.Taken.class,
        commits.write(db -> RunMessages.post(db, run, kind, about, content, by, now), lock(run)));
  }

  @Override
  public CompletionStage<Boolean> replace(String run, List<StoredEntry> entries) {
    return commits.write(db -> RunJournal.replace(db, run, entries), lock(run));
  }

  @Override
  public CompletionStage<Boolean> purged(String run, long after, Entries last, Instant now) {
    return commits.write(
        db -> {
          long seq = RunJournal.end(db, run, after, last, now);
          if (seq != 0) {
            RunMessages.empty(db, seq);
          }
          return seq != 0;
        },
        lock(run));
  }

  @Override
  public CompletionStage<Posted> settle(
      String run, String kind, byte[] content, String by, Instant now) {
    return commits.write(db -> RunMessages.settle(db, run, kind, content, by, now), lock(run));
  }

  @Override
  public CompletionStage<List<Message>> messages(String run, long after, int limit) {
    return commits.read(db -> RunMessages.read(db, run, after, limit));
  }

  @Override
  public void keepFor(Duration retention) {
    kept = retention;
  }

  /** How long runs are kept after their end. */
  Duration kept() {
    return kept;
  }

  @Override
  public void onNews(Consumer<String> listener) {
    listeners.add(listener);
  }

  /** The result of a write, and the news of {@code run} with a result of this type. */
  private <T> CompletionStage<T> telling(
      String run, Class<? extends T> news, CompletionStage<T> write) {
    return write.thenApply(
        result -> {
          if (news.isInstance(result)) {
            tell(run);
          }
          return result;
        });
  }

  private void tell(String run) {
    news(run);
    signals.send(TOPIC, run);
  }

  /** Runs may wait that another process had in hand. */
  void leftBehind() {
    news("");
  }

  private void news(String run) {
    listeners.forEach(each -> each.accept(run));
  }
}
