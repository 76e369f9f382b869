package dev.mainstay.bench.outage;

import java.util.List;
import java.util.Locale;

/** Draws the load on the provider and the useful answers over time, a column per scenario. */
final class Picture {
  private static final int WIDTH = 560;
  private static final int HEIGHT = 210;
  private static final int LEFT = 70;
  private static final int TOP = 92;
  private static final int GAP = 70;
  private static final List<String> COLOURS = List.of("#d1495b", "#e09f3e", "#1f7a5c");

  private final StringBuilder svg = new StringBuilder();

  private Picture() {}

  /** One scenario with the series of each strategy, in the order of their colours. */
  record Column(Scenario scenario, List<Series> series) {}

  static String draw(List<Column> columns) {
    var picture = new Picture();
    picture.drawAll(columns);
    return picture.svg.toString();
  }

  private void drawAll(List<Column> columns) {
    int width = LEFT + columns.size() * (WIDTH + GAP);
    int height = TOP + 2 * (HEIGHT + GAP) + 10;
    line(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" font-family=\"system-ui,"
            + " sans-serif\" font-size=\"13\" role=\"img\">",
        width, height);
    line("<title>Load on a provider and useful answers through an outage</title>");
    line("<rect width=\"%d\" height=\"%d\" fill=\"#ffffff\"/>", width, height);
    legend(columns.getFirst().series());
    double loadTop = 0;
    double usefulTop = 0;
    for (var column : columns) {
      for (var series : column.series()) {
        loadTop = Math.max(loadTop, series.peakLoad(0, series.seconds(), 5));
        usefulTop = Math.max(usefulTop, column.scenario().capacity().full());
      }
    }
    for (int i = 0; i < columns.size(); i++) {
      int x = LEFT + i * (WIDTH + GAP);
      var column = columns.get(i);
      text(x, TOP - 32, "start", "font-weight=\"600\"", column.scenario().name());
      panel(column, x, TOP, loadTop, "Requests a second at the provider", true);
      panel(column, x, TOP + HEIGHT + GAP, usefulTop, "Useful answers a second", false);
    }
    line("</svg>");
  }

  private void legend(List<Series> series) {
    int x = LEFT;
    for (int i = 0; i < series.size(); i++) {
      line(
          "<line x1=\"%d\" y1=\"26\" x2=\"%d\" y2=\"26\" stroke=\"%s\" stroke-width=\"3\"/>",
          x, x + 26, COLOURS.get(i));
      text(x + 34, 30, "start", "", series.get(i).name());
      x += 70 + 8 * series.get(i).name().length();
    }
  }

  private void panel(Column column, int x, int y, double top, String title, boolean load) {
    var scenario = column.scenario();
    double perSecond = WIDTH / scenario.end();
    line(
        "<rect x=\"%.1f\" y=\"%d\" width=\"%.1f\" height=\"%d\" fill=\"#f1e4e4\"/>",
        x + scenario.outage().from() * perSecond,
        y,
        (scenario.outage().until() - scenario.outage().from()) * perSecond,
        HEIGHT);
    text(x, y - 8, "start", "fill=\"#444\"", title);
    double step = niceStep(top);
    for (double value = 0; value <= top; value += step) {
      double at = y + HEIGHT - value / top * HEIGHT;
      line(
          "<line x1=\"%d\" y1=\"%.1f\" x2=\"%d\" y2=\"%.1f\" stroke=\"#ddd\"/>",
          x, at, x + WIDTH, at);
      text(x - 8, at + 4, "end", "fill=\"#666\"", String.format(Locale.ROOT, "%,.0f", value));
    }
    for (int second = 0; second <= scenario.end(); second += 60) {
      text(
          x + second * perSecond, y + HEIGHT + 18, "middle", "fill=\"#666\"", second / 60 + " min");
    }
    for (int i = 0; i < column.series().size(); i++) {
      curve(column.series().get(i), COLOURS.get(i), x, y, top, perSecond, load);
    }
  }

  /** Means of three seconds: single seconds of a Poisson arrival only add noise. */
  private void curve(
      Series series, String colour, int x, int y, double top, double perSecond, boolean load) {
    var points = new StringBuilder();
    for (int second = 0; second + 3 <= series.seconds(); second += 2) {
      double value =
          load ? series.meanLoad(second, second + 3) : series.meanUseful(second, second + 3);
      points.append(
          String.format(
              Locale.ROOT,
              "%.1f,%.1f ",
              x + (second + 1.5) * perSecond,
              y + HEIGHT - Math.min(1, value / top) * HEIGHT));
    }
    line(
        "<polyline fill=\"none\" stroke=\"%s\" stroke-width=\"2\" points=\"%s\"/>",
        colour, points.toString().trim());
  }

  private static double niceStep(double top) {
    double step = Math.pow(10, Math.floor(Math.log10(top)));
    return top / step < 3 ? step / 2 : step;
  }

  private void text(double x, double y, String anchor, String style, String words) {
    line("<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\" %s>%s</text>", x, y, anchor, style, words);
  }

  private void line(String format, Object... arguments) {
    svg.append(String.format(Locale.ROOT, format, arguments)).append('\n');
  }
}
