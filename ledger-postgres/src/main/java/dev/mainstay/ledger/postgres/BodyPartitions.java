package dev.mainstay.ledger.postgres;

import dev.mainstay.ledger.LedgerException;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** The days of {@code bodies}, each a table of its own. Of one connection and its thread. */
final class BodyPartitions {
  private static final long SECONDS_A_DAY = 86_400;
  private static final String NAME = "bodies_";

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
      if (!days(db).contains(day)) {
        // Two gateways at midnight: the second one finds it made.
        statement.execute("select pg_advisory_xact_lock(" + Migrations.PARTITION_LOCK + ")");
        statement.execute(
            "create table if not exists %s%d partition of bodies for values in (%d)"
                .formatted(NAME, day, day));
      }
    }
    open.add(day);
  }

  /** The days of which bodies are kept. */
  static Set<Integer> days(Connection db) throws SQLException {
    var days = new HashSet<Integer>();
    try (var statement = db.createStatement();
        var row =
            statement.executeQuery(
                "select c.relname from pg_inherits i join pg_class c on c.oid = i.inhrelid where"
                    + " i.inhparent = 'bodies'::regclass")) {
      while (row.next()) {
        var name = row.getString(1);
        if (name.startsWith(NAME)) {
          days.add(Integer.parseInt(name, NAME.length(), name.length(), 10));
        }
      }
    }
    return days;
  }

  /** The bytes that each day takes, its index and what PostgreSQL stores apart included. */
  private Map<Integer, Long> sizes() throws SQLException {
    var sizes = new TreeMap<Integer, Long>();
    for (int day : days(db)) {
      sizes.put(day, size("'" + NAME + day + "'"));
    }
    return sizes;
  }

  /**
   * Drops the days before {@code oldest}, and the oldest of the others while all takes more than
   * {@code maxBytes}.
   *
   * @return whether the calls themselves, without their bodies, take more than that
   */
  boolean retain(Instant oldest, Instant now, long maxBytes) throws SQLException {
    long rows = size("'calls'", "'attempts'", "'stats_hourly'");
    var sizes = sizes();
    long total = rows + sizes.values().stream().mapToLong(Long::longValue).sum();
    for (var each : sizes.entrySet()) {
      int day = each.getKey();
      if (day < day(oldest) || (total > maxBytes && day < day(now))) {
        try (var statement = db.createStatement()) {
          statement.execute("drop table " + NAME + day);
        }
        open.remove(day);
        total -= each.getValue();
      }
    }
    full = total > maxBytes;
    return rows > maxBytes;
  }

  /** The bytes that all {@code tables} take. */
  private long size(String... tables) throws SQLException {
    var sum = "select pg_total_relation_size(" + String.join(") + pg_total_relation_size(", tables);
    try (var statement = db.createStatement();
        var row = statement.executeQuery(sum + ")")) {
      if (!row.next()) {
        throw new LedgerException("the database does not tell how large its tables are");
      }
      return row.getLong(1);
    }
  }
}
