package dev.mainstay.simulator;

import org.jspecify.annotations.Nullable;

/**
 * A provider refuses a request for what it says. Thrown while the request is read; the dialect
 * makes its provider's answer of it.
 */
final class RequestRefused extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final String param;
  private final @Nullable String code;

  /**
   * @param param where, in the provider's own way to write a place; empty where it says none
   * @param code the provider's own word for it, or null
   */
  RequestRefused(String message, String param, @Nullable String code) {
    super(message, null, false, false);
    this.param = param;
    this.code = code;
  }

  String message() {
    return String.valueOf(getMessage());
  }

  String param() {
    return param;
  }

  @Nullable String code() {
    return code;
  }
}
