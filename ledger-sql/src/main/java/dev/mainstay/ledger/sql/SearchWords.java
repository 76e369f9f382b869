package dev.mainstay.ledger.sql;

import dev.mainstay.ledger.BodyText;
import dev.mainstay.ledger.log.EndedCall;
import java.text.Normalizer;
import java.util.ArrayList;
import java.util.List;

/**
 * The words of a text, the same for both databases, so that they find the same: letters and digits
 * in small letters without accents, everything else a space. An ideograph or a kana is a word of
 * its own.
 */
public final class SearchWords {
  /** Characters of words that are kept of one call; PostgreSQL takes a MiB of them. */
  private static final int MOST_CHARS = 1 << 16;

  /** Characters of a word that count; those behind them are left out. */
  private static final int LONGEST_WORD = 64;

  /** Terms of a query that count: PostgreSQL evaluates them one within the other. */
  private static final int MOST_TERMS = 100;

  /** Letters and digits in small letters, a space for everything else. */
  private static final char[] ASCII = new char[128];

  static {
    for (char c = 0; c < ASCII.length; c++) {
      ASCII[c] = Character.isLetterOrDigit(c) ? Character.toLowerCase(c) : ' ';
    }
  }

  private SearchWords() {}

  /** The words of what passed between the client and the gateway; empty where none are kept. */
  public static String of(EndedCall ended, BodyText text) {
    var all = new StringBuilder();
    for (var body : ended.bodies()) {
      if (body.attempt() == 0) {
        all.append(text.of(body.bytes(), body.part())).append('\n');
      }
    }
    return of(all.toString());
  }

  /** The words of {@code text} with a space between, the first 65,536 characters of them. */
  public static String of(String text) {
    var words = new StringBuilder();
    var plain = Normalizer.normalize(text, Normalizer.Form.NFKD);
    int word = 0;
    for (int at = 0; at < plain.length() && words.length() < MOST_CHARS; ) {
      int c = plain.codePointAt(at);
      at += Character.charCount(c);
      if (c < ASCII.length) {
        // Nearly all there is: what follows looks much up.
        char small = ASCII[c];
        if (small == ' ') {
          if (word > 0) {
            words.append(' ');
          }
          word = 0;
        } else if (word++ < LONGEST_WORD) {
          words.append(small);
        }
      } else if (Character.isLetterOrDigit(c)) {
        boolean alone = standsAlone(c);
        if (alone && word > 0) {
          words.append(' ');
          word = 0;
        }
        if (word < LONGEST_WORD) {
          words.appendCodePoint(Character.toLowerCase(c));
        }
        word++;
        if (alone) {
          words.append(' ');
          word = 0;
        }
      } else if (word > 0 && !isMark(c)) {
        words.append(' ');
        word = 0;
      }
    }
    return words.toString().strip();
  }

  private static boolean isMark(int c) {
    int type = Character.getType(c);
    return type == Character.NON_SPACING_MARK || type == Character.COMBINING_SPACING_MARK;
  }

  /** Scripts that put no space between words. */
  private static boolean standsAlone(int c) {
    return switch (Character.UnicodeScript.of(c)) {
      case HAN, HIRAGANA, KATAKANA, THAI, LAO, KHMER, MYANMAR -> true;
      default -> false;
    };
  }

  /**
   * Words that follow one another.
   *
   * @param begins whether the last of them may go on
   */
  record Term(List<String> words, boolean begins) {}

  /**
   * What a text asks for: all of these. Nothing in it is an operator but quotes and a last star.
   */
  static List<Term> terms(String asked) {
    var terms = new ArrayList<Term>();
    var parts = asked.split("\"", -1);
    for (int i = 0; i < parts.length; i++) {
      boolean quoted = i % 2 == 1;
      for (var part : quoted ? List.of(parts[i]) : List.of(parts[i].split("\\s+"))) {
        var words = of(part);
        if (!words.isEmpty()) {
          var each = List.of(words.split(" "));
          boolean whole = each.size() <= MOST_TERMS;
          terms.add(
              new Term(whole ? each : each.subList(0, MOST_TERMS), whole && part.endsWith("*")));
        }
      }
    }
    return List.copyOf(terms.subList(0, Math.min(MOST_TERMS, terms.size())));
  }
}
