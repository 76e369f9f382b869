package dev.mainstay.call.redact;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A place in JSON: {@code $.messages[*].content}, {@code $..email}, {@code $.user}. Names, {@code
 * *} for any name, {@code [*]} and {@code [3]} for elements, {@code ..} for any depth. A name takes
 * {@code Email} and {@code EMAIL} too: what is private is private however it is written.
 */
record PathRule(List<Step> steps) {
  /**
   * One step down.
   *
   * @param name the field's name or the element's number; null for any
   * @param anyDepth whether any number of steps may lie before it
   */
  public record Step(@Nullable String name, boolean element, boolean anyDepth) {
    boolean takes(String given, boolean isElement) {
      return element == isElement && (name == null || name.equalsIgnoreCase(given));
    }
  }

  /**
   * @throws IllegalArgumentException where {@code text} is no path
   */
  static PathRule of(String text) {
    var steps = new ArrayList<Step>();
    int at = 1;
    while (at < text.length()) {
      boolean deep = text.startsWith("..", at);
      if (text.charAt(at) == '[') {
        int end = text.indexOf(']', at);
        var number = end < 0 ? "" : text.substring(at + 1, end);
        if (!number.equals("*") && !number.matches("[0-9]{1,9}")) {
          throw new IllegalArgumentException("what is in [ ] is no number and no *");
        }
        steps.add(new Step(number.equals("*") ? null : number, true, false));
        at = end + 1;
      } else if (text.charAt(at) == '.') {
        int from = at + (deep ? 2 : 1);
        int to = from;
        while (to < text.length() && text.charAt(to) != '.' && text.charAt(to) != '[') {
          to++;
        }
        var name = text.substring(from, to);
        if (name.isEmpty()) {
          throw new IllegalArgumentException("a name is missing");
        }
        steps.add(new Step(name.equals("*") ? null : name, false, deep));
        at = to;
      } else {
        throw new IllegalArgumentException("after $ comes . or [");
      }
    }
    if (steps.isEmpty()) {
      throw new IllegalArgumentException("the path names nothing");
    }
    return new PathRule(List.copyOf(steps));
  }

  /**
   * Where one stands after going down by {@code name}.
   *
   * @param before bits of the steps that may come next
   * @return the same below; the bit behind the last step says that the value is meant
   */
  long down(long before, String name, boolean element) {
    long after = 0;
    for (int i = 0; i < steps.size(); i++) {
      if ((before >>> i & 1) != 0) {
        if (steps.get(i).takes(name, element)) {
          after |= 1L << (i + 1);
        }
        if (steps.get(i).anyDepth()) {
          after |= 1L << i;
        }
      }
    }
    return after;
  }

  boolean means(long at) {
    return (at >>> steps.size() & 1) != 0;
  }
}
