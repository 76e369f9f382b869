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
    int rows = using(sql, statement -> bound(statement, values).executeUpdate());
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
    using(
        sql,
        statement -> {
          try (var rows = bound(statement, values).executeQuery()) {
            while (rows.next()) {
              list.add(read.read(rows));
            }
          }
          return list;
        });
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
    using(
        sql,
        statement -> {
          for (var row : rows) {
            bound(statement, row).addBatch();
          }
          return statement.executeBatch();
        });
    changed += rows.size();
  }

  /** Runs what is neither asked often nor has values: pragmas and the bounds of transactions. */
  public void execute(String sql) throws SQLException {
    try (var statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  private interface Use<T> {
    T of(PreparedStatement statement) throws SQLException;
  }

  /** A statement that failed is prepared anew: SQLite's driver goes on with the one that failed. */
  private <T> T using(String sql, Use<T> use) throws SQLException {
    var known = statements.remove(sql);
    var statement = known == null ? connection.prepareStatement(sql) : known;
    try {
      var result = use.of(statement);
      statements.put(sql, statement);
      return result;
    } catch (SQLException | RuntimeException e) {
      try (statement) {
        throw e;
      }
    }
  }

  /** PostgreSQL has no text with the character 0. */
  private static PreparedStatement bound(PreparedStatement statement, @Nullable Object... values)
      throws SQLException {
    for (int i = 0; i < values.length; i++) {
      var value = values[i];
      statement.setObject(i + 1, value instanceof String text ? CallRows.kept(text) : value);
    }
    return statement;
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
