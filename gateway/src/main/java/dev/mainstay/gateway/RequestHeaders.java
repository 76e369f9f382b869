package dev.mainstay.gateway;

import io.netty.util.AsciiString;

/**
 * The names of the headers that are read of each model call. They remember their hash, which a
 * String's name is worked out for at each look: for twenty looks half a microsecond of a call.
 */
final class RequestHeaders {
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
  static final AsciiString SEC_FETCH_SITE = AsciiString.cached("sec-fetch-site");
  static final AsciiString TRACEPARENT = AsciiString.cached("traceparent");
  static final AsciiString TRACESTATE = AsciiString.cached("tracestate");
  static final AsciiString USER_AGENT = AsciiString.cached("user-agent");
  static final AsciiString VIA = AsciiString.cached("x-mainstay-via");
  static final AsciiString X_API_KEY = AsciiString.cached("x-api-key");
  static final AsciiString X_GOOG_API_KEY = AsciiString.cached("x-goog-api-key");

  private RequestHeaders() {}
}
