package dev.mainstay.ledger.postgres;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.mainstay.ledger.LedgerException;
import dev.mainstay.ledger.sql.HourlyStats;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Brings a database to the newest schema: numbered SQL files, each carried out once and in one
 * transaction with its number. Gateways that start together do it one after the other.
 */
final class Migrations {
  private static final Logger LOG = LoggerFactory.getLogger(Migrations.class);

  private static final String STATS = "0004_stats.sql";

  /** The number is the place in this list, from 1; only ever add to it. */
  private static final List<String> FILES =
      List.of(
          "0001_state.sql",
          "0002_calls.sql",
          "0003_reports.sql",
          STATS,
          "0005_studio.sql",
          "0006_sessions.sql",
          "0007_text.sql",
          "0008_provider_objects.sql",
          "0009_sign_ins.sql",
          "0010_blocks.sql",
          "0011_run_costs.sql",
          "0012_run_cost_days.sql",
          "0013_run_summaries.sql");

  /** Any number, the same in all versions. */
  private static final long LOCK = 0x6d61696e73746179L;

  static final long RETENTION_LOCK = LOCK + 1;
  static final long PARTITION_LOCK = LOCK + 2;

  private Migrations() {}

  /** The schema that this Mainstay knows. */
  static int newest() {
    return FILES.size();
  }

  /**
   * Carries out what is missing.
   *
   * @throws LedgerException where the database was written by a newer Mainstay
   */
  static void apply(Connection db) throws SQLException {
    apply(db, newest());
  }

  /** As an older Mainstay did, which knew {@code newest} of them. */
  static void apply(Connection db, int newest) throws SQLException {
    if (version(db) == newest) {
      return;
    }
    db.setAutoCommit(false);
    try (var statement = db.createStatement()) {
      // Until the gateway that is at it is done.
      statement.execute("set local lock_timeout = 0");
      statement.execute("select pg_advisory_xact_lock(" + LOCK + ")");
      statement.execute(
          "create table if not exists mainstay_schema (version integer not null, applied_at"
              + " timestamptz not null default now())");
      int from = version(db);
      if (from > 0 && from < newest) {
        LOG.info(
            "Mainstay brings the database from schema {} to {}; large tables take minutes",
            from,
            newest);
      }
      for (int next = from + 1; next <= newest; next++) {
        var file = FILES.get(next - 1);
        statement.execute(read(file));
        if (file.equals(STATS)) {
          HourlyStats.backfill(db);
        }
        statement.execute("insert into mainstay_schema (version) values (" + next + ")");
      }
      db.commit();
    } catch (SQLException | RuntimeException e) {
      try {
        db.rollback();
      } catch (SQLException broken) {
        // The server has rolled back when the connection broke: what matters is why.
        e.addSuppressed(broken);
      }
      throw e;
    }
    db.setAutoCommit(true);
  }

  /**
   * The schema of the database; 0 where there is none.
   *
   * @throws LedgerException where the database was written by a newer Mainstay
   */
  static int version(Connection db) throws SQLException {
    try (var statement = db.createStatement()) {
      try (var there =
          statement.executeQuery("select to_regclass('mainstay_schema') is not null")) {
        if (!there.next() || !there.getBoolean(1)) {
          return 0;
        }
      }
      try (var row =
          statement.executeQuery("select coalesce(max(version), 0) from mainstay_schema")) {
        int version = row.next() ? row.getInt(1) : 0;
        if (version > newest()) {
          throw new LedgerException(
              "this database was written by a newer Mainstay (schema %d, this one knows %d): start that one, or name another store"
                  .formatted(version, newest()));
        }
        return version;
      }
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
