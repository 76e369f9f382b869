package dev.mainstay.ledger.sqlite;

import dev.mainstay.ledger.FolderLock;
import dev.mainstay.ledger.LedgerConfig;
import dev.mainstay.ledger.LedgerException;
import dev.mainstay.ledger.sql.StoreSource;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.sqlite.SQLiteConfig;

/** An embedded store as a whole, under its lock: no other process writes it meanwhile. */
final class SqliteSource implements StoreSource {
  private final FolderLock lock;
  private final List<Connection> databases = new ArrayList<>();
  private final Path bodies;

  private SqliteSource(FolderLock lock, Path directory) {
    this.lock = lock;
    bodies = Store.bodies(directory);
  }

  /**
   * Brings a store up to date, with what waits in its log and what a killed process had in hand,
   * and opens it.
   */
  static StoreSource open(Path directory, InstantSource clock) {
    if (!Files.exists(Store.database(directory))) {
      throw new LedgerException(
          "no ledger in %s: nothing was recorded there yet".formatted(directory));
    }
    var all = LedgerConfig.in(directory).keeping(Duration.ofDays(36_500), Long.MAX_VALUE);
    try (var ledger = SqliteLedger.open(all, clock)) {
      if (!ledger.recorder().flush(Duration.ofMinutes(10))) {
        throw new LedgerException(
            "%d calls still wait in the log of %s: %s"
                .formatted(
                    ledger.recorder().health().waiting(),
                    directory,
                    ledger.recorder().health().trouble()));
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new LedgerException("interrupted while the log was being written to the store", e);
    }
    try {
      var source = new SqliteSource(FolderLock.take(directory), directory);
      try {
        source.databases.add(readOnly(directory.resolve("state.db")));
        source.databases.add(readOnly(Store.database(directory)));
        return source;
      } catch (SQLException e) {
        source.close();
        throw e;
      }
    } catch (IOException | SQLException e) {
      throw new LedgerException(
          "the ledger in %s cannot be read: %s".formatted(directory, e.getMessage()), e);
    }
  }

  static Connection readOnly(Path file) throws SQLException {
    var config = new SQLiteConfig();
    config.setReadOnly(true);
    config.setBusyTimeout(5000);
    return config.createConnection("jdbc:sqlite:" + file);
  }

  @Override
  public List<Connection> databases() {
    return databases;
  }

  @Override
  public byte @Nullable [] body(String place) {
    return Segments.readKept(bodies, Segments.Place.parse(place));
  }

  @Override
  public void close() {
    try (lock) {
      for (var each : databases) {
        each.close();
      }
    } catch (SQLException | IOException e) {
      throw new LedgerException("the ledger cannot be closed: " + e.getMessage(), e);
    }
  }
}
