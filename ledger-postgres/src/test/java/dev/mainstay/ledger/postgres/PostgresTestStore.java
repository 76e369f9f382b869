package dev.mainstay.ledger.postgres;

import dev.mainstay.ledger.sql.TestStore;
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

  @Override
  public Opened open(Instant now, long maxBytes) {
    var opened =
        PostgresState.open(database(), Duration.ofSeconds(10), InstantSource.fixed(now), maxBytes);
    return new Opened(opened.state(), opened::close);
  }

  /** Its patience outlasts any pause of the machine: no operation goes on without the store. */
  @Override
  public PostgresDatabase database() {
    return new PostgresDatabase(url, Duration.ofMinutes(2));
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
