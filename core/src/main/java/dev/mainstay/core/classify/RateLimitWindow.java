package dev.mainstay.core.classify;

import dev.mainstay.core.failure.Evidence;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a rate limit's window says about waiting: within the hour it is a rate limit, beyond that a
 * quota that is used up.
 */
enum RateLimitWindow {
  /** Nothing known: a rate limit. */
  SHORT,
  /** A day, a week, a month or a stated wait of more than an hour. */
  LONG,
  /** The limit itself is zero: no wait helps. */
  NEVER;

  /** Up to here a wait is a rate limit's. */
  static final Duration LONGEST_WAIT = Duration.ofHours(1);

  static final List<Phrase> LONG_WORDS =
      Phrase.alternatives(
          "per day | per-day | perday | \\bdaily\\b | \\bweekly\\b | \\bmonthly\\b | per week | per"
              + " month | \\brpd\\b | \\btpd\\b | /day | bymodelbyday | per 86400s | this month |"
              + " this week | tomorrow");

  static final List<Phrase> ZERO_WORDS =
      Phrase.alternatives("limit: 0, | limit 0, used | limit: 0\\b | allows 0 | limit 0\\b");

  /** From the evidence, the wait it states, and what stands in the words. */
  static RateLimitWindow of(
      Evidence evidence, @Nullable Duration wait, boolean zero, boolean named) {
    if (evidence.limitZero() || zero) {
      return NEVER;
    }
    if (wait != null && wait.compareTo(LONGEST_WAIT) > 0) {
      return LONG;
    }
    for (var code : evidence.codes()) {
      if (code.contains("perday") || code.contains("daily")) {
        return LONG;
      }
    }
    return named && wait == null ? LONG : SHORT;
  }
}
