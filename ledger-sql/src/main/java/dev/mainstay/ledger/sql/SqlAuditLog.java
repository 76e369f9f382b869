package dev.mainstay.ledger.sql;

import dev.mainstay.ledger.state.AuditLog;
import java.util.List;
import java.util.concurrent.CompletionStage;

/** A row for each thing that a person did. */
final class SqlAuditLog implements AuditLog {

  private final GroupCommit commits;

  SqlAuditLog(GroupCommit commits) {
    this.commits = commits;
  }

  @Override
  public CompletionStage<Long> add(Entry entry) {
    return commits.write(
        db ->
            db.number(
                "insert into audit_log (at, who, role, action, origin) values (?, ?, ?, ?, ?)"
                    + " returning number",
                Micros.of(entry.at()),
                entry.who(),
                entry.role(),
                entry.action(),
                entry.from()));
  }

  @Override
  public CompletionStage<List<Entry>> page(long before, int limit) {
    return commits.read(
        db ->
            db.all(
                "select number, at, who, role, action, origin from audit_log where number < ? order"
                    + " by number desc limit ?",
                row ->
                    new Entry(
                        row.getLong(1),
                        Micros.instant(row.getLong(2)),
                        row.getString(3),
                        row.getString(4),
                        row.getString(5),
                        row.getString(6)),
                before,
                limit));
  }
}
