package dev.mainstay.core.failure;

import org.jspecify.annotations.Nullable;

/**
 * Knows one library's exceptions: takes a provider's reply out of them. For libraries whose
 * exceptions do not answer to the usual accessor names. Called once for each exception of a chain;
 * whatever it throws is ignored. Must be thread-safe.
 */
@FunctionalInterface
public interface ThrowableReader {

  /** The reply that {@code thrown} itself (not its causes) carries, or null. */
  @Nullable Found read(Throwable thrown);

  /**
   * A reply found in an exception.
   *
   * @param status the HTTP status, or null
   * @param body the provider's body, or null
   */
  record Found(@Nullable Integer status, Headers headers, @Nullable String body) {}
}
