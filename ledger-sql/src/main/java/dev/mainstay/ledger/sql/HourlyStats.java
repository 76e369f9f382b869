package dev.mainstay.ledger.sql;

import dev.mainstay.ledger.AttemptRecord;
import dev.mainstay.ledger.CallRecord;
import dev.mainstay.ledger.stats.CallStats;
import dev.mainstay.ledger.stats.CallStats.Latencies;
import dev.mainstay.ledger.stats.StatsQuery.By;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The sums of a batch on their way into {@code stats_hourly} and {@code call_hours}, in the
 * transaction of the calls they sum, so that neither is there without the other. Good for any
 * number of batches on one connection: {@link #clear}, {@link #add}, {@link #write}, {@link
 * #committed}. For one thread.
 */
public final class HourlyStats implements AutoCloseable {
  /** How long sums are kept, whatever the retention of calls: a year and a month. */
  public static final Duration KEPT = Duration.ofDays(400);

  private static final long MICROS_AN_HOUR = 3_600_000_000L;

  /** Characters of a name; a client may ask for a model of any name. */
  private static final int LONGEST_NAME = 256;

  /** Sums that are remembered between batches, each of 7 KiB at most. */
  private static final int MOST_STORED = 200;

  private static final String MAKE =
      "insert into stats_hourly (what, hour, name, stats) values (?,?,?,?)"
          + " on conflict (what, hour, name) do nothing";
  private static final String READ =
      "select stats from stats_hourly where what = ? and hour = ? and name = ?";
  private static final String WRITE =
      "insert into stats_hourly (what, hour, name, stats) values (?,?,?,?)"
          + " on conflict (what, hour, name) do update set stats = excluded.stats";
  private static final String HOUR =
      "insert into call_hours (hour, first_seq, last_seq) values (?,?,?)"
          + " on conflict (hour) do update set"
          + " first_seq = case when excluded.first_seq < call_hours.first_seq"
          + " then excluded.first_seq else call_hours.first_seq end,"
          + " last_seq = case when excluded.last_seq > call_hours.last_seq"
          + " then excluded.last_seq else call_hours.last_seq end";

  private record Key(By by, long hour, String name) {}

  /** In one order for all, so that two gateways that add to the same rows never deadlock. */
  private final Map<Key, CallStats> sums =
      new TreeMap<>(
          Comparator.comparing(Key::by).thenComparingLong(Key::hour).thenComparing(Key::name));

  /** The sums that were last asked for, by what they count: most calls are like the one before. */
  private final Latest[] latest = new Latest[By.values().length];

  private record Latest(long hour, String name, CallStats stats) {}

  /**
   * What rows hold, where there is one writer: the next batch need not read them. Forgotten where a
   * batch was not {@link #committed}.
   */
  private final Map<Key, CallStats> stored = new HashMap<>();

  /** The first and last number of the calls that started in an hour. */
  private final Map<Long, long[]> numbers = new TreeMap<>();

  private final PreparedStatement make;
  private final PreparedStatement read;
  private final PreparedStatement write;
  private final PreparedStatement hours;
  private final boolean oneWriter;
  private boolean committed;

  /**
   * @param lock what stands behind a select whose rows no one else may change until the transaction
   *     ends; empty where there is one writer
   */
  public HourlyStats(Connection db, String lock) throws SQLException {
    oneWriter = lock.isEmpty();
    make = db.prepareStatement(MAKE);
    read = db.prepareStatement(READ + lock);
    write = db.prepareStatement(WRITE);
    hours = db.prepareStatement(HOUR);
  }

  /** Forgets what was added: a batch begins. */
  public void clear() throws SQLException {
    if (!committed || stored.size() >= MOST_STORED) {
      stored.clear();
    }
    committed = false;
    sums.clear();
    Arrays.fill(latest, null);
    numbers.clear();
    // A batch that failed may have left some there.
    make.clearBatch();
    write.clearBatch();
    hours.clearBatch();
  }

  /** The transaction of the last {@link #write} is on disk. */
  public void committed() {
    committed = true;
  }

  /** Adds a call that has ended, by its number. */
  public void add(long seq, CallRecord call, List<AttemptRecord> attempts) {
    long hour = hour(call.startedAt());
    var range = numbers.computeIfAbsent(hour, key -> new long[] {seq, seq});
    range[0] = Math.min(range[0], seq);
    range[1] = Math.max(range[1], seq);
    var latencies = new Latencies(call);
    add(sums(By.ALL, hour, ""), call, latencies, attempts);
    add(sums(By.MODEL, hour, call.modelAsked()), call, latencies, attempts);
    add(sums(By.CLIENT, hour, call.client()), call, latencies, attempts);
    if (call.agent() != null) {
      add(sums(By.AGENT, hour, call.agent()), call, latencies, attempts);
    }
    sums(By.TARGET, hour, call.target()).add(call, latencies);
    for (var attempt : attempts) {
      sums(By.TARGET, hour, attempt.target()).add(attempt);
    }
    addKinds(hour, call, latencies, attempts);
  }

  private void addKinds(
      long hour, CallRecord call, Latencies latencies, List<AttemptRecord> attempts) {
    var kinds = new TreeSet<String>();
    for (var attempt : attempts) {
      var kind = CallStats.kind(attempt.verdict());
      if (kind != null) {
        kinds.add(kind);
        sums(By.KIND, hour, kind).add(attempt);
      }
    }
    var kind = CallStats.kind(call.verdict());
    if (kind != null) {
      kinds.add(kind);
    }
    kinds.forEach(each -> sums(By.KIND, hour, each).add(call, latencies));
  }

  private static void add(
      CallStats to, CallRecord call, Latencies latencies, List<AttemptRecord> attempts) {
    to.add(call, latencies);
    for (var attempt : attempts) {
      to.add(attempt);
    }
  }

  private CallStats sums(By by, long hour, @Nullable String name) {
    var asked = name == null ? "" : name;
    var last = latest[by.ordinal()];
    if (last != null && last.hour() == hour && last.name().equals(asked)) {
      return last.stats();
    }
    var text = CallRows.kept(asked);
    var stats =
        sums.computeIfAbsent(
            new Key(
                by, hour, text.length() > LONGEST_NAME ? text.substring(0, LONGEST_NAME) : text),
            key -> new CallStats());
    latest[by.ordinal()] = new Latest(hour, asked, stats);
    return stats;
  }

  /** Adds all sums to what the tables hold, in the transaction that the connection is in. */
  public void write() throws SQLException {
    if (!oneWriter) {
      makeRows();
    }
    for (var each : sums.entrySet()) {
      bind(write, each.getKey());
      write.setBytes(4, total(each.getKey(), each.getValue()).bytes());
      write.addBatch();
    }
    write.executeBatch();
    for (var each : numbers.entrySet()) {
      hours.setLong(1, each.getKey());
      hours.setLong(2, each.getValue()[0]);
      hours.setLong(3, each.getValue()[1]);
      hours.addBatch();
    }
    hours.executeBatch();
  }

  /** A row that is not there cannot be locked. */
  private void makeRows() throws SQLException {
    for (var key : sums.keySet()) {
      bind(make, key);
      make.setBytes(4, new byte[0]);
      make.addBatch();
    }
    make.executeBatch();
  }

  /** The sums that a row holds after {@code added}. */
  private CallStats total(Key key, CallStats added) throws SQLException {
    var known = stored.get(key);
    if (known != null) {
      known.merge(added);
      return known;
    }
    bind(read, key);
    try (var row = read.executeQuery()) {
      if (row.next()) {
        added.merge(row.getBytes(1));
      }
    }
    if (oneWriter && stored.size() < MOST_STORED) {
      stored.put(key, added);
    }
    return added;
  }

  private static void bind(PreparedStatement to, Key key) throws SQLException {
    to.setString(1, key.by().wireName());
    to.setLong(2, key.hour());
    to.setString(3, key.name());
  }

  @Override
  public void close() throws SQLException {
    make.close();
    read.close();
    write.close();
    hours.close();
  }

  /** Deletes the sums whose time is over. */
  public static void retain(Connection db, Instant now) throws SQLException {
    try (var statement = db.createStatement()) {
      long oldest = hour(now.minus(KEPT));
      for (var by : By.values()) {
        statement.executeUpdate(
            "delete from stats_hourly where what = '%s' and hour < %d"
                .formatted(by.wireName(), oldest));
      }
      statement.executeUpdate("delete from call_hours where hour < " + oldest);
    }
  }

  /**
   * Sums the calls that were recorded before there were sums. To be carried out once, in a
   * transaction, when the tables are made.
   */
  public static void backfill(Connection db) throws SQLException {
    try (var sums = new HourlyStats(db, "");
        var calls =
            db.prepareStatement("select " + CallRows.CALL_COLUMNS + " from calls order by seq");
        var attempts = CallQueries.attempts(db)) {
      calls.setFetchSize(1000);
      try (var row = calls.executeQuery()) {
        while (row.next()) {
          long seq = row.getLong(1);
          var call = CallRows.call(row);
          sums.add(seq, call, CallQueries.attempts(attempts, seq, call.id(), null));
        }
      }
      sums.write();
    }
  }

  /** The hour of {@code time}, since 1970. */
  public static long hour(Instant time) {
    return Math.floorDiv(Micros.of(time), MICROS_AN_HOUR);
  }
}
