package dev.mainstay.ledger.postgres;

import dev.mainstay.ledger.sql.Micros;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/** Calls that are deleted: those beyond the retention, and the oldest where there is no room. */
final class OldCalls {
  /** Calls deleted at a time, so that no batch waits long behind retention. */
  private static final int AT_ONCE = 500;

  private OldCalls() {}

  /** Whether no other gateway is at it, until the transaction ends. */
  static boolean lock(Connection db) throws SQLException {
    try (var statement = db.createStatement();
        var row =
            statement.executeQuery(
                "select pg_try_advisory_xact_lock(" + Migrations.RETENTION_LOCK + ")")) {
      return row.next() && row.getBoolean(1);
    }
  }

  /**
   * Deletes some calls with their attempts.
   *
   * @param oldest time of the calls that are kept
   * @param full whether the oldest of all go as well
   * @return whether there may be more to delete
   */
  static boolean delete(Connection db, Instant oldest, boolean full) throws SQLException {
    int deleted = delete(db, "where started_at < " + Micros.of(oldest));
    if (full) {
      deleted += delete(db, "");
    }
    return deleted >= AT_ONCE;
  }

  private static int delete(Connection db, String which) throws SQLException {
    var old = new ArrayList<Long>();
    try (var statement = db.createStatement()) {
      try (var row =
          statement.executeQuery(
              "select seq from calls %s order by started_at limit %d".formatted(which, AT_ONCE))) {
        while (row.next()) {
          old.add(row.getLong(1));
        }
      }
    }
    for (var table : List.of("attempts where call_seq", "calls where seq")) {
      try (var statement = db.prepareStatement("delete from " + table + " = any(?)")) {
        statement.setArray(1, db.createArrayOf("bigint", old.toArray()));
        statement.executeUpdate();
      }
    }
    return old.size();
  }
}
