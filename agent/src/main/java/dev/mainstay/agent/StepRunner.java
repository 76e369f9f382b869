package dev.mainstay.agent;

import dev.mainstay.agent.decide.OfferedTools;
import dev.mainstay.agent.journal.JournalEntry;
import dev.mainstay.agent.journal.ToolStep;
import dev.mainstay.agent.tool.ResultMemory;
import dev.mainstay.agent.tool.ToolCaller;
import dev.mainstay.agent.tool.ToolCaller.Outcome;
import dev.mainstay.agent.tool.ToolCaller.Reconciled;
import dev.mainstay.wire.json.Tree;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * Carries one tool call to its end, whatever happened to it before. The journal has its intent
 * before an attempt and its result after; between them its effect may have happened, and the tool's
 * effect class decides what that means.
 */
final class StepRunner {
  private static final Logger LOG = LoggerFactory.getLogger(StepRunner.class);

  /** What stops a step. */
  enum Result {
    ENDED,
    /** A person must decide, or the run of a sub-agent must end. */
    WAITS
  }

  private final RunJournal journal;
  private final ToolCaller tools;
  private final Timing timing;
  private final AgentDefinition definition;
  private final JournalEntry.@Nullable Forked forked;

  StepRunner(RunJournal journal, RunContext context, AgentDefinition definition) {
    this.journal = journal;
    this.tools = context.tools();
    this.timing = context.timing();
    this.definition = definition;
    forked = journal.state().forked();
  }

  Result run(ToolStep step) throws InterruptedException {
    var planned = step.planned();
    var tool = definition.tool(planned.tool());
    if (tool == null) {
      return planned.tool().equals(OfferedTools.READ_RESULT)
          ? end(step, KeptResults.read(journal, planned.arguments()), null)
          : end(step, new Ended(false, "There is no tool named " + planned.tool() + "."), null);
    }
    if (step.doubt() != null) {
      return Result.WAITS;
    }
    if (forked != null && !forked.effectsLive() && tool.effect() != ToolDefinition.Effect.READ) {
      return end(step, recorded(forked, planned), null);
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
      SubAgents.start(journal, step, agent.agent());
      return Result.WAITS;
    }
    try (var memory = ResultMemory.PROCESS.hold()) {
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

  /** A tool that changes the world is not called by a replay: it answers as it did, if it did. */
  private static Ended recorded(JournalEntry.Forked forked, JournalEntry.StepPlanned planned) {
    Ended found = null;
    for (var each : forked.recorded()) {
      boolean same =
          each.tool().equals(planned.tool()) && each.arguments().equals(planned.arguments());
      if (same && (found == null || each.step() == planned.step())) {
        found = new Ended(each.ok(), each.result());
      }
    }
    return found == null
        ? new Ended(
            false,
            "Mainstay did not call this tool: this run is a replay, in which tools that change the"
                + " world are disarmed, and the run it replays made no such call.")
        : found;
  }

  private Result attempts(ToolStep step, ToolDefinition tool, ToolCaller.Call call)
      throws InterruptedException {
    int most = tool.effect() == ToolDefinition.Effect.UNSAFE ? 1 : tool.calls().retry().attempts();
    double delay = tool.calls().retry().initialDelayMs();
    boolean mayHaveHappened = false;
    for (int attempt = step.attempts() + 1; ; attempt++) {
      journal.append(new JournalEntry.StepStarted(call.step(), attempt, journal.now()));
      switch (tools.call(tool, call)) {
        case Outcome.Succeeded done -> {
          return end(step, new Ended(true, done.result()), tool.calls().priceNanos());
        }
        case Outcome.Refused no -> {
          return end(step, new Ended(false, no.message()), tool.calls().priceNanos());
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
          int bound = Math.max(most, never ? tool.calls().retry().attempts() : 1);
          decided(tool, call, failed.kind(), attempt, bound, (long) delay);
          if (attempt >= bound) {
            var words = "The tool failed: %s, %s.".formatted(failed.kind(), failed.message());
            return end(
                step, new Ended(false, words), mayHaveHappened ? tool.calls().priceNanos() : null);
          }
        }
      }
      timing.sleep(Duration.ofMillis((long) delay));
      delay *= tool.calls().retry().factor();
    }
  }

  /** Logs what follows the failure of {@code attempt}; the tool's words may hold a prompt. */
  private void decided(
      ToolDefinition tool, ToolCaller.Call call, String kind, int attempt, int of, long waitMs) {
    boolean last = attempt >= of;
    LOG.atLevel(last ? Level.WARN : Level.INFO)
        .log(
            "{} step {} TRANSIENT/{} at {}: {}; {} after attempt {} of {}{}",
            journal.run(),
            call.step(),
            kind,
            tool.name(),
            kind.replace('_', ' '),
            last ? "give_up" : "retry",
            attempt,
            of,
            last ? "" : ", waiting " + waitMs + " ms");
  }

  /**
   * An attempt began, and whether its effect happened is unknown.
   *
   * @return null where another attempt may be made
   */
  private @Nullable Result afterUnknown(
      ToolStep step, ToolDefinition tool, ToolCaller.Call call, String evidence)
      throws InterruptedException {
    return switch (tool.effect()) {
      case READ, IDEMPOTENT -> null;
      case QUERYABLE ->
          switch (reconcile(tool, call)) {
            case Reconciled.Happened happened ->
                end(step, new Ended(true, happened.result()), tool.calls().priceNanos());
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
    double delay = tool.calls().retry().initialDelayMs();
    for (int attempt = 1; ; attempt++) {
      var said = tools.reconcile(tool, call);
      if (!(said instanceof Reconciled.Unknown) || attempt >= tool.calls().retry().attempts()) {
        LOG.info(
            "{} step {} at {}: the outcome was unknown; reconcile after attempt {} of {}: {}",
            journal.run(),
            call.step(),
            tool.name(),
            attempt,
            tool.calls().retry().attempts(),
            switch (said) {
              case Reconciled.Happened _ -> "it happened";
              case Reconciled.NeverHappened _ -> "it did not happen";
              case Reconciled.Unknown _ -> "still unknown";
            });
        return said;
      }
      timing.sleep(Duration.ofMillis((long) delay));
      delay *= tool.calls().retry().factor();
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

  private Result end(ToolStep step, Ended ended, @Nullable Long costNanos)
      throws InterruptedException {
    journal.append(KeptResults.entries(step.planned().step(), ended, costNanos, journal.now()));
    return Result.ENDED;
  }

  static boolean needsApproval(ToolDefinition tool, String arguments) {
    var approval = tool.calls().approval();
    if (approval.always() || approval.when() == null) {
      return approval.always();
    }
    var value = Tree.read(arguments).at(approval.when());
    // What is no number cannot be shown to be small: a person looks at it.
    return !value.isNumber() || value.asDouble() > approval.above();
  }
}
