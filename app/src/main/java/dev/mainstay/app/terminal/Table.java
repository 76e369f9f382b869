package dev.mainstay.app.terminal;

import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** A table for people: a heading, columns as wide as their content, numbers to the right. */
public final class Table {
  private static final Pattern COLOUR = Pattern.compile("\u001b\\[[0-9;]*m");
  private static final String GAP = "  ";

  private final List<String> heading;
  private final List<Boolean> toTheRight;
  private final List<List<String>> rows = new ArrayList<>();

  private Table(List<String> heading, List<Boolean> toTheRight) {
    this.heading = heading;
    this.toTheRight = toTheRight;
  }

  /** Columns by their names; a name that ends in {@code >} is set to the right. */
  public static Table of(String... columns) {
    var names = new ArrayList<String>();
    var right = new ArrayList<Boolean>();
    for (var column : columns) {
      boolean isRight = column.endsWith(">");
      names.add(isRight ? column.substring(0, column.length() - 1) : column);
      right.add(isRight);
    }
    return new Table(names, right);
  }

  /** Adds a row, which has a cell for each column. */
  public Table row(String... cells) {
    if (cells.length != heading.size()) {
      throw new IllegalArgumentException(
          "%d cells for %d columns".formatted(cells.length, heading.size()));
    }
    rows.add(Stream.of(cells).map(Style::cell).toList());
    return this;
  }

  /** Prints it, each line behind {@code indent}. */
  public void print(PrintWriter out, String indent, Style style) {
    var widths = new int[heading.size()];
    for (int i = 0; i < widths.length; i++) {
      int column = i;
      widths[i] =
          Math.max(
              heading.get(i).length(),
              rows.stream().mapToInt(row -> width(row.get(column))).max().orElse(0));
    }
    out.println(style.faint(line(heading, widths, indent)));
    rows.forEach(row -> out.println(line(row, widths, indent)));
    out.flush();
  }

  private String line(List<String> cells, int[] widths, String indent) {
    var line = new StringBuilder(indent);
    for (int i = 0; i < cells.size(); i++) {
      var padding = " ".repeat(widths[i] - width(cells.get(i)));
      line.append(i == 0 ? "" : GAP)
          .append(toTheRight.get(i) ? padding + cells.get(i) : cells.get(i) + padding);
    }
    return line.toString().stripTrailing();
  }

  private static int width(String cell) {
    return COLOUR.matcher(cell).replaceAll("").length();
  }
}
