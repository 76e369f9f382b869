package dev.mainstay.ledger.sql;

import dev.mainstay.ledger.AttemptRecord;
import dev.mainstay.ledger.Body;
import dev.mainstay.ledger.CallReader.StoredBody;
import dev.mainstay.ledger.CallRecord;
import dev.mainstay.ledger.CallStart;
import dev.mainstay.ledger.Tokens;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Between records and rows. The order of columns is that of the schema, said once here. */
public final class CallRows {
  public static final String CALL_COLUMNS =
      "seq, id, run, parent, client, started_at, dialect, path, model, target, stream, status,"
          + " verdict, recovery, attempts, input, cached_input, cache_write, output, reasoning,"
          + " estimated, cost_nanos, price_version, first_token, total, request, response";
  public static final String ATTEMPT_COLUMNS =
      "call_seq, number, target, waited, started_at, headers_at, first_token_at, ended_at, status,"
          + " failure, verdict, rule, decision, reason, bytes_sent, bytes_received, input,"
          + " cached_input, cache_write, output, reasoning, estimated, cost_nanos, request,"
          + " response";

  /** Columns of calls in which those of one minute usually agree. */
  public static final Set<String> ROUTINE_CALL_COLUMNS =
      Set.of(
          "run",
          "parent",
          "dialect",
          "path",
          "stream",
          "status",
          "verdict",
          "recovery",
          "attempts",
          "price_version");

  /** As {@link #ROUTINE_CALL_COLUMNS}, of attempts. */
  public static final Set<String> ROUTINE_ATTEMPT_COLUMNS =
      Set.of("number", "waited", "status", "failure", "verdict", "rule", "decision", "reason");

  static final int CALL_PLACES = 26;
  static final int ATTEMPT_PLACES = 24;
  private static final int TOKEN_COLUMNS = 6;
  private static final Body.Part[] PARTS = Body.Part.values();

  private CallRows() {}

  /** The statement that adds a row. */
  public static String insert(String table, String columns) {
    int count = columns.split(",").length;
    return "insert into %s (%s) values (%s)"
        .formatted(table, columns, String.join(",", Collections.nCopies(count, "?")));
  }

  /** The values of {@link #CALL_COLUMNS}: null, Long, Integer or String. */
  public static @Nullable Object[] row(long seq, CallRecord call, BodyPlaces places) {
    var row = new @Nullable Object[CALL_PLACES + PARTS.length - 1];
    int at = 0;
    row[at++] = seq;
    row[at++] = text(call.id());
    row[at++] = text(call.run());
    row[at++] = text(call.parent());
    row[at++] = text(call.client());
    row[at++] = Micros.of(call.startedAt());
    row[at++] = text(call.dialect());
    row[at++] = text(call.path());
    row[at++] = text(call.modelAsked());
    row[at++] = text(call.target());
    row[at++] = call.stream() ? 1 : 0;
    row[at++] = call.status();
    row[at++] = text(call.verdict());
    row[at++] = String.join(",", call.recovery());
    row[at++] = call.attempts();
    at = add(row, at, call.tokens());
    row[at++] = call.costNanos();
    row[at++] = text(call.priceVersion());
    row[at++] = call.firstToken() == null ? null : (Long) micros(call.firstToken());
    row[at++] = micros(call.total());
    add(row, at, 0, places);
    return row;
  }

  static CallRecord call(ResultSet row) throws SQLException {
    var recovery = row.getString(14);
    return new CallRecord(
        new CallStart(
            row.getString(2),
            row.getString(3),
            row.getString(4),
            row.getString(5),
            Micros.instant(row.getLong(6)),
            row.getString(7),
            row.getString(8),
            row.getString(9),
            row.getInt(11) != 0),
        new CallRecord.Outcome(
            row.getString(10),
            row.getInt(12),
            row.getString(13),
            recovery.isEmpty() ? List.of() : List.of(recovery.split(",")),
            row.getInt(15),
            nullableDuration(row, 24),
            duration(row.getLong(25))),
        new CallRecord.Cost(tokens(row, 16), nullableLong(row, 22), row.getString(23)));
  }

