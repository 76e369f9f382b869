package dev.mainstay.wire.repair;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Reads limits of tokens out of a provider's words. */
final class TokenLimit {
  /** What comes right before a limit. The sources are the failures that the classifier keeps. */
  private static final List<String> BEFORE =
      List.of(
          "at most",
          "less than or equal to",
          "<=",
          ">",
          "model limit of",
          "no more than",
          "not exceed",
          "cannot exceed",
          "can't exceed",
          "maximum of",
          "maximum is",
          "maximum value is",
          "limit is",
          "limit of",
          "output tokens is",
          "up to",
          "lower than",
          "maximum output tokens:");

  private TokenLimit() {}

  private record Number(long value, int start, int end) {}

  /**
   * What is left of the context for an answer, where the error says how large the prompt is; else
   * -1.
   */
  static long room(String said, long asked) {
    var text = said.toLowerCase(Locale.ROOT);
    if (!text.contains("context")) {
      return -1;
    }
    var numbers = numbers(text);
    long context = -1;
    long prompt = -1;
    for (int i = 0; i < numbers.size(); i++) {
      var n = numbers.get(i);
      var before = before(text, numbers, i);
      var after = after(text, numbers, i);
      if (before.contains("context length is")
          || before.contains("context window of")
          || before.contains("context length of")
          || before.contains("context limit of")) {
        context = n.value;
      } else if (after.startsWith(" in the messages")
          || after.startsWith(" input tokens")
          || after.startsWith(" from the input")
          || after.startsWith(" of text input")
          || after.startsWith(" tokens from the input")
          || after.startsWith(" in your prompt")) {
        prompt = n.value;
      } else if (i + 2 < numbers.size()
          && after.strip().equals("+")
          && after(text, numbers, i + 1).strip().equals(">")) {
        // Anthropic: "input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000"
        prompt = n.value;
        context = numbers.get(i + 2).value;
      }
    }
    long room = context - prompt;
    return context > 0 && prompt > 0 && room > 0 && room < asked ? room : -1;
  }

  /** The limit that the error names below {@code asked}; else -1. */
  static long limit(String said, long asked) {
    var text = said.toLowerCase(Locale.ROOT);
    if (!text.contains("token")) {
      return -1;
    }
    var numbers = numbers(text);
    for (int i = 0; i < numbers.size(); i++) {
      var n = numbers.get(i);
      var before = before(text, numbers, i).replace("`", "").replace("'", "").stripTrailing();
      if (n.value >= 1 && n.value <= asked) {
        // [1, 8192], and "from 1 (inclusive) to 65537 (exclusive)".
        boolean range = i > 0 && before.equals(",") && after(text, numbers, i).startsWith("]");
        boolean open = before.endsWith("to") && after(text, numbers, i).startsWith(" (exclusive)");
        if (open && n.value > 1) {
          return n.value - 1;
        }
        if (n.value < asked && (range || BEFORE.stream().anyMatch(before::endsWith))) {
          return n.value;
        }
      }
    }
    return text.contains("max") ? onlyOne(numbers, asked) : -1;
  }

  /** A single number below what was asked for cannot be anything else; a small one can. */
  private static long onlyOne(List<Number> numbers, long asked) {
    long found = -1;
    for (var n : numbers) {
      if (n.value >= 16 && n.value < asked && n.value != found) {
        if (found >= 0) {
          return -1;
        }
        found = n.value;
      }
    }
    return found;
  }

  private static String before(String text, List<Number> numbers, int i) {
    int from = i == 0 ? 0 : numbers.get(i - 1).end;
    return text.substring(Math.max(from, numbers.get(i).start - 60), numbers.get(i).start);
  }

  private static String after(String text, List<Number> numbers, int i) {
    int end = numbers.get(i).end;
    int to = i + 1 < numbers.size() ? numbers.get(i + 1).start : text.length();
    return text.substring(end, Math.min(to, end + 60));
  }

  /** Whole numbers that stand alone: not those in a model's name or an id; commas group. */
  private static List<Number> numbers(String text) {
    var numbers = new ArrayList<Number>();
    for (int at = 0; at < text.length(); ) {
      if (!digit(text, at)) {
        at++;
        continue;
      }
      int start = at;
      long value = 0;
      int digits = 0;
      while (digit(text, at) || grouping(text, at)) {
        if (digit(text, at)) {
          value = Math.min(value * 10 + text.charAt(at) - '0', Long.MAX_VALUE / 20);
          digits++;
        }
        at++;
      }
      boolean glued =
          start > 0 && (letter(text, start - 1) || "-_./".indexOf(text.charAt(start - 1)) >= 0);
      boolean goesOn =
          letter(text, at)
              || at + 1 < text.length() && text.charAt(at) == '.' && digit(text, at + 1);
      if (digits <= 9 && !glued && !goesOn) {
        numbers.add(new Number(value, start, at));
      }
    }
    return numbers;
  }

  private static boolean grouping(String text, int at) {
    return at < text.length()
        && text.charAt(at) == ','
        && digit(text, at + 1)
        && digit(text, at + 2)
        && digit(text, at + 3)
        && !digit(text, at + 4);
  }

  private static boolean digit(String text, int at) {
    return at < text.length() && text.charAt(at) >= '0' && text.charAt(at) <= '9';
  }

  private static boolean letter(String text, int at) {
    return at < text.length() && (Character.isLetter(text.charAt(at)) || text.charAt(at) == '_');
  }
}
