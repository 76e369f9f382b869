package dev.mainstay.core.failure;

import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Waits in rate-limit headers, for replies that say no more than when which limit starts afresh:
 * {@code x-ratelimit-reset-*} as Go durations, seconds or epoch seconds, {@code
 * anthropic-ratelimit-*-reset} as RFC 3339 dates. Only a limit of which nothing remains counts; of
 * several the longest.
 */
final class ResetHeaders {
  private ResetHeaders() {}

  static @Nullable Duration longest(Headers headers, Instant now) {
    Duration longest = null;
    for (var header : headers.byName().entrySet()) {
      var name = header.getKey();
      if (name.contains("ratelimit") && name.contains("reset") && isUsedUp(headers, name)) {
        var wait = wait(header.getValue().strip(), now);
        if (wait != null && (longest == null || wait.compareTo(longest) > 0)) {
          longest = wait;
        }
      }
    }
    return longest;
  }

  private static boolean isUsedUp(Headers headers, String reset) {
    var remaining = headers.get(reset.replace("reset", "remaining"));
    return remaining != null && remaining.strip().equals("0");
  }

  private static @Nullable Duration wait(String value, Instant now) {
    if (value.isEmpty()) {
      return null;
    }
    var seconds = RetryHints.seconds(value);
    if (seconds != null) {
      return seconds;
    }
    if (value.length() >= 10 && value.chars().allMatch(Character::isDigit)) {
      return RetryHints.between(now, Double.parseDouble(value));
    }
    var date = RetryHints.rfc3339(value, now);
    return date == null ? RetryHints.duration(value) : date;
  }
}
