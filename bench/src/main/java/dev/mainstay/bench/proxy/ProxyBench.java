package dev.mainstay.bench.proxy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * Measures the gateway against nginx in one go. The upstream is an nginx that answers all requests
 * alike; it is asked directly, through {@code proxy_pass}, and through Mainstay with recording on.
 * Loopback only, bounded in requests and time.
 */
public final class ProxyBench {
  private final Machine machine;
  private final Servers servers;
  private final Plan plan;
  private final Report report = new Report();

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
      var servers = new Servers(machine, folder);
      if (options.contains("--profile")) {
        var payload = load(after(options, "--load", "json"));
        new Profiling(servers).run(payload, options.contains("--distinct"));
      } else {
        var plan = options.contains("--quick") ? Plan.QUICK : Plan.STEADY;
        var bench = new ProxyBench(machine, servers, plan);
        bench.run(after(options, "--part", ""));
        var file = after(options, "--write", "");
        if (!file.isEmpty()) {
          bench.report.write(Path.of(file));
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

  private static String after(List<String> options, String option, String otherwise) {
    int at = options.indexOf(option);
    return at < 0 ? otherwise : options.get(at + 1);
  }

  private static Payload load(String name) {
    return switch (name) {
      case "json" -> Payload.JSON_1K;
      case "prompt" -> Payload.PROMPT_100K;
      case "stream" -> Payload.STREAM_100;
      default -> throw new IllegalArgumentException("--load " + name + ": json, prompt or stream");
    };
  }

  private void run(String only) throws IOException {
    report.line("# Mainstay against nginx");
    report.line("");
    report.line(
        "`bench/run proxy%s%s`, %s.",
        plan.option(), only.isEmpty() ? "" : " --part " + only, LocalDate.now(ZoneOffset.UTC));
    report.line("%s.", machine.describe());
    report.line(
        "The proxy has a core for itself; the upstream (nginx) and the load %s.",
        machine.cores() > 2 ? "have one each" : "share the other");
    report.line(
        "Mainstay records everything, bodies too. CPU is the whole process's, user and system, from"
            + " /proc, compiler and collector included.");
    if (only.isEmpty() || only.equals("load") || only.equals("overload")) {
      underLoad(only);
    }
    if (only.isEmpty() || only.equals("slow")) {
      new OpenStreams(plan, report).slow(servers, machine);
    }
    if (only.isEmpty() || only.equals("start")) {
      new Starts(plan, report).measure(servers);
    }
  }

  private void underLoad(String only) throws IOException {
    try (var upstream = servers.upstream();
        var nginx = servers.nginxProxy(upstream.port());
        var process = servers.gateway(upstream.port(), List.of())) {
      var mainstay = new Way(Way.MAINSTAY, process);
      var ways = List.of(new Way(Way.DIRECT, upstream), new Way(Way.NGINX, nginx), mainstay);
      var saturation = new Saturation(plan, report);
      double peak;
      if (only.equals("overload")) {
        peak = saturation.measure(List.of(mainstay), List.of(Payload.JSON_1K));
      } else {
        peak = saturation.measure(ways, Payload.AS_FAST_AS_IT_GOES);
        var rate = new AtARate(plan, report);
        rate.fixed(ways, peak / 2);
        rate.oneAtATime(ways);
        new OpenStreams(plan, report).paced(ways);
      }
      new Overload(plan, report).measure(mainstay, peak);
    }
  }
}
