package dev.mainstay.app.durable;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mainstay.agent.AgentRuntime;
import dev.mainstay.agent.RunAlerts;
import dev.mainstay.agent.RunContext;
import dev.mainstay.agent.Timing;
import dev.mainstay.agent.ToolDefinition;
import dev.mainstay.agent.ToolDefinition.Effect;
import dev.mainstay.agent.journal.JournalEntry;
import dev.mainstay.agent.journal.JournalJson;
import dev.mainstay.agent.tool.ToolCaller;
import dev.mainstay.ledger.Ledger;
import dev.mainstay.ledger.LedgerConfig;
import dev.mainstay.ledger.postgres.PostgresConfig;
import dev.mainstay.ledger.postgres.PostgresLedger;
import dev.mainstay.ledger.run.RunStore;
import dev.mainstay.ledger.sqlite.SqliteLedger;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * The worker of a run ends at each write of the run's journal, before it is on disk and after, once
 * and twice in all pairs; another worker goes on each time. The outcome is that of a run that
 * nothing happened to, and the tools' own book says that each effect happened once.
 */
@Timeout(value = 4, unit = TimeUnit.MINUTES)
class EnumeratedKillsTest {
  private static final String INPUT = "read idempotent\nqueryable\nunsafe";
  private static final Set<String> WRITES = Set.of("append", "park", "end");

  @TempDir Path directory;
  private final Map<String, Integer> book = new ConcurrentHashMap<>();
  private final Map<String, Set<Integer>> kills = new ConcurrentHashMap<>();
  private final Map<String, AtomicInteger> writes = new ConcurrentHashMap<>();
  private final AtomicInteger runs = new AtomicInteger();

  /** The worker of a run ends here. */
  private static final class Death extends Error {
    private static final long serialVersionUID = 1;

    Death() {
      super("the worker ends", null, false, false);
    }
  }

  @Test
  void onTheEmbeddedStore() throws Exception {
    try (var ledger = SqliteLedger.open(LedgerConfig.in(directory), InstantSource.system())) {
      everyKill(ledger);
    }
  }

  @Test
  void onPostgres() throws Exception {
    try (var server = EmbeddedPostgres.builder().start();
        var ledger =
            PostgresLedger.open(
                PostgresConfig.of(server.getJdbcUrl("postgres", "postgres"), directory),
                InstantSource.system())) {
      everyKill(ledger);
    }
  }

  private void everyKill(Ledger ledger) throws Exception {
    var store = ledger.state().runs();
    var agent = EffectAgent.definition("http://127.0.0.1:1");
    try (var runtime =
        new AgentRuntime(
            new RunContext(
                killing(store),
                (request, events) -> EffectAgent.answer(request),
                new Tools(),
                Timing.system(),
                RunAlerts.NONE),
            () -> Map.of(EffectAgent.NAME, agent),
            () -> "run_%05d".formatted(runs.incrementAndGet()),
            new AgentRuntime.Capacity(100, 100_000))) {
      start(runtime, Set.of());
      finish(store);
      int last = Objects.requireNonNull(writes.get("run_00001")).get();
      assertThat(last).as("writes of a run that nothing happens to").isBetween(12, 30);
      var plans = new ArrayList<Set<Integer>>();
      // An even number is before a write, an odd one after it.
      for (int first = 2; first <= 2 * last + 1; first++) {
        plans.add(Set.of(first));
        // A killed worker's successor writes again: there are more writes than before.
        for (int second = first + 1; second <= 2 * last + 5; second++) {
          plans.add(Set.of(first, second));
        }
      }
      for (var plan : plans) {
        start(runtime, plan);
      }
      finish(store);
    }
    for (int run = 1; run <= runs.get(); run++) {
      check(store, "run_%05d".formatted(run));
    }
  }

  private void start(AgentRuntime runtime, Set<Integer> plan) {
    kills.put("run_%05d".formatted(runs.get() + 1), plan);
    var request =
        new JournalEntry.RunRequest(
            EffectAgent.NAME, INPUT, List.of(), "", null, 0, Map.of(), null);
    assertThat(done(runtime.submit(request, null, "hash")))
        .isInstanceOf(AgentRuntime.Submitted.Accepted.class);
  }

  /** Throws at the writes that are to kill; another worker then finds the run queued. */
  private RunStore killing(RunStore real) {
    return (RunStore)
        Proxy.newProxyInstance(
            RunStore.class.getClassLoader(),
            new Class<?>[] {RunStore.class},
            (proxy, method, arguments) -> {
              boolean write = WRITES.contains(method.getName());
              var lease = write ? (RunStore.Lease) arguments[0] : null;
              int number =
                  lease == null
                      ? 0
                      : writes
                          .computeIfAbsent(lease.run(), run -> new AtomicInteger())
                          .incrementAndGet();
              if (lease != null && kills.getOrDefault(lease.run(), Set.of()).contains(2 * number)) {
                real.giveBack(lease);
                throw new Death();
              }
              Object result;
              try {
                result = method.invoke(real, arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
              if (lease != null
                  && kills.getOrDefault(lease.run(), Set.of()).contains(2 * number + 1)) {
                done((CompletionStage<?>) result);
                real.giveBack(lease);
                throw new Death();
              }
              return result;
            });
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
  private void finish(RunStore store) throws Exception {
    for (int open = 1; open > 0; TimeUnit.MILLISECONDS.sleep(20)) {
      open = 0;
      for (int run = 1; run <= runs.get(); run++) {
        var found = done(store.find("run_%05d".formatted(run))).getFirst();
        open += found.status() == RunStore.Status.ENDED ? 0 : 1;
        if (found.status() == RunStore.Status.PARKED) {
          resolve(store, found.id());
        }
      }
    }
  }

  private void resolve(RunStore store, String run) {
    var keys = new ConcurrentHashMap<Integer, String>();
    for (var entry : journal(store, run)) {
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

  private void check(RunStore store, String run) {
    var what = "%s, killed at %s of its writes".formatted(run, kills.get(run));
    var ended = new ConcurrentHashMap<Integer, JournalEntry.StepEnded>();
    var planned = new ArrayList<JournalEntry.StepPlanned>();
    for (var entry : journal(store, run)) {
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

  private static List<JournalEntry> journal(RunStore store, String run) {
    return done(store.read(run, 0, 1000)).stream()
        .map(stored -> JournalJson.read(stored.entry()))
        .toList();
  }

  private static <T> T done(CompletionStage<T> stage) {
    return stage.toCompletableFuture().join();
  }
}
