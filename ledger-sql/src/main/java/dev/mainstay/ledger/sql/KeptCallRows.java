package dev.mainstay.ledger.sql;

import dev.mainstay.ledger.state.KeptCalls.Accepted;
import dev.mainstay.ledger.state.KeptCalls.DeadLetterQuery;
import dev.mainstay.ledger.state.KeptCalls.Kept;
import dev.mainstay.ledger.state.KeptCalls.Request;
import dev.mainstay.ledger.state.KeptCalls.Status;
import dev.mainstay.ledger.state.StoredAnswer;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Between kept calls and their rows. */
final class KeptCallRows {
  static final String READ =
      "select call, stand, accepted_at, ended_at, verdict, redriven_as, client, async, key,"
          + " body_hash, path, query, request_headers, request_body, status, streamed,"
          + " answer_headers, answer_body from kept_calls ";

  private KeptCallRows() {}

  /** The call that the request's key has already, or null. */
  static @Nullable Accepted known(Db db, Request request, Instant now) throws SQLException {
    var key = request.key();
    return key == null
        ? null
        : db.<Accepted>first(
            "select call, body_hash from kept_calls where client = ? and key = ? and"
                + " expires_at > ?",
            row ->
                row.getString(2).equals(request.bodyHash())
                    ? new Accepted.Known(row.getString(1))
                    : new Accepted.OtherRequest(),
            request.client(),
            key,
            Micros.of(now));
  }

  /** The bytes of a request. */
  static int size(Request request) {
    return HeaderLines.of(request.headers()).length() + request.body().length;
  }

  /**
   * @param holder the token of the process that has the call in hand
   */
  static void insert(Db db, String call, Request request, Instant now, Instant until, long holder)
      throws SQLException {
    db.update(
        "insert into kept_calls (call, stand, accepted_at, expires_at, client, async, key,"
            + " body_hash, path, query, request_headers, request_body, bytes, holder)"
            + " values (?, 'running', ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        call,
        Micros.of(now),
        Micros.of(until),
        request.client(),
        request.async() ? 1 : 0,
        request.key(),
        request.bodyHash(),
        request.path(),
        request.query(),
        HeaderLines.of(request.headers()),
        request.body(),
        KeptBytesLimit.ROW + size(request),
        holder);
  }

  /** The question for dead letters and what became of them. */
  static RunRows.Sql deadLetters(DeadLetterQuery query) {
    var rows = new RunRows.Conditions();
    rows.before(query.before(), "call");
    var stand = query.stand();
    rows.add("stand = ?", stand == null ? null : stand.name().toLowerCase(Locale.ROOT));
    rows.add("client = ?", query.client());
    rows.between(query.from(), query.to());
    return rows.sql(
        READ + "where stand in ('dead', 'redriven', 'discarded')", " and ", "call", query.limit());
  }

  static Kept read(ResultSet row) throws SQLException {
    var call = row.getString(1);
    long ended = row.getLong(4);
    boolean running = row.wasNull();
    var request =
        new Request(
            row.getString(7),
            row.getInt(8) != 0,
            row.getString(9),
            row.getString(10),
            row.getString(11),
            row.getString(12),
            HeaderLines.parse(row.getString(13)),
            row.getBytes(14));
    int status = row.getInt(15);
    var answer =
        row.wasNull()
            ? null
            : new StoredAnswer(
                call,
                status,
                row.getInt(16) != 0,
                HeaderLines.parse(row.getString(17)),
                row.getBytes(18));
    return new Kept(
        call,
        Status.valueOf(row.getString(2).toUpperCase(Locale.ROOT)),
        Micros.instant(row.getLong(3)),
        running ? null : Micros.instant(ended),
        row.getString(5),
        row.getString(6),
        request,
        answer);
  }
}
