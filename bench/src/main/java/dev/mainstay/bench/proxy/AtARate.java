package dev.mainstay.bench.proxy;

import static dev.mainstay.bench.proxy.Report.number;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** What a proxy adds to the time of an answer while it is not at its limit. */
final class AtARate {
  private final Plan plan;
  private final Report report;

  AtARate(Plan plan, Report report) {
    this.plan = plan;
    this.report = report;
  }

  /** So many requests a second, whatever becomes of them. */
  void fixed(List<Way> ways, double rate) throws IOException {
    report.line("## At a fixed rate");
    report.line("");
    report.line(
        "%s requests a second, half of what Mainstay answers at saturation; %s. Timed from when each"
            + " was due.",
        number(rate, 0), Payload.JSON_1K.label());
    latencies(ways, Saturation.CONNECTIONS, rate);
  }

  void oneAtATime(List<Way> ways) throws IOException {
    report.line("## One at a time");
    report.line("");
    report.line("One connection; %s.", Payload.JSON_1K.label());
    latencies(ways, 1, 0);
  }

  private void latencies(List<Way> ways, int connections, double rate) throws IOException {
    var rows = new ArrayList<List<String>>();
    var added = new Added(1);
    for (var way : ways) {
      try (var load = way.load(Payload.JSON_1K, connections)) {
        if (rate == 0) {
          load.closed(1);
        } else {
          load.open(1, rate);
        }
        var m =
            Measured.of(way.proc(), load, plan.measure(), rate).noting(report, way.proc().name());
        var cells = new ArrayList<String>();
        cells.add(way.name());
        cells.add(number(m.result().perSecond(), 0));
        cells.addAll(added.cells(way, m.result().total(), m.cpuMicros()));
        rows.add(cells);
      }
    }
    report.table(
        List.of(
            "", "answers/s", "p50 µs", "p99 µs", "p50 added", "p99 added", "CPU µs", "of nginx"),
        rows);
    report.show();
  }
}
