package dev.mainstay.library;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;
import java.util.concurrent.Callable;

/** A provider's client that fails on command: each call takes the next thing it was told. */
final class Provider implements Callable<String> {
  private final String answer;
  private final Deque<Exception> failures = new ArrayDeque<>();
  int calls;

  Provider(String answer) {
    this.answer = answer;
  }

  Provider fails(Exception... with) {
    failures.addAll(java.util.List.of(with));
    return this;
  }

  @Override
  public String call() throws Exception {
    calls++;
    if (!failures.isEmpty()) {
      throw failures.remove();
    }
    return answer;
  }

  /** An SDK's exception, with what SDKs let one ask. */
  static final class ApiException extends Exception {
    private final int status;
    private final String body;
    private final Map<String, String> headers;

    ApiException(int status, String body, Map<String, String> headers) {
      super("the SDK says " + status);
      this.status = status;
      this.body = body;
      this.headers = headers;
    }

    public int statusCode() {
      return status;
    }

    public String body() {
      return body;
    }

    public Map<String, String> headers() {
      return headers;
    }
  }

  static ApiException down() {
    return new ApiException(
        500,
        """
        {"error": {"message": "The server had an error while processing your request. Sorry about \
        that!", "type": "server_error", "param": null, "code": null}}""",
        Map.of());
  }

  static ApiException limited(String retryAfter) {
    return new ApiException(
        429,
        """
        {"error": {"message": "Rate limit reached for gpt-4o in organization org-x on requests per \
        min (RPM): Limit 3, Used 3, Requested 1.", "type": "requests", "param": null, \
        "code": "rate_limit_exceeded"}}""",
        Map.of("retry-after", retryAfter));
  }

  static ApiException invalid() {
    return new ApiException(
        400,
        """
        {"error": {"message": "Invalid value: 'blue'. Supported values are: 'system', 'assistant', \
        'user', 'function', 'tool', and 'developer'.", "type": "invalid_request_error", \
        "param": "messages[0].role", "code": "invalid_value"}}""",
        Map.of());
  }

  static ApiException noMoney() {
    return new ApiException(
        429,
        """
        {"error": {"message": "You exceeded your current quota, please check your plan and billing \
        details.", "type": "insufficient_quota", "param": null, "code": "insufficient_quota"}}""",
        Map.of());
  }
}
