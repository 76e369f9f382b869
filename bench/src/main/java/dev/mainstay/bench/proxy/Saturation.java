package dev.mainstay.bench.proxy;

import static dev.mainstay.bench.proxy.Report.number;
import static dev.mainstay.bench.proxy.Report.ratio;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** As many answers as there are, over connections that each ask again as soon as answered. */
final class Saturation {
  static final int CONNECTIONS = 64;

  private final Plan plan;
  private final Report report;

  Saturation(Plan plan, Report report) {
    this.plan = plan;
    this.report = report;
  }

  /** Returns the gateway's answers a second for the first of {@code payloads}. */
  double measure(List<Way> ways, List<Payload> payloads) throws IOException {
    report.line("");
    report.line("## At saturation");
    report.line("");
    report.line(
        "%d connections, each asking again as soon as it is answered. Measured once a proxy is at"
            + " rest: when its CPU an answer differs by less than %.0f %% between two windows of"
            + " %.0f s, and the compilers take less than that of it; %.0f s at most. \"First %.0f s\" is what it took in the first window; the"
            + " gateway serves these loads one after the other, so only that of the first row is"
            + " of one just started.",
        CONNECTIONS, Plan.REST * 100, Plan.WINDOW, plan.mostWarm(), Plan.WINDOW);
    var rows = new ArrayList<List<String>>();
    double peak = 0;
    for (var payload : payloads) {
      double nginxRate = 0;
      double nginxCpu = 0;
      var cells = new ArrayList<Row>();
      for (var way : ways) {
        var row = row(way, payload);
        cells.add(row);
        if (way.name().equals(Way.NGINX)) {
          nginxRate = row.measured.result().perSecond();
          nginxCpu = row.measured.cpuMicros();
        }
        if (way.name().equals(Way.MAINSTAY) && peak == 0) {
          peak = row.measured.result().perSecond();
        }
      }
      for (var row : cells) {
        rows.add(row.cells(nginxRate, nginxCpu));
      }
    }
    report.table(
        List.of(
            "",
            "answers/s",
            "of nginx",
            "CPU µs",
            "of nginx",
            "first %.0f s".formatted(Plan.WINDOW),
            "at rest after s",
            "p50 µs",
            "p99 µs",
            "RSS MiB"),
        rows);
    report.show();
    return peak;
  }

  private Row row(Way way, Payload payload) throws IOException {
    try (var load = way.load(payload, CONNECTIONS)) {
      var steady = new Steady(0, 0, true);
      if (way.proxy()) {
        steady = Steady.reach(way, load, payload.label(), plan, System.out);
      } else {
        load.closed(0.5);
      }
      var measured =
          Measured.of(way.proc(), load, plan.measure(), 0).noting(report, way.proc().name());
      return new Row(way, payload, steady, measured, way.proc().residentMib());
    }
  }

  private record Row(
      Way way, Payload payload, Steady steady, Measured measured, double residentMib) {

    List<String> cells(double nginxRate, double nginxCpu) {
      double rate = measured.result().perSecond();
      boolean proxy = way.proxy();
      return List.of(
          payload.label() + ", " + way.name(),
          number(rate, 0),
          ratio(rate, nginxRate),
          proxy ? number(measured.cpuMicros(), 1) : "",
          proxy ? ratio(measured.cpuMicros(), nginxCpu) : "",
          proxy ? number(steady.first(), 1) : "",
          proxy ? (steady.rest() ? "" : "not ") + number(steady.seconds(), 0) : "",
          number(measured.p(0.5), 0),
          number(measured.p(0.99), 0),
          proxy ? number(residentMib, 0) : "");
    }
  }
}
