package dev.mainstay.core.failure;

/**
 * Collects what was said and makes it comparable: white space joined, typographic quotes made
 * plain, echoes of the user's input left out, at most {@value #MAX} characters kept of the
 * beginning and {@value #MAX_TAIL} of the end of each text.
 */
final class ErrorWords {
  private static final int MAX = 48_000;
  private static final int MAX_TAIL = 8_000;
  private static final int LONG_QUOTE = 64;

  /** How much may stand between an exception's name and the quote that opens its words. */
  private static final int LEAD = 12;

  /** The longest path of a field that is kept although it stands in quotes. */
  private static final int LONG_PATH = 200;

  /** Behind the first a message repeats what the user or the model wrote, up to the second. */
  private static final String[][] ECHOES = {
    {"input_value=", "input_type="},
    {"failed to parse tool call arguments as json: '", "input_type="},
    {"failed_generation", "input_type="},
    {"[source: (", "; line:"},
  };

  private final StringBuilder kept = new StringBuilder();

  int length() {
    return kept.length();
  }

  boolean isEmpty() {
    return kept.isEmpty();
  }

  /** Adds {@code text}; {@code quotes} says that long quoted passages in it are echoes. */
  void add(String text, boolean quotes) {
    if (kept.length() >= MAX) {
      return;
    }
    int before = kept.length();
    if (before > 0) {
      kept.append('\n');
    }
    int start = kept.length();
    int room = MAX - kept.length();
    if (text.length() <= room + MAX_TAIL) {
      plain(text, 0, text.length());
    } else {
      plain(text, 0, room);
      kept.append(" … ");
      plain(text, text.length() - MAX_TAIL, text.length());
    }
    cutEchoes(start);
    if (quotes && kept.length() - start > LONG_QUOTE) {
      cutQuotes(start);
    }
    if (blank(start)) {
      kept.setLength(before);
    }
  }

  private boolean blank(int from) {
    for (int i = from; i < kept.length(); i++) {
      if (Character.isLetterOrDigit(kept.charAt(i))) {
        return false;
      }
    }
    return true;
  }

  private void plain(String text, int from, int to) {
    boolean space = true;
    int i = from;
    while (i < to) {
      int run = endOfRun(text, i, to);
      if (run > i) {
        kept.append(text, i, run);
        i = run;
        space = false;
        continue;
      }
      char c = text.charAt(i);
      if (c == '\\' && i + 1 < to && "nrt".indexOf(text.charAt(i + 1)) >= 0) {
        boolean path = i > from && text.charAt(i - 1) == ':';
        if (!path) {
          i++;
          c = ' ';
        }
      }
      i++;
      c =
          switch (c) {
            case '\u2018', '\u2019' -> '\'';
            case '\u201c', '\u201d' -> '"';
            case '\u2013', '\u2014', '\u2011' -> '-';
            default -> c;
          };
      if (c == '\u001b') {
        continue;
      }
      if (c <= ' ' || c == '\u00a0') {
        if (!space) {
          kept.append(' ');
        }
        space = true;
      } else {
        kept.append(c);
        space = false;
      }
    }
  }

  /** How far from {@code from} on words stand with one blank between them: they are kept as is. */
  private static int endOfRun(String text, int from, int to) {
    int i = from;
    while (i < to) {
      char c = text.charAt(i);
      if (isPlain(c)) {
        i++;
      } else if (c == ' ' && i > from && i + 1 < to && isPlain(text.charAt(i + 1))) {
        i += 2;
      } else {
        break;
      }
    }
    return i;
  }

  /** Whether {@code c} is kept as it is, whatever stands beside it. */
  private static boolean isPlain(char c) {
    return c > ' ' && c < '\u00a0' && c != '\\' || c > '\u201d' || c > '\u00a0' && c < '\u2010';
  }

