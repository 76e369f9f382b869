package dev.mainstay.ledger.postgres;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.mainstay.ledger.CallQuery;
import dev.mainstay.ledger.CallRecord;
import dev.mainstay.ledger.CostQuery;
import dev.mainstay.ledger.LedgerBusyException;
import dev.mainstay.ledger.LedgerException;
import dev.mainstay.ledger.LedgerReader;
import dev.mainstay.ledger.run.CallRun;
import dev.mainstay.ledger.sql.CallQueries;
import dev.mainstay.ledger.sql.StatsQueries;
import dev.mainstay.ledger.sql.TextSearch;
import dev.mainstay.ledger.stats.StatsQuery;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Reads what all gateways have written, on connections of its own. Thread-safe. */
final class PostgresReader implements LedgerReader {
  static final int CONNECTIONS = 4;
  private static final int WAIT_MILLIS = 5_000;
  private static final int VALID_MILLIS = 1_000;
  private static final int LONGEST_MILLIS = 10_000;

  /** The SQL state of a statement that was ended by its time-out. */
  private static final String CANCELED = "57014";

  private static final List<StoredCall> NONE = List.of();

  private static final long TRY_AGAIN_NANOS = TimeUnit.SECONDS.toNanos(1);

  /**
   * The database cannot be reached.
   *
   * @param nanos when it was last tried
   */
  private record Away(SQLException why, long nanos) {}

  private final HikariDataSource pool;
  private final String url;
  private final Supplier<@Nullable String> trouble;
  private final AtomicReference<@Nullable Away> away = new AtomicReference<>();

  /**
   * @param trouble what those who write say of the database, or null: a reason to try whether it is
   *     there before a question waits for the pool
   */
  PostgresReader(String url, Supplier<@Nullable String> trouble) {
    this.url = url;
    this.trouble = trouble;
    var config = new HikariConfig();
    config.setPoolName("mainstay-reader");
    config.setJdbcUrl(url);
    config.setDriverClassName("org.postgresql.Driver");
    config.setMaximumPoolSize(CONNECTIONS);
    config.setMinimumIdle(0);
    config.setConnectionTimeout(WAIT_MILLIS);
    // A connection that the network has forgotten gives no answer: there are more to try in that
    // time.
    config.setValidationTimeout(VALID_MILLIS);
    // The database may be away: that is seen by who asks.
    config.setInitializationFailTimeout(-1);
    config.setReadOnly(true);
    config.setDataSourceProperties(connecting());
    // A plan for any value reads the whole table for one that no call has: each value has its own.
    // https://www.postgresql.org/docs/current/runtime-config-query.html#GUC-PLAN-CACHE-MODE
    config.setConnectionInitSql(
        "set statement_timeout = %d; set plan_cache_mode = force_custom_plan"
            .formatted(LONGEST_MILLIS));
    pool = new HikariDataSource(config);
  }

  private static Properties connecting() {
    var properties = new Properties();
    properties.setProperty("ApplicationName", "mainstay reader");
    // A standby may be behind: it is read only while no host takes writes.
    properties.setProperty("targetServerType", "preferPrimary");
    properties.setProperty("connectTimeout", "2");
    properties.setProperty("loginTimeout", "4");
    properties.setProperty("socketTimeout", "15");
    properties.setProperty("tcpKeepAlive", "true");
    return properties;
  }

  @Override
  public Page calls(CallQuery query) {
    return ask(db -> CallQueries.calls(db, query, TextSearch.TSVECTOR));
  }

  @Override
  public @Nullable StoredCall call(String id) {
    var found =
        ask(
            db -> {
              var call = CallQueries.call(db, id);
              return call == null ? NONE : List.of(withoutGone(db, call));
            });
    return found.isEmpty() ? null : found.getFirst();
  }

  /** A partition that retention dropped takes its bodies with it. */
  private static StoredCall withoutGone(Connection db, StoredCall call) throws SQLException {
    var kept = new HashSet<Integer>();
    for (var body : call.bodies()) {
      if (BodyPartitions.isKept(db, partition(body))) {
        kept.add(partition(body));
      }
    }
    return call.withBodies(body -> kept.contains(partition(body)));
  }

