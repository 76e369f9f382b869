package dev.mainstay.core.failure;

/**
 * Collects what was said and makes it comparable: white space joined, typographic quotes made
 * plain, echoes of the user's input left out, at most {@value #MAX} characters kept of the
 * beginning and {@value #MAX_TAIL} of the end of each text.
 */
final class Words {
  private static final int MAX = 48_000;
  private static final int MAX_TAIL = 8_000;
  private static final int LONG_QUOTE = 64;

  /** Behind these a message repeats what the user or the model wrote. */
  private static final String[] ECHO_MARKERS = {
    "input_value=",
    "failed to parse tool call arguments as json: '",
    "failed_generation",
    "'failed_generation'",
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
    if (quotes) {
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
    for (int i = from; i < to; i++) {
      char c = text.charAt(i);
      if (c == '\\' && i + 1 < to && "nrt".indexOf(text.charAt(i + 1)) >= 0) {
        boolean path = i > from && text.charAt(i - 1) == ':';
        if (!path) {
          i++;
          c = ' ';
        }
      }
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

  private void cutEchoes(int start) {
    for (var marker : ECHO_MARKERS) {
      int i = find(marker, start);
      if (i >= 0) {
        int from = i + marker.length();
        int end = kept.indexOf("input_type=", from);
        kept.replace(from, end < 0 ? kept.length() : end, end < 0 ? "" : ", ");
      }
    }
  }

  private int find(String marker, int start) {
    int last = kept.length() - marker.length();
    for (int i = start; i <= last; i++) {
      int k = 0;
      while (k < marker.length() && lower(kept.charAt(i + k)) == marker.charAt(k)) {
        k++;
      }
      if (k == marker.length()) {
        return i;
      }
    }
    return -1;
  }

  private static char lower(char c) {
    return c >= 'A' && c <= 'Z' ? (char) (c + 32) : c;
  }

  /** Leaves out quoted passages that are too long to be a name and do not begin the text. */
  private void cutQuotes(int start) {
    var out = new StringBuilder(kept.length() - start);
    int i = start;
    while (i < kept.length()) {
      char c = kept.charAt(i);
      int end = i > start && (c == '"' || c == '\'' || c == '`') ? quoteEnd(i, c) : -1;
      if (end - i > LONG_QUOTE) {
        out.append(c).append('…').append(c);
        i = end + 1;
      } else if (end > i) {
        out.append(kept, i, end + 1);
        i = end + 1;
      } else {
        out.append(c);
        i++;
      }
    }
    kept.setLength(start);
    kept.append(out);
  }

  private int quoteEnd(int open, char quote) {
    char before = kept.charAt(open - 1);
    if (Character.isLetterOrDigit(before)) {
      return -1;
    }
    int end = kept.indexOf(String.valueOf(quote), open + 1);
    while (end > 0 && end + 1 < kept.length() && Character.isLetterOrDigit(kept.charAt(end + 1))) {
      end = kept.indexOf(String.valueOf(quote), end + 1);
    }
    return end;
  }

  @Override
  public String toString() {
    return kept.toString();
  }
}
