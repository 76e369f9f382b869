package dev.mainstay.ledger.sql;

import dev.mainstay.ledger.run.RunStore.Entries;
import dev.mainstay.ledger.run.RunStore.Entry;
import dev.mainstay.ledger.run.RunStore.StoredEntry;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The entries of runs. In transactions of its caller, who knows whether it may write. */
final class RunJournal {
  private RunJournal() {}

  /**
   * @param after the number of the last entry before
   */
  static void add(Db db, long run, long after, List<Entry> entries, Instant now)
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

  static List<StoredEntry> read(Db db, String run, long after, int limit) throws SQLException {
    return db.all(
        "select sequence, at, kind, payload from journal where run = (select seq from runs where id"
            + " = ?) and sequence > ? order by sequence limit ?",
        row ->
            new StoredEntry(
                row.getLong(1),
                Micros.instant(row.getLong(2)),
                new Entry(row.getString(3), row.getBytes(4))),
        run,
        after,
        limit);
  }

  /** Writes other payloads into entries of a run that has ended; whether there is one. */
  static boolean replace(Db db, String run, List<StoredEntry> entries) throws SQLException {
    long seq = db.number("select seq from runs where id = ? and status = 'ended'", run);
    for (var each : entries) {
      db.update(
          "update journal set payload = ? where run = ? and sequence = ?",
          each.entry().payload(),
          seq,
          each.sequence());
    }
    return seq != 0;
  }

  /**
   * Adds the last entries of a run that has ended.
   *
   * @return the number of the run's row; 0 where it has not ended or has another length
   */
  static long end(Db db, String run, long after, Entries last, Instant now) throws SQLException {
    long seq =
        db.number(
            "update runs set entries = entries + ?, summary = coalesce(?, summary) where id = ? and"
                + " status = 'ended' and entries = ? returning seq",
            last.list().size(),
            last.summary(),
            run,
            after);
    if (seq != 0) {
      add(db, seq, after, last.list(), now);
    }
    return seq;
  }
}
