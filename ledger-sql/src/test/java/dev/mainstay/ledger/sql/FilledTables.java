package dev.mainstay.ledger.sql;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Types;
import java.util.ArrayList;

/** Rows in every table of a schema, whichever there are: what each column's type allows. */
public final class FilledTables {
  private static final int ROWS = 3;

  private FilledTables() {}

  /** Adds three rows to each table. */
  public static void fill(Connection db) throws SQLException {
    for (var table : StoreTables.of(db)) {
      var names = new ArrayList<String>();
      var types = new ArrayList<Integer>();
      try (var columns = db.getMetaData().getColumns(null, db.getSchema(), table, "%")) {
        while (columns.next()) {
          names.add(columns.getString("COLUMN_NAME"));
          types.add(columns.getInt("DATA_TYPE"));
        }
      }
      var sql = CallRows.insert(table, String.join(", ", names));
      if (db.getMetaData().getDatabaseProductName().equals("PostgreSQL")) {
        sql = sql.replace(") values (", ") overriding system value values (");
      }
      try (var insert = db.prepareStatement(sql)) {
        for (int row = 1; row <= ROWS; row++) {
          for (int i = 0; i < names.size(); i++) {
            insert.setObject(i + 1, value(types.get(i), row));
          }
          insert.executeUpdate();
        }
      }
    }
  }

  private static Object value(int type, int row) {
    return switch (type) {
      case Types.VARCHAR -> "text " + row;
      case Types.BLOB, Types.BINARY -> ("bytes " + row).getBytes(UTF_8);
      default -> (long) row;
    };
  }
}
