package dev.mainstay.agent;

import dev.mainstay.agent.decide.NextAction;
import dev.mainstay.agent.decide.RunDecision;
import dev.mainstay.agent.decide.TurnRequest;
import dev.mainstay.agent.journal.Digests;
import dev.mainstay.agent.journal.JournalEntry;
import dev.mainstay.agent.journal.JournalEntry.Used;
import dev.mainstay.agent.journal.RunState;
import dev.mainstay.engine.model.ModelEvent;
import dev.mainstay.engine.model.ModelOutcome;
import dev.mainstay.ledger.run.RunStore;
import dev.mainstay.wire.json.Tree;
import java.nio.charset.StandardCharsets;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;

/**
 * Carries out what {@link RunDecision} decides for one leased run, until the run ends or waits.
 * Each step follows from the journal alone, so that any worker can take over at any point. Runs on
 * one thread; the tools of a turn as {@link Timing} has it.
 */
final class RunWorker {
  /** Characters of a broken answer that are kept as evidence. */
  private static final int MOST_PARTIAL = 64 << 10;

  private final RunJournal journal;
  private final RunState state;
  private final RunContext context;
  private final BooleanSupplier stopping;

  /**
   * @param stopping whether this process stops: the step under way is the last one then
   */
  RunWorker(RunJournal journal, RunContext context, BooleanSupplier stopping) {
    this.journal = journal;
    this.context = context;
    this.stopping = stopping;
    state = journal.state();
  }

  /**
   * Carries the run on.
   *
   * @return true once the run has ended or waits; false where this process stops before
   */
  boolean run() throws InterruptedException {
    boolean look = true;
    while (!stopping.getAsBoolean()) {
      look |= takeMessages();
      if (look) {
        tellOfChildren();
        look = false;
      }
      switch (RunDecision.next(state, journal.now())) {
        case NextAction.Append append ->
            journal.append(append.entries().toArray(JournalEntry[]::new));
        case NextAction.JoinSession join -> journal.append(joined(join));
        case NextAction.ListTools list -> journal.append(listed(list));
        case NextAction.PlanSteps plan -> journal.append(new PlanWorker(journal).entries(plan));
        case NextAction.CallModel call -> callModel(call);
        case NextAction.RunSteps steps -> runTools(steps.steps());
        case NextAction.Park _ -> {
          journal.park(null);
          return true;
        }
        case NextAction.End end -> {
          journal.end(end.end());
          return true;
        }
        case NextAction.Nothing _ -> {
          return true;
        }
      }
    }
    return false;
  }

  /** A session goes on from its last run that was completed; failed ones leave nothing in it. */
  private JournalEntry joined(NextAction.JoinSession join) throws InterruptedException {
    var client = state.accepted().request().client();
    var filter =
        new RunStore.Filter(RunStore.Status.ENDED, "completed", null, client, null, join.session());
    var store = context.store();
    for (var last : RunJournal.result(store.list(RunStore.Query.newest(1, filter)))) {
      var history = new ArrayList<JsonNode>();
      RunJournal.state(store, last.id())
          .transcript()
          .forEach(message -> history.add(message.json()));
      return new JournalEntry.SessionJoined(last.id(), history, journal.now());
    }
    return new JournalEntry.SessionJoined(null, List.of(), journal.now());
  }

  private JournalEntry listed(NextAction.ListTools list) throws InterruptedException {
    var tools = new ArrayList<ToolDefinition>();
    var problems = new TreeMap<String, String>();
    for (var server : list.servers()) {
      var listed = context.tools().list(state.definition().name(), server);
      tools.addAll(listed.tools());
      if (listed.problem() != null) {
        problems.put(server.name(), listed.problem());
      }
    }
    return new JournalEntry.ToolsListed(tools, problems, journal.now());
  }

  // ---- a turn