  /** The values of {@link #ATTEMPT_COLUMNS}, as those of a call. */
  public static @Nullable Object[] row(long seq, AttemptRecord attempt, BodyPlaces places) {
    var row = new @Nullable Object[ATTEMPT_PLACES + PARTS.length - 1];
    int at = 0;
    row[at++] = seq;
    row[at++] = attempt.number();
    row[at++] = text(attempt.target());
    row[at++] = micros(attempt.waited());
    row[at++] = Micros.of(attempt.startedAt());
    row[at++] = attempt.headersAt() == null ? null : (Long) Micros.of(attempt.headersAt());
    row[at++] = attempt.firstTokenAt() == null ? null : (Long) Micros.of(attempt.firstTokenAt());
    row[at++] = Micros.of(attempt.endedAt());
    row[at++] = attempt.status();
    row[at++] = text(attempt.failure());
    row[at++] = text(attempt.verdict());
    row[at++] = text(attempt.rule());
    row[at++] = text(attempt.decision());
    row[at++] = text(attempt.reason());
    row[at++] = attempt.bytesSent();
    row[at++] = attempt.bytesReceived();
    at = add(row, at, attempt.tokens());
    row[at++] = attempt.costNanos();
    add(row, at, attempt.number(), places);
    return row;
  }

  /** Binds all values of a row. */
  public static void bind(PreparedStatement to, @Nullable Object[] row) throws SQLException {
    for (int i = 0; i < row.length; i++) {
      bind(to, i + 1, row[i]);
    }
  }

  /** Binds one value of a row. */
  public static void bind(PreparedStatement to, int at, @Nullable Object value)
      throws SQLException {
    switch (value) {
      case Long number -> to.setLong(at, number);
      case Integer number -> to.setInt(at, number);
      case String text -> to.setString(at, text);
      case null, default -> to.setObject(at, value);
    }
  }

  static AttemptRecord attempt(ResultSet row, String call) throws SQLException {
    var status = nullableLong(row, 9);
    return new AttemptRecord(
        call,
        row.getInt(2),
        row.getString(3),
        new AttemptRecord.Times(
            duration(row.getLong(4)),
            Micros.instant(row.getLong(5)),
            nullableInstant(row, 6),
            nullableInstant(row, 7),
            Micros.instant(row.getLong(8))),
        new AttemptRecord.Outcome(
            status == null ? null : (Integer) status.intValue(),
            row.getString(10),
            row.getString(11),
            row.getString(12),
            row.getString(13),
            row.getString(14)),
        new AttemptRecord.Use(
            row.getLong(15), row.getLong(16), tokens(row, 17), nullableLong(row, 23)));
  }

  private static void add(@Nullable Object[] row, int at, int attempt, BodyPlaces places) {
    for (var part : PARTS) {
      row[at++] = places.of(attempt, part);
    }
  }

  /** Adds the bodies whose places stand in two columns from {@code at}. */
  static void stored(ResultSet row, int at, int attempt, Collection<StoredBody> to)
      throws SQLException {
    for (var part : PARTS) {
      var place = row.getString(at++);
      if (place != null) {
        int length = Integer.parseInt(place, place.lastIndexOf(':') + 1, place.length(), 10);
        to.add(new StoredBody(attempt, part, place, length));
      }
    }
  }

  private static int add(@Nullable Object[] row, int at, @Nullable Tokens tokens) {
    if (tokens != null) {
      row[at] = tokens.input();
      row[at + 1] = tokens.cachedInput();
      row[at + 2] = tokens.cacheWrite();
      row[at + 3] = tokens.output();
      row[at + 4] = tokens.reasoning();
      row[at + 5] = tokens.estimated() ? 1 : 0;
    }
    return at + TOKEN_COLUMNS;
  }

  /** PostgreSQL's texts cannot hold the character 0, which a model's name in JSON can. */
  private static @Nullable String text(@Nullable String value) {
    return value == null ? null : kept(value);
  }

  /** {@code value} as it stands in a row. */
  static String kept(String value) {
    return value.indexOf(0) < 0 ? value : value.replace((char) 0, '\ufffd');
  }

  private static @Nullable Tokens tokens(ResultSet row, int at) throws SQLException {
    var input = nullableLong(row, at);
    return input == null
        ? null
        : new Tokens(
            input,
            row.getLong(at + 1),
            row.getLong(at + 2),
            row.getLong(at + 3),
            row.getLong(at + 4),
            row.getInt(at + 5) != 0);
  }

  private static @Nullable Long nullableLong(ResultSet row, int at) throws SQLException {
    long value = row.getLong(at);
    return row.wasNull() ? null : (Long) value;
  }

  private static @Nullable Instant nullableInstant(ResultSet row, int at) throws SQLException {
    var micros = nullableLong(row, at);
    return micros == null ? null : Micros.instant(micros);
  }

  private static @Nullable Duration nullableDuration(ResultSet row, int at) throws SQLException {
    var micros = nullableLong(row, at);
    return micros == null ? null : duration(micros);
  }

  private static long micros(Duration length) {
    return length.toNanos() / 1000;
  }

  private static Duration duration(long micros) {
    return Duration.ofNanos(micros * 1000);
  }
}
