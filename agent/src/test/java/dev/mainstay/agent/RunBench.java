package dev.mainstay.agent;

import dev.mainstay.agent.journal.JournalEntry;
import dev.mainstay.agent.journal.JournalJson;
import dev.mainstay.agent.tool.ToolCaller;
import dev.mainstay.config.ConfigLoader;
import dev.mainstay.engine.Engine;
import dev.mainstay.http.Loops;
import dev.mainstay.ledger.Ledger;
import dev.mainstay.ledger.LedgerConfig;
import dev.mainstay.ledger.run.RunStore;
import dev.mainstay.ledger.sqlite.SqliteLedger;
import dev.mainstay.simulator.Received;
import dev.mainstay.simulator.Script;
import dev.mainstay.simulator.Simulator;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

/** Runs over a real store, a real engine and a simulated provider; each model has its script. */
final class RunBench implements AutoCloseable {
  final Simulator provider;
  final Ledger ledger;
  final Engine engine;
  final AgentRuntime runtime;
  private final Loops loops;
  private final LinkedBlockingQueue<String> news = new LinkedBlockingQueue<>();
  private final Map<String, AgentDefinition> agents = new ConcurrentHashMap<>();

  RunBench(Path directory, ToolCaller tools, Timing timing, int workers) throws Exception {
    provider = Simulator.start();
    loops = Loops.start(1);
    ledger = SqliteLedger.open(LedgerConfig.in(directory), InstantSource.system());
    ledger.state().runs().onNews(news::add);
    engine =
        Engine.start(
            ConfigLoader.parse(
                """
                providers:
                  one: { dialect: openai, base-url: "%s/one/v1", keys: [k] }
                """
                    .formatted(provider.url()),
                "test.yaml",
                Map.of()),
            ledger.recorder(),
            ledger.state(),
            loops);
    runtime =
        new AgentRuntime(
            new RunContext(
                ledger.state().runs(), engine.models()::call, tools, timing, RunAlerts.NONE),
            () -> agents,
            engine::newId,
            new AgentRuntime.Capacity(workers, 100));
  }

  /** What a test does instead of waiting. */
  interface Wait {
    void sleep(Duration time) throws InterruptedException;
  }

  /** The system's time, without waiting between attempts. */
  static Timing timing(Wait wait) {
    var system = Timing.system();
    return new Timing() {
      @Override
      public InstantSource clock() {
        return system.clock();
      }

      @Override
      public void sleep(Duration duration) throws InterruptedException {
        wait.sleep(duration);
      }

      @Override
      public void all(Work work, int parallel) throws InterruptedException {
        system.all(work, parallel);
      }
    };
  }

  /** An agent whose model has its name. */
  static AgentDefinition agent(String name, ToolDefinition... tools) {
    return AgentDefinition.of(
        name, "one/" + name, "", AgentDefinition.Limits.DEFAULTS, Arrays.asList(tools));
  }

  /** A step of a model's script that calls tools: name, arguments, name, arguments… */
  static String calls(String... namesAndArguments) {
    var calls = new ArrayList<String>();
    for (int i = 0; i < namesAndArguments.length; i += 2) {
      calls.add(
          "{ name: %s, arguments: '%s' }"
              .formatted(namesAndArguments[i], namesAndArguments[i + 1]));
    }
    return "{ answer: { tool-calls: [ " + String.join(", ", calls) + " ] } }";
  }

  static String says(String text) {
    return "{ answer: \"" + text + "\" }";
  }

  /** What the models say, one after the other. */
  void scripts(Map<String, List<String>> byModel) {
    var yaml = new StringBuilder("models:\n");
    byModel.forEach(
        (model, steps) ->
            yaml.append("  one/")
                .append(model)
                .append(": [ ")
                .append(String.join(", ", steps))
                .append(" ]\n"));
    provider.script(Script.parse(yaml.toString()));
  }

  /** Makes {@code agent} one that runs may be of. */
  void know(AgentDefinition agent) {
    agents.put(agent.name(), agent);
  }

  String submit(AgentDefinition agent, String input) {
    return submit(agent, input, List.of());
  }

  String submit(AgentDefinition agent, String input, List<JournalEntry.PlanStep> plan) {
    agents.put(agent.name(), agent);
    var request =
        new JournalEntry.RunRequest(
            agent.name(), plan.isEmpty() ? input : null, plan, "", null, 0, Map.of(), null);
    return runtime.submit(request, null, "hash").toCompletableFuture().join()
            instanceof Submitted.Accepted accepted
        ? accepted.run()
        : "refused";
  }

  JournalEntry.Ended ended(String run) throws InterruptedException {
    until(run, entries -> entries.getLast() instanceof JournalEntry.Ended);
    return (JournalEntry.Ended) journal(run).getLast();
  }

  /** Waits until the journal of {@code run} is as described. */
  void until(String run, Predicate<List<JournalEntry>> reached) throws InterruptedException {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
    while (!reached.test(journal(run))) {
      if (System.nanoTime() > end) {
        throw new AssertionError("not reached: " + journal(run));
      }
      news.poll(20, TimeUnit.MILLISECONDS);
    }
  }

  void untilParked(String run) throws InterruptedException {
    until(run, entries -> run(run).status() == RunStore.Status.PARKED);
  }

  RunStore.Run run(String run) {
    return ledger.state().runs().find(run).toCompletableFuture().join().getFirst();
  }

  List<RunStore.Run> childrenOf(String run) {
    return ledger
        .state()
        .runs()
        .list(RunStore.Query.newest(100, RunStore.Filter.startedBy(run)))
        .toCompletableFuture()
        .join();
  }

  RunStore.Posted post(String run, String kind, String about, String content) {
    return ledger
        .state()
        .runs()
        .post(
            run,
            kind,
            about,
            content.getBytes(StandardCharsets.UTF_8),
            "operator",
            InstantSource.system().instant())
        .toCompletableFuture()
        .join();
  }

  List<JournalEntry> journal(String run) {
    return ledger.state().runs().read(run, 0, 10_000).toCompletableFuture().join().stream()
        .map(RunStore.StoredEntry::entry)
        .map(JournalJson::read)
        .toList();
  }

  <T extends JournalEntry> List<T> journal(String run, Class<T> type) {
    return journal(run).stream().filter(type::isInstance).map(type::cast).toList();
  }

  /** The bodies of the requests that a model received. */
  List<String> asked(String model) {
    return provider.log(model).stream().map(Received::body).toList();
  }

  @Override
  public void close() throws Exception {
    runtime.close();
    engine.close();
    ledger.close();
    loops.close();
    provider.close();
  }
}
