package dev.mainstay.ledger.sql;

import dev.mainstay.ledger.run.CallRun;
import dev.mainstay.ledger.run.RunReports;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** A row for each report. */
final class SqlRunReports implements RunReports {
  private static final String READ =
      "select number, client, run, at, id, type, content from run_reports ";

  private final GroupCommit commits;

  SqlRunReports(GroupCommit commits) {
    this.commits = commits;
  }

  @Override
  public CompletionStage<Added> add(CallRun.Id run, Report report, Instant now) {
    return commits.write(
        db -> add(db, run, report, now), "reports " + run.client() + ' ' + run.run());
  }

  private static Added add(Db db, CallRun.Id run, Report report, Instant now) throws SQLException {
    var before =
        db.first(
            READ + "where client = ? and run = ? and (id = ? or (type = 'end' and ? = 'end'))",
            SqlRunReports::stored,
            run.client(),
            run.run(),
            report.id(),
            report.type());
    if (before != null) {
      return same(before.report(), report)
          ? new Added.Known(before.number())
          : new Added.Conflict(before);
    }
    long count =
        db.number(
            "select count(*) from run_reports where client = ? and run = ?",
            run.client(),
            run.run());
    if (count >= MOST) {
      return new Added.Full();
    }
    return new Added.Taken(
        db.number(
            "insert into run_reports (client, run, at, id, type, content) values (?, ?, ?, ?, ?,"
                + " ?) returning number",
            run.client(),
            run.run(),
            Micros.of(now),
            report.id(),
            report.type(),
            report.content()));
  }

  private static boolean same(Report a, Report b) {
    return a.id().equals(b.id())
        && a.type().equals(b.type())
        && Arrays.equals(a.content(), b.content());
  }

  private static Stored stored(ResultSet row) throws SQLException {
    return new Stored(
        row.getLong(1),
        new CallRun.Id(row.getString(2), row.getString(3)),
        Micros.instant(row.getLong(4)),
        new Report(row.getString(5), row.getString(6), row.getBytes(7)));
  }

  @Override
  public CompletionStage<List<Stored>> read(CallRun.Id run, long after, int limit) {
    return commits.read(
        db ->
            db.all(
                READ + "where client = ? and run = ? and number > ? order by number limit ?",
                SqlRunReports::stored,
                run.client(),
                run.run(),
                after,
                limit));
  }

  @Override
  public CompletionStage<List<Stored>> ends(Collection<CallRun.Id> runs) {
    if (runs.isEmpty()) {
      return CompletableFuture.completedStage(List.of());
    }
    var names = InList.of(runs.stream().map(CallRun.Id::run).toList());
    return commits
        .read(
            db ->
                db.all(
                    READ + "where type = 'end' and run in " + names.places(),
                    SqlRunReports::stored,
                    names.values().toArray()))
        .thenApply(ends -> ends.stream().filter(each -> runs.contains(each.run())).toList());
  }
}
