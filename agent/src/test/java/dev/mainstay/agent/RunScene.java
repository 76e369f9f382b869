package dev.mainstay.agent;

import dev.mainstay.agent.journal.JournalEntry;
import dev.mainstay.agent.journal.JournalJson;
import dev.mainstay.agent.journal.RunState;
import dev.mainstay.agent.journal.RunSummary;
import dev.mainstay.agent.tool.ToolCaller;
import dev.mainstay.call.settings.CallSettings;
import dev.mainstay.core.verdict.Blame;
import dev.mainstay.core.verdict.FailureClass;
import dev.mainstay.core.verdict.Kind;
import dev.mainstay.engine.model.Message;
import dev.mainstay.engine.model.ModelEvent;
import dev.mainstay.engine.model.ModelOutcome;
import dev.mainstay.engine.model.ModelRequest;
import dev.mainstay.ledger.Ledger;
import dev.mainstay.ledger.LedgerConfig;
import dev.mainstay.ledger.run.RunStore;
import dev.mainstay.ledger.sqlite.SqliteLedger;
import dev.mainstay.wire.json.Tree;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Whole runs in virtual time, on the thread of the test: a real store, a scripted model and
 * scripted tools.
 */
final class RunScene {
  private static final Instant NOON = Instant.parse("2026-01-01T12:00:00Z");

  /** One store for all scenes of a class. */
  static final class Store implements AutoCloseable {
    private final Ledger ledger;
    private int runs;

    Store(Path directory) throws Exception {
      ledger = SqliteLedger.open(LedgerConfig.in(directory), () -> NOON);
    }

    @Override
    public void close() {
      ledger.close();
    }
  }

  private final Store store;
  private final Ledger ledger;
  private final List<String> alerts = new ArrayList<>();
  private final List<ModelRequest> asked = new ArrayList<>();
  private final List<ToolCaller.Call> toolCalls = new ArrayList<>();
  private final VirtualTime time = new VirtualTime(NOON, tasks -> 0);
  private @Nullable RunExecutor carrier;
  private @Nullable String notify;
  private AgentDefinition agent = agent();
  private BiFunction<ModelRequest, Consumer<ModelEvent>, ModelOutcome> model =
      (request, events) -> text("Done.");
  private Function<ToolCaller.Call, ToolCaller.Outcome> tool =
      call -> new ToolCaller.Outcome.Succeeded("ok");

  RunScene(Store store) {
    this.store = store;
    ledger = store.ledger;
  }

  // ---- the script

  static AgentDefinition agent() {
    return new AgentDefinition(
        "helper",
        "assistant",
        "You help.",
        AgentDefinition.Limits.DEFAULTS,
        null,
        CallSettings.defaults(),
        List.of(
            tool("look", ToolDefinition.Effect.READ), tool("pay", ToolDefinition.Effect.UNSAFE)));
  }

  static ToolDefinition tool(String name, ToolDefinition.Effect effect) {
    return new ToolDefinition(
        name,
        "A tool.",
        Tree.object().put("type", "object"),
        new ToolDefinition.Binding.Http("POST", "http://127.0.0.1:1/" + name),
        effect,
        null,
        ToolDefinition.CallPolicy.within(5000));
  }

  RunScene limits(UnaryOperator<AgentDefinition.Limits> change) {
    agent =
        new AgentDefinition(
            agent.name(),
            agent.model(),
            agent.instructions(),
            change.apply(agent.limits()),
            agent.output(),
            agent.recovery(),
            agent.tools());
    return this;
  }

  RunScene output(String schema, int retries) {
    agent =
        new AgentDefinition(
            agent.name(),
            agent.model(),
            agent.instructions(),
            agent.limits(),
            new AgentDefinition.Output(Tree.read(schema), retries),
            agent.recovery(),
            agent.tools());
    return this;
  }

  RunScene model(BiFunction<ModelRequest, Consumer<ModelEvent>, ModelOutcome> script) {
    model = script;
    return this;
  }

  /** Each answer once, the last again and again. */
  RunScene answers(ModelOutcome... outcomes) {
    var left = new ArrayList<>(List.of(outcomes));
    return model((request, events) -> left.size() > 1 ? left.removeFirst() : left.getFirst());
  }

  RunScene tool(Function<ToolCaller.Call, ToolCaller.Outcome> script) {
    tool = script;
    return this;
  }

  void pass(Duration duration) {
    time.sleep(duration);
  }

