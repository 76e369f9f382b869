package dev.mainstay.ledger.sqlite;

import dev.mainstay.ledger.sql.SqlState;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.time.InstantSource;

/** {@code state.db}, beside the ledger's own file and under its lock. */
final class SqliteState {
  private SqliteState() {}

  /**
   * @param maxBytes of what is kept to be given or made again
   */
  static SqlState open(Path directory, InstantSource clock, long maxBytes) throws SQLException {
    var database = new SqliteDatabase(directory.resolve("state.db"));
    var name = "process " + ProcessHandle.current().pid();
    var state = new SqlState(database, name, Duration.ZERO, clock, maxBytes);
    // Under the ledger's lock: whatever another process had in hand, that process is dead.
    state.startAlone();
    return state;
  }
}
