package dev.mainstay.library;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** No attempt was made, because no target is available: every breaker is open. */
public final class UnavailableException extends RuntimeException {
  private final @Nullable Duration retryAfter;

  UnavailableException(String reason, @Nullable Duration retryAfter) {
    super(reason);
    this.retryAfter = retryAfter;
  }

  /** When asking again can help, or null where that is not known. */
  public @Nullable Duration retryAfter() {
    return retryAfter;
  }
}
