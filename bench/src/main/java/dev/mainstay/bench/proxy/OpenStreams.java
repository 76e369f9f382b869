package dev.mainstay.bench.proxy;

import static dev.mainstay.bench.proxy.Report.number;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** Streams that take their time: what each costs, and how many there can be. */
final class OpenStreams {
  private final Plan plan;
  private final Report report;

  OpenStreams(Plan plan, Report report) {
    this.plan = plan;
    this.report = report;
  }

  void paced(List<Way> ways) throws IOException {
    report.line("## Streams at a model's pace");
    report.line("");
    int streams = 100;
    report.line(
        "%d streams at once, each %d events a second of %d bytes, 100 events a stream. CPU is for"
            + " one stream.",
        streams, Payload.PACED.rate() / Payload.EVENT, Payload.EVENT);
    var rows = new ArrayList<List<String>>();
    var added = new Added(0);
    for (var way : ways) {
      try (var load = way.load(Payload.PACED, 2 * streams)) {
        // 100 events at 50 a second take two seconds; so many begin each second.
        double rate = streams / 2.0;
        double before = way.proc().cpuSeconds();
        var result = load.open(Math.max(6, plan.measure()), rate);
        double used = way.proc().cpuSeconds() - before;
        // Streams that began and have not ended are counted as the part of one that they are.
        double streamsDone = Math.max(1, result.seconds() - 1) * rate;
        var cells = new ArrayList<String>();
        cells.add(way.name());
        cells.addAll(added.cells(way, result.first(), used * 1e6 / streamsDone));
        rows.add(cells);
      }
    }
    report.table(
        List.of(
            "",
            "first token p50 µs",
            "p99 µs",
            "p50 added",
            "p99 added",
            "CPU µs a stream",
            "of nginx"),
        rows);
    report.show();
  }

  void slow(Servers servers, Machine machine) throws IOException {
    int count = Math.min(10_000, (machine.files() - 250) / 2);
    report.line("## Slow streams");
    report.line("");
    report.line(
        "%s streams open at once, two events a second each%s.",
        number(count, 0),
        count < 10_000
            ? " (no more: a process here may have " + machine.files() + " files open)"
            : "");
    var rows = new ArrayList<List<String>>();
    try (var upstream = servers.upstream()) {
      for (var name : List.of(Way.NGINX, Way.MAINSTAY)) {
        try (var proc =
            name.equals(Way.NGINX)
                ? servers.nginxProxy(upstream.port())
                : servers.gateway(upstream.port(), List.of())) {
          double before = proc.residentMib();
          try (var load = new Way(name, proc).load(Payload.STREAM_100, Saturation.CONNECTIONS)) {
            load.warm(20_000, 6);
          }
          try (var load = new Way(name, proc).load(Payload.SLOW, count)) {
            long flowing = load.hold(25);
            rows.add(
                List.of(
                    name,
                    number(flowing, 0),
                    number(load.failures(), 0),
                    number(before, 0),
                    number(proc.residentMib(), 0),
                    number((proc.residentMib() - before) * 1024 / Math.max(1, flowing), 1)));
          }
        }
      }
    }
    report.table(
        List.of("", "flowing", "refused or failed", "RSS before MiB", "RSS MiB", "KiB a stream"),
        rows);
    report.show();
  }
}
