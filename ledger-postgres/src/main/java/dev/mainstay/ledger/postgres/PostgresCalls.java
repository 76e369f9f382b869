package dev.mainstay.ledger.postgres;

import dev.mainstay.ledger.LedgerException;
import dev.mainstay.ledger.log.CallStore;
import dev.mainstay.ledger.log.EndedCall;
import dev.mainstay.ledger.sql.BodyPlaces;
import dev.mainstay.ledger.sql.CallBlocks;
import dev.mainstay.ledger.sql.CallRows;
import dev.mainstay.ledger.sql.CallRuns;
import dev.mainstay.ledger.sql.HourlyStats;
import dev.mainstay.ledger.sql.RunCosts;
import dev.mainstay.ledger.sql.SearchWords;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Calls, attempts and bodies on their way from the log into tables that any number of gateways
 * write. A call is taken from whoever brings it, once by its id. Of the log's one thread.
 */
final class PostgresCalls implements CallStore, AutoCloseable {
  /** The longest statement: a batch holds some megabytes. */
  private static final Duration LONGEST = Duration.ofSeconds(30);

  /**
   * Of an insert: no table has a check.
   * https://www.postgresql.org/docs/current/ddl-partitioning.html
   */
  private static final String NO_PARTITION = "23514";

  private static final String SKIP_LOCKED = " for update skip locked";

  private final PostgresDatabase database;
  private final PostgresConfig config;
  private @Nullable Connection connection;
  private @Nullable BodyPartitions partitions;

  /** Whether the last pass left some of what is to be deleted. */
  private boolean deleting;

  /** Calls that started before go although they are not too old: there is no room for them. */
  private Instant firstWithRoom = Instant.EPOCH;

  PostgresCalls(PostgresDatabase database, PostgresConfig config) {
    this.database = database;
    this.config = config;
  }

  private Connection connected() throws SQLException {
    var open = connection;
    if (open == null) {
      open = database.openUpToDate(LONGEST);
      partitions = new BodyPartitions(open, config.maxBytes());
      connection = open;
    }
    return open;
  }

  private void disconnect() {
    var open = connection;
    connection = null;
    partitions = null;
    if (open != null) {
      try {
        open.close();
      } catch (SQLException e) {
        // It was of no use any more.
      }
    }
  }

  @Override
  public void write(List<EndedCall> batch, boolean repeated) throws SQLException {
    try {
      writeMissing(batch);
    } catch (SQLException e) {
      if (!NO_PARTITION.equals(e.getSQLState())) {
        throw e;
      }
      // Another gateway dropped the partition; the next look finds or makes one.
      writeMissing(batch);
    }
  }

  private void writeMissing(List<EndedCall> batch) throws SQLException {
    inTransaction(
        db -> {
          var missing = missing(db, batch);
          if (!missing.isEmpty()) {
            insert(db, missing);
          }
          return true;
        });
  }

  private interface Work<T extends @Nullable Object> {
    T in(Connection db) throws SQLException;
  }

  private <T extends @Nullable Object> T inTransaction(Work<T> work) throws SQLException {
    boolean done = false;
    try {
      var db = connected();
      var result = work.in(db);
      db.commit();
      done = true;
      return result;
    } catch (SQLException e) {
      var plain = database.plain(e);
      if (connection != null && database.disconnects(plain)) {
        disconnect();
      }
      throw plain;
    } finally {
      if (!done && connection != null) {
        rollBack(connection);
      }
    }
  }

  private void rollBack(Connection db) {
    try {
      db.rollback();
      partitions = new BodyPartitions(db, config.maxBytes());
    } catch (SQLException e) {
      disconnect();
    }
  }

  /** Those of {@code batch} that no gateway has brought yet, each once. */
  private static Collection<EndedCall> missing(Connection db, List<EndedCall> batch)
      throws SQLException {
    var missing = new LinkedHashMap<String, EndedCall>();
    batch.forEach(ended -> missing.putIfAbsent(ended.call().id(), ended));
    try (var statement = db.prepareStatement("select id from calls where id = any(?)")) {
      statement.setArray(1, db.createArrayOf("text", missing.keySet().toArray()));
      try (var row = statement.executeQuery()) {
        while (row.next()) {
          missing.remove(row.getString(1));
        }
      }
    }
    return missing.values();
  }

