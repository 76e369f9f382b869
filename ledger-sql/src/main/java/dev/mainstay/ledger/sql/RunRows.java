package dev.mainstay.ledger.sql;

import dev.mainstay.ledger.run.RunStore.Message;
import dev.mainstay.ledger.run.RunStore.Run;
import dev.mainstay.ledger.run.RunStore.Status;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Between runs and their rows. */
final class RunRows {
  static final String READ =
      "select id, agent, client, parent, session, priority, status, accepted_at, ended_at, entries,"
          + " wake_at, outcome from runs ";
  static final String MESSAGES =
      "select number, at, kind, about, content, author from run_messages ";

  private RunRows() {}

  record Query(String sql, List<Object> values) {}

  static Query query(
      int limit,
      @Nullable String before,
      @Nullable Status status,
      @Nullable String agent,
      @Nullable String parent) {
    var conditions = new ArrayList<String>();
    var values = new ArrayList<Object>();
    add("id < ?", before, conditions, values);
    add("status = ?", status == null ? null : name(status), conditions, values);
    add("agent = ?", agent, conditions, values);
    add("parent = ?", parent, conditions, values);
    values.add(limit);
    var where = conditions.isEmpty() ? "" : "where " + String.join(" and ", conditions) + ' ';
    return new Query(READ + where + "order by id desc limit ?", values);
  }

  private static void add(
      String condition, @Nullable String value, List<String> conditions, List<Object> values) {
    if (value != null) {
      conditions.add(condition);
      values.add(value);
    }
  }

  private static String name(Status status) {
    return status.name().toLowerCase(Locale.ROOT);
  }

  static Run read(ResultSet row) throws SQLException {
    return new Run(
        row.getString(1),
        row.getString(2),
        row.getString(3),
        row.getString(4),
        row.getString(5),
        row.getInt(6),
        Status.valueOf(row.getString(7).toUpperCase(Locale.ROOT)),
        Micros.instant(row.getLong(8)),
        time(row, 9),
        row.getLong(10),
        time(row, 11),
        row.getString(12));
  }

  static Message message(ResultSet row) throws SQLException {
    return new Message(
        row.getLong(1),
        Micros.instant(row.getLong(2)),
        row.getString(3),
        row.getString(4),
        row.getBytes(5),
        row.getString(6));
  }

  private static @Nullable Instant time(ResultSet row, int at) throws SQLException {
    long micros = row.getLong(at);
    return row.wasNull() ? null : Micros.instant(micros);
  }
}
