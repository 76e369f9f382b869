package dev.mainstay.core.failure;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Reads what people paste as JSON: JSON itself, Python and JavaScript object dumps, text cut off in
 * the middle. It never throws on input and keeps what it got.
 *
 * <p>Linear in the input: every character is consumed once, except for a look-ahead of at most
 * {@value JsonText#LOOK_AHEAD} characters behind a quote. Bounded in memory: at most {@value
 * #MAX_NODES} values, strings kept up to {@value JsonText#MAX_STRING} characters, values nested
 * deeper than {@value #MAX_DEPTH} skipped without recursion. A quote ends a string only where
 * something that may follow a string comes next, since dumps of error texts carry unescaped quotes
 * ({@code 'message': 'You didn't …'}).
 */
final class Json {
  private static final int MAX_DEPTH = 48;
  private static final int MAX_NODES = 4_000;
  private static final int MAX_MESSAGE = 4_000;

  /** How Node shows what it does not show. */
  private static final List<String> LEFT_OUT = List.of("[Object]", "[Array]");

  /** How Node shows an object that is a mere map. */
  private static final String NO_PROTOTYPE = "[Object: null prototype] {";

  private final String text;
  private int at;
  private int nodes;
  private int slash = -1;
  private int quoteAt = -1;
  private char quoteSought;
  private boolean broken;

  private Json(String text, int at) {
    this.text = text;
    this.at = at;
  }

  /**
   * What was read.
   *
   * @param value a Map, List, String, Double, Boolean or null
   * @param end where reading stopped
   * @param complete false where the input ended or broke before the value did
   */
  record Read(@Nullable Object value, int end, boolean complete) {}

  /** Reads the object or array that begins at {@code from}. */
  static Read read(String text, int from) {
    var json = new Json(text, from);
    var value = json.value(0);
    return new Read(value, Math.max(json.at, from + 1), !json.broken);
  }

  private @Nullable Object value(int depth) {
    blank();
    if (at >= text.length() || ++nodes > MAX_NODES) {
      broken = true;
      at = nodes > MAX_NODES ? text.length() : at;
      return null;
    }
    if (text.startsWith(NO_PROTOTYPE, at)) {
      at += NO_PROTOTYPE.length() - 1;
    }
    for (var left : LEFT_OUT) {
      if (text.startsWith(left, at)) {
        at += left.length();
        return null;
      }
    }
    char c = text.charAt(at);
    if (c == '{' || c == '[') {
      if (depth >= MAX_DEPTH) {
        skipNested();
        return null;
      }
      return c == '{' ? object(depth) : array(depth);
    }
    if (c == '"' || c == '\'' || c == '`') {
      return string(c);
    }
    int name = nameEnd(at);
    if (name > at && isErrorName(name)) {
      return error(depth);
    }
    if (name > at && c >= 'A' && c <= 'Z' && text.startsWith(" {", name) && depth < MAX_DEPTH) {
      at = name + 1; // as Node shows an object of a class: Headers { … }
      return object(depth);
    }
    return word();
  }

  private boolean isErrorName(int end) {
    return (text.startsWith("Error", end - 5) || text.startsWith("Exception", end - 9))
        && (text.startsWith(": ", end) || text.startsWith(" [", end));
  }

  /**
   * An exception as Node shows it in an object: its name and message, the lines of its stack, and
   * behind the last of them its own fields in braces.
   */
  private Map<String, @Nullable Object> error(int depth) {
    int start = at;
    at = lineEnd(at);
    var message = text.substring(start, Math.min(at, start + MAX_MESSAGE)).strip();
    Map<String, @Nullable Object> fields = new LinkedHashMap<>();
    blank();
    while (text.startsWith("at ", at)) {
      int end = lineEnd(at);
      if (end > at && text.charAt(end - 1) == '{' && depth < MAX_DEPTH) {
        at = end - 1;
        fields = object(depth);
        break;
      }
      at = end;
      blank();
    }
    fields.put(
        "message", message.endsWith(",") ? message.substring(0, message.length() - 1) : message);
    return fields;
  }

  private int lineEnd(int from) {
    int end = text.indexOf('\n', from);
    return end < 0 ? text.length() : end;
  }

  private int nameEnd(int from) {
    int end = from;
    while (end < text.length() && JsonText.isNameChar(text.charAt(end))) {
      end++;
    }
    return end;
  }

  private Map<String, @Nullable Object> object(int depth) {
    var map = new LinkedHashMap<String, @Nullable Object>();
    at++;
    while (true) {
      separators();
      if (at >= text.length()) {
        broken = true;
        return map;
      }
      char c = text.charAt(at);
      if (c == '}') {
        at++;
        return map;
      }
      if (c == ']' || c == '[' || c == '{') {
        if (c == ']') {
          broken = true;
          return map;
        }
        if (!isBracketed(c)) {
          value(depth + 1);
          continue;
        }
        at++;
      }
      var key = c == '"' || c == '\'' ? string(c) : name();
      at += c == '[' ? 1 : 0;
      blank();
      if (at < text.length() && (text.charAt(at) == ':' || text.charAt(at) == '=')) {
        at++;
        map.putIfAbsent(key, value(depth + 1));
      } else if (at < text.length() && text.charAt(at) == '{') {
        map.putIfAbsent(key, value(depth + 1));
      } else if (key.isEmpty()) {
        broken = true;
        at++;
      }
      if (broken && at >= text.length()) {
        return map;
      }
    }
  }

  /** Whether a name stands here as Node shows those that are not enumerable: {@code [cause]:}. */
  private boolean isBracketed(char open) {
    int end = nameEnd(at + 1);
    return open == '[' && end > at + 1 && text.startsWith("]:", end);
  }

  private List<@Nullable Object> array(int depth) {
    var list = new ArrayList<@Nullable Object>();
    at++;
    while (true) {
      separators();
      if (at >= text.length()) {
        broken = true;
        return list;
      }
      char c = text.charAt(at);
      if (c == ']') {
        at++;
        return list;
      }
      if (c == '}' || c == ':') {
        broken = true;
        if (c == '}') {
          return list;
        }
        at++;
        continue;
      }
      list.add(value(depth + 1));
    }
  }

  private String string(char quote) {
    int start = ++at;
    var kept = new StringBuilder();
    while (at < text.length()) {
      int run = nextSlash(next(quote));
      if (run > at) {
        kept.append(text, at, Math.min(run, at + Math.max(0, JsonText.MAX_STRING - kept.length())));
        at = run;
        continue;
      }
      char c = text.charAt(at);
      if (c == '\\' && at + 1 < text.length()) {
        at = JsonText.unescape(text, at, kept);
        continue;
      }
      if (c == quote && (at == start || endsString())) {
        at++;
        return kept.toString();
      }
      if (kept.length() < JsonText.MAX_STRING) {
        kept.append(c);
      }
      at++;
    }
    broken = true;
    return kept.toString();
  }

  /** Where the next quote stands; like the next slash sought anew only once it is passed. */
  private int next(char quote) {
    if (quoteAt < at || quoteSought != quote) {
      int i = text.indexOf(quote, at);
      quoteAt = i < 0 ? text.length() : i;
      quoteSought = quote;
    }
    return quoteAt;
  }

  /**
   * Where the next backslash stands, or {@code end} where none stands before it. It is not sought
   * any further: of many small objects one after the other each would read all that follows.
   */
  private int nextSlash(int end) {
    if (slash < at || slash > end) {
      int i = text.indexOf('\\', at, end);
      slash = i < 0 ? end : i;
    }
    return slash;
  }

  private boolean endsString() {
    int next = JsonText.skipBlank(text, at + 1, at + 1 + JsonText.LOOK_AHEAD);
    if (next >= text.length()) {
      return true;
    }
    if (next - at > JsonText.LOOK_AHEAD || ",}]:)`\\".indexOf(text.charAt(next)) >= 0) {
      return true;
    }
    int line = text.indexOf('\n', at, next);
    return line >= 0;
  }

  private String name() {
    int start = at;
    at = nameEnd(at);
    var name = text.substring(start, Math.min(at, start + 128));
    if (at < text.length() && (text.charAt(at) == '\'' || text.charAt(at) == '"')) {
      at++;
    }
    return name;
  }

  private @Nullable Object word() {
    int start = at;
    while (at < text.length() && ",}]\n".indexOf(text.charAt(at)) < 0) {
      at++;
    }
    var word = text.substring(start, Math.min(at, start + 256)).strip();
    if (at == start) {
      at++;
      broken = true;
    }
    return switch (word) {
      case "null", "None", "undefined", "nil", "" -> null;
      case "true", "True" -> Boolean.TRUE;
      case "false", "False" -> Boolean.FALSE;
      default -> number(word);
    };
  }

  private static Object number(String word) {
    char first = word.charAt(0);
    if (word.length() <= 32 && (first == '-' || first >= '0' && first <= '9')) {
      try {
        return Double.valueOf(word);
      } catch (NumberFormatException notANumber) {
        return word;
      }
    }
    return word;
  }

  /** Skips a value that is nested too deep, counting brackets outside of strings. */
  private void skipNested() {
    int open = 0;
    while (at < text.length()) {
      char c = text.charAt(at++);
      if (c == '{' || c == '[') {
        open++;
      } else if (c == '}' || c == ']') {
        if (--open <= 0) {
          return;
        }
      } else if (c == '"') {
        while (at < text.length() && text.charAt(at) != '"') {
          at += text.charAt(at) == '\\' ? 2 : 1;
        }
        at++;
      }
    }
    at = Math.min(at, text.length());
    broken = true;
  }

  private void blank() {
    at = JsonText.skipBlank(text, at, text.length());
  }

  private void separators() {
    blank();
    while (at < text.length() && (text.charAt(at) == ',' || text.charAt(at) == ';')) {
      at++;
      blank();
    }
  }
}
