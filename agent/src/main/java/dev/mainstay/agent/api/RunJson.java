package dev.mainstay.agent.api;

import dev.mainstay.agent.journal.JournalEntry;
import dev.mainstay.agent.journal.JournalJson;
import dev.mainstay.agent.journal.RunState;
import dev.mainstay.ledger.run.RunStore;
import dev.mainstay.wire.json.Tree;
import java.math.BigDecimal;
import tools.jackson.databind.node.ObjectNode;

/** Runs and their journals as the API shows them. */
final class RunJson {
  private RunJson() {}

  /** A run of a list: what the store knows without reading the journal. */
  static ObjectNode summary(RunStore.Run run) {
    var json = Tree.object();
    json.put("run", run.id());
    json.put("agent", run.agent());
    json.put("client", run.client().isEmpty() ? null : run.client());
    json.put("parent", run.parent());
    json.put("session", run.session());
    json.put("priority", run.priority());
    json.put("status", status(run));
    json.put("accepted_at", run.acceptedAt().toString());
    json.put("ended_at", run.endedAt() == null ? null : run.endedAt().toString());
    return json;
  }

  private static String status(RunStore.Run run) {
    return switch (run.status()) {
      case QUEUED -> "queued";
      case RUNNING -> "running";
      case PARKED -> "waiting";
      case ENDED -> String.valueOf(run.outcome());
    };
  }

  /** A run with what its journal adds up to. */
  static ObjectNode whole(RunStore.Run run, RunState state) {
    var json = summary(run);
    if (run.status() == RunStore.Status.PARKED
        && state.unfinished().stream().anyMatch(step -> step.doubt() != null)) {
      json.put("status", "in_doubt");
    }
    var request = state.accepted().request();
    json.put("input", request.input());
    json.put("definition_hash", state.accepted().definitionHash());
    var end = state.ended();
    json.put("reason", end == null ? null : end.reason() + ": " + end.words());
    json.set("output", end == null ? null : end.output());
    json.put("turns", state.turns());
    json.put("steps", state.lastStep());
    json.put("attempts", state.modelAttempts());
    json.put("tokens", state.tokens());
    json.put("cost_usd", state.costUnknown() ? null : usd(state.costNanos()));
    var waiting = json.putArray("waits_for");
    for (var step : state.unfinished()) {
      if (step.doubt() != null) {
        waiting
            .addObject()
            .put("step", step.planned().step())
            .put("tool", step.planned().tool())
            .put("resolve", step.doubt());
      } else if (step.askedApproval() && step.approved() == null) {
        waiting
            .addObject()
            .put("step", step.planned().step())
            .put("tool", step.planned().tool())
            .set("approve", Tree.read(step.planned().arguments()));
      }
    }
    return json;
  }

  private static BigDecimal usd(long nanos) {
    return BigDecimal.valueOf(nanos, 9).stripTrailingZeros();
  }

  /** An event of the stream: the journal's entry, without what only the runtime needs. */
  static ObjectNode event(JournalEntry entry) {
    var json = (ObjectNode) Tree.read(JournalJson.write(entry));
    json.put("type", type(entry));
    if (entry instanceof JournalEntry.Accepted) {
      json.remove("definition");
      json.remove("history");
    }
    return json;
  }

  /** {@code run.ended} and the like for the run's own, the journal's kind for the rest. */
  static String type(JournalEntry entry) {
    return switch (entry) {
      case JournalEntry.Accepted _ -> "run.accepted";
      case JournalEntry.Ended _ -> "run.ended";
      default -> {
        var kind = JournalJson.kind(entry);
        int at = kind.indexOf('_');
        yield at < 0 ? kind : kind.substring(0, at) + "." + kind.substring(at + 1);
      }
    };
  }
}
