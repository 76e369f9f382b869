package dev.mainstay.bench.proxy;

import static dev.mainstay.bench.proxy.Report.number;
import static dev.mainstay.bench.proxy.Report.ratio;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;

/**
 * Measures the gateway against nginx in one go. The upstream is an nginx that answers all requests
 * alike; it is asked directly, through {@code proxy_pass}, and through Mainstay with recording on.
 * Loopback only, bounded in requests and time.
 */
public final class ProxyBench {
  private static final int CONNECTIONS = 64;
  private static final String MAINSTAY = "mainstay";

  /** More than the gateway lets wait, so that twice its capacity can be offered. */
  private static final int OVERLOAD_CONNECTIONS = 1024;

  private final Machine machine;
  private final Servers servers;
  private final Plan plan;
  private final Report report = new Report();
  private int printed;

  /**
   * How long each part takes, in seconds.
   *
   * @param warm how many requests the gateway answers before its first measurement; a fifth of them
   *     before the others
   * @param mostWarm seconds after which that has to do
   * @param measure of each measurement
   * @param starts how often the start is timed
   */
  private record Plan(long warm, double mostWarm, double measure, int starts, int profileWarm) {
    static final Plan QUICK = new Plan(150_000, 10, 2.5, 5, 12);
    static final Plan FULL = new Plan(1_000_000, 60, 8, 9, 36);
  }

  private ProxyBench(Machine machine, Servers servers, Plan plan) {
    this.machine = machine;
    this.servers = servers;
    this.plan = plan;
  }

  public static void main(String[] arguments) throws IOException {
    var options = List.of(arguments);
    var missing = new ArrayList<String>();
    var machine = Machine.look(Path.of("mainstay").toAbsolutePath(), missing);
    if (!missing.isEmpty()) {
      System.err.println("This benchmark needs what is not here:");
      missing.forEach(each -> System.err.println("  " + each));
      System.exit(1);
    }
    var folder = Files.createTempDirectory("mainstay-bench");
    try {
      var bench =
          new ProxyBench(
              machine,
              new Servers(machine, folder),
              options.contains("--full") ? Plan.FULL : Plan.QUICK);
      if (options.contains("--profile")) {
        bench.profile(options.contains("--stream") ? Payload.STREAM_100 : Payload.JSON_1K);
      } else {
        int part = options.indexOf("--part");
        bench.run(part < 0 ? "" : options.get(part + 1));
        int at = options.indexOf("--write");
        if (at >= 0) {
          Files.writeString(Path.of(options.get(at + 1)), bench.report.toString());
        }
      }
    } finally {
      try (var files = Files.walk(folder)) {
        for (var file : files.sorted(Comparator.reverseOrder()).toList()) {
          Files.delete(file);
        }
      }
    }
  }

  private void run(String only) throws IOException {
    report.line("# Mainstay against nginx");
    report.line("");
    report.line("`bench/run proxy%s`, %s.", plan == Plan.FULL ? " --full" : "", today());
    report.line("%s.", machine.describe());
    report.line(
        "The proxy has a core for itself; the upstream (nginx) and the load %s.",
        machine.cores() > 2 ? "have one each" : "share the other");
    report.line(
        "Mainstay records everything, bodies too. CPU is the whole process's, user and system, from"
            + " /proc, compiler and collector included.");
    if (only.isEmpty() || only.equals("load")) {
      try (var upstream = servers.upstream();
          var nginx = servers.nginxProxy(upstream.port());
          var mainstay = servers.gateway(upstream.port(), List.of())) {
        var ways =
            List.of(
                new Way("direct", upstream), new Way("nginx", nginx), new Way(MAINSTAY, mainstay));
        double peak = saturation(ways);
        fixedRate(ways, peak / 2);
        oneAtATime(ways);
        paced(ways);
        overload(mainstay, peak);
      }
    }
    if (only.equals("overload")) {
      warmOverload();
    }
    if (only.isEmpty() || only.equals("slow")) {
      slowStreams();
    }
    if (only.isEmpty() || only.equals("start")) {
      starts();
    }
  }

  private static LocalDate today() {
    return LocalDate.now(ZoneOffset.UTC);
  }

  private void show() {
    var text = report.toString();
    System.out.print(text.substring(printed));
    System.out.flush();
    printed = text.length();
  }

  /** A measurement with the CPU that the proxy used for it. */
  private record Measured(Load.Result result, double cpuMicros) {
    double p(double share) {
      return result.total().micros(share);
    }
  }

  private Measured measure(Proc proc, Load load, double rate) throws IOException {
    double before = proc.cpuSeconds();
    var result = rate == 0 ? load.closed(plan.measure) : load.open(plan.measure, rate);
    double used = proc.cpuSeconds() - before;
    if (result.failed() > 0) {
      report.line("");
      report.line(
          "**%s failed %d of %d requests in the measurement that follows.**",
          proc.name(), result.failed(), result.failed() + result.answered());
    }
    return new Measured(result, used * 1e6 / Math.max(1, result.answered()));
  }

