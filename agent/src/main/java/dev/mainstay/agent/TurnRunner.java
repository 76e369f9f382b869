package dev.mainstay.agent;

import dev.mainstay.agent.decide.NextAction;
import dev.mainstay.agent.decide.TurnRequest;
import dev.mainstay.agent.journal.CallFailure;
import dev.mainstay.agent.journal.Digests;
import dev.mainstay.agent.journal.JournalEntry;
import dev.mainstay.agent.journal.JournalEntry.Used;
import dev.mainstay.agent.journal.RunState;
import dev.mainstay.engine.model.ModelEvent;
import dev.mainstay.engine.model.ModelOutcome;
import dev.mainstay.wire.json.Tree;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.function.BooleanSupplier;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;

/**
 * Makes the model calls of a run. The journal has each attempt before it starts, and its answer or
 * its failure after; the tool calls of an answer get their numbers and keys with it.
 */
final class TurnRunner {
  /** Characters of a broken answer that are kept as evidence. */
  private static final int MOST_PARTIAL = 64 << 10;

  private final RunJournal journal;
  private final RunState state;
  private final RunContext context;
  private final BooleanSupplier stopping;

  TurnRunner(RunJournal journal, RunContext context, BooleanSupplier stopping) {
    this.journal = journal;
    this.context = context;
    this.stopping = stopping;
    state = journal.state();
  }

  /** Makes one attempt of a turn, and writes down what came of it. */
  void run(NextAction.CallModel call) throws InterruptedException {
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
      switch (event) {
        case ModelEvent.Text more -> {
          anything = true;
          int room = MOST_PARTIAL - text.length();
          text.append(more.text(), 0, Math.clamp(more.text().length(), 0, Math.max(0, room)));
        }
        case ModelEvent.Reasoning _, ModelEvent.ToolCall _ -> anything = true;
        case ModelEvent.Usage _, ModelEvent.Ended _ -> {}
      }
    }
  }

  /** The engine takes no such request: what it names was configured when the run began. */
  private JournalEntry refused(NextAction.CallModel call, String why) {
    return new JournalEntry.TurnFailed(
        call.turn(),
        call.attempt(),
        new CallFailure("none", "FATAL", "invalid_request", why),
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
        new CallFailure(
            failed.evidence().callId(),
            failed.failureClass().name(),
            failed.kind().wireName(),
            failed.message()),
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
      if (!isReadable(call.arguments())) {
        // The repairs are off, and with them the check: no tool is called with a guess.
        entries.add(
            new JournalEntry.StepEnded(
                step, false, "Not called: the arguments are not JSON.", null, journal.now()));
      }
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

  private static boolean isReadable(String arguments) {
    try {
      return arguments.isBlank() || Tree.read(arguments).isObject();
    } catch (JacksonException e) {
      return false;
    }
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
}
