package dev.mainstay.bench.proxy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Tables in Markdown, which can be read in a terminal as well. For one thread. */
final class Report {
  /** The section that people write. */
  private static final String PROSE = "\n## What it says\n";

  private final StringBuilder out = new StringBuilder();
  private int shown;

  void line(String format, Object... values) {
    out.append(String.format(Locale.ROOT, format, values)).append('\n');
  }

  /** A table whose first column is text and whose others are numbers. */
  void table(List<String> head, List<List<String>> rows) {
    var all = new ArrayList<List<String>>();
    all.add(head);
    all.addAll(rows);
    var widths = new int[head.size()];
    for (var row : all) {
      for (int i = 0; i < widths.length; i++) {
        widths[i] = Math.max(widths[i], row.get(i).length());
      }
    }
    line("");
    for (int r = 0; r < all.size(); r++) {
      out.append('|');
      for (int i = 0; i < widths.length; i++) {
        var cell = all.get(r).get(i);
        var gap = " ".repeat(widths[i] - cell.length());
        out.append(' ').append(i == 0 ? cell + gap : gap + cell).append(" |");
      }
      out.append('\n');
      if (r == 0) {
        out.append('|');
        for (int i = 0; i < widths.length; i++) {
          out.append(i == 0 ? "-".repeat(widths[i] + 2) : "-".repeat(widths[i] + 1) + ":");
          out.append('|');
        }
        out.append('\n');
      }
    }
    line("");
  }

  /** Prints what has been written since the last time. */
  void show() {
    System.out.print(out.substring(shown));
    System.out.flush();
    shown = out.length();
  }

  /** Writes all to {@code file}; what people have said there of earlier tables stays. */
  void write(Path file) throws IOException {
    var said = Files.exists(file) ? section(Files.readString(file)) : "";
    int at = Math.max(0, out.indexOf("\n## "));
    Files.writeString(file, out.substring(0, at) + said + out.substring(at));
  }

  private static String section(String text) {
    int from = text.indexOf(PROSE);
    if (from < 0) {
      return "";
    }
    int to = text.indexOf("\n## ", from + PROSE.length());
    return text.substring(from, to < 0 ? text.length() : to);
  }

  static String number(double value, int digits) {
    return Double.isNaN(value) ? "-" : String.format(Locale.ROOT, "%,." + digits + "f", value);
  }

  static String ratio(double value, double of) {
    return Double.isNaN(value) || Double.isNaN(of) || of == 0
        ? "-"
        : String.format(Locale.ROOT, "%.2f", value / of);
  }
}
