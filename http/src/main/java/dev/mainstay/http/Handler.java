package dev.mainstay.http;

/**
 * Answers requests. Every method is called on the exchange's {@link Loop} and must not block. What
 * is thrown goes to {@link #threw}.
 */
@FunctionalInterface
public interface Handler {
  /** Called once for a request, when its body has arrived whole (see {@link Exchange#body}). */
  void handle(Exchange exchange) throws Exception;

  /**
   * Called once the head of a request is in, before any of its body is read and before {@code 100
   * Continue} is sent: the place for keys, limits and refusals that should not cost memory. May
   * answer at once (then {@link #handle} is not called), or take the body as a stream with {@link
   * Exchange#streamBody} (then it is not called either). The default does nothing: the body is
   * buffered.
   */
  default void admit(Exchange exchange) throws Exception {}

  /**
   * Called instead of {@link #handle} for a request that the server itself refuses. Must answer;
   * the connection is closed after it. The default answers with the refusal's status and a small
   * JSON error.
   */
  default void refused(Exchange exchange, Refusal refusal) throws Exception {
    exchange.respond(
        refusal.status(),
        "application/json",
        "{\"error\":{\"message\":\""
            + refusal.message()
            + "\",\"type\":\"invalid_request_error\"}}");
  }

  /**
   * Called when another method of this handler threw. The default answers 500 without details where
   * nothing was begun, else aborts. What this one throws in turn closes the connection.
   */
  default void threw(Exchange exchange, Throwable thrown) {
    if (exchange.begun()) {
      exchange.abort();
    } else {
      exchange.respond(
          500,
          "application/json",
          "{\"error\":{\"message\":\"internal error\",\"type\":\"server_error\"}}");
    }
  }
}
