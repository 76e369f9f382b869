package dev.mainstay.wire.repair;

import org.jspecify.annotations.Nullable;

/**
 * Rewrites what a model wrote in the place of a JSON object as the object it meant, where there is
 * only one reading: a fence or control tokens around it, a comma too many, line breaks inside
 * strings, Python's or JavaScript's spelling, JSON inside a JSON string, something after the end.
 * Never adds a value, and never closes what the model left open: a text that was cut off stays
 * wrong, since nobody knows what was cut.
 */
final class ArgumentMender {
  /** JSON in a string in a string is seen; more than that is no accident. */
  private static final int MAX_UNWRAPPINGS = 3;

  /** Objects after the first that are compared with it. */
  private static final int MAX_REPEATS = 16;

  private ArgumentMender() {}

  /** The JSON object that {@code text} was meant to be, or null where that is not certain. */
  static @Nullable String mend(String text) {
    var inner = text;
    for (int i = 0; i < MAX_UNWRAPPINGS; i++) {
      int start = pastPrefix(inner);
      if (start >= inner.length()) {
        return start == 0 || inner.isBlank() ? "{}" : null;
      }
      char first = inner.charAt(start);
      if (first == '{') {
        return object(inner, start);
      }
      if (first != '"' && first != '\'') {
        var word = inner.strip();
        return word.equals("null") || word.equals("None") ? "{}" : null;
      }
      var scan = new LenientJson(inner, start);
      if (!scan.value() || !nothingMeant(inner, scan.at())) {
        return null;
      }
      var decoded = Trees.read(scan.written());
      if (decoded == null || !decoded.isString()) {
        return null;
      }
      inner = decoded.stringValue();
    }
    return null;
  }

  /** The first object, unless one that repeats it says more, as when a relay sends snapshots. */
  private static @Nullable String object(String text, int start) {
    var scan = new LenientJson(text, start);
    if (!scan.value()) {
      return null;
    }
    var first = scan.written();
    int at = scan.at();
    for (int i = 0; i < MAX_REPEATS; i++) {
      at = skipSpace(text, at);
      if (at == text.length() || text.charAt(at) != '{') {
        return nothingMeant(text, at) ? first : null;
      }
      var next = new LenientJson(text, at);
      if (!next.value()) {
        return null;
      }
      if (repeats(first, next.written())) {
        first = next.written();
      }
      at = next.at();
    }
    return null;
  }

  /** Whether {@code later} has all that {@code earlier} has, and more. */
  private static boolean repeats(String earlier, String later) {
    var a = Trees.read(earlier);
    var b = Trees.read(later);
    if (a == null || b == null || b.size() <= a.size()) {
      return false;
    }
    for (var field : a.properties()) {
      if (!field.getValue().equals(b.get(field.getKey()))) {
        return false;
      }
    }
    return true;
  }

  /**
   * Whether what follows a whole value can be left out: control tokens, closing signs, prose. What
   * looks like more of the object (its brace came too early) or more values cannot.
   */
  private static boolean nothingMeant(String text, int from) {
    int at = from;
    while (at < text.length() && " \t\r\n})];,`".indexOf(text.charAt(at)) >= 0) {
      at++;
    }
    if (at == text.length()) {
      return true;
    }
    char next = text.charAt(at);
    return "\"':[{".indexOf(next) < 0
        && !Character.isDigit(next)
        && lastSign(text, from, at) != ',';
  }

  private static char lastSign(String text, int from, int to) {
    for (int i = to - 1; i >= from; i--) {
      if (text.charAt(i) > ' ') {
        return text.charAt(i);
      }
    }
    return ' ';
  }

  /** Past white space, control tokens, an opening fence and its language. */
  private static int pastPrefix(String text) {
    int at = 0;
    for (int before = -1; before != at; ) {
      before = at;
      at = skipSpace(text, at);
      if (text.startsWith("```", at)) {
        at += 3;
        while (at < text.length() && Character.isLetterOrDigit(text.charAt(at))) {
          at++;
        }
      } else if (text.startsWith("<|", at) || text.startsWith("<tool", at)) {
        int end = text.indexOf('>', at);
        at = end < 0 ? at : end + 1;
      } else if (text.regionMatches(true, at, "json", 0, 4)) {
        at += 4;
      }
    }
    return at;
  }

  private static int skipSpace(String text, int from) {
    int at = from;
    while (at < text.length() && (text.charAt(at) <= ' ' || text.charAt(at) == '\ufeff')) {
      at++;
    }
    return at;
  }
}
