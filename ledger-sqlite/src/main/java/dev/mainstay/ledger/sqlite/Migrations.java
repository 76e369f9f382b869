package dev.mainstay.ledger.sqlite;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.mainstay.ledger.LedgerException;
import dev.mainstay.ledger.sql.HourlyStats;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/**
 * Brings a database file to the newest schema: numbered SQL files, each carried out once and in one
 * transaction with the number it leaves behind in {@code user_version}.
 */
final class Migrations {
  private static final String STATS = "0005_stats.sql";

  /** Of {@code calls.db}. The number is the place in this list, from 1; only ever add to it. */
  static final Migrations CALLS =
      new Migrations(
          List.of(
              "0001_calls.sql",
              "0002_costs.sql",
              "0003_places.sql",
              "0004_runs.sql",
              STATS,
              "0006_text.sql",
              "0007_blocks.sql",
              "0008_run_costs.sql",
              "0009_run_cost_days.sql"));

  /** Of {@code state.db}. */
  static final Migrations STATE =
      new Migrations(
          List.of(
              "state_0001_idempotency.sql",
              "state_0002_budgets.sql",
              "state_0003_alerts.sql",
              "state_0004_kept_calls.sql",
              "state_0005_requests.sql",
              "state_0006_kept_bytes.sql",
              "state_0007_leases.sql",
              "state_0008_runs.sql",
              "state_0009_reports.sql",
              "state_0010_studio.sql",
              "state_0011_sessions.sql",
              "state_0012_provider_objects.sql",
              "state_0013_sign_ins.sql",
              "state_0014_run_summaries.sql"));

  private final List<String> resources;

  Migrations(List<String> resources) {
    this.resources = resources;
  }

  /** The schema that this Mainstay knows. */
  int newest() {
    return resources.size();
  }

  /** What the last file of {@code version} is called. */
  String name(int version) {
    return resources.get(version - 1);
  }

  /** Those that an older Mainstay knew. */
  Migrations upTo(int version) {
    return new Migrations(resources.subList(0, version));
  }

  /**
   * Carries out what is missing.
   *
   * @throws LedgerException where the file was written by a newer Mainstay
   */
  void apply(Connection db) throws SQLException {
    int version = notNewer(db);
    for (int next = version + 1; next <= resources.size(); next++) {
      apply(db, resources.get(next - 1), next);
    }
  }

  /**
   * For who only reads.
   *
   * @throws LedgerException where the file has another schema than this Mainstay's
   */
  void check(Connection db) throws SQLException {
    int version = notNewer(db);
    if (version < resources.size()) {
      throw new LedgerException(
          "this ledger was written by an older Mainstay (schema %d, this one knows %d): start `mainstay serve` on it once, which brings it up to date"
              .formatted(version, resources.size()));
    }
  }

  private int notNewer(Connection db) throws SQLException {
    int version = version(db);
    if (version > resources.size()) {
      throw new LedgerException(
          "this ledger was written by a newer Mainstay (schema %d, this one knows %d): start that one, or name another store"
              .formatted(version, resources.size()));
    }
    return version;
  }

  private static void apply(Connection db, String resource, int number) throws SQLException {
    boolean done = false;
    try (var statement = db.createStatement()) {
      statement.execute("begin immediate");
      for (var part : statements(read(resource))) {
        statement.execute(part);
      }
      if (resource.equals(STATS)) {
        HourlyStats.backfill(db);
      }
      statement.execute("pragma user_version = " + number);
      statement.execute("commit");
      done = true;
    } finally {
      if (!done) {
        SqliteFile.rollBack(db);
      }
    }
  }

  /**
   * The statements of a file: split at each {@code ;}, without comments. A trigger ends with its
   * {@code end}.
   */
  static List<String> statements(String sql) {
    var code = new StringBuilder();
    sql.lines()
        .forEach(
            line -> {
              int comment = line.indexOf("--");
              code.append(comment < 0 ? line : line.substring(0, comment)).append('\n');
            });
    var statements = new ArrayList<String>();
    var open = "";
    for (var part : code.toString().split(";")) {
      var all = (open + part).strip();
      boolean goesOn = all.startsWith("create trigger") && !all.endsWith("end");
      open = goesOn ? all + ";" : "";
      if (!goesOn && !all.isEmpty()) {
        statements.add(all);
      }
    }
    return List.copyOf(statements);
  }

  static int version(Connection db) throws SQLException {
    try (var statement = db.createStatement();
        var row = statement.executeQuery("pragma user_version")) {
      return row.next() ? row.getInt(1) : 0;
    }
  }

  private static String read(String resource) {
    try (var in = Migrations.class.getResourceAsStream(resource)) {
      if (in == null) {
        throw new IllegalStateException("the migration is missing: " + resource);
      }
      return new String(in.readAllBytes(), UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
