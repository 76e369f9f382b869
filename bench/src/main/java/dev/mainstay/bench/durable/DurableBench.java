package dev.mainstay.bench.durable;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.net.httpserver.HttpServer;
import dev.mainstay.agent.ToolDefinition;
import dev.mainstay.agent.embed.Agent;
import dev.mainstay.agent.embed.AgentRunner;
import dev.mainstay.config.Config;
import dev.mainstay.config.ConfigLoader;
import dev.mainstay.ledger.LedgerConfig;
import dev.mainstay.ledger.sqlite.SqliteLedger;
import dev.mainstay.simulator.Script;
import dev.mainstay.simulator.Simulator;
import dev.mainstay.wire.json.Tree;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import tools.jackson.databind.JsonNode;

/**
 * Prints a Markdown table of how long a run of ten steps takes, durably and as a {@link PlainLoop}:
 * five turns that each call a tool, and the answer. Each lane runs the one, then the other, against
 * models of its own with the same script, so that both meet the same failures.
 */
public final class DurableBench {
  static final Duration RETRY_DELAY = Duration.ofMillis(500);
  private static final int LANES = 8;
  private static final int WARM_UP = 2;
  private static final int TURNS_WITH_TOOLS = 5;

  /** The tool as a model is offered it. */
  static final JsonNode TOOL =
      Tree.read(
          """
          {"name": "look", "description": "Looks something up.", "parameters": {"type": "object",
           "properties": {"what": {"type": "string"}}, "required": ["what"]}}
          """);

  private DurableBench() {}

  /**
   * @param args how many runs each lane makes of each kind: a multiple of 16; 16 by default
   */
  public static void main(String[] args) throws Exception {
    int runs = args.length == 0 ? 16 : Integer.parseInt(args[0]);
    System.out.printf(
        Locale.ROOT,
        "Load before: %.1f on %d cores; %d runs of each kind, %d at once%n%n",
        ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage(),
        Runtime.getRuntime().availableProcessors(),
        runs * LANES,
        LANES);
    System.out.println("| model calls that fail | run | p50 ms | p95 ms |");
    System.out.println("|---|---|---|---|");
    var directory = Files.createTempDirectory("mainstay-bench");
    try {
      measure("none", runs, directory.resolve("well"), false);
      measure("1 %", runs, directory.resolve("failing"), true);
    } finally {
      delete(directory);
    }
  }

  private static void measure(String name, int runs, Path directory, boolean failing)
      throws Exception {
    var tool = tool();
    try (var provider = Simulator.start(0, script(failing))) {
      var url = "http://127.0.0.1:" + tool.getAddress().getPort() + "/look";
      var plain = new PlainLoop(provider.openAiUrl(), url);
      var agents = new Agent[LANES];
      for (int lane = 0; lane < LANES; lane++) {
        agents[lane] = agent(lane, url);
      }
      try (var ledger = SqliteLedger.open(LedgerConfig.in(directory), InstantSource.system());
          var runner = AgentRunner.start(config(provider), ledger, agents);
          var lanes = Executors.newVirtualThreadPerTaskExecutor()) {
        var tasks = new ArrayList<Callable<long[][]>>();
        for (int lane = 0; lane < LANES; lane++) {
          var agent = agents[lane];
          var model = "plain-" + lane;
          tasks.add(() -> lane(runs, runner, agent, plain, model));
        }
        var took = List.of(new ArrayList<Long>(), new ArrayList<Long>());
        for (var each : lanes.invokeAll(tasks)) {
          for (int kind = 0; kind < 2; kind++) {
            Arrays.stream(each.get()[kind]).forEach(took.get(kind)::add);
          }
        }
        print(name, took.get(0), took.get(1));
      }
    } finally {
      tool.stop(0);
    }
  }

