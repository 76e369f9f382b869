package dev.mainstay.ledger.postgres;

import dev.mainstay.ledger.LedgerException;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * The days of {@code bodies} and of {@code call_text}, the words in them, each a table of its own.
 * Of one connection and its thread.
 */
final class BodyPartitions {
  private static final long SECONDS_A_DAY = 86_400;
  private static final List<String> TABLES = List.of("bodies", "call_text");

  private final Connection db;
  private final Set<Integer> open = new HashSet<>();
  private boolean full;

  BodyPartitions(Connection db) {
    this.db = db;
  }

  static int day(Instant time) {
    return Math.toIntExact(Math.floorDiv(time.getEpochSecond(), SECONDS_A_DAY));
  }

  /** Whether today's bodies alone take all the room there is: no more are kept for now. */
  boolean full() {
    return full;
  }

  /** Makes the table of a day where there is none. */
  void open(int day) throws SQLException {
    if (open.contains(day)) {
      return;
    }
    try (var statement = db.createStatement()) {
      if (!isThere(day)) {
        // Two gateways at midnight: the second one finds them made.
        statement.execute("select pg_advisory_xact_lock(" + Migrations.PARTITION_LOCK + ")");
        for (var table : TABLES) {
          statement.execute(
              "create table if not exists %s_%d partition of %s for values in (%d)"
                  .formatted(table, day, table, day));
        }
      }
    }
    open.add(day);
  }

  /** Whether the bodies of a day are kept. */
  static boolean isKept(Connection db, int day) throws SQLException {
    return exists(db, "bodies_" + day);
  }

  private static boolean exists(Connection db, String table) throws SQLException {
    try (var statement = db.prepareStatement("select to_regclass(?) is not null")) {
      statement.setString(1, table);
      try (var row = statement.executeQuery()) {
        return row.next() && row.getBoolean(1);
      }
    }
  }

  private boolean isThere(int day) throws SQLException {
    for (var table : TABLES) {
      if (!exists(db, table + "_" + day)) {
        return false;
      }
    }
    return true;
  }

  /** The bytes that each day takes, its indexes and what PostgreSQL stores apart included. */
  private Map<Integer, Long> sizes() throws SQLException {
    var sizes = new TreeMap<Integer, Long>();
    for (var table : TABLES) {
      try (var statement =
          db.prepareStatement(
              "select c.relname, pg_total_relation_size(c.oid) from pg_inherits i join pg_class c"
                  + " on c.oid = i.inhrelid where i.inhparent = ?::regclass")) {
        statement.setString(1, table);
        try (var row = statement.executeQuery()) {
          while (row.next()) {
            var name = row.getString(1);
            int day = Integer.parseInt(name, table.length() + 1, name.length(), 10);
            sizes.merge(day, row.getLong(2), Long::sum);
          }
        }
      }
    }
    return sizes;
  }

  /**
   * Drops the days before {@code oldest}, and the oldest of the others while all takes more than
   * {@code maxBytes}.
   *
   * @return the calls that stay, without the bodies: all, or the newest of which take seven eighths
   *     of {@code maxBytes}
   */
  long retain(Instant oldest, Instant now, long maxBytes) throws SQLException {
    long rows = rows();
    var sizes = sizes();
    long total = rows + sizes.values().stream().mapToLong(Long::longValue).sum();
    long fitting = Long.MAX_VALUE;
    if (total > maxBytes) {
      var calls = OldCalls.Size.of(db);
      total -= Math.max(0, rows - calls.bytes());
      long room = maxBytes / 8 * 7;
      fitting = calls.bytes() > room ? calls.fitting(room) : Long.MAX_VALUE;
    }
    for (var each : sizes.entrySet()) {
      int day = each.getKey();
      if (day < day(oldest) || (total > maxBytes && day < day(now))) {
        try (var statement = db.createStatement()) {
          for (var table : TABLES) {
            statement.execute("drop table if exists " + table + "_" + day);
          }
        }
        open.remove(day);
        total -= each.getValue();
      }
    }
    full = total > maxBytes;
    return fitting;
  }

  private long rows() throws SQLException {
    try (var statement = db.createStatement();
        var row =
            statement.executeQuery(
                "select pg_total_relation_size('calls') + pg_total_relation_size('attempts')")) {
      if (!row.next()) {
        throw new LedgerException("the database does not tell how large its tables are");
      }
      return row.getLong(1);
    }
  }
}
