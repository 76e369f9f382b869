package dev.mainstay.bench.proxy;

import static dev.mainstay.bench.proxy.Report.number;

import java.io.IOException;
import java.util.Arrays;
import java.util.List;

/** How long it takes until connections are taken. */
final class Starts {
  private final Plan plan;
  private final Report report;

  Starts(Plan plan, Report report) {
    this.plan = plan;
    this.report = report;
  }

  void measure(Servers servers) throws IOException {
    report.line("## Start");
    report.line("");
    var millis = new long[plan.starts()];
    double resident = 0;
    for (int i = 0; i < millis.length; i++) {
      long began = System.nanoTime();
      try (var proc = servers.gateway(9, List.of())) {
        millis[i] = (System.nanoTime() - began) / 1_000_000;
        resident = proc.residentMib();
      }
    }
    Arrays.sort(millis);
    report.line(
        "`./mainstay serve` takes connections after %d ms (median of %d on one core; %d to %d), with"
            + " %s MiB resident.",
        millis[millis.length / 2],
        millis.length,
        millis[0],
        millis[millis.length - 1],
        number(resident, 0));
    report.show();
  }
}
