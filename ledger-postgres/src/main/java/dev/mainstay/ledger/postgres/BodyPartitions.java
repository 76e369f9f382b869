package dev.mainstay.ledger.postgres;

import dev.mainstay.ledger.LedgerException;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The partitions of {@code bodies} and of {@code call_text}, the words in them: a day each, or a
 * part of a day where one takes an eighth of the room. The first of a day has the day's number, the
 * others follow in steps of {@value #DAYS}. Of one connection and its thread.
 */
final class BodyPartitions {
  private static final long SECONDS_A_DAY = 86_400;
  private static final List<String> TABLES = List.of("bodies", "call_text");

  /** More than there will be days. */
  private static final int DAYS = 100_000;

  private static final Comparator<Integer> BY_TIME =
      Comparator.<Integer>comparingInt(partition -> partition % DAYS)
          .thenComparing(Comparator.naturalOrder());

  private final Connection db;
  private final long maxBytes;

  /** The partitions that bodies of a day go to, by the day. */
  private final Map<Integer, Integer> open = new HashMap<>();

  /** Bytes of bodies since a look at how large the partitions are. */
  private long added;

  /**
   * @param maxBytes that calls and bodies may take
   */
  BodyPartitions(Connection db, long maxBytes) {
    this.db = db;
    this.maxBytes = maxBytes;
  }

  static int day(Instant time) {
    return Math.toIntExact(Math.floorDiv(time.getEpochSecond(), SECONDS_A_DAY));
  }

  /** The size beyond which the next body begins a partition. */
  private long largest() {
    return maxBytes / 8;
  }

  /** Looks anew, before the next body, at the partitions that there are: others make them too. */
  void look() {
    open.clear();
    added = 0;
  }

  /** A body of so many bytes was written. */
  void added(int bytes) {
    added += bytes;
  }

  /** The partition for a body of a day, made where there is none. */
  int open(int day) throws SQLException {
    if (added > largest()) {
      look();
    }
    var known = open.get(day);
    if (known != null) {
      return known;
    }
    int newest = day;
    long bytes = 0;
    for (var each : sizes().entrySet()) {
      if (each.getKey() % DAYS == day) {
        newest = each.getKey();
        bytes = each.getValue();
      }
    }
    int next = bytes > largest() ? newest + DAYS : newest;
    make(next);
    open.put(day, next);
    return next;
  }

  private void make(int partition) throws SQLException {
    if (isThere(partition)) {
      return;
    }
    try (var statement = db.createStatement()) {
      // Two gateways at midnight: the second one finds them made.
      statement.execute("select pg_advisory_xact_lock(" + Migrations.PARTITION_LOCK + ")");
      for (var table : TABLES) {
        statement.execute(
            "create table if not exists %s_%d partition of %s for values in (%d)"
                .formatted(table, partition, table, partition));
      }
    }
  }

  /** Whether the bodies of a partition are kept. */
  static boolean isKept(Connection db, int partition) throws SQLException {
    return exists(db, "bodies_" + partition);
  }

  private static boolean exists(Connection db, String table) throws SQLException {
    try (var statement = db.prepareStatement("select to_regclass(?) is not null")) {
      statement.setString(1, table);
      try (var row = statement.executeQuery()) {
        return row.next() && row.getBoolean(1);
      }
    }
  }

  private boolean isThere(int partition) throws SQLException {
    for (var table : TABLES) {
      if (!exists(db, table + "_" + partition)) {
        return false;
      }
    }
    return true;
  }

  /**
   * The bytes that each partition takes, its indexes and what PostgreSQL stores apart included; the
   * oldest first.
   */
  private SortedMap<Integer, Long> sizes() throws SQLException {
    var sizes = new TreeMap<Integer, Long>(BY_TIME);
    for (var table : TABLES) {
      try (var statement =
          db.prepareStatement(
              "select c.relname, pg_total_relation_size(c.oid) from pg_inherits i join pg_class c"
                  + " on c.oid = i.inhrelid where i.inhparent = ?::regclass")) {
        statement.setString(1, table);
        try (var row = statement.executeQuery()) {
          while (row.next()) {
            var name = row.getString(1);
            int partition = Integer.parseInt(name, table.length() + 1, name.length(), 10);
            sizes.merge(partition, row.getLong(2), Long::sum);
          }
        }
      }
    }
    return sizes;
  }

  /**
   * Drops the days before {@code oldest}, and the oldest of the other partitions, save the newest,
   * while all takes more than there may be.
   *
   * @return the calls that stay, without the bodies: all, or the newest of which take seven eighths
   *     of that
   */
  long retain(Instant oldest) throws SQLException {
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
      int partition = each.getKey();
      boolean newest = partition == sizes.lastKey();
      if (partition % DAYS < day(oldest) || (total > maxBytes && !newest)) {
        try (var statement = db.createStatement()) {
          for (var table : TABLES) {
            statement.execute("drop table if exists " + table + "_" + partition);
          }
        }
        total -= each.getValue();
      }
    }
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