  private void callModel(NextAction.CallModel call) throws InterruptedException {
    var request = TurnRequest.of(journal.run(), state, call);
    journal.append(
        new JournalEntry.TurnStarted(
            call.step(),
            call.turn(),
            call.attempt(),
            Digests.sha256(request.body()),
            call.why(),
            journal.now()));
    var heard = new Heard(journal.activity(), context.timing().clock());
    ModelOutcome outcome;
    try {
      outcome = context.models().call(request, heard::event);
    } catch (IllegalArgumentException e) {
      journal.append(refused(call, String.valueOf(e.getMessage())));
      return;
    }
    switch (outcome) {
      case ModelOutcome.Answered answered -> journal.append(entries(call.turn(), answered));
      case ModelOutcome.Failed failed -> {
        // A stop ends calls too. That is no failure of the turn: the next worker asks again.
        if (!stopping.getAsBoolean()) {
          journal.append(failed(call, failed, heard));
        }
      }
    }
  }

  /** What arrived of an answer. */
  private static final class Heard {
    private final RunActivity activity;
    private final InstantSource clock;
    boolean anything;
    final StringBuilder text = new StringBuilder();

    Heard(RunActivity activity, InstantSource clock) {
      this.activity = activity;
      this.clock = clock;
    }

    void event(ModelEvent event) {
      activity.beat(clock.millis());
      anything = true;
      if (event instanceof ModelEvent.Text more) {
        int room = MOST_PARTIAL - text.length();
        text.append(more.text(), 0, Math.clamp(more.text().length(), 0, Math.max(0, room)));
      }
    }
  }

  /** The engine takes no such request: what it names was configured when the run began. */
  private JournalEntry refused(NextAction.CallModel call, String why) {
    return new JournalEntry.TurnFailed(
        call.turn(),
        call.attempt(),
        new JournalEntry.CallFailure("none", "FATAL", "invalid_request", why),
        Used.NOTHING,
        false,
        0,
        "",
        journal.now());
  }

  private JournalEntry failed(NextAction.CallModel call, ModelOutcome.Failed failed, Heard heard) {
    return new JournalEntry.TurnFailed(
        call.turn(),
        call.attempt(),
        new JournalEntry.CallFailure(
            failed.evidence().callId(), failed.failureClass(), failed.kind(), failed.message()),
        used(failed.evidence()),
        heard.anything,
        restarts(failed.evidence()),
        heard.text.toString(),
        journal.now());
  }

  /** Attempts that broke in the middle and were followed by another one. */
  private static int restarts(ModelOutcome.Evidence evidence) {
    int all = evidence.attempts().size();
    return (int)
        evidence.attempts().stream()
            .limit(Math.max(0, all - 1))
            .filter(attempt -> attempt.verdict() != null && attempt.firstTokenAt() != null)
            .count();
  }

  private JournalEntry[] entries(int turn, ModelOutcome.Answered answered) {
    var entries = new ArrayList<JournalEntry>();
    entries.add(
        new JournalEntry.TurnEnded(
            turn,
            answered.evidence().callId(),
            answered.message().json(),
            answered.ending().name(),
            used(answered.evidence()),
            journal.now()));
    int step = state.lastStep();
    for (var call : answered.message().toolCalls()) {
      step++;
      var arguments = canonical(call.arguments());
      entries.add(
          new JournalEntry.StepPlanned(
              step,
              turn,
              call.id(),
              call.name(),
              arguments,
              key(journal.run(), step, call.name(), arguments)));
    }
    return entries.toArray(JournalEntry[]::new);
  }

  private static Used used(ModelOutcome.Evidence evidence) {
    var call = evidence.call();
    if (call == null) {
      return Used.NOTHING;
    }
    var tokens = call.tokens();
    // What brought no tokens failed before it cost anything.
    return tokens == null
        ? new Used(call.attempts(), 0, 0L)
        : new Used(call.attempts(), tokens.total(), call.costNanos());
  }

  /** Fixed before the model is asked again; the same whoever carries the step out. */
  static String key(String run, int step, String tool, String arguments) {
    return Digests.sha256(run + '\n' + step + '\n' + tool + '\n' + arguments).substring(0, 32);
  }

  /** Keys in order and no white space, so that equal arguments are equal text. */
  static String canonical(String arguments) {
    try {
      return Tree.write(sorted(Tree.read(arguments)));
    } catch (JacksonException e) {
      return "{}";
    }
  }

