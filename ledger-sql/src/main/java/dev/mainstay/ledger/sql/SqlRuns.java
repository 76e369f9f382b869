package dev.mainstay.ledger.sql;

import dev.mainstay.ledger.run.RunStore;
import dev.mainstay.ledger.state.AlertLog;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A row for each run, entry and message. Who may write to a run is said in the run's row. */
final class SqlRuns implements RunStore {
  private static final String TOPIC = "runs";
  private volatile Duration kept = Duration.ofDays(30);

  /** What a try to post an end may take. */
  private static final Duration PATIENCE = Duration.ofSeconds(20);

  private static final String LEASED =
      " where id = ? and token = ? and holder = ? and status = 'running'";

  private final GroupCommit commits;
  private final Registration me;
  private final SqlSignals signals;
  private final List<Consumer<String>> listeners = new CopyOnWriteArrayList<>();
  private final String wake;
  private final String claim;
  private final String due;

  SqlRuns(GroupCommit commits, Registration me, SqlSignals signals, Database database) {
    this.commits = commits;
    this.me = me;
    this.signals = signals;
    wake =
        "with due as (select seq from runs where status = 'parked' and wake_at <= ?"
            + database.skipLocked()
            + ") update runs set status = 'queued', wake_at = null where seq in (select seq from"
            + " due)";
    claim =
        "with next as (select seq from runs r where status = 'queued' and (session is null or not"
            + " exists (select 1 from runs o where o.client = r.client and o.session = r.session"
            + " and o.seq < r.seq and o.status <> 'ended')) order by priority desc, seq limit ?"
            + database.skipLocked()
            + ") update runs set status = 'running', holder = ?, token = token + 1 where seq in"
            + " (select seq from next) returning seq, priority, id, token, entries";
    due =
        "select n.run, r.id, n.url, n.tries from run_notices n join runs r on r.seq = n.run where"
            + " n.due_at <= ? order by n.due_at limit ?"
            + database.skipLocked();
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
    var key = run.key();
    var locks = new ArrayList<>(List.of(lock(run.id())));
    if (key != null) {
      locks.add("run key " + run.client() + ' ' + key);
    }
    if (run.session() != null) {
      // Runs of a session come one after the other in the order of their rows.
      locks.add("run session " + run.client() + ' ' + run.session());
    }
    return commits
        .<Accepted>write(
            db -> {
              var known = key == null ? null : known(db, run, key, now);
              if (known != null) {
                return known;
              }
              long queued =
                  db.number(
                      "select count(*) from (select 1 from runs where status = 'queued' limit ?) q",
                      mostQueued);
              if (queued >= mostQueued) {
                return new Accepted.Full(queued);
              }
              insert(db, run, now, until);
              return new Accepted.Fresh();
            },
            locks.toArray(String[]::new))
        .thenApply(
            accepted -> {
              if (accepted instanceof Accepted.Fresh) {
                tell(run.id());
              }
              return accepted;
            });
  }

  private static @Nullable Accepted known(Db db, NewRun run, String key, Instant now)
      throws SQLException {
    return db.<Accepted>first(
        "select id, body_hash from runs where client = ? and key = ? and expires_at > ?",
        row ->
            row.getString(2).equals(run.bodyHash())
                ? new Accepted.Known(row.getString(1))
                : new Accepted.OtherRequest(),
        run.client(),
        key,
        Micros.of(now));
  }

  private static void insert(Db db, NewRun run, Instant now, Instant until) throws SQLException {
    long seq =
        db.number(
            "insert into runs (id, agent, client, key, body_hash, parent, session, priority,"
                + " status, accepted_at, expires_at, entries, token, holder, posted) values (?, ?,"
                + " ?, ?, ?, ?, ?, ?, 'queued', ?, ?, ?, 0, 0, 0) returning seq",
            run.id(),
            run.agent(),
            run.client(),
            run.key(),
            run.bodyHash(),
            run.parent(),
            run.session(),
            run.priority(),
            Micros.of(now),
            Micros.of(until),
            run.first().size());
    insert(db, seq, 0, run.first(), now);
  }

