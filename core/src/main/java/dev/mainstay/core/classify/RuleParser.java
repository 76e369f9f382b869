package dev.mainstay.core.classify;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Reads a rule file line by line.
 *
 * <pre>
 * [openai-no-credit]                     a rule begins; its id
 * source   https://…                     where it was read
 * status   429                           conditions: each line must hold,
 * code     insufficient_quota | …        alternatives are separated by |,
 *          | billing_error               and may go on in lines that begin with it
 * kind     billing                       what it means
 * because  The account has no credit.
 * sample   http 429 retry-after: 20      a real failure; its text follows
 * | {"error": {…}}
 * expect   wait=20                       what must come of it besides the kind
 * </pre>
 */
final class RuleParser {
  private final String file;
  private final String[] lines;
  private final List<Rule> rules = new ArrayList<>();
  private final Map<String, Integer> ids = new HashMap<>();

  RuleParser(String file, String text) {
    this.file = file;
    this.lines = text.split("\n", -1);
  }

  List<Rule> parse() {
    @Nullable RuleBuilder current = null;
    int i = 0;
    while (i < lines.length) {
      int number = i + 1;
      var line = lines[i].strip();
      i++;
      if (line.isEmpty() || line.startsWith("#")) {
        continue;
      }
      if (line.startsWith("[")) {
        finish(current);
        current = new RuleBuilder(file, number, id(line, number));
        continue;
      }
      if (current == null) {
        throw new RuleSyntaxException(
            file, number, "expected [rule-id] before anything else, found '" + cut(line) + "'");
      }
      int space = firstSpace(line);
      var key = line.substring(0, space);
      var value = line.substring(space).strip();
      try {
        if (key.equals("sample")) {
          var text = new StringBuilder();
          while (i < lines.length && lines[i].stripLeading().startsWith("|")) {
            text.append(text.isEmpty() ? "" : "\n").append(sampleLine(lines[i]));
            i++;
          }
          current.sample(number, value, text.toString());
        } else {
          var whole = new StringBuilder(value);
          while (i < lines.length && lines[i].stripLeading().startsWith("|")) {
            whole.append(' ').append(lines[i].strip());
            i++;
          }
          current.set(number, key, whole.toString());
        }
      } catch (IllegalArgumentException problem) {
        throw problem instanceof RuleSyntaxException already
            ? already
            : new RuleSyntaxException(
                file, mistaken(key, number, i), key + ": " + problem.getMessage());
      }
    }
    finish(current);
    return rules;
  }

  /** The line of those from {@code first} to {@code last} that is wrong by itself, or the first. */
  private int mistaken(String key, int first, int last) {
    for (int number = first + 1; number <= last && !key.equals("sample"); number++) {
      try {
        new RuleBuilder(file, number, "")
            .set(number, key, lines[number - 1].strip().substring(1).strip());
      } catch (IllegalArgumentException found) {
        return number;
      }
    }
    return first;
  }

  private void finish(@Nullable RuleBuilder rule) {
    if (rule != null) {
      rules.add(rule.build());
    }
  }

  private String id(String line, int number) {
    var id = line.endsWith("]") ? line.substring(1, line.length() - 1).strip() : "";
    if (id.isEmpty() || !id.chars().allMatch(RuleParser::isIdChar)) {
      throw new RuleSyntaxException(
          file,
          number,
          "a rule begins with [an-id] of small letters, digits and hyphens, found '"
              + cut(line)
              + "'");
    }
    var before = ids.putIfAbsent(id, number);
    if (before != null) {
      throw new RuleSyntaxException(
          file, number, "the id '" + id + "' is already taken in line " + before);
    }
    return id;
  }

  private static boolean isIdChar(int c) {
    return c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c == '-';
  }

  private static int firstSpace(String line) {
    int i = 0;
    while (i < line.length() && !Character.isWhitespace(line.charAt(i))) {
      i++;
    }
    return i;
  }

  private static String sampleLine(String line) {
    var text = line.stripLeading().substring(1);
    return text.startsWith(" ") ? text.substring(1) : text;
  }

  private static String cut(String line) {
    return line.length() > 60 ? line.substring(0, 60) + "…" : line;
  }

  /** {@code a=1 b=two} as a map. */
  static Map<String, String> pairs(String text) {
    var pairs = new HashMap<String, String>();
    for (var pair : text.strip().split("\\s+")) {
      int equals = pair.indexOf('=');
      if (equals <= 0) {
        throw new IllegalArgumentException("expected name=value, found '" + pair + "'");
      }
      pairs.put(pair.substring(0, equals), pair.substring(equals + 1));
    }
    return pairs;
  }
}
