package dev.mainstay.ledger.postgres;

import dev.mainstay.ledger.sql.TestStore;
import dev.mainstay.ledger.state.DurableState;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;

/** An empty database on the tests' server. */
final class PostgresTestStore implements TestStore {
  private final String url = Servers.newDatabase();

  PostgresTestStore() throws SQLException {}

  String url() {
    return url;
  }

  /** A process's state; closing it closes its heartbeat too. */
  @Override
  public DurableState open(Instant now, long maxBytes) {
    var opened =
        PostgresState.open(url, Duration.ofSeconds(10), InstantSource.fixed(now), maxBytes);
    return (DurableState)
        Proxy.newProxyInstance(
            DurableState.class.getClassLoader(),
            new Class<?>[] {DurableState.class},
            (proxy, method, arguments) -> {
              if (method.getName().equals("close")) {
                opened.close();
                return null;
              }
              try {
                return method.invoke(opened.state(), arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }

  @Override
  public long number(String sql) throws SQLException {
    try (var db = DriverManager.getConnection(url);
        var statement = db.createStatement();
        var row = statement.executeQuery(sql)) {
      return row.next() ? row.getLong(1) : 0;
    }
  }

  @Override
  public void close() {}
}