  private void cutEchoes(int start) {
    boolean none =
        kept.indexOf("_", start) < 0
            && kept.indexOf("[", start) < 0
            && kept.indexOf(": '", start) < 0;
    if (none) {
      return; // every marker has one of them
    }
    for (int i = start; i < kept.length(); i++) {
      char c = kept.charAt(i);
      int marker = c == 'i' || c == 'f' || c == 'F' || c == '[' ? echo(i) : -1;
      if (marker >= 0) {
        int from = i + ECHOES[marker][0].length();
        int end = kept.indexOf(ECHOES[marker][1], from);
        kept.replace(from, end < 0 ? kept.length() : end, end < 0 ? "" : ", ");
        i = from;
      }
    }
  }

  private int echo(int at) {
    for (int m = 0; m < ECHOES.length; m++) {
      var marker = ECHOES[m][0];
      int k = 0;
      while (k < marker.length()
          && at + k < kept.length()
          && lower(kept.charAt(at + k)) == marker.charAt(k)) {
        k++;
      }
      if (k == marker.length()) {
        return m;
      }
    }
    return -1;
  }

  private static char lower(char c) {
    return c >= 'A' && c <= 'Z' ? (char) (c + 32) : c;
  }

  /**
   * Leaves out quoted passages that are too long to be a name, are no path of a field ({@code
   * tools[0].function_declarations[5].parameters}) and do not begin the text. A search for a
   * closing quote that came to the end of the text is not made again, so this is linear.
   */
  private void cutQuotes(int start) {
    var unclosed = "";
    int i = firstQuote(start);
    int to = i;
    while (i < kept.length()) {
      char c = kept.charAt(i);
      int end = -1;
      if ((c == '"' || c == '\'' || c == '`')
          && i > start
          && !Character.isLetterOrDigit(kept.charAt(i - 1))
          && unclosed.indexOf(c) < 0) {
        end = quoteEnd(i, c);
        unclosed = end < 0 ? unclosed + c : unclosed;
      }
      if (end - i > LONG_QUOTE && !isPath(i + 1, end) && !isRaised(i)) {
        kept.setCharAt(to++, c);
        kept.setCharAt(to++, '…');
        kept.setCharAt(to++, c);
        i = end + 1;
      } else {
        int next = Math.max(end, i) + 1;
        if (to == i) {
          i = next; // nothing was cut so far: every character is where it belongs
          to = next;
        }
        while (i < next) {
          kept.setCharAt(to++, kept.charAt(i++));
        }
      }
    }
    kept.setLength(to);
  }

  /** Whether what stands there is the path of a field: names, dots and indices. */
  private boolean isPath(int from, int end) {
    if (end - from > LONG_PATH) {
      return false;
    }
    boolean index = false;
    for (int i = from; i < end; i++) {
      char c = kept.charAt(i);
      index |= c == '[';
      if (!Character.isLetterOrDigit(c) && "._[]".indexOf(c) < 0) {
        return false;
      }
    }
    return index;
  }

  /** Whether the quote at {@code i} opens an exception's own words: {@code ValueError('…')}. */
  private boolean isRaised(int i) {
    int from = i;
    while (from > 0 && i - from < LEAD && "(, 0123456789:".indexOf(kept.charAt(from - 1)) >= 0) {
      from--;
    }
    return from < i
        && kept.indexOf("(", from) < i
        && kept.indexOf("(", from) >= 0
        && (endsAt("rror", from) || endsAt("ception", from));
  }

  private boolean endsAt(String end, int at) {
    int from = at - end.length();
    return from >= 0 && kept.indexOf(end, from) == from;
  }

  /** Where the first quote from {@code start} on stands, or the end. */
  private int firstQuote(int start) {
    int first = kept.length();
    for (var quote : new String[] {"\"", "'", "`"}) {
      int i = kept.indexOf(quote, start);
      first = i < 0 ? first : Math.min(first, i);
    }
    return first;
  }

  private int quoteEnd(int open, char quote) {
    for (int i = open + 1; i < kept.length(); i++) {
      if (kept.charAt(i) == quote
          && (i + 1 == kept.length() || !Character.isLetterOrDigit(kept.charAt(i + 1)))) {
        return i;
      }
    }
    return -1;
  }

  @Override
  public String toString() {
    return kept.toString();
  }
}
