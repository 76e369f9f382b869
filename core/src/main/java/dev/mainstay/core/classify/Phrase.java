package dev.mainstay.core.classify;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Literals that must occur in this order, with anything between them: {@code credit balance * too
 * low}. In lower case. {@code \b} at a side of a literal is a border of a word, {@code ^} and
 * {@code $} are the borders of a text.
 */
record Phrase(List<Part> parts) {

  /**
   * One literal; {@code word…} asks for a border of a word at that side, {@code text…} for the
   * beginning or the end of the text, of one of its lines, or of what follows a colon.
   */
  record Part(
      String literal, boolean wordStart, boolean wordEnd, boolean textStart, boolean textEnd) {}

  Phrase {
    parts = List.copyOf(parts);
  }

  /** The alternatives of a line, separated by {@code |}. */
  static List<Phrase> alternatives(String line) {
    var phrases = new ArrayList<Phrase>();
    for (var alternative : split(line, '|')) {
      phrases.add(parse(alternative));
    }
    return List.copyOf(phrases);
  }

  /** Splits at {@code separator} outside of double quotes and not behind a backslash. */
  static List<String> split(String line, char separator) {
    var parts = new ArrayList<String>();
    var part = new StringBuilder();
    boolean quoted = false;
    for (int i = 0; i < line.length(); i++) {
      char c = line.charAt(i);
      if (c == '\\' && i + 1 < line.length()) {
        part.append(c).append(line.charAt(++i));
      } else if (c == separator && !quoted) {
        parts.add(part.toString());
        part.setLength(0);
      } else {
        quoted ^= c == '"';
        part.append(c);
      }
    }
    if (quoted) {
      throw new IllegalArgumentException("a quote is not closed (write \\\" for a literal one)");
    }
    parts.add(part.toString());
    return parts;
  }

  private static Phrase parse(String text) {
    var parts = new ArrayList<Part>();
    for (var piece : split(text, '*')) {
      parts.add(part(piece.strip()));
    }
    return new Phrase(parts);
  }

  private static Part part(String piece) {
    boolean textStart = piece.startsWith("^");
    boolean textEnd = piece.endsWith("$") && !piece.endsWith("\\$");
    boolean start = piece.startsWith("\\b");
    boolean end = piece.length() > 3 && piece.endsWith("\\b");
    var inner =
        piece.substring(
            textStart ? 1 : start ? 2 : 0, piece.length() - (textEnd ? 1 : end ? 2 : 0));
    var literal = new StringBuilder();
    for (int i = 0; i < inner.length(); i++) {
      char c = inner.charAt(i);
      if (c == '\\' && i + 1 < inner.length()) {
        literal.append(inner.charAt(++i));
      } else if (c != '"') {
        literal.append(c);
      }
    }
    if (literal.length() < 2) {
      throw new IllegalArgumentException(
          "a pattern's literal needs at least 2 characters, found '" + piece + "'");
    }
    var plain = literal.toString().toLowerCase(Locale.ROOT);
    return new Part(plain.replace('\u2019', '\''), start, end, textStart, textEnd);
  }
}
