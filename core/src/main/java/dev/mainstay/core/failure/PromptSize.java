package dev.mainstay.core.failure;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Does the sum in "maximum context length is 4097 tokens. However, you requested 4431 tokens (3431
 * in the messages, 1000 in the completion)": a prompt that fits by itself is mended by asking for a
 * shorter answer, one that does not has to be shortened.
 */
final class PromptSize {
  private static final String[] BEFORE_LIMIT = {
    "context length is ",
    "context length of ",
    "context limit: ",
    "must be <= ",
    "context window of ",
    "context window is ",
    "maximum context length: ",
    "context size is "
  };
  private static final String[] AFTER_PROMPT = {
    " in the messages",
    " in your prompt",
    " of text input",
    " in the prompt",
    " `inputs` tokens",
    " input tokens",
    " prompt tokens",
    " in the input",
    " tokens in the messages",
    " tokens from the input",
    " tokens in the prompt"
  };

  private PromptSize() {}

  /** {@code prompt-fits}, {@code prompt-over}, or null where the numbers are not told. */
  static @Nullable String shape(String words) {
    if (words.length() > 20_000
        || words.indexOf("context") < 0 && words.indexOf("must be <= ") < 0) {
      return null;
    }
    var lower = words.toLowerCase(Locale.ROOT);
    long[] sum = sum(lower);
    long limit = sum == null ? limit(lower) : sum[1];
    long prompt = sum == null ? prompt(lower) : sum[0];
    if (limit <= 0 || prompt < 0) {
      return null;
    }
    return prompt < limit ? "prompt-fits" : "prompt-over";
  }

  private static long limit(String lower) {
    for (var lead : BEFORE_LIMIT) {
      int i = lower.indexOf(lead);
      if (i >= 0) {
        long number = number(lower, i + lead.length());
        if (number > 0) {
          return number;
        }
      }
    }
    return -1;
  }

  private static long prompt(String lower) {
    for (var tail : AFTER_PROMPT) {
      int i = lower.indexOf(tail);
      while (i > 0) {
        int start = i;
        while (start > 0 && isDigit(lower.charAt(start - 1))) {
          start--;
        }
        if (start < i) {
          return number(lower, start);
        }
        i = lower.indexOf(tail, i + tail.length());
      }
    }
    return -1;
  }

  /**
   * Whether one request alone is over a limit per minute: {@code Limit 30000, Requested 228450}.
   */
  static boolean isOverLimit(String words) {
    int limitAt = words.indexOf("Limit");
    int asked = limitAt < 0 ? -1 : words.indexOf("Requested", limitAt);
    if (asked < 0 || asked - limitAt > 60) {
      return false;
    }
    long limit = number(words, digits(words, limitAt + 5));
    return limit > 0 && number(words, digits(words, asked + 9)) > limit;
  }

  private static int digits(String text, int from) {
    int i = from;
    while (i < text.length() && i < from + 4 && " :=~".indexOf(text.charAt(i)) >= 0) {
      i++;
    }
    return i;
  }

  /** {@code 195000 + 8192 > 200000} as prompt and limit. */
  private static long @Nullable [] sum(String lower) {
    int plus = lower.indexOf(" + ");
    int over = plus < 0 ? -1 : lower.indexOf(" > ", plus);
    if (over < 0 || over - plus > 20 || !lower.contains("context")) {
      return null;
    }
    int start = plus;
    while (start > 0 && isDigit(lower.charAt(start - 1))) {
      start--;
    }
    long prompt = number(lower, start);
    long limit = number(lower, over + 3);
    return start == plus || limit <= 0 ? null : new long[] {prompt, limit};
  }

  private static long number(String text, int from) {
    long value = -1;
    for (int i = from; i < text.length() && i < from + 14 && isDigit(text.charAt(i)); i++) {
      if (text.charAt(i) != ',') {
        value = Math.max(0, value) * 10 + text.charAt(i) - '0';
      }
    }
    return value;
  }

  private static boolean isDigit(char c) {
    return c >= '0' && c <= '9' || c == ',';
  }
}
