package dev.mainstay.wire.repair;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Which offered tool a wrong name was meant to be, where that is certain. From the most to the
 * least certain, and each only where exactly one tool answers to it:
 *
 * <ol>
 *   <li>without control tokens and all that follows one, quotes, white space, empty parentheses and
 *       the number of the call;
 *   <li>in another case, or with other signs between the words;
 *   <li>with a namespace before it, or without the one it was offered with; a namespace that no
 *       model is known to make up needs arguments that fit the tool;
 *   <li>a typing error in one word, and arguments that fit: the word has five letters or more and
 *       keeps its first (so that {@code enable} is never {@code disable}, nor {@code get} {@code
 *       set}), and no digit is involved (so that {@code db1} is never {@code db2}).
 * </ol>
 */
final class ToolNames {
  /** Longer than any provider lets a tool's name be (Gemini and OpenAI 64, Anthropic 128). */
  private static final int LONGEST = 256;

  private static final int MOST_JOINTS = 16;

  /** What comes after a tool's name when a model's control tokens leak into it. */
  private static final List<String> CONTROL = List.of("<|", "<｜", "</", "[/", "\n");

  /** Namespaces in which providers and templates show tools to a model, as models repeat them. */
  private static final Set<String> KNOWN_NAMESPACES =
      Set.of("functions", "function", "tools", "tool", "default_api", "api", "mcp", "to");

  private static final String QUOTES = "\"'`“”‘’*";
  private static final String JOINTS = ".:/=";

  private ToolNames() {}

  /**
   * The offered tool that {@code called} was meant to be, or null.
   *
   * @param fits whether the call's arguments could be that tool's
   */
  static @Nullable String intended(
      String called, Collection<String> offered, Predicate<String> fits) {
    var name = clean(called);
    if (name.isEmpty() || name.length() > LONGEST) {
      return null;
    }
    var found = same(name, offered);
    if (found == null) {
      name = withoutNumber(name);
      found = same(name, offered);
    }
    if (found == null) {
      found = withoutNamespace(name, offered, fits);
    }
    if (found == null) {
      found = withNamespace(name, offered, fits);
    }
    return found == null ? near(name, offered, fits) : found;
  }

  private static String clean(String called) {
    var name = called.length() > 4 * LONGEST ? called.substring(0, 4 * LONGEST) : called;
    name = trim(name);
    while (name.startsWith("<|")) {
      int end = name.indexOf("|>");
      if (end < 0) {
        break;
      }
      name = trim(name.substring(end + 2));
    }
    for (var token : CONTROL) {
      int at = name.indexOf(token);
      if (at > 0) {
        name = name.substring(0, at);
      }
    }
    name = trim(name);
    return name.endsWith("()") ? trim(name.substring(0, name.length() - 2)) : name;
  }

  private static String trim(String text) {
    int from = 0;
    int to = text.length();
    while (from < to && ignorable(text.charAt(from))) {
      from++;
    }
    while (to > from && ignorable(text.charAt(to - 1))) {
      to--;
    }
    return text.substring(from, to);
  }

  private static boolean ignorable(char c) {
    return c <= ' ' || Character.isSpaceChar(c) || QUOTES.indexOf(c) >= 0;
  }

  /** {@code get_weather:0} is how Kimi numbers its calls. */
  private static String withoutNumber(String name) {
    int end = name.length();
    while (end > 0 && name.charAt(end - 1) >= '0' && name.charAt(end - 1) <= '9') {
      end--;
    }
    return end < name.length() && end > 1 && ".:#".indexOf(name.charAt(end - 1)) >= 0
        ? name.substring(0, end - 1)
        : name;
  }

  private static @Nullable String same(String name, Collection<String> offered) {
    if (offered.contains(name)) {
      return name;
    }
    var found = only(offered, name, text -> text.toLowerCase(Locale.ROOT));
    return found != null ? found : only(offered, name, ToolNames::bare);
  }

  private static @Nullable String only(
      Collection<String> offered, String name, UnaryOperator<String> form) {
    var wanted = form.apply(name);
    String found = null;
    for (var tool : offered) {
      if (!wanted.isEmpty() && form.apply(tool).equals(wanted)) {
        if (found != null) {
          return null;
        }
        found = tool;
      }
    }
    return found;
  }

  /** Letters and digits alone, in lower case. */
  private static String bare(String name) {
    var out = new StringBuilder(name.length());
    name.chars()
        .filter(Character::isLetterOrDigit)
        .map(Character::toLowerCase)
        .forEach(c -> out.append((char) c));
    return out.toString();
  }

