package dev.mainstay.core.failure;

import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * How long the provider asked to wait, from each of the places where providers say it. A hint that
 * cannot be read is no hint; one that lies in the past is a wait of zero.
 */
final class RetryHints {
  /** Waits beyond this are nonsense, not hints. */
  private static final Duration MAX = Duration.ofDays(400);

  /** Clocks this near are the same: a date has no more than seconds, and took time to get here. */
  private static final Duration SKEW = Duration.ofSeconds(10);

  private static final Set<String> SECOND_FIELDS =
      Set.of(
          "retryafter",
          "retryafterseconds",
          "retryafters",
          "retryinseconds",
          "resetsinseconds",
          "resetinseconds",
          "waitseconds",
          "estimatedtime",
          "retrydelay",
          "retryafterms",
          "resetsat");

  /**
   * The word by which a wait is announced, and what may stand between it and the wait. "Retrying
   * in" is what a client does by itself, and is no hint.
   */
  private static final String[][] LEADS = {
    {"again", " in ", " after "},
    {
      "retry",
      " in ",
      " after ",
      "-after: ",
      "-after=",
      "_after: ",
      "_after=",
      "delay: ",
      " delay: ",
      "_delay { seconds: ",
      " your request in ",
      " your request after ",
      " it after ",
      " it in "
    },
    {"reset", " after ", " in ", "s in ", "s after "},
    {"wait", " for ", " at least ", " "},
    {"available in", " "},
    {"back in", " "},
    {"请在", ""},
    {"请等待", ""},
  };

  private static final String[][] DATE_LEADS = {
    {"again", " at "},
    {"reset", " at ", "s at "},
    {"retry", " at ", " after "},
    {"until", " "},
    {"regain access on", " "},
  };

  private RetryHints() {}

  /**
   * What dates in a reply are measured against: the clock of who wrote them, where the reply tells
   * it and it is not ours. By ours a wait of seconds would last for hours when that is set wrong.
   */
  static Instant theirNow(Headers headers, Instant now) {
    var told = headers.get("date");
    if (told == null) {
      return now;
    }
    try {
      var theirs =
          ZonedDateTime.parse(told.strip(), DateTimeFormatter.RFC_1123_DATE_TIME).toInstant();
      return Duration.between(theirs, now).abs().compareTo(SKEW) > 0 ? theirs : now;
    } catch (DateTimeException notHttpDate) {
      return now;
    }
  }

  static @Nullable Duration fromHeaders(Headers headers, Instant now) {
    if (headers.isEmpty()) {
      return null;
    }
    var wait = millis(headers.get("retry-after-ms"));
    if (wait == null) {
      wait = millis(headers.get("x-ms-retry-after-ms"));
    }
    if (wait == null) {
      wait = secondsOrDate(headers.get("retry-after"), now);
    }
    if (wait == null) {
      wait = seconds(headers.get("x-rate-limit-reset-tokens"));
    }
    return wait == null ? ResetHeaders.longest(headers, now) : wait;
  }

  static boolean isField(String key) {
    return SECOND_FIELDS.contains(key);
  }

  /** The wait in an error's own field: a number of seconds, "34s", {@code {seconds, nanos}}. */
  static @Nullable Duration ofField(String key, Object value, Instant now) {
    if (value instanceof Map<?, ?> parts) {
      return parts.get("seconds") instanceof Double seconds ? ofSeconds(seconds) : null;
    }
    Double number =
        value instanceof Double written ? written : value instanceof String s ? number(s) : null;
    if (number != null) {
      return switch (key) {
        case "retryafterms" -> ofSeconds(number / 1000);
        case "resetsat" -> between(now, number);
        default -> ofSeconds(number);
      };
    }
    if (!(value instanceof String text)) {
      return null;
    }
    var wait = secondsOrDate(text, now);
    return wait == null ? duration(text) : wait;
  }

  /** The first wait that {@code text} states in words, or null. */
  static @Nullable Duration inProse(String text, Instant now) {
    if (text.length() < 8 || !hasDigit(text) && !text.contains(" hour")) {
      return null;
    }
    var lower = lower(text);
    for (var lead : LEADS) {
      for (int i = lower.indexOf(lead[0]); i >= 0; i = lower.indexOf(lead[0], i + 1)) {
        int from = behind(lower, i + lead[0].length(), lead);
        var wait = from < 0 ? null : Durations.at(lower, from);
        if (wait != null && !isOwn(lower, from)) {
          return bounded(wait);
        }
      }
    }
    for (var lead : DATE_LEADS) {
      int i = lower.indexOf(lead[0]);
      int from = i < 0 ? -1 : behind(lower, i + lead[0].length(), lead);
      var wait = from < 0 ? null : date(text, from, now);
      if (wait != null) {
        return wait;
      }
    }
    return null;
  }

