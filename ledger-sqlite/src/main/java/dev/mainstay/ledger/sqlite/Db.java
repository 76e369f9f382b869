package dev.mainstay.ledger.sqlite;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import org.jspecify.annotations.Nullable;
import org.sqlite.JDBC;

/** A connection with its statements, each prepared once. Belongs to one thread. */
final class Db implements AutoCloseable {
  private final Connection connection;
  private final Map<String, PreparedStatement> statements = new HashMap<>();
  private long changed;

  Db(Connection connection) {
    this.connection = connection;
  }

  /** By the driver itself: DriverManager would look into every jar for others first. */
  static Connection connection(Path file) throws SQLException {
    return JDBC.createConnection(JDBC.PREFIX + file, new Properties());
  }

  /** Reads one row of a result. */
  @FunctionalInterface
  interface Read<T> {
    T read(ResultSet row) throws SQLException;
  }

  /** How many rows {@code sql} changed. */
  int update(String sql, @Nullable Object... values) throws SQLException {
    int rows = prepared(sql, values).executeUpdate();
    changed += rows;
    return rows;
  }

  /** Rows that were changed so far, also by what was rolled back. */
  long changed() {
    return changed;
  }

  /** The first row, or null where there is none. */
  <T> @Nullable T first(String sql, Read<T> read, @Nullable Object... values) throws SQLException {
    try (var rows = prepared(sql, values).executeQuery()) {
      return rows.next() ? read.read(rows) : null;
    }
  }

  <T> List<T> all(String sql, Read<T> read, @Nullable Object... values) throws SQLException {
    var list = new ArrayList<T>();
    try (var rows = prepared(sql, values).executeQuery()) {
      while (rows.next()) {
        list.add(read.read(rows));
      }
    }
    return list;
  }

  /** Runs what is neither asked often nor has values: pragmas and the bounds of transactions. */
  void execute(String sql) throws SQLException {
    try (var statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  private PreparedStatement prepared(String sql, @Nullable Object... values) throws SQLException {
    var statement = statements.get(sql);
    if (statement == null) {
      statement = connection.prepareStatement(sql);
      statements.put(sql, statement);
    }
    for (int i = 0; i < values.length; i++) {
      statement.setObject(i + 1, values[i]);
    }
    return statement;
  }

  @Override
  public void close() throws SQLException {
    try (connection) {
      for (var statement : statements.values()) {
        statement.close();
      }
      execute("pragma wal_checkpoint(truncate)");
    }
  }
}
