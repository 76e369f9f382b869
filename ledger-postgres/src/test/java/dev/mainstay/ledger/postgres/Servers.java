package dev.mainstay.ledger.postgres;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;

/** One real server for all tests of a JVM; each test has a database of its own. */
final class Servers {
  private static final AtomicInteger DATABASES = new AtomicInteger();

  private Servers() {}

  private static final class Shared {
    static final EmbeddedPostgres SERVER = start();

    private static EmbeddedPostgres start() {
      try {
        var server =
            EmbeddedPostgres.builder()
                .setServerConfig("max_connections", "200")
                .setPGStartupWait(Duration.ofMinutes(2))
                .start();
        Runtime.getRuntime()
            .addShutdownHook(
                new Thread(
                    () -> {
                      try {
                        server.close();
                      } catch (IOException e) {
                        // The next build's directory is another one.
                      }
                    }));
        return server;
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }

  /** The URL of a new, empty database. */
  static String newDatabase() throws SQLException {
    var name = "t" + DATABASES.incrementAndGet();
    try (var db = DriverManager.getConnection(url("postgres"));
        var statement = db.createStatement()) {
      statement.execute("create database " + name);
    }
    return url(name);
  }

  private static String url(String database) {
    return Shared.SERVER.getJdbcUrl("postgres", database);
  }
}
