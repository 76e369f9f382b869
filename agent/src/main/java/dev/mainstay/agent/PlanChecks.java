package dev.mainstay.agent;

import dev.mainstay.agent.decide.OfferedTools;
import dev.mainstay.agent.journal.JournalEntry.PlanStep;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What makes a plan one that cannot be carried out. */
final class PlanChecks {
  /** Steps that a plan may have. */
  private static final int MOST_STEPS = 1000;

  private PlanChecks() {}

  /** The tool that stands for an agent of a plan; no name of a tool has a colon. */
  static String toolOf(PlanStep step) {
    return step.tool() == null ? "agent:" + step.agent() : step.tool();
  }

  /** The first mistake of {@code plan}, with its path; null where there is none. */
  static @Nullable String mistake(
      List<PlanStep> plan, AgentDefinition definition, Map<String, AgentDefinition> agents) {
    if (plan.size() > MOST_STEPS) {
      return "plan: %d steps; a plan has at most %d".formatted(plan.size(), MOST_STEPS);
    }
    var ids = new HashSet<String>();
    for (int i = 0; i < plan.size(); i++) {
      if (!ids.add(plan.get(i).id())) {
        return "plan[%d].id: \"%s\" is there twice".formatted(i, plan.get(i).id());
      }
    }
    for (int i = 0; i < plan.size(); i++) {
      var mistake = mistake(plan.get(i), ids, definition, agents);
      if (mistake != null) {
        return "plan[" + i + "]." + mistake;
      }
    }
    return cycle(plan);
  }

  private static @Nullable String mistake(
      PlanStep step,
      Set<String> ids,
      AgentDefinition definition,
      Map<String, AgentDefinition> agents) {
    if (step.agent() != null && !agents.containsKey(step.agent())) {
      return "agent: there is no agent named \"" + step.agent() + "\"";
    }
    // Which tools an MCP server has is known once the run has begun.
    boolean unknown =
        step.tool() != null
            && definition.tool(step.tool()) == null
            && (definition.mcp().isEmpty() || step.tool().equals(OfferedTools.READ_RESULT));
    if (unknown) {
      return "tool: the agent has no tool named \"" + step.tool() + "\"";
    }
    for (var need : step.needs()) {
      if (!ids.contains(need)) {
        return "needs: there is no step \"" + need + "\"";
      }
    }
    return null;
  }

  private static @Nullable String cycle(List<PlanStep> plan) {
    var left = new HashMap<String, PlanStep>();
    plan.forEach(step -> left.put(step.id(), step));
    boolean fewer = true;
    while (fewer) {
      fewer = left.values().removeIf(step -> step.needs().stream().noneMatch(left::containsKey));
    }
    for (int i = 0; i < plan.size(); i++) {
      if (left.containsKey(plan.get(i).id())) {
        return "plan[%d].needs: steps that need each other: %s"
            .formatted(i, String.join(", ", left.keySet().stream().sorted().toList()));
      }
    }
    return null;
  }
}
