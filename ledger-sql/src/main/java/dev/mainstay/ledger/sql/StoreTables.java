package dev.mainstay.ledger.sql;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The tables of a store, as its databases name them. */
public final class StoreTables {
  /** Who writes the store, and sums that triggers keep: rows that a store makes for itself. */
  private static final Set<String> OWN = Set.of("instances", "kept_bytes", "mainstay_schema");

  /** How the names of those begin that hold bodies and their words, each store in its own way. */
  private static final List<String> APART = List.of("sqlite_", "bodies", "call_text");

  private StoreTables() {}

  /** The tables whose rows are a store's contents; parts of other tables are left out. */
  public static List<String> of(Connection db) throws SQLException {
    var tables = new ArrayList<String>();
    try (var rows = db.getMetaData().getTables(null, db.getSchema(), "%", new String[] {"TABLE"})) {
      while (rows.next()) {
        var name = rows.getString("TABLE_NAME");
        if (!OWN.contains(name) && APART.stream().noneMatch(name::startsWith)) {
          tables.add(name);
        }
      }
    }
    tables.sort(null);
    return tables;
  }

  /** Rows by table. */
  public static Map<String, Long> counts(Connection db) throws SQLException {
    var counts = new LinkedHashMap<String, Long>();
    for (var table : of(db)) {
      counts.put(table, number(db, "select count(*) from " + table));
    }
    return counts;
  }

  /** A single number. */
  static long number(Connection db, String sql) throws SQLException {
    try (var statement = db.createStatement();
        var row = statement.executeQuery(sql)) {
      return row.next() ? row.getLong(1) : 0;
    }
  }

  /** What becomes of a row's values on their way. */
  @FunctionalInterface
  public interface Change {
    /** The value to write in {@code column}. */
    @Nullable Object value(String column, @Nullable Object value, ResultSet row)
        throws SQLException;
  }

  private static final int ROWS_AT_ONCE = 500;

  /**
   * Copies all rows of {@code table}, with their numbers.
   *
   * @return how many
   */
  public static long copy(Connection from, Connection to, String table, Change change)
      throws SQLException {
    long copied = 0;
    try (var statement = from.createStatement();
        var row = statement.executeQuery("select * from " + table)) {
      var meta = row.getMetaData();
      int count = meta.getColumnCount();
      var columns = new ArrayList<String>();
      for (int i = 1; i <= count; i++) {
        columns.add(meta.getColumnName(i));
      }
      var sql =
          CallRows.insert(table, String.join(", ", columns))
              .replace(") values (", ") overriding system value values (");
      try (var insert = to.prepareStatement(sql)) {
        while (row.next()) {
          for (int i = 1; i <= count; i++) {
            insert.setObject(i, change.value(columns.get(i - 1), row.getObject(i), row));
          }
          insert.addBatch();
          if (++copied % ROWS_AT_ONCE == 0) {
            insert.executeBatch();
          }
        }
        insert.executeBatch();
      }
    }
    return copied;
  }
}
