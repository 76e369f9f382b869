package dev.mainstay.agent.journal;

import dev.mainstay.agent.journal.JournalEntry.ChildStarted;
import dev.mainstay.agent.journal.JournalEntry.StepEnded;
import dev.mainstay.agent.journal.JournalEntry.StepPlanned;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;

/** The tool calls of a run, folded from its journal by {@link RunState}. Not thread-safe. */
public final class ToolSteps {
  private final TreeMap<Integer, ToolStep> steps = new TreeMap<>();

  // ---- folding

  void planned(StepPlanned planned) {
    steps.put(planned.step(), new ToolStep(planned));
  }

  /** True where it is the step's first attempt. */
  boolean started(JournalEntry.StepStarted start) {
    var step = step(start.step());
    boolean first = step.attempts == 0;
    step.attempts = start.attempt();
    step.open = true;
    return first;
  }

  void failed(JournalEntry.StepFailed failed) {
    var step = step(failed.step());
    step.open = false;
    step.failure = failed;
  }

  /** The turn whose step has ended. */
  int ended(StepEnded done) {
    var step = step(done.step());
    step.open = false;
    step.doubt = null;
    step.ended = done;
    return step.planned().turn();
  }

  void skipped(JournalEntry.StepSkipped skip) {
    var step = step(skip.step());
    step.skipped = true;
    var words = "Skipped: it needs %s, which did not succeed.".formatted(skip.because());
    step.ended = new StepEnded(skip.step(), false, words, null, skip.at());
  }

  void asked(JournalEntry.ApprovalAsked asked) {
    step(asked.step()).askedApproval = true;
  }

  /** The first decision counts, whatever the store let through. */
  void decided(int number, boolean approved) {
    var step = steps.get(number);
    if (step != null && step.approved == null) {
      step.approved = approved;
    }
  }

  void kept(JournalEntry.ResultPart part) {
    step(part.step()).keptLength += part.text().length();
  }

  void childStarted(ChildStarted start) {
    var step = step(start.step());
    step.child = start;
    step.attempts = 1;
  }

  void doubted(JournalEntry.InDoubt doubt) {
    var step = step(doubt.step());
    step.open = false;
    step.doubt = doubt.evidence();
  }

  private ToolStep step(int number) {
    var step = steps.get(number);
    if (step == null) {
      throw new IllegalStateException(
          "the journal names step " + number + ", which it never planned");
    }
    return step;
  }

  // ---- reading

  /** All, in the order of their numbers. */
  public List<ToolStep> all() {
    return List.copyOf(steps.values());
  }

  /**
   * Those that the model called in that turn. From the newest back, since turns go up with the
   * numbers: a run of 10,000 steps is read without a look at all of them in each turn.
   */
  List<ToolStep> ofTurn(int turn) {
    return steps.descendingMap().values().stream()
        .takeWhile(step -> step.planned().turn() >= turn)
        .filter(step -> step.planned().turn() == turn)
        .toList()
        .reversed();
  }

  /** Those that have not ended. */
  public List<ToolStep> unfinished() {
    return steps.values().stream().filter(step -> step.ended() == null).toList();
  }

  /** Runs of sub-agents that have not ended, with what each may spend. */
  public List<ChildStarted> openChildren() {
    var open = new ArrayList<ChildStarted>();
    for (var step : steps.values()) {
      var child = step.child();
      if (step.ended() == null && child != null) {
        open.add(child);
      }
    }
    return open;
  }

  /** Whether a result is longer than its excerpt, so that there is something to page through. */
  public boolean hasKeptResults() {
    return steps.values().stream().anyMatch(step -> step.keptLength() > 0);
  }
}
