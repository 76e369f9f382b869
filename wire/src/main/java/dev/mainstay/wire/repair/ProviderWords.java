package dev.mainstay.wire.repair;

import dev.mainstay.wire.error.ProviderError;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * What a provider said is wrong with a request: the parameter where it names one, and its words one
 * by one. Reads an error's body, or the text of an exception that has one in it.
 */
final class ProviderWords {
  /** An error says what it has to say within this; the rest is what it echoes. */
  private static final int MAX_LENGTH = 8_000;

  /**
   * A run of what names and paths are made of.
   *
   * @param marked whether it stands in quotes, before a colon, or after a word such as "parameter"
   */
  record Word(String text, boolean marked) {}

  private final String text;
  private final List<String> named = new ArrayList<>();
  private final List<Word> words = new ArrayList<>();

  private ProviderWords(String text) {
    this.text = text;
  }

  static ProviderWords read(String error) {
    var said = ProviderError.read(error);
    var text = new StringBuilder();
    if (said.message() != null) {
      text.append(said.message());
    }
    if (said.details() != null) {
      text.append(' ').append(said.details());
    }
    if (text.isEmpty()) {
      text.append(error);
    }
    if (text.length() > MAX_LENGTH) {
      text.setLength(MAX_LENGTH);
    }
    var words = new ProviderWords(text.toString().replace("\\", ""));
    if (said.param() != null && !said.param().isBlank()) {
      words.named.add(said.param());
    }
    words.places();
    words.split();
    return words;
  }

  /** The provider's words, without backslashes. */
  String text() {
    return text;
  }

  boolean says(String phrase) {
    return text.toLowerCase(Locale.ROOT).contains(phrase);
  }

  /** Parameters that it names as such. */
  List<String> named() {
    return named;
  }

  List<Word> words() {
    return words;
  }

  /** Pydantic's {@code "loc": ["body", "messages", 6, "index"]}, also as Python writes it. */
  private void places() {
    for (int at = text.indexOf("loc"); at >= 0; at = text.indexOf("loc", at + 3)) {
      int open = at + 3;
      while (open < text.length() && "\"': ".indexOf(text.charAt(open)) >= 0) {
        open++;
      }
      if (open >= text.length() || "[(".indexOf(text.charAt(open)) < 0) {
        continue;
      }
      int close = open;
      while (close < text.length() && "])".indexOf(text.charAt(close)) < 0) {
        close++;
      }
      var path = new StringBuilder();
      for (var part : text.substring(open + 1, close).split(",", 32)) {
        var name = part.strip().replace("\"", "").replace("'", "");
        if (!name.isEmpty() && !(path.isEmpty() && name.equals("body"))) {
          path.append(path.isEmpty() ? "" : ".").append(name);
        }
      }
      if (!path.isEmpty()) {
        named.add(path.toString());
      }
    }
  }

  private void split() {
    String before = "";
    for (int at = 0; at < text.length(); ) {
      if (!inWord(text.charAt(at))) {
        at++;
        continue;
      }
      int start = at;
      while (at < text.length() && inWord(text.charAt(at))) {
        at++;
      }
      int end = at;
      while (end > start && ".[-".indexOf(text.charAt(end - 1)) >= 0) {
        end--;
      }
      var word = text.substring(start, end);
      boolean quoted = start > 0 && "'\"`".indexOf(text.charAt(start - 1)) >= 0;
      boolean key = end < text.length() && text.charAt(end) == ':';
      words.add(new Word(word, quoted || key || introduces(before)));
      before = word;
    }
  }

  private static boolean introduces(String word) {
    return switch (word.toLowerCase(Locale.ROOT)) {
      case "parameter",
          "parameters",
          "param",
          "argument",
          "arguments",
          "supplied",
          "field",
          "name" ->
          true;
      default -> false;
    };
  }

  private static boolean inWord(char c) {
    return Character.isLetterOrDigit(c) || c == '_' || c == '.' || c == '[' || c == ']' || c == '-';
  }
}
