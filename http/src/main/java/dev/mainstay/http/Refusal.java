package dev.mainstay.http;

import io.netty.handler.codec.http.TooLongHttpHeaderException;
import io.netty.handler.codec.http.TooLongHttpLineException;

/** Why the server refuses a request before a handler sees it. */
public enum Refusal {
  /** The body, or what it unpacks to, is larger than {@link ServerOptions.Limits#body}. */
  BODY_TOO_LARGE(413, "the request body is larger than this server accepts"),
  /** The request line is longer than {@link ServerOptions.Limits#requestLine}. */
  URI_TOO_LONG(414, "the request line is longer than this server accepts"),
  /** The headers are larger than {@link ServerOptions.Limits#headers}. */
  HEADERS_TOO_LARGE(431, "the request headers are larger than this server accepts"),
  /** What arrived is not HTTP/1.x, or its framing contradicts itself. */
  MALFORMED(400, "the request is not well-formed HTTP/1.1"),
  /** {@code Host} is missing, repeated, no host, or not the one that the request line names. */
  BAD_HOST(400, "the request must name one host, in one Host header"),
  /** Another version than HTTP/1.0 and HTTP/1.1. */
  UNKNOWN_VERSION(505, "this server speaks HTTP/1.1 and HTTP/1.0"),
  /** The body's content-encoding is none of gzip, deflate, br, zstd and identity. */
  UNKNOWN_ENCODING(
      415, "the request's content-encoding is none of gzip, deflate, br, zstd and identity"),
  /** The body does not unpack as its content-encoding says. */
  BROKEN_ENCODING(400, "the request body does not unpack as its content-encoding says"),
  /** An {@code Expect} other than {@code 100-continue}. */
  UNKNOWN_EXPECTATION(417, "the only expectation this server meets is 100-continue"),
  /** All bodies being buffered together have reached {@link ServerOptions#memory}. */
  OVERLOADED(503, "the server holds as many request bodies as it can; try again shortly");

  private final int status;
  private final String message;

  Refusal(int status, String message) {
    this.status = status;
    this.message = message;
  }

  /** Why a head that the decoder could not read is refused. */
  static Refusal of(Throwable cause) {
    return switch (cause) {
      case TooLongHttpLineException _ -> URI_TOO_LONG;
      case TooLongHttpHeaderException _ -> HEADERS_TOO_LARGE;
      default -> MALFORMED;
    };
  }

  /** The HTTP status that says it. */
  public int status() {
    return status;
  }

  /**
   * One sentence for the caller; free of anything the caller sent and of characters that JSON
   * escapes.
   */
  public String message() {
    return message;
  }
}
