package dev.mainstay.ledger.sql;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A connection with its statements, each prepared once. Belongs to one thread. */
public final class Db implements AutoCloseable {
  private final Connection connection;
  private final Map<String, PreparedStatement> statements = new HashMap<>();
  private long changed;

  public Db(Connection connection) {
    this.connection = connection;
  }

  /** Reads one row of a result. */
  @FunctionalInterface
  public interface Read<T> {
    T read(ResultSet row) throws SQLException;
  }

  /** The connection itself. */
  public Connection connection() {
    return connection;
  }

  /** How many rows {@code sql} changed. */
  public int update(String sql, @Nullable Object... values) throws SQLException {
    int rows = prepared(sql, values).executeUpdate();
    changed += rows;
    return rows;
  }

  /** Rows that were changed so far, also by what was rolled back. */
  long changed() {
    return changed;
  }

  /** The first row, or null where there is none; of an update with {@code returning} too. */
  public <T> @Nullable T first(String sql, Read<T> read, @Nullable Object... values)
      throws SQLException {
    var all = all(sql, read, values);
    return all.isEmpty() ? null : all.getFirst();
  }

  /** All rows; of an update with {@code returning} too. */
  public <T> List<T> all(String sql, Read<T> read, @Nullable Object... values) throws SQLException {
    var list = new ArrayList<T>();
    try (var rows = prepared(sql, values).executeQuery()) {
      while (rows.next()) {
        list.add(read.read(rows));
      }
    }
    if (!sql.startsWith("select")) {
      changed += list.size();
    }
    return list;
  }

  /** A single number. */
  public long number(String sql, @Nullable Object... values) throws SQLException {
    var number = first(sql, row -> row.getLong(1), values);
    return number == null ? 0 : number;
  }

  /** Executes {@code sql} once for each row of values, in one round trip. */
  public void batch(String sql, List<@Nullable Object[]> rows) throws SQLException {
    if (rows.size() == 1) {
      update(sql, rows.getFirst());
      return;
    }
    var statement = prepared(sql);
    for (var row : rows) {
      bind(statement, row);
      statement.addBatch();
    }
    statement.executeBatch();
    changed += rows.size();
  }

  /** Runs what is neither asked often nor has values: pragmas and the bounds of transactions. */
  public void execute(String sql) throws SQLException {
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
    bind(statement, values);
    return statement;
  }

  private static void bind(PreparedStatement statement, @Nullable Object... values)
      throws SQLException {
    for (int i = 0; i < values.length; i++) {
      statement.setObject(i + 1, values[i]);
    }
  }

  @Override
  public void close() throws SQLException {
    try (connection) {
      for (var statement : statements.values()) {
        statement.close();
      }
    }
  }
}
