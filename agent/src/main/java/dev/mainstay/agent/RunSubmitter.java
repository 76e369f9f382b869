package dev.mainstay.agent;

import dev.mainstay.agent.journal.JournalEntry;
import dev.mainstay.agent.journal.RunSummary;
import dev.mainstay.agent.replay.Fork;
import dev.mainstay.ledger.run.RunStore;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Accepts runs: checks what is asked for, and writes the first entries. Thread-safe. */
public final class RunSubmitter {
  /** How long an idempotency key of a run is remembered. */
  private static final Duration KEY_KEPT = Duration.ofDays(30);

  private final RunContext context;
  private final RunStore store;
  private final Supplier<Map<String, AgentDefinition>> agents;
  private final Supplier<String> newId;
  private final int mostQueued;

  RunSubmitter(
      RunContext context,
      Supplier<Map<String, AgentDefinition>> agents,
      Supplier<String> newId,
      int mostQueued) {
    this.context = context;
    store = context.store();
    this.agents = agents;
    this.newId = newId;
    this.mostQueued = mostQueued;
  }

  /**
   * Accepts a run.
   *
   * @param key the idempotency key, or null
   * @param bodyHash identifies the request
   */
  CompletionStage<Submitted> submit(
      JournalEntry.RunRequest request, @Nullable String key, String bodyHash) {
    var known = agents.get();
    var definition = known.get(request.agent());
    if (definition == null) {
      return CompletableFuture.completedStage(
          new Submitted.NoAgent(known.keySet().stream().sorted().toList()));
    }
    var mistake = PlanChecks.mistake(request.plan(), definition, known);
    if (mistake != null) {
      return CompletableFuture.completedStage(new Submitted.NoPlan(mistake));
    }
    definition = definition.with(agentsOf(request.plan(), known));
    var now = context.timing().clock().instant();
    var id = newId.get();
    var first =
        new JournalEntry.Accepted(
            definition, definition.hash(), request, List.of(), now.toEpochMilli());
    return accept(id, first, List.of(first), key, bodyHash, now);
  }

  /** The journal of a run to be, made once its id is known. */
  @FunctionalInterface
  public interface NewJournal {
    /**
     * @param now milliseconds since 1970
     */
    Fork.Journal of(String id, long now);
  }

  /** An id for a run to be. */
  String newId() {
    return newId.get();
  }

  /**
   * Accepts a run that goes on from a journal: a replay.
   *
   * @param id of {@link #newId}
   * @param key the idempotency key, or null
   * @param bodyHash identifies the request
   */
  CompletionStage<Submitted> submit(
      String id, NewJournal begin, @Nullable String key, String bodyHash) {
    var now = context.timing().clock().instant();
    var journal = begin.of(id, now.toEpochMilli());
    return accept(id, journal.accepted(), journal.entries(), key, bodyHash, now);
  }

  private CompletionStage<Submitted> accept(
      String id,
      JournalEntry.Accepted accepted,
      List<JournalEntry> first,
      @Nullable String key,
      String bodyHash,
      Instant now) {
    var request = accepted.request();
    return store
        .accept(
            new RunStore.NewRun(
                new RunStore.Origin(
                    id,
                    request.agent(),
                    request.client(),
                    null,
                    request.session(),
                    request.priority()),
                key,
                bodyHash,
                RunSummary.first(first)),
            mostQueued,
            now,
            now.plus(KEY_KEPT))
        .thenApply(
            taken ->
                switch (taken) {
                  case RunStore.Accepted.Fresh _ -> new Submitted.Accepted(id, true);
                  case RunStore.Accepted.Known before ->
                      new Submitted.Accepted(before.run(), false);
                  case RunStore.Accepted.OtherRequest _ -> new Submitted.OtherRequest();
                  case RunStore.Accepted.Full full -> new Submitted.Full(full.queued());
                });
  }

  /** The agents of a plan as tools, so that they are pinned in the run too. */
  private static List<ToolDefinition> agentsOf(
      List<JournalEntry.PlanStep> plan, Map<String, AgentDefinition> known) {
    var tools = new ArrayList<ToolDefinition>();
    for (var step : plan) {
      var agent = step.agent() == null ? null : known.get(step.agent());
      if (agent != null) {
        tools.add(
            SubAgents.tool(
                PlanChecks.toolOf(step), "", null, agent, ToolDefinition.Approval.NEVER));
      }
    }
    return tools;
  }
}
