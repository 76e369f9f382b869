package dev.mainstay.core.recovery;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What one call may use less of than its policy grants ({@code x-mainstay-attempts}, {@code
 * x-mainstay-deadline-ms}, {@code x-stainless-timeout}). A limit above the policy's changes
 * nothing.
 *
 * @param maxAttempts at least 1, or null
 * @param deadline from the call's start, positive, or null
 * @param lastAttempt from the call's start, positive, or null: no new attempt begins after it, and
 *     one under way goes on
 */
public record Limits(
    @Nullable Integer maxAttempts, @Nullable Duration deadline, @Nullable Duration lastAttempt) {

  /** The policy's own limits alone. */
  public static final Limits NONE = new Limits(null, null, null);

  public Limits {
    if (maxAttempts != null && maxAttempts < 1) {
      throw new InvalidPolicyException("max-attempts", maxAttempts + " is less than 1");
    }
    positive("deadline", deadline);
    positive("last-attempt", lastAttempt);
  }

  private static void positive(String field, @Nullable Duration value) {
    if (value != null && !value.isPositive()) {
      throw new InvalidPolicyException(field, "must be longer than 0");
    }
  }
}
