package dev.mainstay.app.durable;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mainstay.agent.AgentRuntime;
import dev.mainstay.agent.RunAlerts;
import dev.mainstay.agent.RunContext;
import dev.mainstay.agent.Submitted;
import dev.mainstay.agent.Timing;
import dev.mainstay.agent.ToolDefinition;
import dev.mainstay.agent.ToolDefinition.Effect;
import dev.mainstay.agent.journal.JournalEntry;
import dev.mainstay.agent.journal.JournalJson;
import dev.mainstay.agent.tool.ToolCaller;
import dev.mainstay.ledger.run.RunStore;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Runs of the {@link EffectAgent} in this process, over a store that something happens to. Whatever
 * that was, each run ends as one does that nothing happens to, and the tools' own book says that
 * each effect happened once.
 */
final class CheckedRuns implements AutoCloseable {
  /** The methods of a store that write to a journal; their first argument is the lease. */
  static final Set<String> WRITES = Set.of("append", "park", "end");

  private static final String INPUT = "read idempotent\nqueryable\nunsafe";

  private final Map<String, Integer> book = new ConcurrentHashMap<>();
  private final AtomicInteger count = new AtomicInteger();
  private final RunStore store;
  private final AgentRuntime runtime;

  /**
   * @param store as it is
   * @param troubled as the workers have it
   */
  CheckedRuns(RunStore store, RunStore troubled) {
    this.store = store;
    var agent = EffectAgent.definition("http://127.0.0.1:1");
    runtime =
        new AgentRuntime(
            new RunContext(
                troubled,
                (request, events) -> EffectAgent.answer(request),
                new Tools(),
                new Hurried(),
                RunAlerts.NONE),
            () -> Map.of(EffectAgent.NAME, agent),
            () -> id(count.incrementAndGet()),
            new AgentRuntime.Capacity(100, 100_000));
  }

  /** The id of the run that is started as number {@code n}, from 1. */
  static String id(int n) {
    return "run_%05d".formatted(n);
  }

  /** Runs started so far. */
  int count() {
    return count.get();
  }

  void start() {
    var request =
        new JournalEntry.RunRequest(
            EffectAgent.NAME, INPUT, List.of(), "", null, 0, Map.of(), null);
    assertThat(done(runtime.submit(request, null, "hash"))).isInstanceOf(Submitted.Accepted.class);
  }

  /** The system's time, but a worker whose run ended in trouble does not rest for a second. */
  private static final class Hurried implements Timing {
    private static final Duration REST = Duration.ofMillis(20);
    private final Timing system = Timing.system();

    @Override
    public InstantSource clock() {
      return system.clock();
    }

    @Override
    public void sleep(Duration duration) throws InterruptedException {
      system.sleep(duration.compareTo(REST) < 0 ? duration : REST);
    }

    @Override
    public void all(Work work, int parallel) throws InterruptedException {
      system.all(work, parallel);
    }
  }

  private final class Tools implements ToolCaller {
    @Override
    public Outcome call(ToolDefinition tool, Call call) {
      if (tool.effect() == Effect.IDEMPOTENT) {
        book.put(call.key(), 1);
      } else {
        book.merge(call.key(), 1, Integer::sum);
      }
      return new Outcome.Succeeded("did " + call.key());
    }

    @Override
    public Reconciled reconcile(ToolDefinition tool, Call call) {
      return book.containsKey(call.key())
          ? new Reconciled.Happened("did " + call.key())
          : new Reconciled.NeverHappened();
    }
  }

  /** Waits until every run has ended; a person resolves what is in doubt, by the tools' book. */
  void finish() throws Exception {
    var open = new ArrayList<String>();
    for (int run = 1; run <= count(); run++) {
      open.add(id(run));
    }
    while (true) {
      open.removeIf(this::hasEnded);
      if (open.isEmpty()) {
        return;
      }
      TimeUnit.MILLISECONDS.sleep(20);
    }
  }

  private boolean hasEnded(String run) {
    var status = done(store.find(run)).getFirst().status();
    if (status == RunStore.Status.PARKED) {
      resolve(run);
    }
    return status == RunStore.Status.ENDED;
  }

  private void resolve(String run) {
    var keys = new ConcurrentHashMap<Integer, String>();
    for (var entry : journal(run)) {
      if (entry instanceof JournalEntry.StepPlanned planned) {
        keys.put(planned.step(), planned.key());
      }
      if (entry instanceof JournalEntry.InDoubt doubt) {
        boolean happened = book.containsKey(keys.get(doubt.step()));
        var content =
            "{\"step\":%d,\"happened\":%b}"
                .formatted(doubt.step(), happened)
                .getBytes(StandardCharsets.UTF_8);
        store.post(
            run,
            "resolve",
            "resolve " + doubt.step(),
            content,
            "ann",
            InstantSource.system().instant());
      }
    }
  }

  /**
   * @param what happened to it
   */
  void check(String run, String what) {
    var ended = new ConcurrentHashMap<Integer, JournalEntry.StepEnded>();
    var planned = new ArrayList<JournalEntry.StepPlanned>();
    for (var entry : journal(run)) {
      switch (entry) {
        case JournalEntry.StepPlanned step -> planned.add(step);
        case JournalEntry.StepEnded step ->
            assertThat(ended.put(step.step(), step)).as(what).isNull();
        case JournalEntry.Ended end -> assertThat(end.status()).as(what).isEqualTo("completed");
        default -> {}
      }
    }
    assertThat(planned)
        .as(what)
        .extracting(JournalEntry.StepPlanned::tool)
        .containsExactly("read", "idempotent", "queryable", "unsafe");
    for (var step : planned) {
      int did = book.getOrDefault(step.key(), 0);
      var end = ended.get(step.step());
      assertThat(end).as(what).isNotNull();
      switch (step.tool()) {
        case "read" -> assertThat(did).as(what).isPositive();
        case "unsafe" ->
            assertThat(did).as("%s: %s", what, step).isEqualTo(end != null && end.ok() ? 1 : 0);
        default -> assertThat(did).as("%s: %s", what, step).isEqualTo(1);
      }
    }
  }

  private List<JournalEntry> journal(String run) {
    return done(store.read(run, 0, 1000)).stream()
        .map(stored -> JournalJson.read(stored.entry()))
        .toList();
  }

  static <T> T done(CompletionStage<T> stage) {
    return stage.toCompletableFuture().join();
  }

  @Override
  public void close() {
    runtime.close();
  }
}
