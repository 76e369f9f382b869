package dev.mainstay.core.recovery;

import dev.mainstay.core.verdict.Repair;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What is done next for a call, and the reason in words. {@code target} is the index in the call's
 * route; {@code waitNanos} is how long to wait first, 0 for at once.
 */
public sealed interface Decision {

  /** Why, in one sentence a person can read; nothing of a prompt, key or header is in it. */
  String reason();

  /** How long to wait first, in nanoseconds; 0 for at once. */
  default long waitNanos() {
    return 0;
  }

  /** Its name in records, errors and logs. */
  default String wireName() {
    return switch (this) {
      case Proceed _ -> "proceed";
      case Retry _ -> "retry";
      case Fallback _ -> "fallback";
      case RetryRepaired mend -> "repair:" + mend.repair().wireName();
      case Continue _ -> "continue";
      case GiveUp _ -> "give_up";
    };
  }

  /** Go on: make the attempt at {@code target}, or hand its good answer to the client. */
  record Proceed(int target, long waitNanos, String reason) implements Decision {}

  /** Send the same request to the same target, with another key of its pool if {@code otherKey}. */
  record Retry(int target, long waitNanos, boolean otherKey, String reason) implements Decision {}

  /** Send the request to another target. */
  record Fallback(int target, long waitNanos, String reason) implements Decision {}

  /**
   * Change what {@code repair} says, and report {@link Outcome.Repaired} or {@link
   * Outcome.RepairImpossible}; the attempt follows on {@link Proceed}, or on {@link Continue} where
   * the commit point has been passed.
   */
  record RetryRepaired(int target, Repair repair, long waitNanos, String reason)
      implements Decision {}

  /**
   * Go on at {@code target} with a stream that broke after its commit point, from where it stopped;
   * after reasoning alone, restart it and keep the new reasoning back. With another key of the same
   * target's pool if {@code otherKey}.
   */
  record Continue(int target, long waitNanos, boolean otherKey, String reason)
      implements Decision {}

  /**
   * Nothing more is tried; the original error goes to the caller.
   *
   * @param retryAfter how long the caller should wait before asking again, or null
   */
  record GiveUp(@Nullable Duration retryAfter, String reason) implements Decision {}
}
