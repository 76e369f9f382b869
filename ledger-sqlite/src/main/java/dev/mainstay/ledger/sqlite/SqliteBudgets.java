package dev.mainstay.ledger.sqlite;

import dev.mainstay.ledger.state.Budgets;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletionStage;

/** A row an account and period, and one a reservation; all sums are made by the one writer. */
final class SqliteBudgets implements Budgets {
  /** Longer than the longest period, a month, twice over. */
  private static final Duration FORGOTTEN_AFTER = Duration.ofDays(62);

  private static final String ADD =
      "update budgets set spent = spent + ? where account = ? and period = ?";

  private final GroupCommit commits;

  SqliteBudgets(GroupCommit commits) {
    this.commits = commits;
  }

  /** What the last process did not settle counts as spent. */
  static void settleUnsettled(Db db) throws SQLException {
    var left =
        db.all(
            "select account, period, sum(nanos) from reservations group by account, period",
            row -> new Account(row.getString(1), row.getLong(2), row.getLong(3), 0));
    for (var account : left) {
      db.update(ADD, account.spent(), account.account(), account.period());
    }
    db.update("delete from reservations");
  }

  @Override
  public CompletionStage<Reservation> reserve(
      String call, List<Allowance> allowances, long nanos, Instant now) {
    return commits.submit(
        db -> {
          for (var allowance : allowances) {
            var used = used(db, allowance);
            // Subtracting cannot overflow where adding could.
            if (nanos > allowance.nanos() - used.spent() - used.reserved()) {
              return new Reservation.Refused(allowance, used.spent(), used.reserved());
            }
          }
          for (var allowance : allowances) {
            db.update(
                "insert into budgets (account, period, spent, used_at) values (?, ?, 0, ?)"
                    + " on conflict do update set used_at = excluded.used_at",
                allowance.account(),
                allowance.period(),
                Rows.micros(now));
            db.update(
                "insert into reservations (call, account, period, nanos) values (?, ?, ?, ?)"
                    + " on conflict do update set nanos = nanos + excluded.nanos",
                call,
                allowance.account(),
                allowance.period(),
                nanos);
          }
          return new Reservation.Granted();
        });
  }

  private static Account used(Db db, Allowance of) throws SQLException {
    var spent =
        db.first(
            "select spent from budgets where account = ? and period = ?",
            row -> row.getLong(1),
            of.account(),
            of.period());
    var reserved =
        db.first(
            "select coalesce(sum(nanos), 0) from reservations where account = ? and period = ?",
            row -> row.getLong(1),
            of.account(),
            of.period());
    return new Account(
        of.account(), of.period(), spent == null ? 0 : spent, reserved == null ? 0 : reserved);
  }

  @Override
  public CompletionStage<Boolean> settle(String call, long nanos) {
    return commits.submit(
        db -> {
          var reserved =
              db.all(
                  "select account, period from reservations where call = ?",
                  row -> new Account(row.getString(1), row.getLong(2), 0, 0),
                  call);
          for (var account : reserved) {
            db.update(ADD, nanos, account.account(), account.period());
          }
          return db.update("delete from reservations where call = ?", call) > 0;
        });
  }

  @Override
  public CompletionStage<List<Account>> accounts() {
    return commits.submit(
        db ->
            db.all(
                "select account, period, spent, (select coalesce(sum(nanos), 0) from reservations r"
                    + " where r.account = b.account and r.period = b.period) from budgets b"
                    + " order by period desc, account",
                row ->
                    new Account(row.getString(1), row.getLong(2), row.getLong(3), row.getLong(4))));
  }

  void tidy(Db db, Instant now) throws SQLException {
    db.update(
        "delete from budgets where used_at < ? and not exists (select 1 from reservations r where"
            + " r.account = budgets.account and r.period = budgets.period)",
        Rows.micros(now.minus(FORGOTTEN_AFTER)));
  }
}
