package dev.mainstay.ledger.sql;

import dev.mainstay.ledger.sql.KeptBytesLimit.Done;
import dev.mainstay.ledger.state.Claims;
import dev.mainstay.ledger.state.StoredAnswer;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** Idempotency keys, one row each. */
final class SqlClaims implements Claims {

  private final GroupCommit commits;
  private final KeptBytesLimit room;
  private final Registration me;
  private final ClaimsWithoutStore alone = new ClaimsWithoutStore();

  SqlClaims(GroupCommit commits, KeptBytesLimit room, Registration me) {
    this.commits = commits;
    this.room = room;
    this.me = me;
  }

  /**
   * Gives back the keys of calls that their process did not end: nobody knows what became of them,
   * and a model call has no effect, so that it may be made again.
   */
  static void takeOver(Db db, long token) throws SQLException {
    db.update("delete from idempotency where status is null and holder = ?", token);
  }

  private static String lock(String client, String key) {
    return "claim " + client + ' ' + key;
  }

  @Override
  public CompletionStage<Claim> claim(
      String client, String key, String bodyHash, String call, Instant now, Instant until) {
    var known = alone.find(client, key, bodyHash, now);
    if (known != null) {
      return CompletableFuture.completedStage(known);
    }
    return commits
        .write(
            db -> {
              if (insert(db, client, key, bodyHash, call, now, until)) {
                return new Claim.Fresh(false);
              }
              var found =
                  db.first(
                      "select body_hash, call, status, streamed, headers, body, holder from"
                          + " idempotency"
                          + " where client = ? and key = ? and expires_at > ?",
                      row -> found(row, bodyHash, me.token()),
                      client,
                      key,
                      Micros.of(now));
              if (found != null) {
                return found;
              }
              db.update("delete from idempotency where client = ? and key = ?", client, key);
              insert(db, client, key, bodyHash, call, now, until);
              return new Claim.Fresh(false);
            },
            lock(client, key))
        .exceptionallyCompose(
            failed ->
                commits.isClosed()
                    ? CompletableFuture.failedStage(failed)
                    : CompletableFuture.completedStage(
                        alone.claim(client, key, bodyHash, call, now, until)));
  }

  private boolean insert(
      Db db, String client, String key, String bodyHash, String call, Instant now, Instant until)
      throws SQLException {
    return db.update(
            "insert into idempotency (client, key, body_hash, call, claimed_at, expires_at, holder)"
                + " values (?, ?, ?, ?, ?, ?, ?) on conflict (client, key) do nothing",
            client,
            key,
            bodyHash,
            call,
            Micros.of(now),
            Micros.of(until),
            me.token())
        > 0;
  }

  private static Claim found(ResultSet row, String bodyHash, long token) throws SQLException {
    if (!row.getString(1).equals(bodyHash)) {
      return new Claim.OtherRequest();
    }
    var call = row.getString(2);
    int status = row.getInt(3);
    if (row.wasNull()) {
      return new Claim.Held(call, row.getLong(7) == token);
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
    var claimedAlone = alone.answered(client, key, answer);
    var headers = HeaderLines.of(answer.headers());
    return commits
        .<Done<Boolean>>mustArrive(
            db -> {
              if (claimedAlone != null) {
                insert(
                    db,
                    client,
                    key,
                    claimedAlone.bodyHash(),
                    answer.call(),
                    claimedAlone.now(),
                    claimedAlone.until());
              }
              int kept =
                  db.update(
                      "update idempotency set status = ?, streamed = ?, headers = ?, body = ?,"
                          + " bytes = ? where client = ? and key = ? and call = ? and holder = ?",
                      answer.status(),
                      answer.stream() ? 1 : 0,
                      headers,
                      answer.body(),
                      KeptBytesLimit.ROW + headers.length() + answer.body().length,
                      client,
                      key,
                      answer.call(),
                      me.token());
              return new Done<>(kept > 0, room.make(db));
            },
            headers.length() + answer.body().length,
            lock(client, key))
        .thenApply(
            done -> {
              alone.forget(client, key, answer.call());
              return room.done(done);
            });
  }

  @Override
  public CompletionStage<Boolean> release(String client, String key, String call) {
    alone.forget(client, key, call);
    return commits.mustArrive(
        db ->
            db.update(
                    "delete from idempotency where client = ? and key = ? and call = ? and status"
                        + " is null and holder = ?",
                    client,
                    key,
                    call,
                    me.token())
                > 0,
        client.length() + key.length(),
        lock(client, key));
  }
}
