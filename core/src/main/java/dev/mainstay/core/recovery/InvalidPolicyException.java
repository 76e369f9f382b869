package dev.mainstay.core.recovery;

import java.time.Duration;

/**
 * A policy that contradicts itself or cannot be meant. The message names the field and the reason.
 */
public final class InvalidPolicyException extends IllegalArgumentException {
  private final String field;
  private final String reason;

  public InvalidPolicyException(String field, String reason) {
    super(field + ": " + reason);
    this.field = field;
    this.reason = reason;
  }

  /** A duration as people read it: {@code 500 ms}, {@code 2 min 5 s}. */
  public static String text(Duration duration) {
    return Nanos.text(Nanos.of(duration));
  }

  /** The field's name as in the configuration, for example {@code retry.max-delay}. */
  public String field() {
    return field;
  }

  public String reason() {
    return reason;
  }
}
