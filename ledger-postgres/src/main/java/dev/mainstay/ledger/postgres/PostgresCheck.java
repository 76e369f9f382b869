package dev.mainstay.ledger.postgres;

import dev.mainstay.ledger.LedgerException;
import dev.mainstay.ledger.sql.StoreCheck;
import dev.mainstay.ledger.sql.StoreReport;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;

/**
 * Looks a database over: its schema, rows, bodies and instances, and what waits for it on this
 * machine. Changes nothing.
 */
final class PostgresCheck {
  private PostgresCheck() {}

  /**
   * @param spool of the gateways on this machine
   */
  static StoreReport run(String url, Path spool) {
    var report = new StoreReport();
    report.waiting(spool);
    var shown = PostgresConfig.withoutPassword(url);
    try (var db = new PostgresDatabase(url, PostgresState.PATIENCE).openForTables()) {
      db.setReadOnly(true);
      int version = Migrations.version(db);
      if (version == 0) {
        report.problems().add("no ledger in %s: nothing was recorded there yet".formatted(shown));
        return report;
      }
      if (version < Migrations.newest()) {
        report
            .problems()
            .add(
                "%s has schema %d, this Mainstay knows %d: `mainstay serve` brings it up to date"
                    .formatted(shown, version, Migrations.newest()));
        return report;
      }
      // One moment for all questions, also while gateways write.
      db.setAutoCommit(false);
      db.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
      StoreCheck.rows(db, report);
      report.counts().put("bodies", number(db, "select count(*) from bodies"));
      bodies(db, report);
      instances(db, report);
      db.commit();
      return report;
    } catch (SQLException | LedgerException e) {
      report.problems().add("%s cannot be read: %s".formatted(shown, e.getMessage()));
      return report;
    }
  }

  /**
   * A partition that retention dropped takes its bodies with it; one that is there has them all.
   */
  private static void bodies(Connection db, StoreReport report) throws SQLException {
    long missing =
        number(
            db,
            """
            with places as (
              select request as place from calls where request is not null
              union select response from calls where response is not null
              union select request from attempts where request is not null
              union select response from attempts where response is not null)
            select count(*) from places p
            where to_regclass('bodies_' || split_part(p.place, ':', 1)) is not null
              and not exists (select 1 from bodies b
                where b.day = split_part(p.place, ':', 1)::integer
                  and b.id = split_part(p.place, ':', 2)::bigint
                  and length(b.bytes) = split_part(p.place, ':', 3)::bigint)
            """);
    if (missing > 0) {
      report.problems().add(missing + " bodies are missing or have another length");
    }
  }

  private static void instances(Connection db, StoreReport report) throws SQLException {
    var now = "(extract(epoch from clock_timestamp()) * 1000000)::bigint";
    report
        .counts()
        .put(
            "instances_alive",
            number(db, "select count(*) from instances where expires_at >= " + now));
    long dead = number(db, "select count(*) from instances where expires_at < " + now);
    if (dead > 0) {
      report
          .notes()
          .add(dead + " instances have stopped; the next gateway that runs takes over their work");
    }
  }

  private static long number(Connection db, String sql) throws SQLException {
    try (var statement = db.createStatement();
        var row = statement.executeQuery(sql)) {
      return row.next() ? row.getLong(1) : 0;
    }
  }
}
