package dev.mainstay.ledger.sql;

import dev.mainstay.ledger.state.AlertLog;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/** Alerts, one row each, and how many of a cause were throttled. */
final class SqlAlerts implements AlertLog {
  private static final String COLUMNS =
      "select id, cause, kind, message, raised_at, suppressed, delivery, tries, next_at, trouble"
          + " from alerts ";

  private static final String BEHIND = "where seq < (select seq from alerts where id = ?) ";

  private static final String MINE =
      "update alerts set delivery = ?, tries = tries + 1, next_at = ?, trouble = ?, holder = 0"
          + " where id = ? and holder = ?";

  private final GroupCommit commits;
  private final Registration me;
  private final String lease;
  private final List<Runnable> listeners = new CopyOnWriteArrayList<>();

  SqlAlerts(GroupCommit commits, Registration me, Database database) {
    this.commits = commits;
    this.me = me;
    lease =
        // One that is further off than its pause was noted before the clock was set back.
        "with due as (select seq from alerts where (next_at <= ? or next_at > ? + case tries when 0"
            + " then 0 else (cast(1 as bigint) << (2 * (tries - 1))) * 1000000 end) and holder in"
            + " (0, ?) order by next_at, seq limit ?"
            + database.skipLocked()
            + ") update alerts set holder = ? where seq in (select seq from due)";
  }

  /** What a process was delivering waits for another one. */
  static void takeOver(Db db, long token) throws SQLException {
    db.update("update alerts set holder = 0 where holder = ?", token);
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
    return commits.write(
        db -> {
          int throttled =
              db.update(
                  // One that is yet to come is from before the clock was set back.
                  "update alert_causes set suppressed = suppressed + ? where cause = ? and"
                      + " raised_at > ? and raised_at <= ?",
                  suppressed + 1,
                  cause,
                  Micros.of(now.minus(throttle)),
                  Micros.of(now));
          if (throttled > 0) {
            return false;
          }
          var before =
              db.first(
                  "select suppressed from alert_causes where cause = ?",
                  row -> row.getInt(1),
                  cause);
          db.update(
              "insert into alert_causes (cause, raised_at, suppressed) values (?, ?, 0) on conflict"
                  + " (cause) do update set raised_at = excluded.raised_at, suppressed = 0",
              cause,
              Micros.of(now));
          db.update(
              "insert into alerts (id, cause, kind, message, raised_at, suppressed, delivery,"
                  + " tries, next_at) values (?, ?, ?, ?, ?, ?, 'pending', 0, ?)",
              id,
              cause,
              kind,
              message,
              Micros.of(now),
              suppressed + (before == null ? 0 : before),
              Micros.of(now));
          return true;
        },
        "alert " + cause);
  }

  @Override
  public CompletionStage<List<Alert>> due(Instant now, int limit) {
    return commits.write(
        db -> {
          long at = Micros.of(now);
          if (db.update(lease, at, at, me.token(), limit, me.token()) == 0) {
            return List.of();
          }
          return db.all(
              COLUMNS + "where holder = ? order by next_at, seq", SqlAlerts::read, me.token());
        },
        (db, leased) -> {
          for (var each : leased) {
            db.update(
                "update alerts set holder = 0 where id = ? and holder = ?", each.id(), me.token());
          }
        },
        me.claims());
  }

  @Override
  public CompletionStage<List<Instant>> next() {
    return commits.read(
        db ->
            db.all(
                "select next_at from alerts where next_at is not null and holder in (0, ?) order by"
                    + " next_at limit 1",
                row -> Micros.instant(row.getLong(1)),
                me.token()));
  }

  @Override
  public void onLeftBehind(Runnable listener) {
    listeners.add(listener);
  }

  /** Alerts may wait that another process had in hand. */
  void leftBehind() {
    listeners.forEach(Runnable::run);
  }

  @Override
  public CompletionStage<Boolean> delivered(String id) {
    return commits.mustArrive(
        db -> db.update(MINE, "delivered", null, null, id, me.token()) > 0, id.length());
  }

  @Override
  public CompletionStage<Boolean> failed(String id, @Nullable Instant nextAt, String trouble) {
    var next = nextAt == null ? null : (Long) Micros.of(nextAt);
    return commits.mustArrive(
        db ->
            db.update(MINE, next == null ? "failed" : "pending", next, trouble, id, me.token()) > 0,
        id.length() + trouble.length());
  }

  @Override
  public CompletionStage<List<Alert>> page(@Nullable String before, int limit) {
    var sql = COLUMNS + (before == null ? "" : BEHIND) + "order by seq desc limit ?";
    return commits.read(
        db ->
            before == null
                ? db.all(sql, SqlAlerts::read, limit)
                : db.all(sql, SqlAlerts::read, CallRows.kept(before), limit));
  }

  private static Alert read(ResultSet row) throws SQLException {
    long next = row.getLong(9);
    boolean none = row.wasNull();
    return new Alert(
        row.getString(1),
        row.getString(2),
        row.getString(3),
        row.getString(4),
        Micros.instant(row.getLong(5)),
        row.getInt(6),
        new Delivery(
            DeliveryState.valueOf(row.getString(7).toUpperCase(Locale.ROOT)),
            row.getInt(8),
            none ? null : Micros.instant(next),
            row.getString(10)));
  }
}
