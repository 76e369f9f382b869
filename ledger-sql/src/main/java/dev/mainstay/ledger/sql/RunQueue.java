package dev.mainstay.ledger.sql;

import dev.mainstay.ledger.run.RunStore.Accepted;
import dev.mainstay.ledger.run.RunStore.Lease;
import dev.mainstay.ledger.run.RunStore.NewRun;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Runs that wait for a process, and those that join them. In transactions of its caller. */
final class RunQueue {
  private record Claimed(long seq, int priority, Lease lease) {}

  private final String wake;
  private final String claim;

  RunQueue(Database database) {
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
  }

  /** Queues a run, unless its key is known or the queue is full. */
  static Accepted accept(Db db, NewRun run, int mostQueued, Instant now, Instant until)
      throws SQLException {
    var key = run.key();
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
  }

  private static @Nullable Accepted known(Db db, NewRun run, String key, Instant now)
      throws SQLException {
    return db.<Accepted>first(
        "select id, body_hash from runs where client = ? and key = ? and expires_at > ?",
        row ->
            row.getString(2).equals(run.bodyHash())
                ? new Accepted.Known(row.getString(1))
                : new Accepted.OtherRequest(),
        run.origin().client(),
        key,
        Micros.of(now));
  }

  private static void insert(Db db, NewRun run, Instant now, Instant until) throws SQLException {
    var origin = run.origin();
    long seq =
        db.number(
            "insert into runs (id, agent, client, key, body_hash, parent, session, priority,"
                + " status, accepted_at, expires_at, entries, summary, token, holder, posted)"
                + " values (?, ?, ?, ?, ?, ?, ?, ?, 'queued', ?, ?, ?, ?, 0, 0, 0) returning seq",
            origin.id(),
            origin.agent(),
            origin.client(),
            run.key(),
            run.bodyHash(),
            origin.parent(),
            origin.session(),
            origin.priority(),
            Micros.of(now),
            Micros.of(until),
            run.first().list().size(),
            run.first().summary());
    RunJournal.add(db, seq, 0, run.first().list(), now);
  }

  /**
   * Leases the next runs, after those whose time has come joined the queue.
   *
   * @param holder the token of the process
   */
  List<Lease> claim(Db db, int limit, long holder, Instant now) throws SQLException {
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
            holder);
    return claimed.stream()
        .sorted(
            Comparator.comparingInt(Claimed::priority).reversed().thenComparingLong(Claimed::seq))
        .map(Claimed::lease)
        .toList();
  }
}
