package dev.mainstay.ledger.sqlite;

import dev.mainstay.ledger.sqlite.KeptBytesLimit.Done;
import dev.mainstay.ledger.state.Claims;
import dev.mainstay.ledger.state.StoredAnswer;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.concurrent.CompletionStage;

/** Idempotency keys, one row each. */
final class SqliteClaims implements Claims {
  /** Rows deleted at a time, so that no claim waits long behind them. */
  private static final int DELETE_AT_ONCE = 500;

  private final GroupCommit commits;
  private final KeptBytesLimit room;

  SqliteClaims(GroupCommit commits, KeptBytesLimit room) {
    this.commits = commits;
    this.room = room;
  }

  /**
   * Gives back the keys of calls that the last process did not end: nobody knows what became of
   * them, and a model call has no effect, so that it may be made again.
   */
  static void releaseUnanswered(Db db) throws SQLException {
    db.update("delete from idempotency where status is null");
  }

  @Override
  public CompletionStage<Claim> claim(
      String client, String key, String bodyHash, String call, Instant now, Instant until) {
    return commits.submit(
        db -> {
          long at = Rows.micros(now);
          var found =
              db.first(
                  "select body_hash, call, status, streamed, headers, body from idempotency"
                      + " where client = ? and key = ? and expires_at > ?",
                  row -> found(row, bodyHash),
                  client,
                  key,
                  at);
          if (found != null) {
            return found;
          }
          db.update("delete from idempotency where client = ? and key = ?", client, key);
          db.update(
              "insert into idempotency (client, key, body_hash, call, claimed_at,"
                  + " expires_at) values (?, ?, ?, ?, ?, ?)",
              client,
              key,
              bodyHash,
              call,
              at,
              Rows.micros(until));
          return new Claim.Fresh();
        });
  }

  private static Claim found(ResultSet row, String bodyHash) throws SQLException {
    if (!row.getString(1).equals(bodyHash)) {
      return new Claim.OtherRequest();
    }
    var call = row.getString(2);
    int status = row.getInt(3);
    if (row.wasNull()) {
      return new Claim.Held(call);
    }
    return new Claim.Answered(
        new StoredAnswer(
            call,
            status,
            row.getInt(4) != 0,
            HeaderLines.parse(row.getString(5)),
            row.getBytes(6)));
  }

  @Override
  public CompletionStage<Boolean> keep(String client, String key, StoredAnswer answer) {
    return commits
        .submit(
            db -> {
              var headers = HeaderLines.of(answer.headers());
              int kept =
                  db.update(
                      "update idempotency set status = ?, streamed = ?, headers = ?, body = ?,"
                          + " bytes = ? where client = ? and key = ? and call = ?",
                      answer.status(),
                      answer.stream() ? 1 : 0,
                      headers,
                      answer.body(),
                      KeptBytesLimit.ROW + headers.length() + answer.body().length,
                      client,
                      key,
                      answer.call());
              return new Done<>(kept > 0, room.make(db));
            })
        .thenApply(room::done);
  }

  @Override
  public CompletionStage<Boolean> release(String client, String key, String call) {
    return commits.submit(
        db ->
            db.update(
                    "delete from idempotency where client = ? and key = ? and call = ? and status"
                        + " is null",
                    client,
                    key,
                    call)
                > 0);
  }

  /** Deletes some of what has expired; says whether there is more. */
  boolean tidy(Db db, Instant now) throws SQLException {
    return db.update(
            "delete from idempotency where id in (select id from idempotency where expires_at <= ?"
                + " limit ?)",
            Rows.micros(now),
            DELETE_AT_ONCE)
        == DELETE_AT_ONCE;
  }
}
