package dev.mainstay.agent;

import dev.mainstay.agent.decide.NextAction;
import dev.mainstay.agent.journal.JournalEntry;
import dev.mainstay.agent.journal.JournalEntry.PlanStep;
import dev.mainstay.agent.journal.JournalEntry.StepPlanned;
import dev.mainstay.agent.tool.ToolText;
import dev.mainstay.wire.json.Tree;
import java.util.ArrayList;
import java.util.Comparator;
import tools.jackson.databind.JsonNode;

/** Writes down which steps of a plan begin, with arguments taken from the results of others. */
final class PlanWorker {
  /** Steps of a plan belong to no turn. */
  private static final int NO_TURN = 0;

  /** In arguments: the id of the step whose result stands there. */
  static final String FROM = "$from";

  private final RunJournal journal;

  PlanWorker(RunJournal journal) {
    this.journal = journal;
  }

  /** The entries that {@code action} leads to. */
  JournalEntry[] entries(NextAction.PlanSteps action) throws InterruptedException {
    var entries = new ArrayList<JournalEntry>();
    int number = journal.state().lastStep();
    var all = new ArrayList<>(action.ready());
    all.addAll(action.skipped().keySet());
    var order = journal.state().accepted().request().plan();
    all.sort(Comparator.comparingInt(order::indexOf));
    for (var step : all) {
      number++;
      var lost = action.skipped().get(step);
      if (lost != null) {
        entries.add(planned(number, step, "{}"));
        entries.add(new JournalEntry.StepSkipped(number, lost, journal.now()));
        continue;
      }
      try {
        entries.add(planned(number, step, arguments(step)));
      } catch (NothingThereException e) {
        entries.add(planned(number, step, "{}"));
        entries.add(
            new JournalEntry.StepEnded(
                number, false, String.valueOf(e.getMessage()), null, journal.now()));
      }
    }
    return entries.toArray(JournalEntry[]::new);
  }

  private String arguments(PlanStep step) throws InterruptedException, NothingThereException {
    var given = step.arguments();
    return given == null ? "{}" : Tree.write(TurnRunner.sorted(filled(given)));
  }

  private StepPlanned planned(int number, PlanStep step, String arguments) {
    var tool = PlanChecks.toolOf(step);
    return new StepPlanned(
        number,
        NO_TURN,
        step.id(),
        tool,
        arguments,
        TurnRunner.key(journal.run(), number, tool, arguments));
  }

  private static final class NothingThereException extends Exception {
    private static final long serialVersionUID = 1;

    NothingThereException(String message) {
      super(message);
    }
  }

  private JsonNode filled(JsonNode arguments) throws InterruptedException, NothingThereException {
    if (arguments.isObject()) {
      if (arguments.path(FROM).isString()) {
        return taken(arguments.path(FROM).stringValue(), arguments.path("pointer").asString(""));
      }
      var copy = Tree.object();
      for (var field : arguments.properties()) {
        copy.set(field.getKey(), filled(field.getValue()));
      }
      return copy;
    }
    if (arguments.isArray()) {
      var copy = Tree.array();
      for (var element : arguments) {
        copy.add(filled(element));
      }
      return copy;
    }
    return arguments;
  }

  private JsonNode taken(String id, String pointer)
      throws InterruptedException, NothingThereException {
    for (var step : journal.state().steps().all()) {
      if (step.planned().toolCall().equals(id) && step.ended() != null) {
        var found = ToolText.json(KeptResults.whole(journal, step)).at(pointer);
        if (!found.isMissingNode()) {
          return found;
        }
      }
    }
    throw new NothingThereException(
        "Not called: the result of step %s has nothing at \"%s\".".formatted(id, pointer));
  }
}
