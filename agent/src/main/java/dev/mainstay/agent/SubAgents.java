package dev.mainstay.agent;

import dev.mainstay.agent.journal.JournalEntry;
import dev.mainstay.agent.journal.JournalEntry.ChildStarted;
import dev.mainstay.agent.journal.JournalEntry.Used;
import dev.mainstay.agent.journal.JournalJson;
import dev.mainstay.agent.journal.RunState;
import dev.mainstay.agent.journal.RunSummary;
import dev.mainstay.agent.journal.ToolStep;
import dev.mainstay.ledger.run.RunStore;
import dev.mainstay.wire.json.Tree;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * Agents as tools of other agents. A step starts a run of its own, whose id follows from the step's
 * key: however often the step begins, there is one run. Its budget is a part of what the parent has
 * left. The parent gives its worker back and waits; the child's end wakes it.
 */
final class SubAgents {
  private static final int PAGE = 100;
  private static final Duration KEY_KEPT = Duration.ofDays(30);

  /** What a parent keeps of its budget for its own last answer: one part of so many. */
  private static final int RESERVE = 10;

  private SubAgents() {}

  /**
   * An agent as a tool.
   *
   * @param parameters null for one text, {@code input}
   */
  static ToolDefinition tool(
      String name,
      String description,
      @Nullable JsonNode parameters,
      AgentDefinition agent,
      ToolDefinition.Approval approval) {
    return new ToolDefinition(
        name,
        description,
        parameters == null ? oneText() : parameters,
        new ToolDefinition.Binding.SubAgent(agent),
        ToolDefinition.Effect.IDEMPOTENT,
        null,
        new ToolDefinition.CallPolicy(
            agent.limits().deadlineMs(), ToolDefinition.Retry.DEFAULTS, approval, null));
  }

  private static JsonNode oneText() {
    var schema = Tree.object().put("type", "object");
    schema.putObject("properties").putObject("input").put("type", "string");
    schema.putArray("required").add("input");
    return schema;
  }

  /** Starts the run of {@code step}, where it was not started before. */
  static void start(RunJournal journal, ToolStep step, AgentDefinition agent)
      throws InterruptedException {
    var started = step.child();
    if (started == null) {
      started = journal.startChild(step);
    }
    var parent = journal.state().accepted().request();
    var planned = step.planned();
    var granted = agent.with(agent.limits().within(started.costNanos(), started.tokens()));
    var request =
        new JournalEntry.RunRequest(
            agent.name(),
            input(planned.arguments()),
            List.of(),
            parent.client(),
            null,
            parent.priority(),
            Map.of(),
            null);
    var first = new JournalEntry.Accepted(granted, agent.hash(), request, List.of(), journal.now());
    var now = Instant.ofEpochMilli(journal.now());
    RunJournal.result(
        journal
            .store()
            .accept(
                new RunStore.NewRun(
                    new RunStore.Origin(
                        started.run(),
                        agent.name(),
                        parent.client(),
                        journal.run(),
                        null,
                        parent.priority()),
                    "step " + planned.key(),
                    planned.key(),
                    RunSummary.first(
                        List.of(first, new JournalEntry.StartedBy(journal.run(), planned.step())))),
                // The parent was accepted within the bound, and what it starts is bounded by it.
                Integer.MAX_VALUE,
                now,
                now.plus(KEY_KEPT)));
  }

  /** A share of what the run has left, the same for each step that is about to start a run. */
  static ChildStarted grant(RunState state, String run, ToolStep step, long now) {
    var limits = state.limits();
    long nanos = (limits.costNanos() - state.usage().costNanos()) / RESERVE * (RESERVE - 1);
    long tokens = (limits.tokens() - state.usage().tokens()) / RESERVE * (RESERVE - 1);
    for (var open : state.steps().openChildren()) {
      nanos -= open.costNanos();
      tokens -= open.tokens();
    }
    long sharers =
        state.steps().unfinished().stream()
            .filter(each -> each.child() == null && isAgent(state, each))
            .count();
    return new ChildStarted(
        step.planned().step(),
        id(run, step.planned().key()),
        Math.max(0, nanos) / Math.max(1, sharers),
        Math.max(0, tokens) / Math.max(1, sharers),
        now);
  }

  private static boolean isAgent(RunState state, ToolStep step) {
    var tool = state.definition().tool(step.planned().tool());
    return tool != null && tool.binding() instanceof ToolDefinition.Binding.SubAgent;
  }

  /** The parent's time and the step's key: ids sort by time, and this one is the step's own. */
  private static String id(String parent, String key) {
    int time = parent.indexOf('_') + 1 + 10;
    return parent.substring(0, Math.min(time, parent.length())) + key.substring(0, 16);
  }

  private static String input(String arguments) {
    var json = Tree.read(arguments);
    return json.size() == 1 && json.path("input").isString()
        ? json.path("input").stringValue()
        : arguments;
  }

  /**
   * How a run ended.
   *
   * @param text what the model is told
   */
  record Ending(boolean ok, String status, String text, Used used) {}

  /** How the run of a sub-agent ended, or null while it has not. */
  static @Nullable Ending ending(RunStore store, String run) throws InterruptedException {
    var found = RunJournal.result(store.find(run));
    if (found.isEmpty() || found.getFirst().status() != RunStore.Status.ENDED) {
      return null;
    }
    var state = new RunState();
    for (long after = 0; after < found.getFirst().entries(); ) {
      for (var stored : RunJournal.result(store.read(run, after, PAGE))) {
        state.apply(JournalJson.read(stored.entry()));
        after = stored.sequence();
      }
    }
    var end = state.ended();
    if (end == null) {
      return null;
    }
    var used =
        new Used(
            state.usage().modelAttempts(),
            state.usage().tokens(),
            state.usage().costUnknown() ? null : (Long) state.usage().costNanos());
    boolean ok = end.status().equals("completed");
    var output = end.output();
    var text =
        !ok || output == null
            ? "The agent did not finish. %s: %s".formatted(end.reason(), end.words())
            : output.isString() ? output.stringValue() : Tree.write(output);
    return new Ending(ok, end.status(), text, used);
  }
}
