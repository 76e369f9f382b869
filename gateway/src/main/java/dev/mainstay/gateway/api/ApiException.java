package dev.mainstay.gateway.api;

import io.netty.handler.codec.http.DefaultHttpHeaders;
import io.netty.handler.codec.http.HttpHeaders;
import java.util.Collection;
import java.util.List;
import java.util.Map;

/** A request of the admin API that is not served, with what its caller is told. */
public final class ApiException extends RuntimeException {
  private static final long serialVersionUID = 1;

  /** The codes of statuses that have no better one. */
  private static final Map<Integer, String> CODES =
      Map.ofEntries(
          Map.entry(400, "invalid_request"),
          Map.entry(401, "unauthorized"),
          Map.entry(403, "forbidden"),
          Map.entry(404, "not_found"),
          Map.entry(405, "method_not_allowed"),
          Map.entry(409, "conflict"),
          Map.entry(413, "body_too_large"),
          Map.entry(414, "uri_too_long"),
          Map.entry(415, "unknown_encoding"),
          Map.entry(417, "unknown_expectation"),
          Map.entry(429, "too_many_requests"),
          Map.entry(431, "headers_too_large"),
          Map.entry(503, "unavailable"),
          Map.entry(505, "unknown_version"));

  private final int status;
  private final String code;
  private final transient List<String> allowed;

  private ApiException(int status, String code, String message, List<String> allowed) {
    super(message, null, false, false);
    this.status = status;
    this.code = code;
    this.allowed = List.copyOf(allowed);
  }

  public static ApiException invalid(String message, String... allowed) {
    return new ApiException(400, "invalid_request", message, List.of(allowed));
  }

  public static ApiException notFound(String message) {
    return new ApiException(404, "not_found", message, List.of());
  }

  public static ApiException of(int status, String code, String message, String... allowed) {
    return new ApiException(status, code, message, List.of(allowed));
  }

  /**
   * The path is offered, for other methods.
   *
   * @param methods those
   */
  public static ApiException notAllowed(Collection<String> methods) {
    return new ApiException(
        405,
        "method_not_allowed",
        "this path answers " + String.join(" and ", methods),
        List.copyOf(methods));
  }

  /** The message with what is allowed, for a person at a terminal. */
  String inWords() {
    return allowed.isEmpty()
        ? String.valueOf(getMessage())
        : getMessage() + "; allowed: " + String.join(", ", allowed);
  }

  int status() {
    return status;
  }

  /** The headers of the answer. */
  HttpHeaders headers() {
    var headers = new DefaultHttpHeaders().set("content-type", "application/json");
    // RFC 9110, 15.5.6: a 405 says what the path answers.
    return status == 405 ? headers.set("allow", String.join(", ", allowed)) : headers;
  }

  /** {@code {"error": {"code", "message", "allowed"}}}. */
  public Object body() {
    return new Body(new Error(code, String.valueOf(getMessage()), allowed));
  }

  /** What every error of the API looks like. */
  public record Body(Error error) {}

  /**
   * What was wrong.
   *
   * @param code for programs
   * @param message for people: what was found and what to do
   * @param allowed the values or names that would have done; empty where that does not apply
   */
  record Error(String code, String message, List<String> allowed) {}

  /** The code that stands for a status where there is no better one. */
  static String code(int status) {
    return CODES.getOrDefault(status, "error");
  }
}
