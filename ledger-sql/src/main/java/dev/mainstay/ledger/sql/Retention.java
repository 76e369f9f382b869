package dev.mainstay.ledger.sql;

import dev.mainstay.ledger.state.SignIns;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/**
 * How long each row of the state is kept. Old rows go some at a time, so that no other operation
 * waits long behind them; rows that another process has in hand are left to it.
 */
final class Retention {
  private static final Duration MONTH = Duration.ofDays(30);

  /** The time of the hourly sums: what people look back on together with them. */
  private static final Duration YEAR = HourlyStats.KEPT;

  /** Small rows of one table in one transaction. */
  private static final int SMALL = 500;

  /** Rows with bodies or parts in one transaction. */
  private static final int LARGE = 100;

  /** Runs in one transaction, each with its journal. */
  private static final int RUNS = 20;

  /**
   * One table's rows.
   *
   * @param old names those to delete next; its value is the oldest time that is kept
   * @param parts delete what goes with one row, and the row, by its name; empty where nothing does
   *     and {@code old} deletes all rows at once
   */
  private record OldRows(String old, List<String> parts, int atOnce, Supplier<Duration> kept) {
    boolean delete(Db db, Instant now) throws SQLException {
      long oldest = Micros.of(now.minus(kept.get()));
      if (parts.isEmpty()) {
        return db.update(old, oldest) == atOnce;
      }
      var names = db.all(old, row -> row.getObject(1), oldest);
      for (var name : names) {
        for (var part : parts) {
          db.update(part, name);
        }
      }
      return names.size() == atOnce;
    }
  }

  private final Database database;
  private final List<OldRows> tables = new ArrayList<>();

  /**
   * @param runs how long runs are kept after their end
   */
  Retention(Database database, Supplier<Duration> runs) {
    this.database = database;
    keep("idempotency", "id", "expires_at <= ?", SMALL, () -> Duration.ZERO);
    keep("kept_calls", "seq", "expires_at <= ? and stand <> 'running'", LARGE, () -> Duration.ZERO);
    // The longest period of a budget is a month; what is reserved of it may still be settled.
    keep(
        "budgets b",
        "(account, period)",
        "used_at < ? and not exists (select 1 from reservations r where r.account = b.account and"
            + " r.period = b.period)",
        SMALL,
        () -> Duration.ofDays(62));
    keep("alerts", "seq", "raised_at < ?", SMALL, () -> MONTH);
    keep("alert_causes", "cause", "raised_at < ?", SMALL, () -> MONTH);
    keep("run_reports", "number", "at < ?", SMALL, () -> MONTH);
    keep("sign_ins", "digest", "expires_at <= ?", SMALL, () -> Duration.ZERO);
    keep("sign_in_tries", "number", "at < ?", SMALL, () -> SignIns.WINDOW);
    keep("audit_log", "number", "at < ?", SMALL, () -> YEAR);
    keep(
        "evaluations",
        "number",
        "at < ?",
        LARGE,
        () -> YEAR,
        "evaluation_metrics where evaluation");
    keep(
        "failure_cases", "id", "last_seen < ?", LARGE, () -> YEAR, "case_notes where failure_case");
    // A run that has not ended may still read what the runs that it started have come to.
    keep(
        "runs r",
        "seq",
        "status = 'ended' and ended_at < ? and not exists (select 1 from runs p where p.id ="
            + " r.parent and p.status <> 'ended')",
        RUNS,
        runs,
        "journal where run",
        "run_messages where run",
        "run_notices where run");
  }

  /**
   * @param table with its alias, where the condition needs one
   * @param key the column that names a row, or several in parentheses
   * @param parts what goes with each row, {@code "table where column"}
   */
  private void keep(
      String table,
      String key,
      String condition,
      int atOnce,
      Supplier<Duration> kept,
      String... parts) {
    var old =
        "select %s from %s where %s limit %d%s"
            .formatted(key.replaceAll("[()]", ""), table, condition, atOnce, database.skipLocked());
    var rows = "delete from %s where %s".formatted(table.split(" ")[0], key);
    if (parts.length == 0) {
      tables.add(new OldRows(rows + " in (" + old + ")", List.of(), atOnce, kept));
    } else {
      var deletes = new ArrayList<String>();
      for (var part : parts) {
        deletes.add("delete from " + part + " = ?");
      }
      deletes.add(rows + " = ?");
      tables.add(new OldRows(old, deletes, atOnce, kept));
    }
  }

  /** Deletes some of what is old; whether there is more. */
  boolean delete(Db db, Instant now) throws SQLException {
    boolean more = false;
    for (var each : tables) {
      more |= each.delete(db, now);
    }
    return more;
  }
}
