package dev.mainstay.agent;

import dev.mainstay.agent.ToolDefinition.Effect;
import dev.mainstay.agent.journal.JournalEntry;
import dev.mainstay.agent.journal.JournalJson;
import dev.mainstay.agent.journal.RunState;
import dev.mainstay.agent.journal.RunSummary;
import dev.mainstay.agent.journal.ToolStep;
import dev.mainstay.agent.tool.ToolCaller;
import dev.mainstay.call.settings.CallSettings;
import dev.mainstay.core.verdict.Blame;
import dev.mainstay.core.verdict.FailureClass;
import dev.mainstay.core.verdict.Kind;
import dev.mainstay.engine.model.Message;
import dev.mainstay.engine.model.ModelEvent;
import dev.mainstay.engine.model.ModelOutcome;
import dev.mainstay.engine.model.ModelRequest;
import dev.mainstay.ledger.run.RunStore;
import dev.mainstay.wire.json.Tree;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * One schedule: a run from its acceptance to its end, with whatever its seed makes go wrong at the
 * store, the model, the tools and in the workers' processes, and with what persons say meanwhile.
 * Clock, threads, network and store are simulated, and all of it happens in one thread: the same
 * seed is the same schedule.
 *
 * <p>At each border a worker may die, before what it does there or after, or be paused: then
 * another worker takes over and goes on as far as it likes, until the first one comes back as a
 * zombie.
 */
final class SimulatedRuns {
  private static final Instant NOON = Instant.parse("2026-01-01T12:00:00Z");
  private static final int MOST_FAULTS = 6;
  private static final int MOST_WORKERS = 60;
  private static final int MOST_ZOMBIES = 3;
  private static final int MOST_TURNS = 6;

  /** A promise was broken. */
  static final class Broken extends RuntimeException {
    private static final long serialVersionUID = 1;

    Broken(String what) {
      super(what);
    }

    Broken(String what, Throwable cause) {
      super(what, cause);
    }
  }

  /** The process ends here. */
  private static final class Death extends Error {
    private static final long serialVersionUID = 1;

    Death() {
      super("the process ends", null, false, false);
    }
  }

  private final SplittableRandom random;
  private final MemoryRunStore store;
  private final Effect unsafe;
  private final VirtualTime time;
  private final Map<String, Integer> effects = new HashMap<>();
  private final Map<String, Integer> lateEffects = new HashMap<>();
  private final List<JournalEntry> journal = new ArrayList<>();
  private final Set<Integer> ended = new HashSet<>();
  private int faults;
  private int workers;
  private int zombies;
  private int modelCalls;
  private int persons;
  private boolean quiet;

  /**
   * @param store where the runs are kept
   * @param unsafe what the agent takes the unsafe tool for
   */
  SimulatedRuns(long seed, MemoryRunStore store, Effect unsafe) {
    random = new SplittableRandom(seed);
    time = new VirtualTime(NOON, random::nextInt);
    this.store = store;
    this.unsafe = unsafe;
  }

  // ---- the world

  private boolean chance(int ofHundred) {
    return random.nextInt(100) < ofHundred;
  }

  /** Whether something goes wrong here. */
  private boolean fault(int ofHundred) {
    if (quiet || faults >= MOST_FAULTS || !chance(ofHundred)) {
      return false;
    }
    faults++;
    return true;
  }

  /** A worker's process, which may die or be paused at each border. */
  private final class Worker {
    private final long instance = ++workers;
    private boolean zombie;

    /** Before and after whatever the worker does at a border. */
    void border() {
      time.sleep(Duration.ofMillis(random.nextInt(5)));
      if (zombie) {
        return;
      }
      if (fault(4)) {
        throw new Death();
      }
      if (zombies < MOST_ZOMBIES && fault(3)) {
        zombies++;
        zombie = true;
        store.takeOver(instance);
        new Worker().work();
      }
      if (chance(3)) {
        person();
      }
    }

