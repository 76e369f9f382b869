package dev.mainstay.ledger.sqlite;

import dev.mainstay.ledger.state.AlertLog;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** Alerts, one row each, and how many of a cause were throttled. */
final class SqliteAlerts implements AlertLog {
  private static final Duration KEPT = Duration.ofDays(30);
  private static final String COLUMNS =
      "select id, cause, kind, message, raised_at, suppressed, delivery, tries, next_at, trouble"
          + " from alerts ";

  private final GroupCommit commits;

  SqliteAlerts(GroupCommit commits) {
    this.commits = commits;
  }

  @Override
  public CompletionStage<Boolean> raise(
      String id,
      String cause,
      String kind,
      String message,
      int suppressed,
      Instant now,
      Duration throttle) {
    return commits.submit(
        db -> {
          int throttled =
              db.update(
                  // One that is yet to come is from before the clock was set back.
                  "update alert_causes set suppressed = suppressed + ? where cause = ? and"
                      + " raised_at > ? and raised_at <= ?",
                  suppressed + 1,
                  cause,
                  Rows.micros(now.minus(throttle)),
                  Rows.micros(now));
          if (throttled > 0) {
            return false;
          }
          var before =
              db.first(
                  "select suppressed from alert_causes where cause = ?",
                  row -> row.getInt(1),
                  cause);
          db.update(
              "insert or replace into alert_causes (cause, raised_at, suppressed) values (?, ?, 0)",
              cause,
              Rows.micros(now));
          db.update(
              "insert into alerts (id, cause, kind, message, raised_at, suppressed, delivery,"
                  + " tries, next_at) values (?, ?, ?, ?, ?, ?, 'pending', 0, ?)",
              id,
              cause,
              kind,
              message,
              Rows.micros(now),
              suppressed + (before == null ? 0 : before),
              Rows.micros(now));
          return true;
        });
  }

  @Override
  public CompletionStage<List<Alert>> due(Instant now, int limit) {
    return commits.submit(
        db ->
            db.all(
                // One that is further off than its pause was noted before the clock was set back.
                COLUMNS
                    + "where next_at <= ?1 or next_at > ?1 + case tries when 0 then 0 else"
                    + " (1 << (2 * (tries - 1))) * 1000000 end order by next_at, seq limit ?2",
                SqliteAlerts::read,
                Rows.micros(now),
                limit));
  }

  @Override
  public CompletionStage<List<Instant>> next() {
    return commits.submit(
        db ->
            db.all(
                "select next_at from alerts where next_at is not null order by next_at limit 1",
                row -> Rows.instant(row.getLong(1))));
  }

  @Override
  public CompletionStage<Boolean> delivered(String id) {
    return commits.submit(
        db ->
            db.update(
                    "update alerts set delivery = 'delivered', tries = tries + 1, next_at = null,"
                        + " trouble = null where id = ?",
                    id)
                > 0);
  }

  @Override
  public CompletionStage<Boolean> failed(String id, @Nullable Instant nextAt, String trouble) {
    return commits.submit(
        db ->
            db.update(
                    "update alerts set delivery = ?, tries = tries + 1, next_at = ?, trouble = ?"
                        + " where id = ?",
                    nextAt == null ? "failed" : "pending",
                    nextAt == null ? null : (Long) Rows.micros(nextAt),
                    trouble,
                    id)
                > 0);
  }

  @Override
  public CompletionStage<List<Alert>> newest(int limit) {
    return commits.submit(
        db -> db.all(COLUMNS + "order by seq desc limit ?", SqliteAlerts::read, limit));
  }

  private static Alert read(ResultSet row) throws SQLException {
    long next = row.getLong(9);
    boolean none = row.wasNull();
    return new Alert(
        row.getString(1),
        row.getString(2),
        row.getString(3),
        row.getString(4),
        Rows.instant(row.getLong(5)),
        row.getInt(6),
        Delivery.valueOf(row.getString(7).toUpperCase(Locale.ROOT)),
        row.getInt(8),
        none ? null : Rows.instant(next),
        row.getString(10));
  }

  void tidy(Db db, Instant now) throws SQLException {
    var oldest = Rows.micros(now.minus(KEPT));
    db.update("delete from alerts where raised_at < ?", oldest);
    db.update("delete from alert_causes where raised_at < ?", oldest);
  }
}
