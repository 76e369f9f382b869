package dev.mainstay.ledger.sql;

import dev.mainstay.ledger.run.RunStore;
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

  /** A question with its values. */
  record Sql(String sql, List<Object> values) {}

  static Sql query(RunStore.Query query) {
    var conditions = new ArrayList<String>();
    var values = new ArrayList<Object>();
    var filter = query.filter();
    var before = query.before();
    if (before != null) {
      conditions.add("(accepted_at < ? or (accepted_at = ? and id < ?))");
      values.addAll(List.of(Micros.of(before.at()), Micros.of(before.at()), before.run()));
    }
    var status = filter.status();
    add("status = ?", status == null ? null : name(status), conditions, values);
    add("outcome = ?", filter.outcome(), conditions, values);
    add("agent = ?", filter.agent(), conditions, values);
    add("client = ?", filter.client(), conditions, values);
    add("parent = ?", filter.parent(), conditions, values);
    add("session = ?", filter.session(), conditions, values);
    add("accepted_at >= ?", micros(query.from()), conditions, values);
    add("accepted_at < ?", micros(query.to()), conditions, values);
    values.add(query.limit());
    var where = conditions.isEmpty() ? "" : "where " + String.join(" and ", conditions) + ' ';
    return new Sql(READ + where + "order by accepted_at desc, id desc limit ?", values);
  }

  private static @Nullable Long micros(@Nullable Instant time) {
    return time == null ? null : (Long) Micros.of(time);
  }

  private static void add(
      String condition, @Nullable Object value, List<String> conditions, List<Object> values) {
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
