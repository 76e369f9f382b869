package dev.mainstay.ledger.postgres;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.mainstay.ledger.CallQuery;
import dev.mainstay.ledger.CostQuery;
import dev.mainstay.ledger.LedgerException;
import dev.mainstay.ledger.LedgerReader;
import dev.mainstay.ledger.run.CallRun;
import dev.mainstay.ledger.sql.CallQueries;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reads what all gateways have written, on connections of its own. Thread-safe. */
final class PostgresReader implements LedgerReader {
  private static final CallQueries QUERIES =
      new CallQueries("to_char(to_timestamp(hour * 3600) at time zone 'utc', 'YYYY-MM-DD')");
  private static final int CONNECTIONS = 4;
  private static final int WAIT_MILLIS = 5_000;
  private static final List<StoredCall> NONE = List.of();

  private final HikariDataSource pool;

  PostgresReader(String url) {
    var config = new HikariConfig();
    config.setPoolName("mainstay-reader");
    config.setJdbcUrl(url);
    config.setDriverClassName("org.postgresql.Driver");
    config.setMaximumPoolSize(CONNECTIONS);
    config.setMinimumIdle(0);
    config.setConnectionTimeout(WAIT_MILLIS);
    // The database may be away: that is seen by who asks.
    config.setInitializationFailTimeout(-1);
    config.setReadOnly(true);
    config.addDataSourceProperty("ApplicationName", "mainstay reader");
    config.addDataSourceProperty("connectTimeout", "2");
    config.addDataSourceProperty("socketTimeout", "35");
    config.addDataSourceProperty("tcpKeepAlive", "true");
    config.setConnectionInitSql("set statement_timeout = 30000");
    pool = new HikariDataSource(config);
  }

  @Override
  public Page calls(CallQuery query) {
    return ask(db -> QUERIES.calls(db, query));
  }

  @Override
  public @Nullable StoredCall call(String id) {
    var found =
        ask(
            db -> {
              var call = QUERIES.call(db, id);
              return call == null ? NONE : List.of(call);
            });
    return found.isEmpty() ? null : found.getFirst();
  }

  @Override
  public List<CallRun> callRuns(CallRun.Query query) {
    return ask(db -> QUERIES.callRuns(db, query));
  }

  @Override
  public List<CostQuery.Sum> costs(CostQuery query) {
    return ask(db -> QUERIES.costs(db, query));
  }

  /** The handle is {@code day:id:length}. */
  @Override
  public byte[] body(StoredBody body) {
    var parts = body.handle().split(":");
    return ask(
        db -> {
          try (var statement =
              db.prepareStatement("select bytes from bodies where day = ? and id = ?")) {
            statement.setInt(1, Integer.parseInt(parts[0]));
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

  private <T> T ask(Question<T> question) {
    try (var db = pool.getConnection()) {
      return question.ask(db);
    } catch (SQLException e) {
      throw new LedgerException("the ledger cannot be read: " + e.getMessage(), e);
    }
  }

  @Override
  public void close() {
    pool.close();
  }
}