  private static void insert(Db db, long run, long after, List<Entry> entries, Instant now)
      throws SQLException {
    var rows = new ArrayList<@Nullable Object[]>(entries.size());
    for (var entry : entries) {
      rows.add(
          new Object[] {
            run, after + rows.size() + 1, Micros.of(now), entry.kind(), entry.payload()
          });
    }
    if (!rows.isEmpty()) {
      db.batch(
          "insert into journal (run, sequence, at, kind, payload) values (?, ?, ?, ?, ?)", rows);
    }
  }

  private record Claimed(long seq, int priority, Lease lease) {}

  @Override
  public CompletionStage<List<Lease>> claim(int limit, Instant now) {
    return commits.write(
        db -> {
          db.update(wake, Micros.of(now));
          var claimed =
              db.all(
                  claim,
                  row ->
                      new Claimed(
                          row.getLong(1),
                          row.getInt(2),
                          new Lease(row.getString(3), row.getLong(4), row.getLong(5))),
                  limit,
                  me.token());
          return claimed.stream()
              .sorted(
                  (a, b) ->
                      a.priority() != b.priority()
                          ? Integer.compare(b.priority(), a.priority())
                          : Long.compare(a.seq(), b.seq()))
              .map(Claimed::lease)
              .toList();
        },
        (db, leases) -> {
          for (var lease : leases) {
            requeue(db, lease);
          }
        },
        me.claims());
  }

  @Override
  public CompletionStage<Appended> append(
      Lease lease, long after, List<Entry> entries, Instant now) {
    return commits.write(
        db -> append(db, lease, after, entries, now, "update runs set entries = entries + ?"),
        lock(lease.run()));
  }

  /**
   * @param update of the run's row; its first value is the number of entries, {@code more} follow
   */
  private Appended append(
      Db db,
      Lease lease,
      long after,
      List<Entry> entries,
      Instant now,
      String update,
      @Nullable Object... more)
      throws SQLException {
    var values = new ArrayList<@Nullable Object>();
    values.add(entries.size());
    values.addAll(java.util.Arrays.asList(more));
    values.add(lease.run());
    values.add(lease.token());
    values.add(me.token());
    values.add(after);
    long seq = db.number(update + LEASED + " and entries = ? returning seq", values.toArray());
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
    insert(db, seq, after, entries, now);
    return new Appended.Written(after + entries.size());
  }