  private static Load load(Way way, Payload payload, int connections) throws IOException {
    int port = way.proc.port();
    return new Load(port, connections, payload.request(port, way.gateway()));
  }

  private void warm(Way way, Load load, Payload payload) throws IOException {
    if (!way.gateway()) {
      load.closed(0.5);
    } else if (payload == Payload.JSON_1K) {
      load.warm(plan.warm, plan.mostWarm);
    } else {
      load.warm(plan.warm / 5, plan.mostWarm / 2);
    }
  }

  /** By which the upstream is reached. */
  private record Way(String name, Proc proc) {
    boolean gateway() {
      return name.equals(MAINSTAY);
    }
  }

  /** Returns the gateway's answers a second for the smallest payload. */
  private double saturation(List<Way> ways) throws IOException {
    report.line("");
    report.line("## At saturation");
    report.line("");
    report.line("%d connections, each asking again as soon as it is answered.", CONNECTIONS);
    var rows = new ArrayList<List<String>>();
    double peak = 0;
    var payloads = new ArrayList<>(Payload.WHOLE);
    payloads.addAll(Payload.STREAMS);
    for (var payload : payloads) {
      var of = new ArrayList<Measured>();
      for (var way : ways) {
        try (var load = load(way, payload, CONNECTIONS)) {
          warm(way, load, payload);
          of.add(measure(way.proc, load, 0));
        }
      }
      var nginx = of.get(1);
      for (int i = 0; i < of.size(); i++) {
        var m = of.get(i);
        boolean proxy = i > 0;
        rows.add(
            List.of(
                payload.label() + ", " + ways.get(i).name,
                number(m.result.perSecond(), 0),
                ratio(m.result.perSecond(), nginx.result.perSecond()),
                proxy ? number(m.cpuMicros, 1) : "",
                proxy ? ratio(m.cpuMicros, nginx.cpuMicros) : "",
                number(m.p(0.5), 0),
                number(m.p(0.99), 0),
                proxy ? number(ways.get(i).proc.residentMib(), 0) : ""));
      }
      if (payload == Payload.JSON_1K) {
        peak = of.get(2).result.perSecond();
      }
    }
    report.table(
        List.of("", "answers/s", "of nginx", "CPU µs", "of nginx", "p50 µs", "p99 µs", "RSS MiB"),
        rows);
    show();
    return peak;
  }

  private void fixedRate(List<Way> ways, double rate) throws IOException {
    report.line("## At a fixed rate");
    report.line("");
    report.line(
        "%s requests a second, half of what Mainstay answers at saturation; %s. Timed from when each"
            + " was due.",
        number(rate, 0), Payload.JSON_1K.label());
    latencies(ways, CONNECTIONS, rate);
  }

  private void oneAtATime(List<Way> ways) throws IOException {
    report.line("## One at a time");
    report.line("");
    report.line("One connection; %s.", Payload.JSON_1K.label());
    latencies(ways, 1, 0);
  }

  private void latencies(List<Way> ways, int connections, double rate) throws IOException {
    var rows = new ArrayList<List<String>>();
    Measured direct = null;
    Measured nginx = null;
    for (var way : ways) {
      try (var load = load(way, Payload.JSON_1K, connections)) {
        if (rate == 0) {
          load.closed(1);
        } else {
          load.open(1, rate);
        }
        var m = measure(way.proc, load, rate);
        direct = direct == null ? m : direct;
        nginx = way.name.equals("nginx") ? m : nginx;
        boolean proxy = m != direct;
        rows.add(
            List.of(
                way.name,
                number(m.result.perSecond(), 0),
                number(m.p(0.5), 0),
                number(m.p(0.99), 0),
                proxy ? number(m.p(0.5) - direct.p(0.5), 0) : "",
                proxy ? number(m.p(0.99) - direct.p(0.99), 0) : "",
                proxy ? number(m.cpuMicros, 1) : "",
                proxy && nginx != null ? ratio(m.cpuMicros, nginx.cpuMicros) : ""));
      }
    }
    report.table(
        List.of(
            "", "answers/s", "p50 µs", "p99 µs", "p50 added", "p99 added", "CPU µs", "of nginx"),
        rows);
    show();
  }