  static ModelOutcome text(String text) {
    return new ModelOutcome.Answered(Message.assistant(text), ModelOutcome.Ending.STOP, evidence());
  }

  static ModelOutcome ending(String text, ModelOutcome.Ending ending) {
    return new ModelOutcome.Answered(Message.assistant(text), ending, evidence());
  }

  /** Calls of one tool, one for each of {@code arguments}. */
  static ModelOutcome calls(String tool, String... arguments) {
    var message = Tree.object().put("role", "assistant");
    message.putNull("content");
    var calls = message.putArray("tool_calls");
    for (var each : arguments) {
      var call = calls.addObject().put("id", "call_" + calls.size()).put("type", "function");
      call.putObject("function").put("name", tool).put("arguments", each);
    }
    return new ModelOutcome.Answered(
        new Message(message), ModelOutcome.Ending.TOOL_CALLS, evidence());
  }

  static ModelOutcome failed(String failureClass, String kind) {
    return new ModelOutcome.Failed(
        503,
        FailureClass.valueOf(failureClass),
        Kind.of(kind),
        Blame.PROVIDER,
        "it failed",
        "",
        null,
        evidence());
  }

  private static ModelOutcome.Evidence evidence() {
    return new ModelOutcome.Evidence("call_x", null, List.of());
  }

  // ---- the run

  RunContext context() {
    return new RunContext(
        ledger.state().runs(),
        (request, events) -> {
          asked.add(request);
          var outcome = model.apply(request, events);
          if (Thread.interrupted()) {
            throw new InterruptedException();
          }
          return outcome;
        },
        new ToolCaller() {
          @Override
          public Outcome call(ToolDefinition definition, Call call) {
            toolCalls.add(call);
            return tool.apply(call);
          }

          @Override
          public Reconciled reconcile(ToolDefinition definition, Call call) {
            return new Reconciled.Unknown("not scripted");
          }
        },
        time,
        (topic, cause, message) -> alerts.add(topic.name()));
  }

  /** What carries the scene's runs, and watches over them. */
  RunExecutor carrier() {
    var known = carrier;
    if (known == null) {
      known = new RunExecutor(context(), () -> false, () -> {});
      carrier = known;
    }
    return known;
  }

  RunStore runStore() {
    return ledger.state().runs();
  }

  Timing timing() {
    return time;
  }

  /** Where the ends of runs accepted from now on are posted. */
  void notify(String url) {
    notify = url;
  }

  String accept(String input, @Nullable String session) {
    store.runs++;
    var id = id();
    var request =
        new JournalEntry.RunRequest("helper", input, List.of(), "", session, 0, Map.of(), notify);
    var first = new JournalEntry.Accepted(agent, agent.hash(), request, List.of(), time.millis());
    var run =
        new RunStore.NewRun(
            new RunStore.Origin(id, "helper", "", null, session, 0),
            null,
            "h",
            RunSummary.first(List.of(first)));
    ledger
        .state()
        .runs()
        .accept(run, 1000, time.instant(), time.instant().plus(Duration.ofDays(1)))
        .toCompletableFuture()
        .join();
    return id;
  }

  /** The run that was accepted last. */
  String id() {
    return "run_%04d".formatted(store.runs);
  }

  /** Carries every queued run on until it ends or waits. */
  void work() {
    while (true) {
      var leases = ledger.state().runs().claim(10, time.instant()).toCompletableFuture().join();
      if (leases.isEmpty()) {
        return;
      }
      leases.forEach(carrier()::carry);
    }
  }

  /** One run from its input to its end, or to where it waits. */
  RunState run(String input) {
    var id = accept(input, null);
    work();
    return state(id);
  }

  RunStore.Posted post(String run, String kind, @Nullable String about, String json) {
    return ledger
        .state()
        .runs()
        .post(run, kind, about, json.getBytes(StandardCharsets.UTF_8), "ann", time.instant())
        .toCompletableFuture()
        .join();
  }

  List<JournalEntry> journal(String run) {
    return ledger.state().runs().read(run, 0, 10_000).toCompletableFuture().join().stream()
        .map(stored -> JournalJson.read(stored.entry()))
        .toList();
  }

  RunState state(String run) {
    var state = new RunState();
    journal(run).forEach(state::apply);
    return state;
  }

  List<ModelRequest> asked() {
    return asked;
  }

  List<ToolCaller.Call> toolCalls() {
    return toolCalls;
  }

  List<String> alerts() {
    return alerts;
  }
}
