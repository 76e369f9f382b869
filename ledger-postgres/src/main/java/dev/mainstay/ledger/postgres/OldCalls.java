package dev.mainstay.ledger.postgres;

import dev.mainstay.ledger.sql.Micros;
import dev.mainstay.ledger.sql.StatsQueries;
import dev.mainstay.ledger.stats.CallStats.Counter;
import dev.mainstay.ledger.stats.StatsQuery;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/** Calls that are deleted: those beyond the retention, and the oldest where there is no room. */
final class OldCalls {
  /** Calls deleted at a time, so that no batch waits long behind retention. */
  private static final int AT_ONCE = 500;

  private static final Duration HOUR = Duration.ofHours(1);

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
   * What calls and attempts take, with their indexes.
   *
   * @param calls how many there are
   * @param each bytes of one with its attempts, without the room that deleted ones left: a table of
   *     PostgreSQL keeps its size, and later rows take that room
   */
  record Size(long calls, double each) {
    /** The newest {@code sampled} stand for all. */
    private static final int SAMPLED = 500;

    static Size of(Connection db) throws SQLException {
      try (var statement = db.createStatement();
          var row =
              statement.executeQuery(
                  """
                  with newest as (select * from calls order by seq desc limit %d)
                  select (select sum(pg_column_size(n) + %2$d) from newest n) * %3$s
                    + coalesce((select sum(pg_column_size(a) + %2$d) from attempts a
                        where call_seq in (select seq from newest)) * %4$s, 0),
                    (select count(*) from newest)
                  """
                      .formatted(
                          SAMPLED, POINTER, withIndexes("calls"), withIndexes("attempts")))) {
        return row.next() && row.getLong(2) > 0
            ? new Size(
                byHour(db).stream().mapToLong(OldCalls::calls).sum(),
                row.getDouble(1) / row.getLong(2))
            : new Size(0, 0);
      }
    }

    /**
     * What a page keeps beside each row:
     * https://www.postgresql.org/docs/current/storage-page-layout.html
     */
    private static final int POINTER = 4;

    private static String withIndexes(String table) {
      return "pg_total_relation_size('%1$s') / greatest(pg_relation_size('%1$s'), 1)::float8"
          .formatted(table);
    }

    long bytes() {
      return Math.round(calls * each);
    }

    /** The calls that fit into {@code bytes}. */
    long fitting(long bytes) {
      return each > 0 ? (long) (bytes / each) : Long.MAX_VALUE;
    }
  }

  /**
   * The hours in which calls started that are there, the newest first. Their sums are kept anyway;
   * those of the oldest hour count some that are deleted. Counting the calls themselves would read
   * a whole index.
   */
  private static List<StatsQuery.Row> byHour(Connection db) throws SQLException {
    try (var statement = db.createStatement();
        var row = statement.executeQuery("select min(started_at), max(started_at) from calls")) {
      row.next();
      return StatsQueries.stats(
              db,
              new StatsQuery(
                  StatsQuery.By.ALL,
                  Micros.instant(row.getLong(1)),
                  Micros.instant(row.getLong(2)),
                  HOUR))
          .reversed();
    }
  }

  private static long calls(StatsQuery.Row hour) {
    return hour.stats().get(Counter.CALLS);
  }

  /** When the last of the newest {@code count} calls started; the beginning of time for all. */
  static Instant startOf(Connection db, long count) throws SQLException {
    long left = count;
    for (var hour : byHour(db)) {
      if (calls(hour) > left) {
        return startIn(db, hour.at(), left);
      }
      left -= calls(hour);
    }
    return Instant.EPOCH;
  }

  /** As {@link #startOf}, of the newest calls of one hour. */
  private static Instant startIn(Connection db, Instant hour, long count) throws SQLException {
    try (var statement =
        db.prepareStatement(
            "select started_at from calls where started_at >= ? and started_at < ? order by"
                + " started_at desc offset ? limit 1")) {
      statement.setLong(1, Micros.of(hour));
      statement.setLong(2, Micros.of(hour.plus(HOUR)));
      statement.setLong(3, count);
      try (var row = statement.executeQuery()) {
        return row.next() ? Micros.instant(row.getLong(1)) : hour;
      }
    }
  }

  /**
   * Deletes some calls with their attempts.
   *
   * @param oldest time of the calls that are kept
   * @return whether there may be more to delete
   */
  static boolean delete(Connection db, Instant oldest) throws SQLException {
    var old = new ArrayList<Long>();
    try (var statement = db.createStatement()) {
      try (var row =
          statement.executeQuery(
              "select seq from calls where started_at < %d order by started_at limit %d"
                  .formatted(Micros.of(oldest), AT_ONCE))) {
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
    return old.size() >= AT_ONCE;
  }
}
