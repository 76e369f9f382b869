package dev.mainstay.ledger.sql;

import dev.mainstay.ledger.run.RunStore;
import dev.mainstay.ledger.run.RunStore.Notice;
import dev.mainstay.ledger.state.AlertLog;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

/** The ends of runs that Mainstay still has to post to a URL. In transactions of its caller. */
final class RunNotices {
  /** What a try to post an end may take. */
  private static final Duration PATIENCE = Duration.ofSeconds(20);

  private record Due(long seq, Notice notice) {}

  private final String due;

  RunNotices(Database database) {
    due =
        "select n.run, r.id, n.url, n.tries from run_notices n join runs r on r.seq = n.run where"
            + " n.due_at <= ? order by n.due_at limit ?"
            + database.skipLocked();
  }

  static void add(Db db, String run, String url, Instant now) throws SQLException {
    db.update(
        "insert into run_notices (run, url, tries, due_at) select seq, ?, 0, ? from runs where id ="
            + " ?",
        url,
        Micros.of(now),
        run);
  }

  /** Those to post now; each is due again when its try has taken too long. */
  List<Notice> due(Db db, int limit, Instant now) throws SQLException {
    db.update(
        "delete from run_notices where tries >= ? and due_at <= ?",
        RunStore.MOST_NOTICES,
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
  }

  /** Whether one was still to be posted. */
  static boolean posted(Db db, String run) throws SQLException {
    return db.update("delete from run_notices where run = (select seq from runs where id = ?)", run)
        > 0;
  }
}