    /** Carries on what is queued, until it ends or waits or this process ends. */
    void work() {
      if (workers > MOST_WORKERS) {
        throw new Broken("after " + MOST_WORKERS + " workers the run has not ended");
      }
      var context =
          new RunContext(
              bordered(store.of(instance)), this::model, new Tools(this), time, RunAlerts.NONE);
      var carrier = new RunExecutor(context, () -> false, () -> {});
      try {
        for (var lease : done(store.of(instance).claim(9, time.instant()))) {
          carrier.carry(lease);
        }
      } catch (Death e) {
        store.takeOver(instance);
      }
    }

    private RunStore bordered(RunStore real) {
      return (RunStore)
          Proxy.newProxyInstance(
              RunStore.class.getClassLoader(),
              new Class<?>[] {RunStore.class},
              (proxy, method, arguments) -> {
                border();
                // The store lets this one wait until it is written.
                boolean mustArrive = method.getName().equals("giveBack");
                if (!mustArrive && fault(2)) {
                  return CompletableFuture.failedStage(new IllegalStateException("it is away"));
                }
                Object result;
                try {
                  result = method.invoke(real, arguments);
                } catch (InvocationTargetException e) {
                  throw e.getCause();
                }
                border();
                return !mustArrive && !method.getName().equals("claim") && fault(2)
                    ? CompletableFuture.failedStage(new IllegalStateException("unconfirmed"))
                    : result;
              });
    }

    ModelOutcome model(ModelRequest request, Consumer<ModelEvent> events) {
      modelCalls++;
      border();
      paired(request.messages());
      time.sleep(Duration.ofMillis(random.nextInt(2000)));
      ModelOutcome outcome;
      if (fault(8)) {
        if (chance(50)) {
          events.accept(new ModelEvent.Text("half an ans"));
        }
        outcome = failed(chance(70) ? FailureClass.TRANSIENT : FailureClass.FATAL);
      } else {
        outcome = answer(request);
      }
      border();
      return outcome;
    }
  }

  // ---- the model

  private ModelOutcome answer(ModelRequest request) {
    long asked =
        request.messages().stream().filter(each -> each.role().equals("assistant")).count();
    if (asked >= MOST_TURNS - 2 || chance(35)) {
      return new ModelOutcome.Answered(
          Message.assistant("Done."), ModelOutcome.Ending.STOP, evidence());
    }
    var message = Tree.object().put("role", "assistant");
    message.putNull("content");
    var calls = message.putArray("tool_calls");
    int count = 1 + random.nextInt(3);
    for (int i = 0; i < count; i++) {
      var call =
          calls.addObject().put("id", "call_" + modelCalls + "_" + i).put("type", "function");
      var effect = Effect.values()[random.nextInt(Effect.values().length)];
      call.putObject("function")
          .put("name", name(effect))
          .put("arguments", "{\"n\":" + random.nextInt(1000) + "}");
    }
    return new ModelOutcome.Answered(
        new Message(message), ModelOutcome.Ending.TOOL_CALLS, evidence());
  }

  private static ModelOutcome failed(FailureClass failureClass) {
    return new ModelOutcome.Failed(
        503, failureClass, Kind.SERVER_ERROR, Blame.PROVIDER, "it failed", "", null, evidence());
  }

  private static ModelOutcome.Evidence evidence() {
    return new ModelOutcome.Evidence("call_x", null, List.of());
  }

  /** Every tool call is answered, right behind its turn, and every answer has its call. */
  private static void paired(List<Message> messages) {
    var open = new HashSet<String>();
    for (var message : messages) {
      if (message.role().equals("tool")) {
        if (!open.remove(message.toolCallId())) {
          throw new Broken("a tool's answer without its call was sent to the model");
        }
        continue;
      }
      if (!open.isEmpty()) {
        throw new Broken("a tool call without an answer was sent to the model");
      }
      message.toolCalls().forEach(call -> open.add(call.id()));
    }
    if (!open.isEmpty()) {
      throw new Broken("a tool call without an answer was sent to the model");
    }
  }

  // ---- the tools, and the book of what they did

  private static String name(Effect effect) {
    return "tool_" + effect;
  }

