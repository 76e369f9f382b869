package dev.mainstay.ledger.sqlite;

import dev.mainstay.ledger.sql.CallRows;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.StringJoiner;
import org.jspecify.annotations.Nullable;

/**
 * Adds the rows of a batch to one table in their order, {@value #ROWS} with each statement as long
 * as there are so many. Where these agree in all routine columns, the values of those are bound
 * once for all of them. A statement for each row takes nearly twice the processor time. For one
 * thread.
 */
final class RowInsert implements AutoCloseable {
  private static final int ROWS = 16;

  /** Whether the values of a column usually agree in neighbouring rows. */
  private final boolean[] routine;

  private final PreparedStatement one;
  private final PreparedStatement many;
  private final PreparedStatement alike;
  private final List<@Nullable Object[]> rows = new ArrayList<>();

  /**
   * @param columns with a comma between
   * @param routineColumns those of them whose values usually agree in neighbouring rows
   */
  RowInsert(Connection db, String table, String columns, Set<String> routineColumns)
      throws SQLException {
    var names = columns.split(", ");
    routine = new boolean[names.length];
    for (int i = 0; i < names.length; i++) {
      routine[i] = routineColumns.contains(names[i]);
    }
    var insert = "insert into " + table + " (" + columns + ") values ";
    one = db.prepareStatement(insert + values(1, false));
    many = db.prepareStatement(insert + values(ROWS, false));
    alike = db.prepareStatement(insert + values(ROWS, true));
  }

  /**
   * The parameters of so many rows.
   *
   * @param together whether the first parameters are the routine columns of all rows
   */
  private String values(int count, boolean together) {
    int next = 1;
    var first = new int[routine.length];
    for (int i = 0; together && i < first.length; i++) {
      first[i] = routine[i] ? next++ : 0;
    }
    var all = new StringJoiner(",");
    for (int row = 0; row < count; row++) {
      var one = new StringJoiner(",", "(", ")");
      for (int parameter : first) {
        one.add("?" + (parameter == 0 ? next++ : parameter));
      }
      all.add(one.toString());
    }
    return all.toString();
  }

  /** Takes a row into the batch, its values in the order of the columns. */
  void add(@Nullable Object[] row) {
    rows.add(row);
  }

  /** Forgets the batch. */
  void clear() throws SQLException {
    rows.clear();
    for (var each : List.of(one, many, alike)) {
      each.clearBatch();
    }
  }

  /** Writes the batch, in the transaction that the connection is in. */
  void execute() throws SQLException {
    PreparedStatement last = one;
    for (int from = 0; from < rows.size(); ) {
      int to = rows.size() - from >= ROWS ? from + ROWS : from + 1;
      var next = rows.subList(from, to);
      boolean agree = to - from == ROWS && agree(next);
      var statement = to - from == 1 ? one : agree ? alike : many;
      if (statement != last) {
        last.executeBatch();
        last = statement;
      }
      bind(statement, next, agree);
      from = to;
    }
    last.executeBatch();
    rows.clear();
  }

  private boolean agree(List<@Nullable Object[]> some) {
    var first = some.getFirst();
    for (var row : some) {
      for (int i = 0; i < routine.length; i++) {
        if (routine[i] && !Objects.equals(row[i], first[i])) {
          return false;
        }
      }
    }
    return true;
  }

  private void bind(PreparedStatement to, List<@Nullable Object[]> some, boolean together)
      throws SQLException {
    int at = 1;
    if (together) {
      var first = some.getFirst();
      for (int i = 0; i < routine.length; i++) {
        if (routine[i]) {
          CallRows.bind(to, at++, first[i]);
        }
      }
    }
    for (var row : some) {
      for (int i = 0; i < routine.length; i++) {
        if (!together || !routine[i]) {
          CallRows.bind(to, at++, row[i]);
        }
      }
    }
    to.addBatch();
  }

  @Override
  public void close() throws SQLException {
    for (var each : List.of(one, many, alike)) {
      each.close();
    }
  }
}
