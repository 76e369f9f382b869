package dev.mainstay.gateway.endpoint;

import dev.mainstay.core.verdict.Kind;
import dev.mainstay.engine.CallRefusal;
import dev.mainstay.wire.request.MalformedRequest;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.util.AsciiString;
import org.jspecify.annotations.Nullable;

/**
 * The headers that are read of each model call: their names, and the values of our own. The names
 * remember their hash, which a String's name is worked out for at each look: for twenty looks half
 * a microsecond of a call.
 */
public final class RequestHeaders {
  static final AsciiString ANTHROPIC_BETA = AsciiString.cached("anthropic-beta");
  static final AsciiString ANTHROPIC_VERSION = AsciiString.cached("anthropic-version");
  static final AsciiString ATTEMPTS = AsciiString.cached("x-mainstay-attempts");
  static final AsciiString DEADLINE_MS = AsciiString.cached("x-mainstay-deadline-ms");
  static final AsciiString IDEMPOTENCY_KEY = AsciiString.cached("idempotency-key");
  static final AsciiString KEEP = AsciiString.cached("x-mainstay-keep");
  static final AsciiString LAST_EVENT_ID = AsciiString.cached("last-event-id");
  static final AsciiString OPENAI_BETA = AsciiString.cached("openai-beta");
  static final AsciiString PARENT = AsciiString.cached("x-mainstay-parent");
  static final AsciiString PREFER = AsciiString.cached("prefer");
  static final AsciiString RECORD = AsciiString.cached("x-mainstay-record");
  static final AsciiString RUN = AsciiString.cached("x-mainstay-run");
  static final AsciiString SDK_READ_TIMEOUT = AsciiString.cached("x-stainless-read-timeout");
  static final AsciiString SDK_RETRY_COUNT = AsciiString.cached("x-stainless-retry-count");
  static final AsciiString SDK_TIMEOUT = AsciiString.cached("x-stainless-timeout");
  public static final AsciiString SEC_FETCH_SITE = AsciiString.cached("sec-fetch-site");
  static final AsciiString TRACEPARENT = AsciiString.cached("traceparent");
  static final AsciiString TRACESTATE = AsciiString.cached("tracestate");
  static final AsciiString USER_AGENT = AsciiString.cached("user-agent");
  static final AsciiString VIA = AsciiString.cached("x-mainstay-via");
  public static final AsciiString X_API_KEY = AsciiString.cached("x-api-key");
  public static final AsciiString X_GOOG_API_KEY = AsciiString.cached("x-goog-api-key");

  /** Digits of the largest number that a header may hold. */
  private static final int MOST_DIGITS = 15;

  private RequestHeaders() {}

  /** The error for a header that asks for something unknown. */
  static CallRefusal invalid(MalformedRequest why) {
    return CallRefusal.caller(
        400, Kind.INVALID_REQUEST, "invalid_header", String.valueOf(why.getMessage()));
  }

  /**
   * A whole number from 1, or null where the header is missing.
   *
   * @throws MalformedRequest if the header is anything else; the message does not repeat it
   */
  static @Nullable Long count(HttpHeaders headers, AsciiString name) throws MalformedRequest {
    var value = headers.get(name);
    if (value == null) {
      return null;
    }
    var text = value.strip();
    long number = isDigits(text) && text.length() <= MOST_DIGITS ? Long.parseLong(text) : 0;
    if (number < 1) {
      throw new MalformedRequest(name + " is not a whole number from 1 to 999999999999999");
    }
    return number;
  }

  /**
   * Whether a header is {@code on}; {@code otherwise} where it is missing.
   *
   * @throws MalformedRequest if the header is neither {@code on} nor {@code off}
   */
  static boolean isOn(HttpHeaders headers, AsciiString name, boolean otherwise)
      throws MalformedRequest {
    var value = headers.get(name);
    if (value == null) {
      return otherwise;
    }
    var text = value.strip();
    if (text.equalsIgnoreCase("on")) {
      return true;
    }
    if (text.equalsIgnoreCase("off")) {
      return false;
    }
    throw new MalformedRequest(name + " is neither on nor off");
  }

  private static boolean isDigits(String text) {
    return !text.isEmpty() && text.chars().allMatch(c -> c >= '0' && c <= '9');
  }
}
