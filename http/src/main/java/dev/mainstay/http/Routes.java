package dev.mainstay.http;

import org.jspecify.annotations.Nullable;

/** A part of an HTTP API, or pages, that a server includes without knowing it. Thread-safe. */
public interface Routes {
  /**
   * Who asks.
   *
   * @param client the name of the client whose key was given; null for an operator, who may do all
   */
  record Caller(@Nullable String client) {
    public static final Caller OPERATOR = new Caller(null);

    public boolean isOperator() {
      return client == null;
    }
  }

  /** Whether anyone may ask, without a key or a token: files that hold no data. */
  default boolean isPublic() {
    return false;
  }

  /** Whether {@code path} is one of these routes. */
  boolean covers(String path);

  /** Answers, on the exchange's loop; {@link #covers} its path. Must not block. */
  void handle(Exchange exchange, Caller caller);
}
