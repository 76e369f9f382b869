package dev.mainstay.agent;

import dev.mainstay.agent.journal.JournalEntry;
import dev.mainstay.agent.journal.RunState.Step;
import dev.mainstay.agent.tool.ResultMemory;
import dev.mainstay.agent.tool.Sleeper;
import dev.mainstay.agent.tool.ToolCaller;
import dev.mainstay.agent.tool.ToolCaller.Outcome;
import dev.mainstay.agent.tool.ToolCaller.Reconciled;
import dev.mainstay.wire.json.Tree;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Carries one tool call to its end, whatever happened to it before. The journal has its intent
 * before an attempt and its result after; between them its effect may have happened, and the tool's
 * effect class decides what that means.
 */
final class StepRunner {
  /** What stops a step. */
  enum Result {
    ENDED,
    /** A person must decide, or the run of a sub-agent must end. */
    WAITS
  }

  /**
   * What carries tool calls out, for every run of the process.
   *
   * @param memory bounds what results hold
   * @param sleeper waits between attempts
   */
  record Means(ToolCaller caller, ResultMemory memory, Sleeper sleeper) {}

  private final RunJournal journal;
  private final AgentDefinition definition;
  private final Means means;

  StepRunner(RunJournal journal, AgentDefinition definition, Means means) {
    this.journal = journal;
    this.definition = definition;
    this.means = means;
  }

  Result run(Step step) throws InterruptedException {
    var planned = step.planned();
    var tool = definition.tool(planned.tool());
    if (tool == null) {
      return planned.tool().equals(KeptResults.TOOL)
          ? end(step, KeptResults.read(journal, planned.arguments()), null)
          : end(step, new Ended(false, "There is no tool named " + planned.tool() + "."), null);
    }
    if (step.doubt() != null) {
      return Result.WAITS;
    }
    if (needsApproval(tool, planned.arguments())) {
      if (!step.askedApproval()) {
        journal.append(new JournalEntry.ApprovalAsked(planned.step(), journal.now()));
      }
      var approved = step.approved();
      if (approved == null) {
        return Result.WAITS;
      }
      if (!approved) {
        return end(step, new Ended(false, "A person refused this call."), null);
      }
    }
    if (tool.binding() instanceof ToolDefinition.Binding.SubAgent agent) {
      return runAgent(step, agent.agent());
    }
    try (var memory = means.memory().hold()) {
      var call =
          new ToolCaller.Call(
              definition.name(),
              journal.run(),
              planned.step(),
              planned.key(),
              planned.arguments(),
              memory);
      if (step.isOpen()) {
        var settled =
            afterUnknown(step, tool, call, "the process ended while the call was under way");
        if (settled != null) {
          return settled;
        }
      }
      return attempts(step, tool, call);
    }
  }

  private Result runAgent(Step step, AgentDefinition agent) throws InterruptedException {
    SubAgents.start(journal, step, agent);
    var child = step.child();
    var ending = child == null ? null : SubAgents.ending(journal.store(), child.run());
    if (ending == null) {
      return Result.WAITS;
    }
    return end(
        step,
        new Ended(ending.ok(), ending.text()),
        null,
        new JournalEntry.ChildEnded(
            step.planned().step(), ending.status(), ending.used(), journal.now()));
  }

  private Result attempts(Step step, ToolDefinition tool, ToolCaller.Call call)
      throws InterruptedException {
    int most = tool.effect() == ToolDefinition.Effect.UNSAFE ? 1 : tool.retry().attempts();
    double delay = tool.retry().initialDelayMs();
    boolean mayHaveHappened = false;
    for (int attempt = step.attempts() + 1; ; attempt++) {
      journal.append(new JournalEntry.StepStarted(call.step(), attempt, journal.now()));
      switch (means.caller().call(tool, call)) {
        case Outcome.Succeeded done -> {
          return end(step, new Ended(true, done.result()), tool.priceNanos());
        }
        case Outcome.Refused no -> {
          return end(step, new Ended(false, no.message()), tool.priceNanos());
        }
        case Outcome.Failed failed -> {
          boolean never = Boolean.FALSE.equals(failed.happened());
          if (!never) {
            mayHaveHappened = true;
            var settled = afterUnknown(step, tool, call, failed.kind() + ": " + failed.message());
            if (settled != null) {
              return settled;
            }
          }
          journal.append(
              new JournalEntry.StepFailed(
                  call.step(),
                  attempt,
                  failed.kind(),
                  failed.message(),
                  failed.happened(),
                  journal.now()));
          // A refused connection never happened and may be tried again whatever the class.
          if (attempt >= Math.max(most, never ? tool.retry().attempts() : 1)) {
            var words = "The tool failed: %s, %s.".formatted(failed.kind(), failed.message());
            return end(
                step, new Ended(false, words), mayHaveHappened ? tool.priceNanos() : null);
          }
        }
      }
      means.sleeper().sleep(Duration.ofMillis((long) delay));
      delay *= tool.retry().factor();
    }
  }

  /**
   * An attempt began, and whether its effect happened is unknown.
   *
   * @return null where another attempt may be made
   */
  private @Nullable Result afterUnknown(
      Step step, ToolDefinition tool, ToolCaller.Call call, String evidence)
      throws InterruptedException {
    return switch (tool.effect()) {
      case READ, IDEMPOTENT -> null;
      case QUERYABLE ->
          switch (reconcile(tool, call)) {
            case Reconciled.Happened happened ->
                end(step, new Ended(true, happened.result()), tool.priceNanos());
            case Reconciled.NeverHappened _ -> null;
            case Reconciled.Unknown unknown ->
                doubt(call, evidence + "; asked, the tool said: " + unknown.why());
          };
      case UNSAFE -> doubt(call, evidence);
    };
  }

  /** A question has no effect, so that it is asked as often as the tool's {@code retry} allows. */
  private Reconciled reconcile(ToolDefinition tool, ToolCaller.Call call)
      throws InterruptedException {
    double delay = tool.retry().initialDelayMs();
    for (int attempt = 1; ; attempt++) {
      var said = means.caller().reconcile(tool, call);
      if (!(said instanceof Reconciled.Unknown) || attempt >= tool.retry().attempts()) {
        return said;
      }
      means.sleeper().sleep(Duration.ofMillis((long) delay));
      delay *= tool.retry().factor();
    }
  }

  private Result doubt(ToolCaller.Call call, String evidence) throws InterruptedException {
    journal.append(new JournalEntry.InDoubt(call.step(), evidence, journal.now()));
    return Result.WAITS;
  }

  /**
   * How a step ended.
   *
   * @param result whole; the model sees an excerpt of a long one
   */
  record Ended(boolean ok, String result) {}

  private Result end(
      Step step, Ended ended, @Nullable Long costNanos, JournalEntry... before)
      throws InterruptedException {
    journal.append(KeptResults.entries(step.planned().step(), ended, costNanos, journal.now(), before));
    return Result.ENDED;
  }

  static boolean needsApproval(ToolDefinition tool, String arguments) {
    var approval = tool.approval();
    if (approval.always() || approval.when() == null) {
      return approval.always();
    }
    var value = Tree.read(arguments).at(approval.when());
    // What is no number cannot be shown to be small: a person looks at it.
    return !value.isNumber() || value.asDouble() > approval.above();
  }
}