  /** The handle is {@code partition:id:length}. */
  private static int partition(StoredBody body) {
    var handle = body.handle();
    return Integer.parseInt(handle, 0, handle.indexOf(':'), 10);
  }

  @Override
  public List<CallRun> callRuns(CallRun.Query query) {
    return ask(db -> CallQueries.callRuns(db, query));
  }

  @Override
  public Set<String> runsWith(
      @Nullable String client, Collection<String> runs, Map<CallQuery.Field, String> call) {
    return ask(db -> CallQueries.runsWith(db, client, runs, call));
  }

  @Override
  public Map<String, CallRecord> callsById(Collection<String> ids) {
    return ask(db -> CallQueries.callsById(db, ids));
  }

  @Override
  public Map<String, CallRecord> lastCalls(Collection<String> runs) {
    return ask(db -> CallQueries.lastCalls(db, runs));
  }

  @Override
  public List<CostQuery.Sum> costs(CostQuery query) {
    return ask(db -> StatsQueries.costs(db, query));
  }

  @Override
  public List<StatsQuery.Row> stats(StatsQuery query) {
    return ask(db -> StatsQueries.stats(db, query));
  }

  @Override
  public byte[] body(StoredBody body) {
    var parts = body.handle().split(":");
    return ask(
        db -> {
          try (var statement =
              db.prepareStatement("select bytes from bodies where day = ? and id = ?")) {
            statement.setInt(1, partition(body));
            statement.setLong(2, Long.parseLong(parts[1]));
            try (var row = statement.executeQuery()) {
              if (!row.next()) {
                throw new LedgerException("the body is no longer kept");
              }
              return row.getBytes(1);
            }
          }
        });
  }

  private interface Question<T> {
    T ask(Connection db) throws SQLException;
  }

  /**
   * The pool tries for {@value #WAIT_MILLIS} ms to connect, however clear the refusal. Where the
   * database is known or thought to be away, one question tries once, and the others hear what it
   * heard.
   */
  private void failIfAway() {
    var known = away.get();
    if (known == null && trouble.get() == null) {
      return;
    }
    long now = System.nanoTime();
    if (known != null
        && (now - known.nanos < TRY_AGAIN_NANOS
            || !away.compareAndSet(known, new Away(known.why, now)))) {
      throw isAway(known.why);
    }
    try (var _ = DriverManager.getConnection(url, connecting())) {
      away.set(null);
    } catch (SQLException e) {
      if (cannotBeReached(e)) {
        away.set(new Away(e, System.nanoTime()));
        throw isAway(e);
      }
      away.set(null);
    }
  }

  /** Whether a connection failed for the way to the database, or for one that starts or ends. */
  private static boolean cannotBeReached(SQLException e) {
    var state = String.valueOf(e.getSQLState());
    return state.startsWith("08") || state.startsWith("57P");
  }

  private LedgerException isAway(SQLException why) {
    return new LedgerException(
        "the store is away: " + Refusal.explained(why, url).getMessage(), why);
  }

  private <T> T ask(Question<T> question) {
    failIfAway();
    try (var db = pool.getConnection()) {
      return question.ask(db);
    } catch (SQLTransientConnectionException e) {
      if (pool.getHikariPoolMXBean().getActiveConnections() >= CONNECTIONS) {
        throw new LedgerBusyException(
            "the ledger is read by too many at once: ask again shortly", e);
      }
      // The pool's own words are about the pool.
      var why = e.getCause() instanceof SQLException cause ? cause : e;
      if (cannotBeReached(why)) {
        away.set(new Away(why, System.nanoTime()));
      }
      throw isAway(why);
    } catch (SQLException e) {
      if (CANCELED.equals(e.getSQLState())) {
        throw new LedgerBusyException(
            "the question took longer than %d s: ask for a shorter time or fewer calls"
                .formatted(LONGEST_MILLIS / 1000),
            e);
      }
      throw new LedgerException("the ledger cannot be read: " + e.getMessage(), e);
    }
  }

  @Override
  public void close() {
    pool.close();
  }
}
