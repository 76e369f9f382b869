package dev.mainstay.gateway;

import dev.mainstay.core.verdict.Kind;
import dev.mainstay.http.Exchange;
import dev.mainstay.wire.Dialect;
import dev.mainstay.wire.error.ErrorWriter;
import dev.mainstay.wire.error.MainstayNote;
import dev.mainstay.wire.error.ProviderError;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http.DefaultHttpHeaders;
import java.util.List;

/**
 * An error of the gateway's own, before any attempt, in the client's dialect.
 *
 * @param status the HTTP status
 * @param kind what it is
 * @param failureClass TRANSIENT, LOGIC or FATAL
 * @param blame whose doing
 * @param code for programs
 * @param message for people; nothing of a key, header or prompt is in it
 */
record Refuse(
    int status, Kind kind, String failureClass, String blame, String code, String message) {

  /** The caller's mistake. */
  static Refuse caller(int status, Kind kind, String code, String message) {
    return new Refuse(status, kind, "LOGIC", "caller", code, message);
  }

  /** The process itself is behind. */
  static Refuse overloaded(String message) {
    return new Refuse(503, Kind.OVERLOADED, "TRANSIENT", "gateway", "overloaded", message);
  }

  void send(Exchange exchange, Dialect dialect, String call) {
    var note =
        new MainstayNote(
            call,
            failureClass,
            kind.wireName(),
            blame,
            List.of(),
            blame.equals("caller")
                ? "Change the request; the same one will fail again."
                : "Try again later.");
    var headers = new DefaultHttpHeaders();
    headers.set("content-type", "application/json");
    headers.set("x-mainstay-call", call);
    headers.set("x-mainstay-attempts", 0);
    headers.set("x-mainstay-verdict", failureClass + "/" + kind.wireName());
    boolean later = status == 429 || status == 503;
    headers.set("x-should-retry", Boolean.toString(later));
    if (later) {
      headers.set("retry-after", 1);
      headers.set("retry-after-ms", 1000);
    }
    var error = new ProviderError(message, null, code, null, null);
    exchange.respond(
        status, headers, Unpooled.wrappedBuffer(ErrorWriter.body(dialect, status, error, note)));
  }
}
