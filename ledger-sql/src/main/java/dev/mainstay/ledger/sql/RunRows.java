package dev.mainstay.ledger.sql;

import dev.mainstay.ledger.run.CallRun;
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
          + " wake_at, outcome, summary from runs ";
  static final String MESSAGES =
      "select number, at, kind, about, content, author from run_messages ";

  private RunRows() {}

  /** A question with its values. */
  record Sql(String text, List<Object> values) {}

  static Sql query(RunStore.Query query) {
    var filter = query.filter();
    var rows = new Conditions();
    rows.before(query.before(), "id");
    rows.add("id = ?", filter.run());
    var status = filter.status();
    rows.add("status = ?", status == null ? null : name(status));
    rows.add("outcome = ?", filter.outcome());
    rows.add("agent = ?", filter.agent());
    rows.add("client = ?", filter.client());
    rows.add("parent = ?", filter.parent());
    rows.add("session = ?", filter.session());
    rows.between(query.from(), query.to());
    return rows.sql(READ, "where ", "id", query.limit());
  }

  /** What rows of a list have to be like: rows that were accepted at a time. */
  static final class Conditions {
    private final List<String> conditions = new ArrayList<>();
    private final List<Object> values = new ArrayList<>();

    /** Only rows behind a place in the list, unless it is null. */
    void before(CallRun.@Nullable Place place, String id) {
      if (place != null) {
        long at = Micros.of(place.at());
        conditions.add("(accepted_at < ? or (accepted_at = ? and " + id + " < ?))");
        values.addAll(List.of(at, at, place.run()));
      }
    }

    /** One more condition, unless its value is null. */
    void add(String condition, @Nullable Object value) {
      if (value != null) {
        conditions.add(condition);
        values.add(value);
      }
    }

    void between(@Nullable Instant from, @Nullable Instant to) {
      add("accepted_at >= ?", micros(from));
      add("accepted_at < ?", micros(to));
    }

    /**
     * The question for the newest of these rows.
     *
     * @param first stands before the first condition, where there is one
     */
    Sql sql(String select, String first, String id, int limit) {
      var where = conditions.isEmpty() ? "" : first + String.join(" and ", conditions);
      var all = new ArrayList<>(values);
      all.add(limit);
      return new Sql(select + where + " order by accepted_at desc, " + id + " desc limit ?", all);
    }

    private static @Nullable Long micros(@Nullable Instant time) {
      return time == null ? null : (Long) Micros.of(time);
    }
  }

  private static String name(Status status) {
    return status.name().toLowerCase(Locale.ROOT);
  }

  static Run read(ResultSet row) throws SQLException {
    return new Run(
        new RunStore.Origin(
            row.getString(1),
            row.getString(2),
            row.getString(3),
            row.getString(4),
            row.getString(5),
            row.getInt(6)),
        Status.valueOf(row.getString(7).toUpperCase(Locale.ROOT)),
        Micros.instant(row.getLong(8)),
        time(row, 9),
        row.getLong(10),
        time(row, 11),
        row.getString(12),
        row.getString(13));
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
