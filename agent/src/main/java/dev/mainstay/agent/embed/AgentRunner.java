package dev.mainstay.agent.embed;

import dev.mainstay.agent.AgentDefinition;
import dev.mainstay.agent.AgentRuntime;
import dev.mainstay.agent.RunAlerts;
import dev.mainstay.agent.RunContext;
import dev.mainstay.agent.Submitted;
import dev.mainstay.agent.Timing;
import dev.mainstay.agent.journal.Digests;
import dev.mainstay.agent.journal.JournalEntry;
import dev.mainstay.agent.journal.JournalJson;
import dev.mainstay.agent.mcp.McpTools;
import dev.mainstay.agent.tool.HttpToolCaller;
import dev.mainstay.agent.tool.MethodTools;
import dev.mainstay.agent.tool.ToolCallers;
import dev.mainstay.config.Config;
import dev.mainstay.engine.Engine;
import dev.mainstay.http.Loops;
import dev.mainstay.ledger.Ledger;
import dev.mainstay.ledger.run.RunStore;
import java.io.IOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Runs agents in this process, durably over a ledger: what an earlier process left unfinished goes
 * on as soon as the runner has started. Thread-safe.
 */
public final class AgentRunner implements AutoCloseable {
  private static final int PAGE = 100;

  /** A journal that somebody listens to is read so often: its entries make no news. */
  private static final Duration LISTEN = Duration.ofMillis(50);

  /**
   * The end of a run makes news, which may be missing: its journal is read so often in any case.
   */
  private static final Duration LOOK = Duration.ofSeconds(1);

  private final Loops loops;
  private final Engine engine;
  private final RunStore store;
  private final HttpToolCaller http;
  private final McpTools mcp;
  private final AgentRuntime runtime;
  private final Map<String, Semaphore> waiting = new ConcurrentHashMap<>();

  /**
   * Starts the runner.
   *
   * @param config providers and models; agents that it declares are not run here
   * @param ledger keeps the runs; the caller closes it after the runner
   * @param agents all whose runs this process carries out
   * @throws IOException where the network cannot be used
   */
  public static AgentRunner start(Config config, Ledger ledger, Agent... agents)
      throws IOException {
    return new AgentRunner(config, ledger, List.of(agents));
  }

  private AgentRunner(Config config, Ledger ledger, List<Agent> agents) throws IOException {
    loops = Loops.start(1);
    engine = Engine.start(config, ledger.recorder(), ledger.state(), loops);
    store = ledger.state().runs();
    store.onNews(this::heard);
    http = new HttpToolCaller(HttpToolCaller.Headers.NONE);
    mcp = new McpTools(engine::config);
    var definitions = new HashMap<String, AgentDefinition>();
    var methods = new HashMap<String, MethodTools.Method>();
    for (var agent : agents) {
      definitions.put(agent.name(), agent.definition());
      methods.putAll(agent.methods());
    }
    runtime =
        new AgentRuntime(
            new RunContext(
                store,
                engine.models()::call,
                new ToolCallers(http, mcp, new MethodTools(methods)),
                Timing.system(),
                RunAlerts.NONE),
            () -> definitions,
            () -> "run_" + engine.newId().substring("call_".length()),
            new AgentRuntime.Capacity(config.runs().workers(), config.runs().queue()));
  }

  /** Runs {@code agent} on {@code input}, and waits for the end; a run can wait for a person. */
  public RunResult run(Agent agent, String input) throws InterruptedException {
    return await(submit(agent, input, null));
  }

  /**
   * As {@link #run(Agent, String)}; {@code events} hears each entry of the run's journal on the
   * calling thread, in order.
   */
  public RunResult run(Agent agent, String input, Consumer<JournalEntry> events)
      throws InterruptedException {
    return await(submit(agent, input, null), events);
  }

  /**
   * Accepts a run and returns its id; it is on disk then.
   *
   * @param key an idempotency key, or null: the same key and input again are the same run
   * @throws IllegalStateException where the run was refused
   */
  public String submit(Agent agent, String input, @Nullable String key)
      throws InterruptedException {
    var request =
        new JournalEntry.RunRequest(agent.name(), input, List.of(), "", null, 0, Map.of(), null);
    return switch (result(runtime.submit(request, key, Digests.sha256(input)))) {
      case Submitted.Accepted accepted -> accepted.run();
      case Submitted.NoAgent _ ->
          throw new IllegalStateException(
              "the runner was started without the agent " + agent.name());
      case Submitted.OtherRequest _ ->
          throw new IllegalStateException("the key belongs to another input");
      case Submitted.Full full ->
          throw new IllegalStateException(full.queued() + " runs wait already");
      case Submitted.NoPlan none -> throw new IllegalStateException(none.mistake());
    };
  }

  /** Waits for the end of a run, of this process or of an earlier one. */
  public RunResult await(String run) throws InterruptedException {
    return await(run, entry -> {}, LOOK);
  }

  /**
   * As {@link #await(String)}; {@code events} hears each entry of the run's journal on the calling
   * thread, in order.
   */
  public RunResult await(String run, Consumer<JournalEntry> events) throws InterruptedException {
    return await(run, events, LISTEN);
  }

  private RunResult await(String run, Consumer<JournalEntry> events, Duration look)
      throws InterruptedException {
    var news = waiting.computeIfAbsent(run, id -> new Semaphore(0));
    try {
      for (long after = 0; ; ) {
        var page = result(store.read(run, after, PAGE));
        for (var stored : page) {
          after = stored.sequence();
          var entry = JournalJson.read(stored.entry());
          events.accept(entry);
          if (entry instanceof JournalEntry.Ended end) {
            return new RunResult(run, end.status(), end.reason(), end.words(), end.output());
          }
        }
        if (page.isEmpty()) {
          var unused = news.tryAcquire(look.toMillis(), TimeUnit.MILLISECONDS);
        }
      }
    } finally {
      waiting.remove(run, news);
      // Another thread may wait for the same run.
      news.release();
    }
  }

  /** Cancels a run and its sub-agents' runs; one that has ended stays as it is. */
  public void cancel(String run) throws InterruptedException {
    byte[] nothing = {'{', '}'};
    var unused = result(runtime.cancel(run, nothing, "program"));
  }

  private void heard(String run) {
    var news = waiting.get(run);
    if (news != null) {
      news.release();
    }
  }

  private static <T> T result(CompletionStage<T> stage) throws InterruptedException {
    try {
      return stage.toCompletableFuture().get();
    } catch (ExecutionException e) {
      throw new IllegalStateException("the ledger did not confirm", e.getCause());
    }
  }

  /** Parks the runs under way: they go on in the next process. */
  @Override
  public void close() {
    runtime.close();
    http.close();
    mcp.close();
    engine.close();
    loops.close();
  }
}
