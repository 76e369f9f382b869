package dev.mainstay.call.recording;

import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.util.AsciiString;
import org.jspecify.annotations.Nullable;

/** The heads of the answers to a call, as its client gets them. Belongs to the call's loop. */
public final class AnswerHeads {
  private static final AsciiString CALL = AsciiString.cached("x-mainstay-call");

  private static final AsciiString TARGET = AsciiString.cached("x-mainstay-target");

  private static final AsciiString ATTEMPTS = AsciiString.cached("x-mainstay-attempts");

  private final CallRecorder call;

  public AnswerHeads(CallRecorder call) {
    this.call = call;
  }

  /** The head of a streamed answer. */
  public HttpHeaders streamHead(@Nullable HttpHeaders from) {
    var headers = answerHead(from);
    // A provider may have answered with a whole answer, or with events and no type.
    var type = headers.get(HttpHeaderNames.CONTENT_TYPE);
    if (type == null || !type.contains("text/event-stream")) {
      headers.set(
          HttpHeaderNames.CONTENT_TYPE, HeaderRules.streamType(call.request.content().dialect()));
    }
    headers.set(HttpHeaderNames.CACHE_CONTROL, "no-cache");
    // Proxies in front of the gateway must not hold events back.
    headers.set("x-accel-buffering", "no");
    return headers;
  }

  /** The head of a whole answer. */
  public HttpHeaders wholeHead(@Nullable HttpHeaders from) {
    var headers = answerHead(from);
    // A provider may have answered with a stream.
    var type = headers.get(HttpHeaderNames.CONTENT_TYPE);
    if (type != null && type.contains("text/event-stream")) {
      headers.set(HttpHeaderNames.CONTENT_TYPE, "application/json");
    }
    return headers;
  }

  private HttpHeaders answerHead(@Nullable HttpHeaders from) {
    var headers = mark(HeaderRules.answer(from));
    if (call.answeredBy != null) {
      headers.set(TARGET, call.answeredBy.toString());
    }
    return headers;
  }

  HttpHeaders mark(HttpHeaders headers) {
    headers.set(CALL, call.id);
    headers.set(ATTEMPTS, call.attempts.size());
    if (!call.recovered.isEmpty()) {
      headers.set("x-mainstay-recovery", String.join(",", call.recovered));
    }
    if (!call.degraded.isEmpty()) {
      headers.set("x-mainstay-degraded", String.join(",", call.degraded));
    }
    return headers;
  }
}
