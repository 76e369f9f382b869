package dev.mainstay.ledger.sql;

import dev.mainstay.ledger.run.CallRun;
import dev.mainstay.ledger.state.FailureCases;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** A row for each case, and one for each note. */
final class SqlFailureCases implements FailureCases {
  private static final String READ =
      "select id, rule, verdict, target, message, reason, count, first_seen, last_seen, last_call,"
          + " closed_at from failure_cases ";

  private final GroupCommit commits;

  SqlFailureCases(GroupCommit commits) {
    this.commits = commits;
  }

  @Override
  public CompletionStage<Integer> seen(List<Case> cases) {
    // In one order for all, so that two gateways that add to the same rows never deadlock.
    var ordered = cases.stream().sorted(Comparator.comparing(Case::id)).toList();
    return commits.write(
        db -> {
          boolean full = db.number("select count(*) from failure_cases") >= MOST;
          int added = 0;
          for (var each : ordered) {
            added += full ? grow(db, each) : add(db, each);
          }
          return added;
        });
  }

  private static int add(Db db, Case of) throws SQLException {
    var failure = of.failure();
    var seen = of.seen();
    return db.update(
        "insert into failure_cases (id, rule, verdict, target, message, reason, count, first_seen,"
            + " last_seen, last_call) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) on conflict (id) do"
            + " update set count = failure_cases.count + excluded.count, target = excluded.target,"
            + " reason = excluded.reason, last_seen = excluded.last_seen, last_call ="
            + " excluded.last_call",
        of.id(),
        failure.rule(),
        failure.verdict(),
        failure.target(),
        failure.message(),
        failure.reason(),
        seen.count(),
        Micros.of(seen.firstSeen()),
        Micros.of(seen.lastSeen()),
        seen.lastCall());
  }

  private static int grow(Db db, Case of) throws SQLException {
    var seen = of.seen();
    return db.update(
        "update failure_cases set count = count + ?, last_seen = ?, last_call = ? where id = ?",
        seen.count(),
        Micros.of(seen.lastSeen()),
        seen.lastCall(),
        of.id());
  }

  @Override
  public CompletionStage<List<Case>> page(CallRun.@Nullable Place behind, int limit) {
    long last = behind == null ? Long.MAX_VALUE : Micros.of(behind.at());
    var id = behind == null ? "" : behind.run();
    return commits.read(
        db ->
            db.all(
                READ
                    + "where last_seen <= ? and (last_seen < ? or id > ?) order by last_seen desc,"
                    + " id limit ?",
                SqlFailureCases::read,
                last,
                last,
                id,
                limit));
  }

  @Override
  public CompletionStage<List<Case>> find(String id) {
    return commits.read(db -> db.all(READ + "where id = ?", SqlFailureCases::read, id));
  }

  private static Case read(ResultSet row) throws SQLException {
    long closed = row.getLong(11);
    return new Case(
        row.getString(1),
        new Failure(
            row.getString(2),
            row.getString(3),
            row.getString(4),
            row.getString(5),
            row.getString(6)),
        new Occurrences(
            row.getLong(7),
            Micros.instant(row.getLong(8)),
            Micros.instant(row.getLong(9)),
            row.getString(10)),
        closed == 0 ? null : Micros.instant(closed));
  }

  @Override
  public CompletionStage<Boolean> close(String id, @Nullable Instant at) {
    return commits.write(
        db ->
            db.update(
                    "update failure_cases set closed_at = ? where id = ?",
                    at == null ? 0L : Micros.of(at),
                    id)
                > 0);
  }

  @Override
  public CompletionStage<Boolean> note(String id, Note note) {
    return commits.write(
        db ->
            db.update(
                    "insert into case_notes (failure_case, at, author, content)"
                        + " select id, ?, ?, ? from failure_cases where id = ?",
                    Micros.of(note.at()),
                    note.by(),
                    note.text(),
                    id)
                > 0);
  }

  @Override
  public CompletionStage<List<Note>> notes(String id) {
    return commits.read(
        db ->
            db.all(
                "select at, author, content from case_notes where failure_case = ? order by number",
                row -> new Note(Micros.instant(row.getLong(1)), row.getString(2), row.getString(3)),
                id));
  }
}
