package dev.mainstay.bench.proxy;

import static dev.mainstay.bench.proxy.Report.number;
import static dev.mainstay.bench.proxy.Report.ratio;

import java.io.IOException;
import java.util.List;

/** More than the gateway can answer. */
final class Overload {
  /** More than the gateway lets wait, so that twice its capacity can be offered. */
  private static final int CONNECTIONS = 1024;

  private final Plan plan;
  private final Report report;

  Overload(Plan plan, Report report) {
    this.plan = plan;
    this.report = report;
  }

  void measure(Way mainstay, double peak) throws IOException {
    report.line("## At twice the load it can carry");
    report.line("");
    try (var load = mainstay.load(Payload.JSON_1K, CONNECTIONS)) {
      load.open(1, peak);
      var result = load.open(plan.measure() * 4, peak * 2);
      report.line(
          "%s requests a second offered over %d connections.", number(peak * 2, 0), CONNECTIONS);
      report.table(
          List.of(
              "",
              "answered/s",
              "of its peak",
              "refused/s",
              "failed",
              "not sent",
              "p99 ms",
              "p99 of refusals ms"),
          List.of(
              List.of(
                  "mainstay",
                  number(result.perSecond(), 0),
                  ratio(result.perSecond(), peak),
                  number(result.refused() / result.seconds(), 0),
                  number(result.failed(), 0),
                  number(result.missed(), 0),
                  number(result.total().micros(0.99) / 1000, 1),
                  number(result.refusals().micros(0.99) / 1000, 1))));
    }
    report.show();
  }
}