  /** Where it goes on behind one of the words after the first in {@code lead}, or -1. */
  private static int behind(String lower, int at, String[] lead) {
    for (int k = 1; k < lead.length; k++) {
      if (lower.startsWith(lead[k], at)) {
        return at + lead[k].length();
      }
    }
    return -1;
  }

  /**
   * Whether a library says there how long it sleeps itself, as tenacity does: "Retrying f in 4.0
   * seconds as it raised RateLimitError".
   */
  private static boolean isOwn(String lower, int from) {
    int raised = lower.indexOf(" as it raised", from);
    return raised >= 0 && raised - from < 40;
  }

  /** In small letters, each character where it was: Turkish ones become two elsewhere. */
  private static String lower(String text) {
    char[] letters = text.toCharArray();
    for (int i = 0; i < letters.length; i++) {
      if (letters[i] >= 'A' && letters[i] <= 'Z') {
        letters[i] += 32;
      }
    }
    return new String(letters);
  }

  private static boolean hasDigit(String text) {
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c >= '0' && c <= '9') {
        return true;
      }
    }
    return false;
  }

  static @Nullable Duration secondsOrDate(@Nullable String value, Instant now) {
    var wait = seconds(value);
    if (wait != null || value == null || value.length() < 8) {
      return wait;
    }
    try {
      var at = ZonedDateTime.parse(value.strip(), DateTimeFormatter.RFC_1123_DATE_TIME);
      return until(now, at.toInstant());
    } catch (DateTimeException notHttpDate) {
      return rfc3339(value.strip(), now);
    }
  }

  static @Nullable Duration rfc3339(String value, Instant now) {
    if (value.length() < 20 || value.charAt(4) != '-') {
      return null;
    }
    try {
      return until(now, OffsetDateTime.parse(value.replace(' ', 'T')).toInstant());
    } catch (DateTimeException notADate) {
      return null;
    }
  }

  private static @Nullable Duration date(String text, int from, Instant now) {
    int end = from;
    while (end < text.length() && end < from + 40 && "\"'),;<".indexOf(text.charAt(end)) < 0) {
      end++;
    }
    var value = text.substring(from, end).strip().replace(" at ", "T");
    int zone = value.indexOf(" UTC");
    if (zone > 0) {
      var clock = value.substring(0, zone).replace(' ', 'T');
      return rfc3339(clock + (clock.length() == 16 ? ":00Z" : "Z"), now);
    }
    int space = value.indexOf(' ');
    var first = space > 12 ? value.substring(0, space) : value;
    return rfc3339(first.endsWith(".") ? first.substring(0, first.length() - 1) : first, now);
  }

  private static @Nullable Duration millis(@Nullable String value) {
    var number = number(value);
    return number == null ? null : ofSeconds(number / 1000);
  }

  static @Nullable Duration seconds(@Nullable String value) {
    var number = number(value);
    return number == null ? null : ofSeconds(number);
  }

  private static @Nullable Double number(@Nullable String value) {
    if (value == null || value.isBlank() || value.length() > 24) {
      return null;
    }
    var digits = value.strip();
    for (int i = 0; i < digits.length(); i++) {
      char c = digits.charAt(i);
      if ((c < '0' || c > '9') && c != '.') {
        return null;
      }
    }
    try {
      return Double.valueOf(digits);
    } catch (NumberFormatException notANumber) {
      return null;
    }
  }

  static @Nullable Duration between(Instant now, double epochSeconds) {
    double seconds = epochSeconds > 1e11 ? epochSeconds / 1000 : epochSeconds;
    return ofSeconds(Math.max(0, seconds - now.toEpochMilli() / 1000.0));
  }

  private static @Nullable Duration until(Instant now, Instant at) {
    var wait = Duration.between(now, at);
    return bounded(wait.isNegative() ? Duration.ZERO : wait);
  }

  private static @Nullable Duration ofSeconds(double seconds) {
    if (!(seconds >= 0) || seconds > MAX.toSeconds()) {
      return null;
    }
    return Duration.ofNanos(Math.round(seconds * 1e9));
  }

  /** A duration as people and Go write it, at the beginning of {@code value}, or null. */
  static @Nullable Duration duration(String value) {
    return bounded(Durations.at(lower(value), 0));
  }

  private static @Nullable Duration bounded(@Nullable Duration wait) {
    return wait == null || wait.compareTo(MAX) > 0 ? null : wait;
  }
}
