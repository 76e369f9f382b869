package dev.mainstay.ledger.sqlite;

import dev.mainstay.ledger.sqlite.KeptBytesLimit.Done;
import dev.mainstay.ledger.state.KeptCalls;
import dev.mainstay.ledger.state.StoredAnswer;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** Kept calls, one row each with request and answer. */
final class SqliteKeptCalls implements KeptCalls {
  /** Rows deleted at a time, so that nobody waits long behind them. */
  private static final int DELETE_AT_ONCE = 100;

  private static final String READ =
      "select call, stand, accepted_at, ended_at, verdict, redriven_as, client, async, key,"
          + " body_hash, path, query, request_headers, request_body, status, streamed,"
          + " answer_headers, answer_body from kept_calls ";

  /** Of a call that nothing is made of any more: who asks again is known by the hash. */
  private static final String FORGET_REQUEST =
      "update kept_calls set request_headers = '', request_body = x'', bytes = "
          + KeptBytesLimit.ROW
          + " + coalesce(length(answer_headers), 0) + coalesce(length(answer_body), 0)"
          + " where call = ?";

  private final GroupCommit commits;
  private final KeptBytesLimit room;

  SqliteKeptCalls(GroupCommit commits, KeptBytesLimit room) {
    this.commits = commits;
    this.room = room;
  }

  @Override
  public CompletionStage<Accepted> accept(
      String call, Request request, Instant now, Instant until) {
    return commits
        .submit(
            db -> {
              var known = known(db, request, now);
              if (known != null) {
                return new Done<>(known, 0);
              }
              if (!room.takes(db, size(request))) {
                return new Done<Accepted>(new Accepted.Full(), 0);
              }
              insert(db, call, request, now, until);
              return new Done<Accepted>(new Accepted.Fresh(), room.make(db));
            })
        .thenApply(room::done)
        .thenApply(
            accepted -> {
              if (accepted instanceof Accepted.Full) {
                room.refused();
              }
              return accepted;
            });
  }

  /** The call that the request's key has already, or null. */
  private static @Nullable Accepted known(Db db, Request request, Instant now) throws SQLException {
    var key = request.key();
    return key == null
        ? null
        : db.<Accepted>first(
            "select call, body_hash from kept_calls where client = ? and key = ? and"
                + " expires_at > ?",
            row ->
                row.getString(2).equals(request.bodyHash())
                    ? new Accepted.Known(row.getString(1))
                    : new Accepted.OtherRequest(),
            request.client(),
            key,
            Rows.micros(now));
  }

  private static int size(Request request) {
    return HeaderLines.of(request.headers()).length() + request.body().length;
  }

  private static void insert(Db db, String call, Request request, Instant now, Instant until)
      throws SQLException {
    db.update(
        "insert into kept_calls (call, stand, accepted_at, expires_at, client, async, key,"
            + " body_hash, path, query, request_headers, request_body, bytes)"
            + " values (?, 'running', ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        call,
        Rows.micros(now),
        Rows.micros(until),
        request.client(),
        request.async() ? 1 : 0,
        request.key(),
        request.bodyHash(),
        request.path(),
        request.query(),
        HeaderLines.of(request.headers()),
        request.body(),
        KeptBytesLimit.ROW + size(request));
  }

  @Override
  public CompletionStage<Boolean> ended(
      String call, @Nullable String verdict, @Nullable StoredAnswer answer, Instant now) {
    return commits
        .submit(
            db -> {
              var headers = answer == null ? null : HeaderLines.of(answer.headers());
              int ended =
                  db.update(
                      "update kept_calls set stand = ?, ended_at = ?, verdict = ?, status = ?,"
                          + " streamed = ?, answer_headers = ?, answer_body = ?, bytes = bytes + ?"
                          + " where call = ? and stand = 'running'",
                      verdict == null ? "answered" : "dead",
                      Rows.micros(now),
                      verdict,
                      answer == null ? null : (Integer) answer.status(),
                      answer == null ? null : (Integer) (answer.stream() ? 1 : 0),
                      headers,
                      answer == null ? null : answer.body(),
                      answer == null || headers == null
                          ? 0
                          : headers.length() + answer.body().length,
                      call);
              if (ended > 0 && verdict == null) {
                db.update(FORGET_REQUEST, call);
              }
              return new Done<>(ended > 0, room.make(db));
            })
        .thenApply(room::done);
  }

  @Override
  public CompletionStage<List<Kept>> find(String call) {
    return commits.submit(db -> db.all(READ + "where call = ?", SqliteKeptCalls::read, call));
  }

  @Override
  public CompletionStage<List<Kept>> deadLetters(int limit) {
    return commits.submit(
        db ->
            db.all(
                READ
                    + "where stand in ('dead', 'redriven', 'discarded') order by ended_at desc"
                    + " limit ?",
                SqliteKeptCalls::read,
                limit));
  }

  @Override
  public CompletionStage<List<Kept>> redrive(String call, String as, Instant now, Instant until) {
    return commits.submit(
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
          var kept = db.all(READ + "where call = ?", SqliteKeptCalls::read, call);
          var was = kept.getFirst().request();
          // Its key stays with the first, so that its client finds what became of it.
          insert(
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
              until);
          db.update(FORGET_REQUEST, call);
          room.make(db);
          return kept;
        });
  }

  @Override
  public CompletionStage<Boolean> discard(String call) {
    return commits.submit(
        db -> {
          int taken =
              db.update(
                  "update kept_calls set stand = 'discarded' where call = ? and stand = 'dead'",
                  call);
          if (taken > 0) {
            db.update(FORGET_REQUEST, call);
          }
          room.make(db);
          return taken > 0;
        });
  }

  @Override
  public CompletionStage<List<Unfinished>> unfinished(Instant before) {
    return commits.submit(
        db ->
            db.all(
                "select call, async, length(request_body) from kept_calls where stand = 'running'"
                    + " and accepted_at < ? order by accepted_at",
                row -> new Unfinished(row.getString(1), row.getInt(2) != 0, row.getLong(3)),
                Rows.micros(before)));
  }

  private static Kept read(ResultSet row) throws SQLException {
    var call = row.getString(1);
    long ended = row.getLong(4);
    boolean running = row.wasNull();
    var request =
        new Request(
            row.getString(7),
            row.getInt(8) != 0,
            row.getString(9),
            row.getString(10),
            row.getString(11),
            row.getString(12),
            HeaderLines.parse(row.getString(13)),
            row.getBytes(14));
    int status = row.getInt(15);
    var answer =
        row.wasNull()
            ? null
            : new StoredAnswer(
                call,
                status,
                row.getInt(16) != 0,
                HeaderLines.parse(row.getString(17)),
                row.getBytes(18));
    return new Kept(
        call,
        Stand.valueOf(row.getString(2).toUpperCase(Locale.ROOT)),
        Rows.instant(row.getLong(3)),
        running ? null : Rows.instant(ended),
        row.getString(5),
        row.getString(6),
        request,
        answer);
  }

  /** Deletes some of what has expired; says whether there is more. */
  boolean tidy(Db db, Instant now) throws SQLException {
    return db.update(
            "delete from kept_calls where seq in (select seq from kept_calls where expires_at <= ?"
                + " and stand <> 'running' limit ?)",
            Rows.micros(now),
            DELETE_AT_ONCE)
        == DELETE_AT_ONCE;
  }
}
