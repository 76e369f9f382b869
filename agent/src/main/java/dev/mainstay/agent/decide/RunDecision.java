package dev.mainstay.agent.decide;

import dev.mainstay.agent.journal.JournalEntry;
import dev.mainstay.agent.journal.JournalEntry.Nudged.Why;
import dev.mainstay.agent.journal.RunState;
import dev.mainstay.agent.journal.ToolStep;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Decides what a run does next. A pure function of the run's state and the time: any worker decides
 * the same from the same journal. The order of the questions is the order of the methods' calls in
 * {@link #next}: persons first, then what is under way, then the answer, the guards, the limits,
 * and last the model.
 */
public final class RunDecision {
  /** Workers that may die over a run, one after the other, with nothing done between them. */
  static final int MOST_BEGINNINGS = 20;

  private final RunState state;
  private final long now;

  private RunDecision(RunState state, long now) {
    this.state = state;
    this.now = now;
  }

  /**
   * What comes next, once every message of a person has been taken.
   *
   * @param now milliseconds since 1970
   */
  public static NextAction next(RunState state, long now) {
    return new RunDecision(state, now).next();
  }

  private NextAction next() {
    if (state.ended() != null) {
      return new NextAction.Nothing();
    }
    if (state.cancelled()) {
      return end("cancelled", "cancelled", "A person cancelled the run.");
    }
    if (state.beginnings() > MOST_BEGINNINGS) {
      return end(
          "dead_letter",
          "crashed",
          "%d workers in a row ended while they worked on step %d."
              .formatted(MOST_BEGINNINGS, state.lastStep()));
    }
    if (state.wakes() > 1) {
      return end(
          "failed",
          "stalled",
          "Step %d wrote nothing for the agent's stall of %d ms. Mainstay repeated it, and it wrote nothing again."
              .formatted(state.lastStep(), state.limits().stallMs()));
    }
    if (state.paused()) {
      return new NextAction.WaitForPerson();
    }
    var session = state.accepted().request().session();
    if (session != null && !state.sessionJoined()) {
      return new NextAction.JoinSession(session);
    }
    if (!state.toolsListed()) {
      return new NextAction.ListTools(state.definition().mcp());
    }
    boolean planned = !state.accepted().request().plan().isEmpty();
    var ready = planned ? PlanDecision.ready(state) : null;
    if (ready != null) {
      return ready;
    }
    if (!state.steps().unfinished().isEmpty()) {
      return steps(state.steps().unfinished());
    }
    if (planned) {
      return PlanDecision.end(state, now);
    }
    var answer = AnswerCheck.of(state, now);
    if (answer != null) {
      return answer;
    }
    var guarded = guarded();
    if (guarded != null) {
      return guarded;
    }
    return turn();
  }

  // ---- tool calls

  /**
   * What can begin beside the steps under way: entries to append, after which the question is asked
   * again, or steps to carry out. Nothing where they have to end first.
   *
   * @param underWay the numbers of steps that a worker carries out
   */
  public static NextAction beside(RunState state, long now, Set<Integer> underWay) {
    return new RunDecision(state, now).beside(underWay);
  }

  private NextAction beside(Set<Integer> underWay) {
    if (state.cancelled() || state.paused() || LimitCheck.last(state, now) != null) {
      return new NextAction.Nothing();
    }
    var ready = state.accepted().request().plan().isEmpty() ? null : PlanDecision.ready(state);
    if (ready != null) {
      return ready;
    }
    // What is under way counts too, though it was allowed already.
    var refused =
        StepCheck.refusals(state, state.steps().unfinished(), now).stream()
            .filter(each -> !underWay.contains(each.step()))
            .toList();
    if (!refused.isEmpty()) {
      return new NextAction.Append(List.copyOf(refused));
    }
    var more =
        state.steps().unfinished().stream()
            .filter(step -> !step.waits() && !underWay.contains(step.planned().step()))
            .toList();
    return more.isEmpty() ? new NextAction.Nothing() : new NextAction.RunSteps(more);
  }

  private NextAction steps(List<ToolStep> unfinished) {
    var begun = unfinished.stream().filter(step -> step.attempts() > 0).toList();
    var limit = LimitCheck.last(state, now);
    if (limit != null && begun.isEmpty()) {
      return end("failed", limit.reason(), limit.words());
    }
    var refused = StepCheck.refusals(state, unfinished, now);
    if (!refused.isEmpty()) {
      return new NextAction.Append(List.copyOf(refused));
    }
    var ready =
        (limit == null ? unfinished : begun).stream().filter(step -> !step.waits()).toList();
    return ready.isEmpty() ? new NextAction.WaitForPerson() : new NextAction.RunSteps(ready);
  }

  // ---- guards

  private @Nullable NextAction guarded() {
    var progress = state.progress();
    var tools = String.join(", ", progress.tools());
    return switch (progress.step()) {
      case GO_ON -> idle();
      case NUDGE ->
          nudge(
              Why.LOOP,
              "You have called %s several times with the same arguments and the same result. Do"
                      .formatted(tools)
                  + " something else, or give your answer.");
      case TAKE ->
          new NextAction.Append(
              new JournalEntry.ToolsTaken(progress.tools(), now),
              new JournalEntry.Nudged(
                  Why.LOOP,
                  "You went on calling %s without a new result. Mainstay refuses further calls of"
                          .formatted(tools)
                      + " it. Go on without it, or give your answer.",
                  now));
      case STOP ->
          end(
              "failed",
              "loop",
              "The model kept calling %s with the same arguments and the same result."
                  .formatted(tools));
    };
  }

  private @Nullable NextAction idle() {
    var progress = state.progress();
    int most = state.limits().noProgress();
    if (progress.idleTurns() >= 2 * most) {
      return end(
          "failed",
          "no-progress",
          "%d turns in a row brought no new result.".formatted(progress.idleTurns()));
    }
    if (progress.idleTurns() >= most && !progress.idleNudged()) {
      return nudge(
          Why.NO_PROGRESS,
          "Your last %d turns brought nothing new. Do something else, or give your answer."
              .formatted(progress.idleTurns()));
    }
    return null;
  }

  // ---- a turn

  private NextAction turn() {
    var failed = state.attempts().failure();
    if (failed != null) {
      var given = FailedTurn.decide(state, failed, now);
      if (given != null) {
        return given;
      }
    }
    var over = LimitCheck.reached(state, now);
    if (over != null) {
      return end("failed", over.reason(), over.words());
    }
    var warnings = LimitCheck.warnings(state, now);
    if (!warnings.isEmpty()) {
      return new NextAction.Append(new ArrayList<>(warnings));
    }
    var near = LimitCheck.near(state, now);
    if (near != null && !state.answers().isLast()) {
      return nudge(
          Why.LAST_ANSWER,
          "%s This is your last turn: give your answer now, without calling a tool."
              .formatted(near.words()));
    }
    return call(failed);
  }

  private NextAction call(JournalEntry.@Nullable TurnFailed failed) {
    var attempts = state.attempts();
    var policy = state.definition().recovery().policy();
    int most = policy.bounds().streamRestarts();
    var why =
        failed == null
            ? attempts.isOpen() ? "the process ended while the model was asked" : null
            : "restart %d of %d: %s"
                .formatted(attempts.restarts() + 1, most, FailedTurn.name(failed.failure()));
    return new NextAction.CallModel(
        state.lastStep() + 1,
        state.turns() + 1,
        attempts.number() + 1,
        why,
        new NextAction.Bounds(
            policy.maxAttempts() - attempts.requests(),
            Math.max(0, most - attempts.restarts() - (failed == null ? 0 : 1)),
            LimitCheck.leftMs(state, now)));
  }

  private NextAction nudge(Why why, String text) {
    return new NextAction.Append(new JournalEntry.Nudged(why, text, now));
  }

  private NextAction end(String status, String reason, String words) {
    return new NextAction.End(new JournalEntry.Ended(status, reason, words, null, now));
  }
}
