package dev.mainstay.ledger.sql;

import dev.mainstay.ledger.sql.KeptBytesLimit.Done;
import dev.mainstay.ledger.state.KeptCalls;
import dev.mainstay.ledger.state.StoredAnswer;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/** Kept calls, one row each with request and answer. */
final class SqlKeptCalls implements KeptCalls {
  /** Of a call that nothing is made of any more: who asks again is known by the hash. */
  private static final String FORGET_REQUEST =
      "update kept_calls set request_headers = '', request_body = ?, bytes = "
          + KeptBytesLimit.ROW
          + " + coalesce(length(answer_headers), 0) + coalesce(length(answer_body), 0)"
          + " where call = ?";

  private static final byte[] NO_BODY = {};

  private final GroupCommit commits;
  private final KeptBytesLimit room;
  private final Registration me;
  private final String adopt;
  private final List<Runnable> listeners = new CopyOnWriteArrayList<>();

  SqlKeptCalls(GroupCommit commits, KeptBytesLimit room, Registration me, Database database) {
    this.commits = commits;
    this.room = room;
    this.me = me;
    adopt =
        "with left_behind as (select seq from kept_calls where stand = 'running' and holder = 0"
            + " order by accepted_at limit ?"
            + database.skipLocked()
            + ") update kept_calls set holder = ? where seq in (select seq from left_behind)"
            + " returning accepted_at, call, async, length(request_body)";
  }

  /** What a process did not end waits for another one. */
  static void takeOver(Db db, long token) throws SQLException {
    db.update("update kept_calls set holder = 0 where holder = ? and stand = 'running'", token);
  }

  private static String lock(String call) {
    return "call " + call;
  }

  private static String[] locks(String call, Request request) {
    var key = request.key();
    return key == null
        ? new String[] {lock(call)}
        : new String[] {lock(call), "kept " + request.client() + ' ' + key};
  }

  @Override
  public CompletionStage<Accepted> accept(
      String call, Request request, Instant now, Instant until) {
    return commits
        .<Done<Accepted>>write(
            db -> {
              var known = KeptCallRows.known(db, request, now);
              if (known != null) {
                return new Done<>(known, 0);
              }
              if (!room.takes(db, KeptCallRows.size(request))) {
                return new Done<Accepted>(new Accepted.Full(), 0);
              }
              KeptCallRows.insert(db, call, request, now, until, me.token());
              return new Done<Accepted>(new Accepted.Fresh(), room.make(db));
            },
            (db, done) ->
                db.update(
                    "delete from kept_calls where call = ? and holder = ? and stand = 'running'",
                    call,
                    me.token()),
            locks(call, request))
        .thenApply(room::done)
        .thenApply(
            accepted -> {
              if (accepted instanceof Accepted.Full) {
                room.refused();
              }
              return accepted;
            });
  }

  @Override
  public CompletionStage<Boolean> ended(
      String call, @Nullable String verdict, @Nullable StoredAnswer answer, Instant now) {
    var headers = answer == null ? null : HeaderLines.of(answer.headers());
    int size = answer == null || headers == null ? 0 : headers.length() + answer.body().length;
    return commits
        .<Done<Boolean>>mustArrive(
            db -> {
              int ended =
                  db.update(
                      "update kept_calls set stand = ?, ended_at = ?, verdict = ?, status = ?,"
                          + " streamed = ?, answer_headers = ?, answer_body = ?, bytes = bytes + ?"
                          + " where call = ? and stand = 'running' and holder = ?",
                      verdict == null ? "answered" : "dead",
                      Micros.of(now),
                      verdict,
                      answer == null ? null : (Integer) answer.status(),
                      answer == null ? null : (Integer) (answer.stream() ? 1 : 0),
                      headers,
                      answer == null ? null : answer.body(),
                      size,
                      call,
                      me.token());
              if (ended > 0 && verdict == null) {
                db.update(FORGET_REQUEST, NO_BODY, call);
              }
              return new Done<>(ended > 0, room.make(db));
            },
            size,
            lock(call))
        .thenApply(room::done);
  }

  @Override
  public CompletionStage<List<Kept>> find(String call) {
    return commits.read(
        db -> db.all(KeptCallRows.READ + "where call = ?", KeptCallRows::read, call));
  }

  @Override
  public CompletionStage<List<Kept>> deadLetters(DeadLetterQuery query) {
    var rows = KeptCallRows.deadLetters(query);
    return commits.read(db -> db.all(rows.text(), KeptCallRows::read, rows.values().toArray()));
  }

  @Override
  public CompletionStage<List<Kept>> redrive(String call, String as, Instant now, Instant until) {
    return commits.write(
        db -> {
          int taken =
              db.update(
                  "update kept_calls set stand = 'redriven', redriven_as = ? where call = ? and"
                      + " stand = 'dead'",
                  as,
                  call);
          if (taken == 0) {
            return List.of();
          }
          var kept = db.all(KeptCallRows.READ + "where call = ?", KeptCallRows::read, call);
          var was = kept.getFirst().request();
          // Its key stays with the first, so that its client finds what became of it.
          KeptCallRows.insert(
              db,
              as,
              new Request(
                  was.client(),
                  true,
                  null,
                  was.bodyHash(),
                  was.path(),
                  was.query(),
                  was.headers(),
                  was.body()),
              now,
              until,
              me.token());
          db.update(FORGET_REQUEST, NO_BODY, call);
          room.make(db);
          return kept;
        },
        lock(call),
        lock(as));
  }

  @Override
  public CompletionStage<Boolean> discard(String call) {
    return commits.write(
        db -> {
          int taken =
              db.update(
                  "update kept_calls set stand = 'discarded' where call = ? and stand = 'dead'",
                  call);
          if (taken > 0) {
            db.update(FORGET_REQUEST, NO_BODY, call);
          }
          room.make(db);
          return taken > 0;
        },
        lock(call));
  }

  @Override
  public CompletionStage<List<Unfinished>> adopt(int limit) {
    return commits.write(
        db ->
            db
                .all(
                    adopt,
                    row ->
                        Map.entry(
                            row.getLong(1),
                            new Unfinished(row.getString(2), row.getInt(3) != 0, row.getLong(4))),
                    limit,
                    me.token())
                .stream()
                .sorted(Map.Entry.comparingByKey())
                .map(Map.Entry::getValue)
                .toList(),
        (db, adopted) -> {
          for (var each : adopted) {
            release(db, each.call());
          }
        },
        me.claims());
  }

  @Override
  public CompletionStage<Boolean> giveBack(String call) {
    return commits.mustArrive(db -> release(db, call), call.length(), lock(call));
  }

  private boolean release(Db db, String call) throws SQLException {
    return db.update(
            "update kept_calls set holder = 0 where call = ? and holder = ? and stand = 'running'",
            call,
            me.token())
        > 0;
  }

  @Override
  public void onLeftBehind(Runnable listener) {
    listeners.add(listener);
  }

  /** Calls the listeners where calls wait for an instance to adopt them. On any connection. */
  void lookForLeftBehind(Db db) throws SQLException {
    if (!listeners.isEmpty()
        && db.number("select 1 from kept_calls where stand = 'running' and holder = 0 limit 1")
            > 0) {
      leftBehind();
    }
  }

  /** Calls may wait that another process had in hand. */
  void leftBehind() {
    listeners.forEach(Runnable::run);
  }
}