  private void insert(Connection db, Collection<EndedCall> calls) throws SQLException {
    var bodies = new Bodies(db, calls);
    var runs = new CallRuns();
    var blocks = new CallBlocks();
    var costs = new RunCosts();
    try (var insertCall = db.prepareStatement(CallRows.insert("calls", CallRows.CALL_COLUMNS));
        var insertAttempt =
            db.prepareStatement(CallRows.insert("attempts", CallRows.ATTEMPT_COLUMNS));
        var insertBody =
            db.prepareStatement("insert into bodies (day, id, bytes) values (?, ?, ?)");
        var insertText = db.prepareStatement(CallText.INSERT);
        var addRuns = db.prepareStatement(CallRuns.ADD);
        var addBlocks = db.prepareStatement(CallBlocks.ADD);
        var addCosts = db.prepareStatement(RunCosts.ADD);
        var addCostDays = db.prepareStatement(RunCosts.ADD_DAYS);
        var stats = new HourlyStats(db, " for update")) {
      var places = new BodyPlaces();
      for (var ended : calls) {
        places.clear();
        bodies.add(ended, places, insertBody);
        long seq = bodies.next();
        bodies.addText(ended, seq, insertText);
        CallRows.bind(insertCall, CallRows.row(seq, ended.call(), places));
        insertCall.addBatch();
        for (var attempt : ended.attempts()) {
          CallRows.bind(insertAttempt, CallRows.row(seq, attempt, places));
          insertAttempt.addBatch();
        }
        stats.add(seq, ended.call(), ended.attempts());
        runs.add(ended.call());
        blocks.add(seq, ended.call());
        costs.add(ended.call());
      }
      runs.bind(addRuns);
      blocks.bind(addBlocks);
      costs.bind(addCosts, addCostDays);
      insertBody.executeBatch();
      insertText.executeBatch();
      insertCall.executeBatch();
      insertAttempt.executeBatch();
      stats.write();
      addRuns.executeBatch();
      addBlocks.executeBatch();
      addCosts.executeBatch();
      addCostDays.executeBatch();
    }
  }

  /** Numbers of a batch, and its bodies on their way into the newest partition. */
  private final class Bodies {
    private final long[] numbers;
    private final @Nullable BodyPartitions to;
    private final int partition;
    private int used;

    Bodies(Connection db, Collection<EndedCall> calls) throws SQLException {
      int count = calls.size() + calls.stream().mapToInt(each -> each.bodies().size()).sum();
      numbers = numbers(db, count);
      to = config.bodies() ? partitions : null;
      partition =
          to == null ? 0 : to.open(BodyPartitions.day(calls.iterator().next().call().startedAt()));
    }

    long next() {
      return numbers[used++];
    }

    void add(EndedCall ended, BodyPlaces places, PreparedStatement insert) throws SQLException {
      if (to == null) {
        return;
      }
      for (var body : ended.bodies()) {
        var place = places.of(body.bytes());
        if (place == null) {
          long id = next();
          insert.setInt(1, partition);
          insert.setLong(2, id);
          insert.setBytes(3, body.bytes());
          insert.addBatch();
          to.added(body.bytes().length);
          place = partition + ":" + id + ":" + body.bytes().length;
        }
        places.add(body, place);
      }
    }

    void addText(EndedCall ended, long seq, PreparedStatement insert) throws SQLException {
      if (to == null) {
        return;
      }
      var words = SearchWords.of(ended, config.bodyText());
      if (!words.isEmpty()) {
        CallText.add(insert, partition, seq, words);
      }
    }
  }

  private static long[] numbers(Connection db, int count) throws SQLException {
    try (var statement =
        db.prepareStatement("select nextval('call_numbers') from generate_series(1, ?)")) {
      statement.setInt(1, count);
      var numbers = new long[count];
      try (var row = statement.executeQuery()) {
        for (int i = 0; row.next(); i++) {
          numbers[i] = row.getLong(1);
        }
      }
      return numbers;
    }
  }

  @Override
  public boolean mayPass(Exception failure) {
    return switch (failure) {
      // Another gateway brought the same call in this moment: the next try finds it there.
      case SQLException e when "23505".equals(e.getSQLState()) -> true;
      case SQLException e when NO_PARTITION.equals(e.getSQLState()) -> true;
      case SQLException e -> database.mayPass(e);
      // Such as a schema that a newer Mainstay made while this one ran.
      case LedgerException _ -> true;
      // A bug: it must cost the one call, not the thread that writes all.
      case RuntimeException _ -> false;
      default -> true;
    };
  }

  /**
   * One gateway at a time: where another one is at it, there is nothing to do. Bodies go in a
   * transaction that holds nothing else: it waits for all who write bodies, and they must not wait
   * for a row of it meanwhile.
   */
  @Override
  public boolean retain(Instant now) throws SQLException {
    var oldest = now.minus(config.retention());
    if (!deleting) {
      if (partitions != null) {
        partitions.look();
      }
      var fitting =
          alone(
              db -> {
                var to = partitions;
                return to == null ? Long.MAX_VALUE : to.retain(oldest);
              });
      if (fitting.isEmpty()) {
        return false;
      }
      long count = fitting.get();
      firstWithRoom =
          count == Long.MAX_VALUE
              ? Instant.EPOCH
              : inTransaction(db -> OldCalls.startOf(db, count));
    }
    var first = firstWithRoom.isAfter(oldest) ? firstWithRoom : oldest;
    deleting =
        alone(
                db -> {
                  HourlyStats.retain(db, now);
                  CallBlocks.retain(db);
                  boolean more = CallRuns.retain(db, oldest, SKIP_LOCKED);
                  more |= RunCosts.retain(db, oldest, SKIP_LOCKED);
                  return OldCalls.delete(db, first) || more;
                })
            .orElse(false);
    return deleting;
  }

  /** Empty where another gateway is at it. */
  private <T> Optional<T> alone(Work<T> work) throws SQLException {
    return inTransaction(db -> OldCalls.lock(db) ? Optional.of(work.in(db)) : Optional.empty());
  }

  @Override
  public void close() {
    disconnect();
  }
}
