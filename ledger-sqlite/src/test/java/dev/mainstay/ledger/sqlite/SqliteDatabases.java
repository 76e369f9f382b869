package dev.mainstay.ledger.sqlite;

import dev.mainstay.ledger.sql.Database;
import java.nio.file.Path;

/** The embedded database for tests of what stands on it. */
public final class SqliteDatabases {
  private SqliteDatabases() {}

  /** The state in {@code file}. */
  public static Database at(Path file) {
    return new SqliteDatabase(file);
  }
}
