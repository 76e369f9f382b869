package dev.mainstay.ledger.sql;

import dev.mainstay.ledger.run.RunStore;
import dev.mainstay.ledger.run.RunStore.Message;
import dev.mainstay.ledger.run.RunStore.Posted;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What people and programs tell runs. In transactions of its caller. */
final class RunMessages {
  private RunMessages() {}

  /** Tells a run that has not ended. */
  static Posted post(
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

  /** Says what becomes of a run that is a dead letter. */
  static Posted settle(Db db, String run, String kind, byte[] content, String by, Instant now)
      throws SQLException {
    long seq = db.number("select seq from runs where id = ? and outcome = 'dead_letter'", run);
    return seq == 0
        ? new Posted.NoRun()
        : post(db, seq, kind, RunStore.DEAD_LETTER, content, by, now);
  }

  static List<Message> read(Db db, String run, long after, int limit) throws SQLException {
    return db.all(
        RunRows.MESSAGES
            + "where run = (select seq from runs where id = ?) and number > ? order by number limit"
            + " ?",
        RunRows::message,
        run,
        after,
        limit);
  }

  /** Deletes what was said, and leaves that something was. */
  static void empty(Db db, long run) throws SQLException {
    db.update(
        "update run_messages set content = ? where run = ? and kind in ('message', 'resolve')",
        "{}".getBytes(StandardCharsets.UTF_8),
        run);
  }
}