  private final class Tools implements ToolCaller {
    private final Worker worker;

    Tools(Worker worker) {
      this.worker = worker;
    }

    @Override
    public Outcome call(ToolDefinition tool, Call call) {
      worker.border();
      if (fault(6)) {
        return new Outcome.Failed("connection_refused", "refused", false);
      }
      if (!worker.zombie && ended(call)) {
        throw new Broken("step %d has its result and runs again".formatted(call.step()));
      }
      if (fault(6)) {
        return new Outcome.Failed("timeout", "it never arrived", null);
      }
      boolean known =
          tool.name().equals(name(Effect.IDEMPOTENT)) && effects.containsKey(call.key());
      if (!known) {
        (worker.zombie ? lateEffects : effects).merge(call.key(), 1, Integer::sum);
      }
      worker.border();
      return fault(6)
          ? new Outcome.Failed("timeout", "its answer was lost", null)
          : new Outcome.Succeeded("did " + call.key());
    }

    @Override
    public Reconciled reconcile(ToolDefinition tool, Call call) {
      worker.border();
      if (fault(5)) {
        return new Reconciled.Unknown("it is away");
      }
      return effects.containsKey(call.key()) || lateEffects.containsKey(call.key())
          ? new Reconciled.Happened("did " + call.key())
          : new Reconciled.NeverHappened();
    }

    private boolean ended(ToolCaller.Call call) {
      journal();
      return ended.contains(call.step());
    }
  }

  // ---- persons

  private static final String RUN = "run_1";

  private RunStore direct() {
    return store.of(Long.MAX_VALUE);
  }

  private void say(String kind, @Nullable String about, String content) {
    direct()
        .post(RUN, kind, about, content.getBytes(StandardCharsets.UTF_8), "ann", time.instant());
  }

  /** Says something, whatever the run is doing. */
  private void person() {
    if (quiet || persons > 4) {
      return;
    }
    persons++;
    switch (random.nextInt(8)) {
      case 0 -> say("cancel", "cancel", "{}");
      case 1 -> say("pause", null, "{}");
      case 2, 3 -> say("resume", null, "{}");
      default -> say("message", null, "{\"text\":\"go on\"}");
    }
  }

  /** Does what a run that waits needs: resolves what is in doubt, resumes what is paused. */
  private void help() {
    var state = state();
    boolean helped = false;
    for (var step : state.steps().unfinished()) {
      int number = step.planned().step();
      if (step.doubt() != null) {
        int did = effects.getOrDefault(step.planned().key(), 0);
        say(
            "resolve",
            "resolve " + number,
            "{\"step\":%d,\"happened\":%b}".formatted(number, did > 0));
        helped = true;
      } else if (step.askedApproval()) {
        say("approve", Integer.toString(number), "{\"approved\":%b}".formatted(chance(70)));
        helped = true;
      }
    }
    if (state.paused() || !helped) {
      say("resume", null, "{}");
    }
  }

  // ---- the schedule

  private AgentDefinition agent() {
    var tools = new ArrayList<ToolDefinition>();
    for (var effect : Effect.values()) {
      tools.add(
          new ToolDefinition(
              name(effect),
              "A tool.",
              Tree.object().put("type", "object"),
              new ToolDefinition.Binding.Http("POST", "http://127.0.0.1:1/tool"),
              effect == Effect.UNSAFE ? unsafe : effect,
              effect == Effect.QUERYABLE ? "http://127.0.0.1:1/tool" : null,
              new ToolDefinition.CallPolicy(
                  5000,
                  ToolDefinition.Retry.DEFAULTS,
                  effect == Effect.UNSAFE && chance(20)
                      ? new ToolDefinition.Approval(true, null, 0)
                      : ToolDefinition.Approval.NEVER,
                  null)));
    }
    return new AgentDefinition(
        "helper",
        "assistant",
        "You help.",
        AgentDefinition.Limits.DEFAULTS,
        null,
        CallSettings.defaults(),
        tools);
  }