  private static @Nullable String withoutNamespace(
      String name, Collection<String> offered, Predicate<String> fits) {
    int joints = 0;
    for (int at = 1; at < name.length() - 1 && joints < MOST_JOINTS; at++) {
      int joint = jointAt(name, at);
      if (joint > 0) {
        joints++;
        var found = same(name.substring(at + joint), offered);
        if (found != null) {
          var space = name.substring(0, at);
          return known(space) || fits.test(found) ? found : null;
        }
      }
    }
    return null;
  }

  private static boolean known(String namespace) {
    var words = namespace.split("[.:/= ]+", 8);
    return words.length > 0
        && KNOWN_NAMESPACES.contains(words[words.length - 1].toLowerCase(Locale.ROOT));
  }

  private static @Nullable String withNamespace(
      String name, Collection<String> offered, Predicate<String> fits) {
    String found = null;
    for (var tool : offered) {
      int at = tool.length() - name.length();
      boolean ends =
          at > 1
              && tool.regionMatches(true, at, name, 0, name.length())
              && (JOINTS.indexOf(tool.charAt(at - 1)) >= 0 || tool.startsWith("__", at - 2));
      if (ends) {
        if (found != null) {
          return null;
        }
        found = tool;
      }
    }
    return found != null && fits.test(found) ? found : null;
  }

  /** The length of what joins a namespace to a name at {@code at}, or 0. */
  private static int jointAt(String name, int at) {
    if (JOINTS.indexOf(name.charAt(at)) >= 0) {
      return 1;
    }
    return name.startsWith("__", at) ? 2 : 0;
  }

  private static @Nullable String near(
      String name, Collection<String> offered, Predicate<String> fits) {
    var words = words(name);
    String found = null;
    for (var tool : offered) {
      if (oneTypingError(words, words(tool))) {
        if (found != null) {
          return null;
        }
        found = tool;
      }
    }
    return found != null && fits.test(found) ? found : null;
  }

  private static List<String> words(String name) {
    var words = new ArrayList<String>();
    var word = new StringBuilder();
    for (int i = 0; i < name.length() && i < LONGEST; i++) {
      char c = name.charAt(i);
      boolean humps =
          Character.isUpperCase(c) && i > 0 && Character.isLowerCase(name.charAt(i - 1));
      if ((humps || !Character.isLetterOrDigit(c)) && !word.isEmpty()) {
        words.add(word.toString());
        word.setLength(0);
      }
      if (Character.isLetterOrDigit(c)) {
        word.append(Character.toLowerCase(c));
      }
    }
    if (!word.isEmpty()) {
      words.add(word.toString());
    }
    return words;
  }

  private static boolean oneTypingError(List<String> left, List<String> right) {
    if (left.size() != right.size()) {
      return false;
    }
    int wrong = -1;
    for (int i = 0; i < left.size(); i++) {
      if (!left.get(i).equals(right.get(i))) {
        if (wrong >= 0) {
          return false;
        }
        wrong = i;
      }
    }
    return wrong >= 0 && mistyped(left.get(wrong), right.get(wrong));
  }

  private static boolean mistyped(String a, String b) {
    int shorter = Math.min(a.length(), b.length());
    if (shorter < 4 || a.charAt(0) != b.charAt(0) || hasDigit(a) || hasDigit(b)) {
      return false;
    }
    if (a.equals(b + "s") || b.equals(a + "s")) {
      return true;
    }
    int distance = distance(a, b);
    return shorter >= 5 && distance == 1 || shorter >= 9 && distance == 2;
  }

  private static boolean hasDigit(String word) {
    return word.chars().anyMatch(Character::isDigit);
  }

  /** How many letters are to be changed, added, left out or swapped with their neighbour. */
  private static int distance(String a, String b) {
    if (Math.abs(a.length() - b.length()) > 2) {
      return 3;
    }
    int[] before = new int[b.length() + 1];
    int[] above = new int[b.length() + 1];
    for (int j = 0; j <= b.length(); j++) {
      above[j] = j;
    }
    for (int i = 1; i <= a.length(); i++) {
      int[] row = new int[b.length() + 1];
      row[0] = i;
      for (int j = 1; j <= b.length(); j++) {
        int change = a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1;
        row[j] = Math.min(Math.min(row[j - 1], above[j]) + 1, above[j - 1] + change);
        if (i > 1
            && j > 1
            && a.charAt(i - 1) == b.charAt(j - 2)
            && a.charAt(i - 2) == b.charAt(j - 1)) {
          row[j] = Math.min(row[j], before[j - 2] + 1);
        }
      }
      before = above;
      above = row;
    }
    return above[b.length()];
  }
}
