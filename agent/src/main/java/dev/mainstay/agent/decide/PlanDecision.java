package dev.mainstay.agent.decide;

import dev.mainstay.agent.journal.JournalEntry;
import dev.mainstay.agent.journal.JournalEntry.PlanStep;
import dev.mainstay.agent.journal.RunState;
import dev.mainstay.agent.journal.ToolStep;
import dev.mainstay.agent.tool.ToolText;
import dev.mainstay.wire.json.Tree;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What a run with a plan does next. Each step is finished once: it succeeds, fails, or is skipped
 * because a step that it needs did not succeed. The rest goes on.
 */
final class PlanDecision {
  private PlanDecision() {}

  /** The steps of the plan that can begin, or cannot any more; null where there are none. */
  static NextAction.@Nullable PlanSteps ready(RunState state) {
    var begun = begun(state);
    var ready = new ArrayList<PlanStep>();
    var skipped = new LinkedHashMap<PlanStep, String>();
    for (var planned : state.accepted().request().plan()) {
      if (begun.containsKey(planned.id())) {
        continue;
      }
      var lost = lost(planned, begun);
      if (lost != null) {
        skipped.put(planned, lost);
      } else if (planned.needs().stream().allMatch(need -> succeeded(begun.get(need)))) {
        ready.add(planned);
      }
    }
    return ready.isEmpty() && skipped.isEmpty() ? null : new NextAction.PlanSteps(ready, skipped);
  }

  private static Map<String, ToolStep> begun(RunState state) {
    var begun = new LinkedHashMap<String, ToolStep>();
    state.steps().all().forEach(step -> begun.put(step.planned().toolCall(), step));
    return begun;
  }

  private static boolean succeeded(@Nullable ToolStep step) {
    return step != null && step.ended() != null && step.ended().ok();
  }

  /** The first need that did not succeed, or null. */
  private static @Nullable String lost(PlanStep planned, Map<String, ToolStep> begun) {
    for (var need : planned.needs()) {
      var step = begun.get(need);
      if (step != null && step.ended() != null && !step.ended().ok()) {
        return need;
      }
    }
    return null;
  }

  /** How the run ends, once every step has. */
  static NextAction end(RunState state, long now) {
    var output = Tree.object();
    var failed = new ArrayList<String>();
    var skipped = new ArrayList<String>();
    for (var step : state.steps().all()) {
      var id = step.planned().toolCall();
      var ended = step.ended();
      if (ended == null) {
        continue;
      }
      if (ended.ok()) {
        output.set(id, ToolText.json(ended.result()));
      } else {
        (step.isSkipped() ? skipped : failed).add(id);
        output.putObject(id).put(step.isSkipped() ? "skipped" : "error", ended.result());
      }
    }
    int all = state.accepted().request().plan().size();
    if (failed.isEmpty() && skipped.isEmpty()) {
      var words = "All %d steps of the plan succeeded.".formatted(all);
      return new NextAction.End(
          new JournalEntry.Ended("completed", "answered", words, output, now));
    }
    var words =
        "%d of %d steps failed (%s)%s."
            .formatted(
                failed.size(),
                all,
                String.join(", ", failed),
                skipped.isEmpty() ? "" : ", skipped: " + String.join(", ", skipped));
    return new NextAction.End(new JournalEntry.Ended("failed", "tool-failed", words, output, now));
  }
}
