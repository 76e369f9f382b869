package dev.mainstay.ledger.sql;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** What must hold between the rows of a store, whichever database keeps them. */
public final class StoreCheck {

  /**
   * A question whose answer is a number of rows.
   *
   * @param tables that it reads; asked where all of them are in one database
   * @param words what these rows are, behind their number
   */
  private record Rule(Set<String> tables, String sql, String words) {}

  private static final List<Rule> PROBLEMS =
      List.of(
          new Rule(
              Set.of("attempts", "calls"),
              "select count(*) from attempts a where not exists"
                  + " (select 1 from calls c where c.seq = a.call_seq)",
              "attempts belong to no call"),
          new Rule(
              Set.of("run_costs", "run_cost_days"),
              "select count(*) from run_costs r where r.calls < (select sum(d.calls) from"
                  + " run_cost_days d where d.run = r.run)",
              "runs have fewer calls than their days"),
          new Rule(
              Set.of("runs", "journal"),
              "select count(*) from runs r where exists (select 1 from (select count(*) as entries,"
                  + " coalesce(max(sequence), 0) as last from journal j where j.run = r.seq) j"
                  + " where j.entries <> r.entries or j.last <> r.entries)",
              "runs lack entries of their journal, or have too many"),
          new Rule(
              Set.of("runs", "journal"),
              "select count(distinct j.run) from journal j where not exists"
                  + " (select 1 from runs r where r.seq = j.run)",
              "journals belong to no run"),
          new Rule(
              Set.of("runs", "run_messages"),
              "select count(*) from run_messages m where not exists"
                  + " (select 1 from runs r where r.seq = m.run)",
              "messages belong to no run"),
          new Rule(
              Set.of("runs"),
              "select count(*) from runs where (status = 'ended') <> (outcome is not null)",
              "runs have ended without an outcome, or have an outcome and go on"),
          new Rule(
              Set.of("kept_bytes", "kept_calls", "idempotency"),
              "select case when (select coalesce(sum(owed + done), 0) from kept_bytes) ="
                  + " (select coalesce(sum(bytes), 0) from kept_calls)"
                  + " + (select coalesce(sum(bytes), 0) from idempotency) then 0 else 1 end",
              "sum of kept bytes differs from what is kept"));

  private static final List<Rule> ORPHANS =
      List.of(
          orphans("idempotency", "status is null", "idempotency keys without an answer"),
          orphans("reservations", "true", "reservations of money"),
          orphans("kept_calls", "stand = 'running'", "kept calls"),
          orphans("alerts", "next_at is not null", "alerts"),
          orphans("runs", "status = 'running'", "runs"));

  private StoreCheck() {}

  private static Rule orphans(String table, String where, String words) {
    return new Rule(
        Set.of(table, "instances"),
        "select count(*) from %s t where %s and holder <> 0 and not exists (select 1 from instances i where i.token = t.holder)"
            .formatted(table, where),
        words + " are leased to an instance that is gone");
  }

  /** Counts the rows of a database and holds them against each other. */
  public static void rows(Connection db, StoreReport report) throws SQLException {
    report.counts().putAll(StoreTables.counts(db));
    var tables = new HashSet<>(StoreTables.of(db));
    if (tables.contains("runs")) {
      tables.addAll(Set.of("instances", "kept_bytes"));
    }
    for (var rule : PROBLEMS) {
      ask(db, tables, rule, report.problems());
    }
    for (var rule : ORPHANS) {
      ask(db, tables, rule, report.problems());
    }
  }

  private static void ask(Connection db, Set<String> tables, Rule rule, List<String> to)
      throws SQLException {
    if (tables.containsAll(rule.tables())) {
      long found = StoreTables.number(db, rule.sql());
      if (found > 0) {
        to.add(found + " " + rule.words());
      }
    }
  }
}