  static JsonNode sorted(JsonNode node) {
    if (node.isObject()) {
      var copy = Tree.object();
      node.propertyNames().stream()
          .sorted()
          .forEach(name -> copy.set(name, sorted(node.get(name))));
      return copy;
    }
    if (node.isArray()) {
      var copy = Tree.array();
      node.forEach(element -> copy.add(sorted(element)));
      return copy;
    }
    return node;
  }

  // ---- tools

  /**
   * Runs tool calls, as many at once as the agent allows, and what can begin meanwhile: a step of a
   * plan once the last step that it needs has ended, a call once a person has approved it.
   */
  private void runTools(List<RunState.Step> first) throws InterruptedException {
    var runner = new StepRunner(journal, context, state.definition());
    var underWay = ConcurrentHashMap.<Integer>newKeySet();
    var begun = new AtomicBoolean();
    context
        .timing()
        .all(
            () -> {
              synchronized (journal) {
                var steps = begun.getAndSet(true) ? more(underWay) : first;
                steps.forEach(step -> underWay.add(step.planned().step()));
                return steps.stream().map(step -> task(runner, step, underWay)).toList();
              }
            },
            state.limits().parallel());
  }

  private static Callable<StepRunner.Result> task(
      StepRunner runner, RunState.Step step, Set<Integer> underWay) {
    return () -> {
      try {
        return runner.run(step);
      } finally {
        underWay.remove(step.planned().step());
      }
    };
  }

  /** Steps that can begin beside those under way. */
  private List<RunState.Step> more(Set<Integer> underWay) throws InterruptedException {
    if (takeMessages()) {
      tellOfChildren();
    }
    while (!stopping.getAsBoolean()) {
      switch (RunDecision.beside(state, journal.now(), underWay)) {
        case NextAction.PlanSteps plan -> journal.append(new PlanWorker(journal).entries(plan));
        case NextAction.Append append ->
            journal.append(append.entries().toArray(JournalEntry[]::new));
        case NextAction.RunSteps steps -> {
          return steps.steps();
        }
        default -> {
          return List.of();
        }
      }
    }
    return List.of();
  }

  /** Ends the steps whose runs have ended. */
  private void tellOfChildren() throws InterruptedException {
    for (var child : state.openChildren()) {
      var ending = SubAgents.ending(journal.store(), child.run());
      if (ending != null) {
        journal.append(
            KeptResults.entries(
                child.step(),
                new StepRunner.Ended(ending.ok(), ending.text()),
                null,
                journal.now(),
                new JournalEntry.ChildEnded(
                    child.step(), ending.status(), ending.used(), journal.now())));
      }
    }
  }

  // ---- persons

  /** Takes what has come; true where the run of a sub-agent says that it has ended. */
  private boolean takeMessages() throws InterruptedException {
    boolean childEnded = false;
    for (var message : journal.messages()) {
      var content = Tree.read(new String(message.content(), StandardCharsets.UTF_8));
      var decided =
          new JournalEntry.Decided(
              message.number(),
              message.kind(),
              message.about(),
              content,
              message.by(),
              journal.now());
      if (message.kind().equals("resolve") && isInDoubt(content.path("step").asInt())) {
        journal.append(decided, resolved(content));
      } else {
        journal.append(decided);
      }
      childEnded |= message.kind().equals(RunJournal.CHILD_ENDED);
    }
    return childEnded;
  }

  private boolean isInDoubt(int step) {
    return state.unfinished().stream()
        .anyMatch(each -> each.planned().step() == step && each.doubt() != null);
  }

  private JournalEntry resolved(JsonNode content) {
    boolean happened = content.path("happened").asBoolean(false);
    var result = content.path("result");
    var text =
        !result.isMissingNode() && !result.isNull()
            ? result.isString() ? result.stringValue() : Tree.write(result)
            : happened ? "It happened." : "It did not happen.";
    int step = content.path("step").asInt();
    return new JournalEntry.StepEnded(
        step, happened, text, happened ? price(step) : null, journal.now());
  }

  private @Nullable Long price(int number) {
    for (var step : state.steps()) {
      var tool = state.definition().tool(step.planned().tool());
      if (step.planned().step() == number && tool != null) {
        return tool.priceNanos();
      }
    }
    return null;
  }
}
