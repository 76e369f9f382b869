package dev.mainstay.config;

import java.util.Map;
import java.util.function.Consumer;

/**
 * Fills {@code ${VAR}} and {@code ${VAR:-default}} from the environment; {@code $$} is a dollar.
 */
final class Placeholders {
  private Placeholders() {}

  /**
   * @param environment an unset or empty variable without a default becomes ""
   * @param unset takes the names of those
   */
  static String fill(String text, Map<String, String> environment, Consumer<String> unset) {
    if (text.indexOf('$') < 0) {
      return text;
    }
    var out = new StringBuilder(text.length());
    int at = 0;
    while (at < text.length()) {
      char c = text.charAt(at);
      if (c == '$' && text.startsWith("$$", at)) {
        out.append('$');
        at += 2;
      } else if (c == '$' && text.startsWith("${", at) && text.indexOf('}', at) > 0) {
        int end = text.indexOf('}', at);
        out.append(value(text.substring(at + 2, end), environment, unset));
        at = end + 1;
      } else {
        out.append(c);
        at++;
      }
    }
    return out.toString();
  }

  private static String value(
      String inside, Map<String, String> environment, Consumer<String> unset) {
    int split = inside.indexOf(":-");
    var name = split < 0 ? inside : inside.substring(0, split);
    var set = environment.getOrDefault(name.strip(), "");
    if (set.isEmpty() && split < 0) {
      unset.accept(name.strip());
    }
    return !set.isEmpty() || split < 0 ? set : inside.substring(split + 2);
  }
}
