package dev.mainstay.agent.api;

import dev.mainstay.agent.api.RunReader.Loaded;
import dev.mainstay.agent.journal.JournalEntry;
import dev.mainstay.agent.journal.JournalJson;
import dev.mainstay.agent.journal.RunState;
import dev.mainstay.agent.journal.RunSummary;
import dev.mainstay.agent.record.JournalSteps;
import dev.mainstay.agent.record.RunStep;
import dev.mainstay.ledger.run.RunStore;
import dev.mainstay.wire.json.Tree;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** Runs and their journals as the API shows them. */
final class RunJson {
  private RunJson() {}

  /** A run of a list: all but its contents. */
  static ObjectNode summary(RunStore.Run run, RunSummary summary) {
    var about = summary.about();
    var used = summary.used();
    var origin = run.origin();
    var json = Tree.object();
    json.put("run", run.id());
    json.put("kind", "agent");
    json.put("agent", origin.agent());
    json.put("client", origin.client().isEmpty() ? null : origin.client());
    json.put("parent", origin.parent());
    json.put("session", origin.session());
    json.put("priority", origin.priority());
    var labels = json.putObject("labels");
    about.labels().forEach(labels::put);
    json.put("status", status(run, summary));
    json.put("reason", summary.reason());
    json.put("definition_hash", about.definitionHash());
    json.put("replay_of", about.replayOf());
    json.put("accepted_at", run.acceptedAt().toString());
    json.put("ended_at", run.endedAt() == null ? null : run.endedAt().toString());
    json.put("turns", summary.turns());
    json.put("steps", summary.steps());
    json.put("attempts", used.attempts());
    json.put("tokens", used.tokens());
    json.put("cost_usd", used.costUnknown() ? null : RunStep.usd(used.costNanos()));
    json.put("total_ms", totalMs(run.acceptedAt(), run.endedAt()));
    return json;
  }

  /**
   * From acceptance to the end, or null while the run goes on. Two gateways may have said when: 0
   * where the clock of the second is behind.
   */
  static @Nullable Long totalMs(Instant acceptedAt, @Nullable Instant endedAt) {
    return endedAt == null
        ? null
        : (Long) Math.max(0, Duration.between(acceptedAt, endedAt).toMillis());
  }

  /** The status without a look at the journal. */
  static String status(RunStore.Run run) {
    return switch (run.status()) {
      case QUEUED -> "queued";
      case RUNNING -> "running";
      case PARKED -> "waiting";
      case ENDED -> String.valueOf(run.outcome());
    };
  }

  private static String status(RunStore.Run run, RunSummary summary) {
    return run.status() == RunStore.Status.PARKED && !summary.inDoubt().isEmpty()
        ? "in_doubt"
        : status(run);
  }

  /** A run with what its journal adds up to. */
  static ObjectNode whole(Loaded loaded) {
    var state = loaded.state();
    var json = summary(loaded.run(), state.summary());
    json.put("input", state.isPurged() ? null : state.accepted().request().input());
    json.put("bodies_missing", state.isPurged());
    var end = state.ended();
    json.set("output", end == null ? null : end.output());
    json.set("failure", failure(loaded));
    json.set("waits_for", waitsFor(state));
    json.put("paused", state.paused() && state.ended() == null);
    var transcript = json.putArray("transcript");
    state.transcript().forEach(message -> transcript.add(message.json()));
    var tools = json.putArray("tool_calls");
    for (var step : JournalSteps.of(loaded.entries())) {
      if (step.kind() == RunStep.Kind.TOOL) {
        tools.add(step.json());
      }
    }
    return json;
  }

