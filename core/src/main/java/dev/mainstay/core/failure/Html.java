package dev.mainstay.core.failure;

import java.util.Locale;

/** The words a proxy's or CDN's error page shows. */
final class Html {
  private static final int MAX_VISIBLE = 2_000;
  private static final int MAX_READ = 100_000;

  private Html() {}

  /** Where a page begins in {@code text}, or -1. */
  static int start(String text) {
    int i = text.indexOf('<');
    while (i >= 0 && i < 4_000) {
      var head = text.substring(i, Math.min(text.length(), i + 9)).toLowerCase(Locale.ROOT);
      if (head.startsWith("<!doctype")
          || head.startsWith("<html")
          || head.startsWith("<head>")
          || head.startsWith("<title>")
          || head.startsWith("<body")) {
        return i;
      }
      i = text.indexOf('<', i + 1);
    }
    return -1;
  }

  /** Title and text from {@code start} on, without scripts, styles and tags. */
  static String visible(String text, int start) {
    var out = new StringBuilder();
    int end = Math.min(text.length(), start + MAX_READ);
    int i = start;
    while (i < end && out.length() < MAX_VISIBLE) {
      char c = text.charAt(i);
      if (c != '<') {
        out.append(c);
        i++;
        continue;
      }
      int skip = hidden(text, i);
      if (skip < 0) {
        skip = text.indexOf('>', i) + 1;
        out.append(' ');
      }
      if (skip <= i) {
        break;
      }
      i = skip;
    }
    return out.toString();
  }

  private static int hidden(String text, int i) {
    for (var tag : new String[] {"script", "style"}) {
      if (text.regionMatches(true, i + 1, tag, 0, tag.length())) {
        int close = text.indexOf("</", i);
        while (close >= 0 && !text.regionMatches(true, close + 2, tag, 0, tag.length())) {
          close = text.indexOf("</", close + 2);
        }
        return close < 0 ? text.length() : text.indexOf('>', close) + 1;
      }
    }
    if (text.startsWith("<!--", i)) {
      int close = text.indexOf("-->", i);
      return close < 0 ? text.length() : close + 3;
    }
    return -1;
  }
}
