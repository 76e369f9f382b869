package dev.mainstay.app.runs;

import dev.mainstay.app.terminal.Style;
import dev.mainstay.app.terminal.Table;
import java.io.PrintWriter;
import tools.jackson.databind.JsonNode;

/** Prints what differs between two runs or calls. */
public final class Diffs {
  private Diffs() {}

  /** Prints a diff of the admin API: the steps, then the text, then what each took. */
  public static void print(JsonNode diff, PrintWriter out) {
    var style = Style.detected();
    var steps = Table.of("A>", "B>", "CHANGE", "STEP", "TOKENS A>", "TOKENS B>");
    for (var step : diff.path("steps")) {
      var change = step.path("change").asString();
      steps.row(
          text(step.path("a")),
          text(step.path("b")),
          change.equals("same") ? change : style.bad(change),
          step.path("kind").asString() + " " + step.path("name").asString(),
          text(step.path("tokens").path("a")),
          text(step.path("tokens").path("b")));
    }
    steps.print(out, "", style);
    out.println();
    var lines = diff.path("text").asString("");
    out.println(lines.isEmpty() ? "The texts are equal." : coloured(lines, style));
    out.println();
    var totals = Table.of("", "A>", "B>");
    for (var total : diff.path("totals").properties()) {
      totals.row(
          total.getKey(), text(total.getValue().path("a")), text(total.getValue().path("b")));
    }
    totals.print(out, "", style);
  }

  /** A unified diff with its changed lines coloured. */
  static String coloured(String diff, Style style) {
    var lines = new StringBuilder();
    diff.lines()
        .forEach(
            line -> {
              var shown =
                  line.startsWith("+")
                      ? style.good(line)
                      : line.startsWith("-") ? style.bad(line) : line;
              lines.append(lines.isEmpty() ? "" : "\n").append(shown);
            });
    return lines.toString();
  }

  private static String text(JsonNode value) {
    return value.isNull() || value.isMissingNode() ? "-" : value.asString();
  }
}
