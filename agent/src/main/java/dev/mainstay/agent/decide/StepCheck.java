package dev.mainstay.agent.decide;

import dev.mainstay.agent.journal.JournalEntry;
import dev.mainstay.agent.journal.RunState;
import dev.mainstay.agent.journal.ToolStep;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Which planned tool calls may not begin. The model is told why, as their result. */
final class StepCheck {
  private StepCheck() {}

  static List<JournalEntry.StepEnded> refusals(
      RunState state, List<ToolStep> unfinished, long now) {
    var refused = new ArrayList<JournalEntry.StepEnded>();
    int calls = state.usage().toolCalls();
    long nanos = state.usage().costNanos();
    for (var step : unfinished) {
      if (step.attempts() > 0 || step.doubt() != null) {
        continue;
      }
      var tool = state.definition().tool(step.planned().tool());
      var price = tool == null ? null : tool.calls().priceNanos();
      var why = refusal(state, step, calls, nanos + (price == null ? 0 : price));
      if (why != null) {
        refused.add(new JournalEntry.StepEnded(step.planned().step(), false, why, null, now));
      } else {
        calls++;
        nanos += price == null ? 0 : price;
      }
    }
    return refused;
  }

  private static @Nullable String refusal(RunState state, ToolStep step, int calls, long nanos) {
    var limits = state.limits();
    if (state.progress().isTaken(step.planned().tool())) {
      return "This tool was taken away: its calls brought nothing new. Go on without it.";
    }
    if (limits.toolCalls() != null && calls >= limits.toolCalls()) {
      return "Not called: the run may call tools %d times.".formatted(limits.toolCalls());
    }
    if (nanos > limits.costNanos()) {
      return "Not called: the run's budget of %s USD does not allow it."
          .formatted(LimitCheck.usd(limits.costNanos()));
    }
    return null;
  }
}
