package dev.mainstay.engine;

import dev.mainstay.call.api.Recipient;
import dev.mainstay.core.verdict.Kind;
import dev.mainstay.wire.Dialect;
import dev.mainstay.wire.error.ErrorWriter;
import dev.mainstay.wire.error.MainstayNote;
import dev.mainstay.wire.error.ProviderError;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http.DefaultHttpHeaders;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An error of the gateway's own, before any attempt, in the client's dialect.
 *
 * @param status the HTTP status
 * @param kind what it is
 * @param failureClass TRANSIENT, LOGIC or FATAL
 * @param blame whose doing
 * @param code for programs
 * @param message for people; nothing of a key, header or prompt is in it
 * @param after how long to wait before asking again, or null where that does not help
 */
public record CallRefusal(
    int status,
    Kind kind,
    String failureClass,
    String blame,
    String code,
    String message,
    @Nullable Duration after) {
  private static final String FATAL = "FATAL";

  /** The caller's mistake. */
  public static CallRefusal caller(int status, Kind kind, String code, String message) {
    return new CallRefusal(status, kind, "LOGIC", "caller", code, message, null);
  }

  /** A request of this gateway's own has come back to it. */
  public static CallRefusal loop() {
    return new CallRefusal(
        508,
        Kind.NOT_FOUND,
        FATAL,
        "gateway",
        "loop",
        "this request has already passed through this gateway: a provider's base-url leads back to"
            + " it",
        null);
  }

  /** Something of this gateway's own threw. */
  public static CallRefusal fault() {
    return new CallRefusal(
        500,
        Kind.SERVER_ERROR,
        FATAL,
        "gateway",
        "gateway_fault",
        "a fault of this gateway's own ended the request; its log has it under this call's id",
        null);
  }

  /** What threw and where, for the log; its message may quote a request, and is left out. */
  public static String at(Throwable thrown) {
    var stack = thrown.getStackTrace();
    return thrown.getClass().getName() + (stack.length == 0 ? "" : " at " + stack[0]);
  }

  /** A name that is kept in records, labels and logs is longer than those may be. */
  static CallRefusal tooLong(String what, int length, int most) {
    return caller(
        400,
        Kind.INVALID_REQUEST,
        "name_too_long",
        "%s has %d characters; the limit is %d".formatted(what, length, most));
  }

  /** The process itself is behind. */
  public static CallRefusal overloaded(String message) {
    return new CallRefusal(
        503, Kind.OVERLOADED, "TRANSIENT", "gateway", "overloaded", message, Duration.ofSeconds(1));
  }

  /** The process is going away; another one may be there already. */
  public static CallRefusal draining() {
    return new CallRefusal(
        503,
        Kind.OVERLOADED,
        "TRANSIENT",
        "gateway",
        "draining",
        "this gateway is shutting down; try again",
        Duration.ofSeconds(1));
  }

  /** A client has reached one of its limits. */
  public static CallRefusal limited(String limit, Duration wait) {
    return new CallRefusal(
        429,
        Kind.RATE_LIMIT,
        "TRANSIENT",
        "caller",
        "client_limit",
        "this client has reached its limit, " + limit,
        wait);
  }

  /**
   * A client or a run has spent its budget.
   *
   * @param forGood whether only the next period or a person helps
   */
  public static CallRefusal budget(String message, boolean forGood, Duration wait) {
    return new CallRefusal(
        429,
        Kind.BUDGET_EXCEEDED,
        forGood ? FATAL : "TRANSIENT",
        "caller",
        "budget_exceeded",
        message,
        wait);
  }

  /** The store that keeps budgets cannot be written: it is no fault of the client's. */
  static CallRefusal unwritten(String message, Duration wait) {
    return new CallRefusal(
        503, Kind.OVERLOADED, "TRANSIENT", "gateway", "budget_store_unavailable", message, wait);
  }

  private String nextStep() {
    if (kind == Kind.BUDGET_EXCEEDED && failureClass.equals(FATAL)) {
      return "Raise the budget. A client's budget also renews with its next period.";
    }
    if (after != null) {
      return "Wait for the time in retry-after.";
    }
    return blame.equals("gateway")
        ? "Check the gateway's configuration and log."
        : "Change the request. The same request would fail again.";
  }

  /** This error as a body in {@code dialect}, for call {@code call}. */
  byte[] body(Dialect dialect, String call) {
    var note = new MainstayNote(call, failureClass, kind.wireName(), blame, List.of(), nextStep());
    return ErrorWriter.body(
        dialect, status, new ProviderError(message, null, code, null, null), note);
  }

  /** Answers {@code to} with {@code body}, as call {@code call}. */
  void send(Recipient to, String call, byte[] body) {
    var headers = new DefaultHttpHeaders();
    headers.set("content-type", "application/json");
    headers.set("x-mainstay-call", call);
    headers.set("x-mainstay-attempts", 0);
    headers.set("x-mainstay-verdict", failureClass + "/" + kind.wireName());
    headers.set("x-should-retry", Boolean.toString(after != null && !failureClass.equals(FATAL)));
    if (status == 405) {
      // https://www.rfc-editor.org/rfc/rfc9110#section-15.5.6
      headers.set("allow", "POST");
    }
    if (after != null) {
      headers.set("retry-after", Math.max(1, after.plusMillis(999).toSeconds()));
      headers.set("retry-after-ms", Math.max(1, after.toMillis()));
    }
    to.respond(status, headers, Unpooled.wrappedBuffer(body));
  }
}