  @Override
  public CompletionStage<Appended> park(
      Lease lease,
      long after,
      List<Entry> entries,
      @Nullable Instant wakeAt,
      long read,
      Instant now) {
    return commits.write(
        db ->
            append(
                db,
                lease,
                after,
                entries,
                now,
                "update runs set entries = entries + ?, holder = 0, wake_at = ?, status = case"
                    + " when posted > ? then 'queued' else 'parked' end",
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
      List<Entry> entries,
      String outcome,
      @Nullable String notify,
      Instant now) {
    return commits
        .<Appended>write(
            db -> {
              var appended =
                  append(
                      db,
                      lease,
                      after,
                      entries,
                      now,
                      "update runs set entries = entries + ?, holder = 0, status = 'ended',"
                          + " outcome = ?, ended_at = ?",
                      outcome,
                      Micros.of(now));
              if (notify != null && appended instanceof Appended.Written) {
                db.update(
                    "insert into run_notices (run, url, tries, due_at) select seq, ?, 0, ? from"
                        + " runs where id = ?",
                    notify,
                    Micros.of(now),
                    lease.run());
              }
              return appended;
            },
            lock(lease.run()))
        .thenApply(
            appended -> {
              if (appended instanceof Appended.Written) {
                tell(lease.run());
              }
              return appended;
            });
  }

  private record Due(long seq, Notice notice) {}

  @Override
  public CompletionStage<List<Notice>> notices(int limit, Instant now) {
    return commits.write(
        db -> {
          db.update(
              "delete from run_notices where tries >= ? and due_at <= ?",
              MOST_NOTICES,
              Micros.of(now));
          var ended =
              db.all(
                  due,
                  row ->
                      new Due(
                          row.getLong(1),
                          new Notice(row.getString(2), row.getString(3), row.getInt(4) + 1)),
                  Micros.of(now),
                  limit);
          for (var each : ended) {
            int tries = each.notice().tries();
            db.update(
                "update run_notices set tries = ?, due_at = ? where run = ?",
                tries,
                Micros.of(now.plus(PATIENCE).plus(AlertLog.pause(tries))),
                each.seq());
          }
          return ended.stream().map(Due::notice).toList();
        });
  }

  @Override
  public CompletionStage<Boolean> noticed(String run) {
    return commits.write(
        db ->
            db.update(
                    "delete from run_notices where run = (select seq from runs where id = ?)", run)
                > 0);
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
    return commits.read(
        db ->
            db.all(
                "select sequence, at, kind, payload from journal where run = (select seq from runs"
                    + " where id = ?) and sequence > ? order by sequence limit ?",
                row ->
                    new StoredEntry(
                        row.getLong(1),
                        Micros.instant(row.getLong(2)),
                        new Entry(row.getString(3), row.getBytes(4))),
                run,
                after,
                limit));
  }

  @Override
  public CompletionStage<List<Run>> find(String run) {
    return commits.read(db -> db.all(RunRows.READ + "where id = ?", RunRows::read, run));
  }

  @Override
  public CompletionStage<List<Run>> list(Query query) {
    var rows = RunRows.query(query);
    return commits.read(db -> db.all(rows.text(), RunRows::read, rows.values().toArray()));
  }

  @Override
  public CompletionStage<Posted> post(
      String run, String kind, @Nullable String about, byte[] content, String by, Instant now) {
    return commits
        .<Posted>write(db -> post(db, run, kind, about, content, by, now), lock(run))
        .thenApply(
            posted -> {
              if (posted instanceof Posted.Taken) {
                tell(run);
              }
              return posted;
            });
  }

  @Override
  public CompletionStage<Boolean> replace(String run, List<StoredEntry> entries) {
    return commits.write(
        db -> {
          long seq = db.number("select seq from runs where id = ? and status = 'ended'", run);
          for (var each : entries) {
            db.update(
                "update journal set payload = ? where run = ? and sequence = ?",
                each.entry().payload(),
                seq,
                each.sequence());
          }
          return seq != 0;
        },
        lock(run));
  }

  @Override
  public CompletionStage<Boolean> purged(String run, long after, Entry last, Instant now) {
    return commits.write(
        db -> {
          long seq =
              db.number(
                  "update runs set entries = entries + 1 where id = ? and status = 'ended' and"
                      + " entries = ? returning seq",
                  run,
                  after);
          if (seq != 0) {
            insert(db, seq, after, List.of(last), now);
            db.update(
                "update run_messages set content = ? where run = ? and kind in ('message',"
                    + " 'resolve')",
                "{}".getBytes(StandardCharsets.UTF_8),
                seq);
          }
          return seq != 0;
        },
        lock(run));
  }

  @Override
  public CompletionStage<Posted> settle(
      String run, String kind, byte[] content, String by, Instant now) {
    return commits.<Posted>write(
        db -> {
          long seq =
              db.number("select seq from runs where id = ? and outcome = 'dead_letter'", run);
          return seq == 0 ? new Posted.NoRun() : post(db, seq, kind, DEAD_LETTER, content, by, now);
        },
        lock(run));
  }

  private static Posted post(
      Db db,
      String run,
      String kind,
      @Nullable String about,
      byte[] content,
      String by,
      Instant now)
      throws SQLException {
    long seq = db.number("select seq from runs where id = ? and status <> 'ended'", run);
    return seq == 0 ? new Posted.NoRun() : post(db, seq, kind, about, content, by, now);
  }

  private static Posted post(
      Db db, long seq, String kind, @Nullable String about, byte[] content, String by, Instant now)
      throws SQLException {
    if (about != null) {
      var before =
          db.first(RunRows.MESSAGES + "where run = ? and about = ?", RunRows::message, seq, about);
      if (before != null) {
        return new Posted.DecidedBefore(before);
      }
    }
    long number =
        db.number(
            "insert into run_messages (run, at, kind, about, content, author) values (?, ?, ?, ?,"
                + " ?, ?) returning number",
            seq,
            Micros.of(now),
            kind,
            about,
            content,
            by);
    db.update(
        "update runs set posted = ?, wake_at = null, status = case status when 'parked' then"
            + " 'queued' else status end where seq = ?",
        number,
        seq);
    return new Posted.Taken(number);
  }

  @Override
  public CompletionStage<List<Message>> messages(String run, long after, int limit) {
    return commits.read(
        db ->
            db.all(
                RunRows.MESSAGES
                    + "where run = (select seq from runs where id = ?) and number > ? order by"
                    + " number limit ?",
                RunRows::message,
                run,
                after,
                limit));
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
