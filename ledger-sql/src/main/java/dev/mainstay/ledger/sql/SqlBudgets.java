package dev.mainstay.ledger.sql;

import dev.mainstay.ledger.state.Budgets;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;

/** A row an account and period, and one a reservation; all sums are made by the one writer. */
final class SqlBudgets implements Budgets {

  private static final String ADD =
      "update budgets set spent = spent + ? where account = ? and period = ?";

  private final GroupCommit commits;
  private final Registration me;

  /** Of each call that has reserved: what a settlement changes. */
  private final ConcurrentHashMap<String, String[]> locks = new ConcurrentHashMap<>();

  SqlBudgets(GroupCommit commits, Registration me) {
    this.commits = commits;
    this.me = me;
  }

  /** What a process did not settle counts as spent. */
  static void takeOver(Db db, long token) throws SQLException {
    var left =
        db.all(
            "select account, period, sum(nanos) from reservations where holder = ? group by"
                + " account, period order by account, period",
            row -> new Account(row.getString(1), row.getLong(2), row.getLong(3), 0),
            token);
    for (var account : left) {
      db.update(ADD, account.spent(), account.account(), account.period());
    }
    db.update("delete from reservations where holder = ?", token);
  }

  private static String[] locks(List<Allowance> allowances) {
    return allowances.stream()
        .map(allowance -> "budget " + allowance.account() + ' ' + allowance.period())
        .toArray(String[]::new);
  }

  @Override
  public CompletionStage<Reservation> reserve(
      String call, List<Allowance> allowances, long nanos, Instant now) {
    var names = locks(allowances);
    boolean first = locks.putIfAbsent(call, names) == null;
    return commits
        .<Reserved>write(
            db -> {
              for (var allowance : allowances) {
                var used = used(db, allowance);
                // Subtracting cannot overflow where adding could.
                if (nanos > allowance.nanos() - used.spent() - used.reserved()) {
                  return new Reserved(
                      new Reservation.Refused(allowance, used.spent(), used.reserved()), List.of());
                }
              }
              var sums = new ArrayList<Long>();
              for (var allowance : allowances) {
                sums.add(reserve(db, call, allowance, nanos, now));
              }
              return new Reserved(new Reservation.Granted(), sums);
            },
            (db, done) -> giveBack(db, call, allowances, nanos, done.sums()),
            names)
        .thenApply(Reserved::answer)
        .whenComplete(
            (reservation, failed) -> {
              if (first && !(reservation instanceof Reservation.Granted)) {
                locks.remove(call);
              }
            });
  }

  /**
   * @param sums what the call has reserved of each allowance then; empty where it was refused
   */
  private record Reserved(Reservation answer, List<Long> sums) {}

  /** What the call has reserved of the allowance now. */
  private long reserve(Db db, String call, Allowance of, long nanos, Instant now)
      throws SQLException {
    db.update(
        "insert into budgets (account, period, spent, used_at) values (?, ?, 0, ?)"
            + " on conflict (account, period) do update set used_at = excluded.used_at",
        of.account(),
        of.period(),
        Micros.of(now));
    return db.number(
        "insert into reservations (call, account, period, nanos, holder) values (?, ?, ?, ?, ?)"
            + " on conflict (call, account, period) do update set nanos = reservations.nanos +"
            + " excluded.nanos, holder = excluded.holder returning nanos",
        call,
        of.account(),
        of.period(),
        nanos,
        me.token());
  }

  /**
   * Undoes a reservation that its call does not know of. A sum that is another one was not
   * committed, or was reserved upon since.
   */
  private void giveBack(Db db, String call, List<Allowance> allowances, long nanos, List<Long> sums)
      throws SQLException {
    for (int i = 0; i < sums.size(); i++) {
      var of = allowances.get(i);
      db.update(
          "update reservations set nanos = nanos - ? where call = ? and account = ? and period = ?"
              + " and holder = ? and nanos = ?",
          nanos,
          call,
          of.account(),
          of.period(),
          me.token(),
          sums.get(i));
    }
    db.update("delete from reservations where call = ? and nanos = 0", call);
  }

  /** One query, so that what is spent and what is reserved are of one moment. */
  private static Account used(Db db, Allowance of) throws SQLException {
    var used =
        db.first(
            "select (select spent from budgets where account = ? and period = ?), (select"
                + " sum(nanos) from reservations where account = ? and period = ?)",
            row -> new Account(of.account(), of.period(), row.getLong(1), row.getLong(2)),
            of.account(),
            of.period(),
            of.account(),
            of.period());
    return used == null ? new Account(of.account(), of.period(), 0, 0) : used;
  }

  @Override
  public CompletionStage<Boolean> settle(String call, long nanos) {
    var names = locks.remove(call);
    return commits.mustArrive(
        db -> {
          var reserved =
              db.all(
                  "delete from reservations where call = ? and holder = ? returning account,"
                      + " period",
                  row -> new Account(row.getString(1), row.getLong(2), 0, 0),
                  call,
                  me.token());
          for (var account : reserved) {
            db.update(ADD, nanos, account.account(), account.period());
          }
          return !reserved.isEmpty();
        },
        0,
        names == null ? new String[0] : names);
  }

  @Override
  public CompletionStage<List<Account>> accounts() {
    return commits.read(
        db ->
            db.all(
                "select account, period, spent, (select coalesce(sum(nanos), 0) from reservations r"
                    + " where r.account = b.account and r.period = b.period) from budgets b"
                    + " order by period desc, account",
                row ->
                    new Account(row.getString(1), row.getLong(2), row.getLong(3), row.getLong(4))));
  }
}
