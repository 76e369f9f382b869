package dev.mainstay.agent;

import dev.mainstay.agent.decide.NextAction;
import dev.mainstay.agent.decide.RunDecision;
import dev.mainstay.agent.journal.JournalEntry;
import dev.mainstay.agent.journal.RunState;
import dev.mainstay.agent.journal.ToolStep;
import dev.mainstay.ledger.run.RunStore;
import dev.mainstay.wire.json.Tree;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * Carries out what {@link RunDecision} decides for one leased run, until the run ends or waits.
 * Each step follows from the journal alone, so that any worker can take over at any point. Runs on
 * one thread; the tools of a turn as {@link Timing} has it.
 */
final class RunWorker {
  private final RunJournal journal;
  private final RunState state;
  private final RunContext context;
  private final BooleanSupplier stopping;
  private final TurnRunner turns;

  /**
   * @param stopping whether this process stops: the step under way is the last one then
   */
  RunWorker(RunJournal journal, RunContext context, BooleanSupplier stopping) {
    this.journal = journal;
    this.context = context;
    this.stopping = stopping;
    state = journal.state();
    turns = new TurnRunner(journal, context, stopping);
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
        case NextAction.CallModel call -> turns.run(call);
        case NextAction.RunSteps steps -> runTools(steps.steps());
        case NextAction.WaitForPerson _ -> {
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
    var filter = RunStore.Filter.ended("completed", client, join.session());
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

  // ---- tools

  /**
   * Runs tool calls, as many at once as the agent allows, and what can begin meanwhile: a step of a
   * plan once the last step that it needs has ended, a call once a person has approved it.
   */
  private void runTools(List<ToolStep> first) throws InterruptedException {
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
      StepRunner runner, ToolStep step, Set<Integer> underWay) {
    return () -> {
      try {
        return runner.run(step);
      } finally {
        underWay.remove(step.planned().step());
      }
    };
  }

  /** Steps that can begin beside those under way. */
  private List<ToolStep> more(Set<Integer> underWay) throws InterruptedException {
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
    for (var child : state.steps().openChildren()) {
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
    return state.steps().unfinished().stream()
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
    for (var step : state.steps().all()) {
      var tool = state.definition().tool(step.planned().tool());
      if (step.planned().step() == number && tool != null) {
        return tool.calls().priceNanos();
      }
    }
    return null;
  }
}
