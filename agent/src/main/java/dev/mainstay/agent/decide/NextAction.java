package dev.mainstay.agent.decide;

import dev.mainstay.agent.AgentDefinition;
import dev.mainstay.agent.journal.JournalEntry;
import dev.mainstay.agent.journal.ToolStep;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What a run does next. A worker carries it out and writes down what came of it. */
public sealed interface NextAction {

  /** Nothing: the run has ended. */
  record Nothing() implements NextAction {}

  /** Looks up the last completed run of the session, and appends what it finds. */
  record JoinSession(String session) implements NextAction {}

  /** Asks the agent's MCP servers for their tools, and appends what they say. */
  record ListTools(List<AgentDefinition.Mcp> servers) implements NextAction {}

  /**
   * Writes down which steps of the plan begin, with arguments from the results of others.
   *
   * @param skipped steps that do not, each with the step that it needs and that did not succeed
   */
  record PlanSteps(List<JournalEntry.PlanStep> ready, Map<JournalEntry.PlanStep, String> skipped)
      implements NextAction {}

  /** Writes down what was decided: a warning, a nudge, a refused step, a shorter conversation. */
  record Append(List<JournalEntry> entries) implements NextAction {
    Append(JournalEntry... entries) {
      this(List.of(entries));
    }
  }

  /**
   * Calls the model.
   *
   * @param attempt of the turn, from 1
   * @param why what made another attempt necessary, in words; null for the first
   * @param bounds what the attempt may use
   */
  record CallModel(int step, int turn, int attempt, @Nullable String why, Bounds bounds)
      implements NextAction {}

  /**
   * What is left of a turn's bounds and of the run's time.
   *
   * @param requests upstream requests, at least 1
   * @param restarts new attempts after a broken stream
   * @param deadlineMs at least 1
   */
  record Bounds(int requests, int restarts, long deadlineMs) {}

  /** Carries tool calls on, as many at once as the agent allows. */
  record RunSteps(List<ToolStep> steps) implements NextAction {}

  /** Waits for a person; no worker holds the run. */
  record WaitForPerson() implements NextAction {}

  /** Ends the run. */
  record End(JournalEntry.Ended end) implements NextAction {}
}