  private void paced(List<Way> ways) throws IOException {
    report.line("## Streams at a model's pace");
    report.line("");
    int streams = 100;
    report.line(
        "%d streams at once, each %d events a second of %d bytes, 100 events a stream. CPU is for"
            + " one stream.",
        streams, Payload.PACED.rate() / Payload.EVENT, Payload.EVENT);
    var rows = new ArrayList<List<String>>();
    Measured direct = null;
    Measured nginx = null;
    for (var way : ways) {
      try (var load = load(way, Payload.PACED, 2 * streams)) {
        // 100 events at 50 a second take two seconds; so many begin each second.
        double rate = streams / 2.0;
        double before = way.proc.cpuSeconds();
        var result = load.open(Math.max(6, plan.measure), rate);
        double used = way.proc.cpuSeconds() - before;
        // Streams that began and have not ended are counted as the part of one that they are.
        double streamsDone = Math.max(1, result.seconds() - 1) * rate;
        var m = new Measured(result, used * 1e6 / streamsDone);
        direct = direct == null ? m : direct;
        nginx = way.name.equals("nginx") ? m : nginx;
        boolean proxy = m != direct;
        rows.add(
            List.of(
                way.name,
                number(m.result.first().micros(0.5), 0),
                number(m.result.first().micros(0.99), 0),
                proxy
                    ? number(m.result.first().micros(0.5) - direct.result.first().micros(0.5), 0)
                    : "",
                proxy
                    ? number(m.result.first().micros(0.99) - direct.result.first().micros(0.99), 0)
                    : "",
                proxy ? number(m.cpuMicros, 0) : "",
                proxy && nginx != null ? ratio(m.cpuMicros, nginx.cpuMicros) : ""));
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
    show();
  }

  /** Once the compiler has done its work: what a gateway that is overloaded in earnest does. */
  private void warmOverload() throws IOException {
    try (var upstream = servers.upstream();
        var mainstay = servers.gateway(upstream.port(), List.of())) {
      double peak;
      try (var load = load(new Way(MAINSTAY, mainstay), Payload.JSON_1K, CONNECTIONS)) {
        load.closed(plan.profileWarm * 5.0);
        peak = load.closed(plan.measure * 2).perSecond();
      }
      report.line("Its peak, warm: %s answers a second.", number(peak, 0));
      report.line("");
      overload(mainstay, peak);
    }
  }

  private void overload(Proc mainstay, double peak) throws IOException {
    report.line("## At twice the load it can carry");
    report.line("");
    try (var load = load(new Way(MAINSTAY, mainstay), Payload.JSON_1K, OVERLOAD_CONNECTIONS)) {
      load.open(1, peak);
      var result = load.open(plan.measure * 4, peak * 2);
      report.line(
          "%s requests a second offered over %d connections.",
          number(peak * 2, 0), OVERLOAD_CONNECTIONS);
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
    show();
  }

  private void slowStreams() throws IOException {
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
      for (var name : List.of("nginx", MAINSTAY)) {
        try (var proc =
            name.equals("nginx")
                ? servers.nginxProxy(upstream.port())
                : servers.gateway(upstream.port(), List.of())) {
          double before = proc.residentMib();
          try (var load = load(new Way(name, proc), Payload.STREAM_100, CONNECTIONS)) {
            load.warm(20_000, 6);
          }
          try (var load = load(new Way(name, proc), Payload.SLOW, count)) {
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
    show();
  }

  private void starts() throws IOException {
    report.line("## Start");
    report.line("");
    var millis = new long[plan.starts];
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
    show();
  }

  /**
   * Where the time goes: the gateway at saturation while it warms up, then by thread, then under
   * the JDK's flight recorder.
   */
  private void profile(Payload payload) throws IOException {
    var file = Path.of("bench/target/proxy.jfr").toAbsolutePath();
    try (var upstream = servers.upstream();
        var mainstay = servers.gateway(upstream.port(), List.of())) {
      try (var load = load(new Way(MAINSTAY, mainstay), payload, CONNECTIONS)) {
        System.out.printf("%s, while it warms up:%n", payload.label());
        for (int i = 1; i <= plan.profileWarm; i++) {
          double before = mainstay.cpuSeconds();
          var result = load.closed(5);
          System.out.printf(
              "  %3d s %7s answers/s, %6.1f µs of CPU each%n",
              i * 5,
              number(result.perSecond(), 0),
              (mainstay.cpuSeconds() - before) * 1e6 / Math.max(1, result.answered()));
        }
        var before = mainstay.threadSeconds();
        var result = load.closed(10);
        var after = mainstay.threadSeconds();
        System.out.printf("%nby thread, µs of CPU an answer:%n");
        after.forEach(
            (thread, seconds) -> {
              double micros =
                  (seconds - before.getOrDefault(thread, 0.0))
                      * 1e6
                      / Math.max(1, result.answered());
              if (micros >= 0.1) {
                System.out.printf("  %6.1f  %s%n", micros, thread);
              }
            });
        Profile.start(mainstay.java(), file);
        load.closed(15);
        Profile.stop(mainstay.java());
      }
    }
    Profile.print(file, System.out);
  }
}
