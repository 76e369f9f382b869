package dev.mainstay.bench.outage;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;

/**
 * Runs the three strategies through both scenarios, prints what each showed as a Markdown table and
 * draws the picture. Usage: {@code OutageSimulation [SVG-FILE [SEED]]}.
 */
public final class OutageSimulation {
  private OutageSimulation() {}

  /**
   * @param args the file for the picture (default {@code docs/outage.svg}), then the seed (default
   *     1)
   */
  public static void main(String[] args) throws IOException {
    var file = Path.of(args.length > 0 ? args[0] : "docs/outage.svg");
    long seed = args.length > 1 ? Long.parseLong(args[1]) : 1;
    var columns = new ArrayList<Picture.Column>();
    for (var scenario : List.of(Scenario.refusesEarly(), Scenario.queuesLong())) {
      var column = run(scenario, seed);
      columns.add(column);
      System.out.println(table(column));
    }
    Files.writeString(file, Picture.draw(columns));
    System.out.println("Picture: " + file);
  }

  static Picture.Column run(Scenario scenario, long seed) {
    var random = new SplittableRandom(seed);
    return new Picture.Column(
        scenario,
        List.of(
            Simulation.run(scenario, PlainStrategies.twoLayers(random.split()), seed),
            Simulation.run(scenario, PlainStrategies.backoffWithJitter(random.split()), seed),
            Simulation.run(scenario, new MainstayStrategy(random.split()), seed)));
  }

  private static String table(Picture.Column column) {
    var scenario = column.scenario();
    int from = (int) scenario.outage().from();
    int until = (int) scenario.outage().until();
    var table = new StringBuilder("**" + scenario.name() + "**\n\n");
    table.append(
        """
        | strategy | load in the outage, mean (requests per question) | load after it, peak | requests in all | useful answers | recovered after |
        |---|---|---|---|---|---|
        """);
    for (var series : column.series()) {
      int recovered = series.timeToRecover(from, until);
      double load = series.meanLoad(from, until);
      table.append(
          String.format(
              Locale.ROOT,
              "| %s | %,.0f/s (%.2f) | %,.0f/s | %,d | %,d | %s |%n",
              series.name(),
              load,
              load / series.meanAsked(from, until),
              series.peakLoad(until, series.seconds(), 5),
              series.totalLoad(),
              series.answered(),
              recovered < 0
                  ? "never in " + (int) (scenario.end() - until) + " s"
                  : recovered + " s"));
    }
    return table.toString();
  }
}