  /** Plays it to its end. */
  void play() {
    var agent = agent();
    var request =
        new JournalEntry.RunRequest("helper", "help me", List.of(), "", null, 0, Map.of(), null);
    var first = new JournalEntry.Accepted(agent, agent.hash(), request, List.of(), time.millis());
    direct()
        .accept(
            new RunStore.NewRun(
                new RunStore.Origin(RUN, "helper", "", null, null, 0),
                null,
                "h",
                RunSummary.first(List.of(first))),
            9,
            NOON,
            NOON.plusSeconds(1));
    while (true) {
      var run = done(direct().find(RUN)).getFirst();
      switch (run.status()) {
        case ENDED -> {
          check(run);
          return;
        }
        case PARKED -> {
          // Nobody disturbs what is left: the run has to end by itself now, or wait for a person.
          quiet |= workers > MOST_WORKERS / 2;
          help();
        }
        case QUEUED -> new Worker().work();
        case RUNNING -> throw new Broken("the run is leased, and no worker has it");
      }
      time.sleep(Duration.ofSeconds(1));
    }
  }

  private static <T> T done(CompletionStage<T> stage) {
    return stage.toCompletableFuture().join();
  }

  /** Each entry is read once: a journal only grows. */
  private List<JournalEntry> journal() {
    for (var stored : done(direct().read(RUN, journal.size(), 100_000))) {
      var entry = JournalJson.read(stored.entry());
      journal.add(entry);
      if (entry instanceof JournalEntry.StepEnded step) {
        ended.add(step.step());
      }
    }
    return journal;
  }

  private RunState state() {
    var state = new RunState();
    journal().forEach(state::apply);
    return state;
  }

  // ---- what must hold in the end

  private void check(RunStore.Run run) {
    journal();
    var once = new HashSet<Integer>();
    var taken = new HashSet<Long>();
    for (var entry : journal) {
      switch (entry) {
        case JournalEntry.StepEnded step when !once.add(step.step()) ->
            throw new Broken("step %d ended twice".formatted(step.step()));
        case JournalEntry.Decided decided when !taken.add(decided.number()) ->
            throw new Broken("message %d was taken twice".formatted(decided.number()));
        case JournalEntry.Ended _ when entry != journal.getLast() ->
            throw new Broken("the journal goes on behind the run's end");
        default -> {}
      }
    }
    if (!(journal.getLast() instanceof JournalEntry.Ended end)
        || !end.status().equals(run.outcome())) {
      throw new Broken("the run's outcome is not its journal's");
    }
    if (!RunSummary.of(journal).equals(RunSummary.of(run))) {
      throw new Broken("the run's summary is not its journal's");
    }
    if (modelCalls > 10 * (MOST_TURNS + MOST_FAULTS)) {
      throw new Broken("the model was asked %d times".formatted(modelCalls));
    }
    state().steps().all().forEach(this::check);
  }

  private void check(ToolStep step) {
    var planned = step.planned();
    int did = effects.getOrDefault(planned.key(), 0);
    int late = lateEffects.getOrDefault(planned.key(), 0);
    var what = "step %d of %s: ".formatted(planned.step(), planned.tool());
    if (planned.tool().equals(name(Effect.UNSAFE)) && did + late > 1) {
      throw new Broken(what + "its effect happened " + (did + late) + " times");
    }
    // A zombie's request is fenced by the tool, by its key; the store can do no more about it.
    if (planned.tool().equals(name(Effect.QUERYABLE)) && did > 1) {
      throw new Broken(what + "its effect happened " + did + " times");
    }
    var end = step.ended();
    if (end != null && end.ok() && did + late == 0) {
      throw new Broken(what + "it ended well, and its effect never happened");
    }
    if (end != null && end.ok() && !isResolved(end) && !end.result().endsWith(planned.key())) {
      throw new Broken(what + "it has the result of another call");
    }
  }

  private static boolean isResolved(JournalEntry.StepEnded end) {
    return end.result().startsWith("It ");
  }

  /** For a report of what went wrong. */
  List<JsonNode> told() {
    return journal().stream().map(entry -> Tree.read(JournalJson.write(entry))).toList();
  }
}
