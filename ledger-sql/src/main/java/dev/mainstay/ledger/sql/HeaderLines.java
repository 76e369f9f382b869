package dev.mainstay.ledger.sql;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Headers as lines of {@code name: value}, as HTTP writes them: neither can hold a line's end. */
final class HeaderLines {
  private HeaderLines() {}

  static String of(List<Map.Entry<String, String>> headers) {
    var out = new StringBuilder(256);
    for (var header : headers) {
      out.append(header.getKey()).append(": ").append(header.getValue()).append('\n');
    }
    return out.toString();
  }

  static List<Map.Entry<String, String>> parse(String lines) {
    var headers = new ArrayList<Map.Entry<String, String>>();
    lines
        .lines()
        .forEach(
            line -> {
              int colon = line.indexOf(": ");
              headers.add(Map.entry(line.substring(0, colon), line.substring(colon + 2)));
            });
    return headers;
  }
}
