package dev.mainstay.ledger.sql;

import dev.mainstay.ledger.CallQuery;
import dev.mainstay.ledger.CallQuery.Field;
import dev.mainstay.ledger.Measure;
import dev.mainstay.ledger.Range;
import java.math.BigDecimal;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * The filters of a query as a condition on {@code calls}.
 *
 * @param from the tables to read
 * @param numbers the columns of the calls' numbers, each of which is to be bounded
 * @param first the first number that the filter lets through
 * @param last the last one
 * @param names what the calls are to have of {@link CallBlocks#FIELDS}: they are in its blocks
 * @param condition the rest of the filter; empty where there is none
 * @param values of the condition's places, in their order
 */
record CallFilter(
    String from,
    List<String> numbers,
    long first,
    long last,
    Map<Field, String> names,
    String condition,
    List<Object> values) {
  /** The kind of a verdict: what follows its class, which alone is of capitals. As in the index. */
  private static final String KIND = "ltrim(%s, 'ACEFGILNORST/') = ?";

  private static final long MICROS_A_MILLI = 1_000;
  private static final long NANOS_A_DOLLAR = 1_000_000_000;

  private static final class Builder {
    private final StringBuilder sql = new StringBuilder();
    private final List<Object> values = new ArrayList<>();

    void and(String condition, Object... of) {
      sql.append(" and ").append(condition);
      values.addAll(List.of(of));
    }
  }

  static CallFilter of(Connection db, CallQuery query, long before, TextSearch search)
      throws SQLException {
    var text = query.text() == null ? null : CallRows.kept(query.text());
    boolean call = text != null && exists(db, "id", text);
    boolean run = text != null && exists(db, "run", text);
    boolean words = text != null && query.inBodies() && !call && !run;
    boolean ofRun = run || query.where().containsKey(Field.RUN);
    var to = new Builder();
    var names = new EnumMap<Field, String>(Field.class);
    for (var each : query.where().entrySet()) {
      if (CallBlocks.FIELDS.contains(each.getKey())) {
        names.put(each.getKey(), each.getValue());
      }
      add(to, each.getKey(), CallRows.kept(each.getValue()), ofRun);
    }
    for (var each : query.ranges().entrySet()) {
      add(to, each.getKey(), each.getValue());
    }
    if (query.failed() != null) {
      to.and(query.failed() ? "verdict is not null" : "verdict is null");
    }
    if (text != null) {
      if (words) {
        words(to, text, search);
      } else if (call && run) {
        to.and("(id = ? or run = ?)", text, text);
      } else {
        to.and(run ? "run = ?" : "id = ?", text);
      }
    }
    if (query.from() != null) {
      to.and("started_at >= ?", Micros.of(query.from()));
    }
    if (query.to() != null) {
      to.and("started_at < ?", Micros.of(query.to()));
    }
    var numbers = numbers(db, query, before);
    // A run's calls, and those with a word, are few, and found by an index of their own.
    boolean blocks = !ofRun && text == null;
    return new CallFilter(
        words ? search.from() : "calls",
        words ? search.numbers() : List.of("seq"),
        numbers.first(),
        numbers.last(),
        blocks ? names : Map.of(),
        to.sql.toString(),
        List.copyOf(to.values));
  }

  /** A condition on the calls of one run. */
  record OfRun(String condition, List<Object> values) {}

  static OfRun ofRun(Map<Field, String> where) {
    var to = new Builder();
    where.forEach((field, value) -> add(to, field, CallRows.kept(value), true));
    return new OfRun(to.sql.toString(), List.copyOf(to.values));
  }

  private static void words(Builder to, String text, TextSearch search) {
    var terms = SearchWords.terms(text);
    if (terms.isEmpty()) {
      to.and("1 = 0");
    } else {
      to.and(search.condition(), search.query(terms));
    }
  }

  private static boolean exists(Connection db, String column, String value) throws SQLException {
    try (var statement =
        db.prepareStatement(
            "select 1 where exists (select 1 from calls where " + column + " = ?)")) {
      statement.setString(1, value);
      try (var row = statement.executeQuery()) {
        return row.next();
      }
    }
  }

  /**
   * @param ofRun a run is asked for too. Its calls are few, and SQLite, which knows of no index how
   *     many calls share a value, would rather read all those of a model: no index fits the other
   *     conditions then
   */
  private static void add(Builder to, Field field, String value, boolean ofRun) {
    switch (field) {
      case RUN -> to.and("run = ?", value);
      case CLIENT -> to.and("client = ?", value);
      case MODEL -> to.and("model = ?", value);
      case TARGET -> to.and("target = ?", value);
      case STATUS -> {
        if (ofRun) {
          to.and("status + 0 = ?", Integer.valueOf(value));
          return;
        }
        to.and("status = ?", Integer.valueOf(value));
        if (!value.equals("200")) {
          // The index leaves out what most calls have.
          to.and("status <> 200");
        }
      }
      case CLASS ->
          to.and(
              "verdict is not null and substr(verdict, 1, " + (value.length() + 1) + ") = ?",
              value + "/");
      case KIND ->
          to.and("verdict is not null and " + KIND.formatted(column("verdict", ofRun)), value);
      case RECOVERY ->
          to.and(
              "recovery <> '' and (',' || recovery || ',' like ? or ',' || recovery like ?)",
              "%," + value + ",%",
              "%," + value + ":%");
    }
  }

  private static void add(Builder to, Measure measure, Range range) {
    switch (measure) {
      case ATTEMPTS -> within(to, "attempts", range, 1);
      case FIRST_TOKEN_MS -> within(to, "first_token", range, MICROS_A_MILLI);
      case TOTAL_MS -> within(to, "total", range, MICROS_A_MILLI);
      case TOKENS ->
          within(to, "input + cached_input + cache_write + output + reasoning", range, 1);
      case COST_USD -> within(to, "cost_nanos", range, NANOS_A_DOLLAR);
      case TURNS, STEPS -> throw new IllegalArgumentException("calls have no " + measure);
    }
  }

  /**
   * @param units of the column in one of the range's; what is left of one is not shown, and so
   *     belongs to the most as well
   */
  private static void within(Builder to, String column, Range range, long units) {
    if (range.min() != null) {
      to.and(column + " >= ?", stored(range.min(), units));
    }
    if (range.max() != null) {
      long last = stored(range.max(), units);
      to.and(column + " <= ?", units == MICROS_A_MILLI ? last + units - 1 : last);
    }
  }

  private static long stored(BigDecimal value, long units) {
    return value.multiply(BigDecimal.valueOf(units)).longValueExact();
  }

  private static String column(String name, boolean withoutIndex) {
    return withoutIndex ? "coalesce(" + name + ", '')" : name;
  }

  private record Numbers(long first, long last) {}

  /**
   * Calls are numbered as they end and asked for by when they started: the hours say which numbers
   * those can have that started in them.
   */
  private static Numbers numbers(Connection db, CallQuery query, long before) throws SQLException {
    var from = query.from();
    var until = query.to();
    if (from == null && until == null) {
      return new Numbers(0, before - 1);
    }
    try (var statement =
        db.prepareStatement(
            "select coalesce(min(first_seq), 0), coalesce(max(last_seq), -1) from call_hours"
                + " where hour between ? and ?")) {
      statement.setLong(1, from == null ? 0 : HourlyStats.hour(from));
      statement.setLong(2, until == null ? Integer.MAX_VALUE : HourlyStats.hour(until));
      try (var row = statement.executeQuery()) {
        row.next();
        return new Numbers(row.getLong(1), Math.min(row.getLong(2), before - 1));
      }
    }
  }
}