  /** What decided that a run failed: its last failure, or null. */
  private static @Nullable ObjectNode failure(Loaded loaded) {
    var end = loaded.state().ended();
    if (end == null || end.status().equals("completed") || end.status().equals("cancelled")) {
      return null;
    }
    var json = Tree.object().putNull("call");
    int step = loaded.state().lastStep();
    int begun = 0;
    boolean ofModel = false;
    for (var entry : loaded.entries()) {
      switch (entry) {
        case JournalEntry.TurnStarted start -> begun = start.step();
        case JournalEntry.TurnFailed failed -> {
          step = begun;
          ofModel = true;
          json.put("call", failed.failure().callId());
          json.put("class", failed.failure().failureClass());
          json.put("kind", failed.failure().kind());
          json.put("message", failed.failure().message());
        }
        case JournalEntry.TurnEnded turn -> {
          step = begun;
          ofModel = false;
          json.removeAll().put("call", turn.callId());
        }
        default -> {}
      }
    }
    if (!ofModel) {
      json.put("message", end.words());
      boolean ofTool = end.reason().equals("tool-failed");
      for (var each : loaded.state().steps().all()) {
        var ended = each.ended();
        if (ofTool && ended != null && !ended.ok() && !each.isSkipped()) {
          step = ended.step();
          json.put("tool", each.planned().tool());
          json.put("message", ended.result());
        }
      }
    }
    json.put("step", step);
    return json;
  }

  private static ArrayNode waitsFor(RunState state) {
    var waiting = Tree.array();
    for (var step : state.steps().unfinished()) {
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
    return waiting;
  }

  /** What only the runtime needs. */
  private static final Map<Class<?>, List<String>> HIDDEN =
      Map.of(
          JournalEntry.Accepted.class,
          List.of("definition", "history"),
          JournalEntry.Forked.class,
          List.of("recorded"));

  /** Whether a component of an entry is not shown. */
  static boolean isHidden(String component, Class<?> entry) {
    return HIDDEN.getOrDefault(entry, List.of()).contains(component);
  }

  /** An event of the stream: the journal's entry, without what only the runtime needs. */
  static ObjectNode event(JournalEntry entry) {
    var stored = (ObjectNode) Tree.read(JournalJson.write(entry));
    stored.remove(HIDDEN.getOrDefault(entry.getClass(), List.of()));
    var json = Tree.object().put("type", type(entry.getClass()));
    stored.properties().forEach(each -> shown(json, each.getKey(), each.getValue()));
    return json;
  }

  /** Fields whose names inside are not ours: they are shown as they are. */
  private static final Set<String> SAID =
      Set.of(
          "message",
          "messages",
          "content",
          "output",
          "arguments",
          "labels",
          "parameters",
          "problems");

  /** The API's names: snake case, times in ISO 8601, money in dollars. */
  private static void shown(ObjectNode to, String name, JsonNode value) {
    if (SAID.contains(name)) {
      to.set(name, value);
    } else if (name.equals("at")) {
      to.put("at", Instant.ofEpochMilli(value.asLong()).toString());
    } else if (name.equals("costNanos")) {
      to.put(name(name), RunStep.usd(value.isNull() ? null : (Long) value.asLong()));
    } else if (value.isObject()) {
      var object = to.putObject(name(name));
      value.properties().forEach(each -> shown(object, each.getKey(), each.getValue()));
    } else if (value.isArray()) {
      var array = to.putArray(name(name));
      for (var element : value) {
        if (element.isObject()) {
          var object = array.addObject();
          element.properties().forEach(each -> shown(object, each.getKey(), each.getValue()));
        } else {
          array.add(element);
        }
      }
    } else {
      to.set(name(name), value);
    }
  }

  /** The API's name of an entry's component. */
  static String name(String component) {
    return component.equals("costNanos")
        ? "cost_usd"
        : component.replaceAll("([A-Z])", "_$1").toLowerCase(Locale.ROOT);
  }

  /** {@code run.ended} and the like for the run's own, the journal's kind for the rest. */
  static String type(Class<?> entry) {
    if (entry == JournalEntry.Accepted.class || entry == JournalEntry.Ended.class) {
      return "run." + JournalJson.kind(entry);
    }
    return JournalJson.kind(entry).replaceFirst("_", ".");
  }
}