  private static long[][] lane(
      int runs, AgentRunner runner, Agent agent, PlainLoop plain, String model) throws Exception {
    var took = new long[2][runs];
    for (int run = -WARM_UP; run < runs; run++) {
      long began = System.nanoTime();
      var durable = runner.run(agent, "Look around.").text();
      long half = System.nanoTime();
      var alike = plain.run(model, "Look around.");
      long end = System.nanoTime();
      if (!durable.equals("Done.") || !alike.equals("Done.")) {
        throw new IllegalStateException("a run ended with " + durable + ", or with " + alike);
      }
      if (run >= 0) {
        took[0][run] = half - began;
        took[1][run] = end - half;
      }
    }
    return took;
  }

  private static void print(String name, List<Long> durable, List<Long> plain) {
    System.out.printf(
        Locale.ROOT,
        "| %s | plain loop | %,.0f | %,.0f |%n| %s | durable | %,.0f (%+.1f %%) | %,.0f (%+.1f %%)"
            + " |%n",
        name,
        millis(plain, 0.5),
        millis(plain, 0.95),
        name,
        millis(durable, 0.5),
        100 * (millis(durable, 0.5) / millis(plain, 0.5) - 1),
        millis(durable, 0.95),
        100 * (millis(durable, 0.95) / millis(plain, 0.95) - 1));
  }

  private static double millis(List<Long> nanos, double share) {
    var sorted = nanos.stream().sorted().toList();
    return sorted.get((int) Math.ceil(share * sorted.size()) - 1) / 1e6;
  }

  // ---- the world

  private static Agent agent(int lane, String url) {
    return Agent.builder("agent-" + lane)
        .model("one/durable-" + lane)
        .tool(
            new ToolDefinition(
                TOOL.path("name").asString(),
                TOOL.path("description").asString(),
                TOOL.path("parameters"),
                new ToolDefinition.Binding.Http("POST", url),
                ToolDefinition.Effect.READ,
                null,
                ToolDefinition.CallPolicy.within(30_000)))
        .build();
  }

  private static Config config(Simulator provider) throws Exception {
    return ConfigLoader.parse(
        """
        providers:
          one: { dialect: openai, base-url: "%s", keys: [k] }
        recovery: { retry: { initial-delay: %dms, jitter: false } }
        """
            .formatted(provider.openAiUrl(), RETRY_DELAY.toMillis()),
        "bench.yaml",
        Map.of());
  }

  /** Sixteen runs are 96 requests; with failures, one more that fails, in the middle of a run. */
  private static Script script(boolean failing) {
    var run = new ArrayList<String>();
    for (int turn = 0; turn < TURNS_WITH_TOOLS; turn++) {
      // Other arguments each time: an agent that asks the same again and again is in a loop.
      run.add(
          "{ delay: 500ms, answer: { tool-calls: [ { name: look, arguments: '{\"what\": \"%d\"}' } ] }"
                  .formatted(turn)
              + " }");
    }
    run.add("{ delay: 500ms, answer: Done. }");
    var all = new ArrayList<String>();
    for (int n = 0; n < 16; n++) {
      all.addAll(run);
    }
    if (failing) {
      all.add(all.size() / 2 + 3, "openai-server-error");
    }
    var yaml = new StringBuilder("models:\n");
    for (int lane = 0; lane < LANES; lane++) {
      for (var kind : List.of("durable-", "plain-")) {
        yaml.append("  ").append(kind).append(lane).append(":\n    then: repeat\n    script:\n");
        all.forEach(step -> yaml.append("      - ").append(step).append('\n'));
      }
    }
    return Script.parse(yaml.toString());
  }

  /** Answers at once, with another result each time. */
  private static HttpServer tool() throws IOException {
    var server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 100);
    server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
    server.createContext(
        "/look",
        exchange -> {
          try (exchange) {
            var asked = Tree.read(new String(exchange.getRequestBody().readAllBytes(), UTF_8));
            var result = "\"found " + asked.path("arguments").path("what").asString() + "\"";
            exchange.sendResponseHeaders(200, result.length());
            exchange.getResponseBody().write(result.getBytes(UTF_8));
          }
        });
    server.start();
    return server;
  }

  private static void delete(Path directory) throws IOException {
    try (var paths = Files.walk(directory)) {
      for (var path : paths.sorted(java.util.Comparator.reverseOrder()).toList()) {
        Files.deleteIfExists(path);
      }
    }
  }
}
