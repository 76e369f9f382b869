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
import java.util.List;
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
  static final int CALL_PLACES = 26;
  static final int ATTEMPT_PLACES = 24;
  private static final int TOKEN_COLUMNS = 6;
  private static final Body.Part[] PARTS = Body.Part.values();

  private CallRows() {}

  /** The statement that adds a row. */
  public static String insert(String table, String columns) {
    int count = columns.split(",").length;
    return "insert into %s (%s) values (%s)"
        .formatted(table, columns, String.join(",", java.util.Collections.nCopies(count, "?")));
  }

  /** Binds all columns of a call, {@code seq} first. */
  public static void bind(PreparedStatement to, long seq, CallRecord call, BodyPlaces places)
      throws SQLException {
    int at = 1;
    to.setLong(at++, seq);
    to.setString(at++, text(call.id()));
    to.setString(at++, text(call.run()));
    to.setString(at++, text(call.parent()));
    to.setString(at++, text(call.client()));
    to.setLong(at++, Micros.of(call.startedAt()));
    to.setString(at++, text(call.dialect()));
    to.setString(at++, text(call.path()));
    to.setString(at++, text(call.modelAsked()));
    to.setString(at++, text(call.target()));
    to.setInt(at++, call.stream() ? 1 : 0);
    to.setInt(at++, call.status());
    to.setString(at++, text(call.verdict()));
    to.setString(at++, String.join(",", call.recovery()));
    to.setInt(at++, call.attempts());
    at = bind(to, at, call.tokens());
    bind(to, at++, call.costNanos());
    to.setString(at++, text(call.priceVersion()));
    bind(to, at++, call.firstToken() == null ? null : micros(call.firstToken()));
    to.setLong(at++, micros(call.total()));
    bind(to, at, 0, places);
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

  /** Binds all columns of an attempt of the call numbered {@code seq}. */
  public static void bind(PreparedStatement to, long seq, AttemptRecord attempt, BodyPlaces places)
      throws SQLException {
    int at = 1;
    to.setLong(at++, seq);
    to.setInt(at++, attempt.number());
    to.setString(at++, text(attempt.target()));
    to.setLong(at++, micros(attempt.waited()));
    to.setLong(at++, Micros.of(attempt.startedAt()));
    bind(to, at++, attempt.headersAt() == null ? null : Micros.of(attempt.headersAt()));
    bind(to, at++, attempt.firstTokenAt() == null ? null : Micros.of(attempt.firstTokenAt()));
    to.setLong(at++, Micros.of(attempt.endedAt()));
    bind(to, at++, attempt.status() == null ? null : (Long) attempt.status().longValue());
    to.setString(at++, text(attempt.failure()));
    to.setString(at++, text(attempt.verdict()));
    to.setString(at++, text(attempt.rule()));
    to.setString(at++, text(attempt.decision()));
    to.setString(at++, text(attempt.reason()));
    to.setLong(at++, attempt.bytesSent());
    to.setLong(at++, attempt.bytesReceived());
    at = bind(to, at, attempt.tokens());
    bind(to, at++, attempt.costNanos());
    bind(to, at, attempt.number(), places);
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

  private static void bind(PreparedStatement to, int at, int attempt, BodyPlaces places)
      throws SQLException {
    for (var part : PARTS) {
      to.setString(at++, places.of(attempt, part));
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

  private static int bind(PreparedStatement to, int at, @Nullable Tokens tokens)
      throws SQLException {
    if (tokens == null) {
      for (int i = 0; i < TOKEN_COLUMNS; i++) {
        to.setObject(at + i, null);
      }
    } else {
      to.setLong(at, tokens.input());
      to.setLong(at + 1, tokens.cachedInput());
      to.setLong(at + 2, tokens.cacheWrite());
      to.setLong(at + 3, tokens.output());
      to.setLong(at + 4, tokens.reasoning());
      to.setInt(at + 5, tokens.estimated() ? 1 : 0);
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

  private static void bind(PreparedStatement to, int at, @Nullable Long value) throws SQLException {
    if (value == null) {
      to.setObject(at, null);
    } else {
      to.setLong(at, value);
    }
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
