package dev.mainstay.agent.api;

import static dev.mainstay.agent.api.Reply.join;

import dev.mainstay.agent.AgentRuntime;
import dev.mainstay.agent.api.Reply.Refused;
import dev.mainstay.agent.journal.LimitExtension;
import dev.mainstay.agent.journal.ToolStep;
import dev.mainstay.http.Routes.Caller;
import dev.mainstay.ledger.run.RunStore;
import dev.mainstay.ledger.run.RunStore.Message;
import dev.mainstay.ledger.run.RunStore.Posted;
import dev.mainstay.ledger.run.RunStore.Run;
import dev.mainstay.wire.json.Tree;
import java.nio.charset.StandardCharsets;
import java.time.InstantSource;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * What a person says to a run. Each matter is decided once, by however many callers: the second is
 * told what was decided first. Blocks on the store. Thread-safe.
 */
final class RunDecisions {
  static final Set<String> KINDS =
      Set.of("cancel", "pause", "resume", "approve", "resolve", "extend", "message");

  /** Messages of one run that are looked at. */
  private static final int MOST = 10_000;

  private final AgentRuntime runtime;
  private final RunReader own;
  private final RunStore store;
  private final InstantSource clock;

  RunDecisions(AgentRuntime runtime, RunReader own, RunStore store, InstantSource clock) {
    this.runtime = runtime;
    this.own = own;
    this.store = store;
    this.clock = clock;
  }

  boolean takes(String kind) {
    return KINDS.contains(kind);
  }

  /**
   * @param key the idempotency key, or null; under one key a message or an extension is taken once
   */
  Reply decide(Run run, String kind, byte[] body, @Nullable String key, Caller caller) {
    var json = Reply.object(body);
    var problem = kind.equals("extend") ? LimitExtension.problem(json) : null;
    if (problem != null) {
      throw new Refused(400, "invalid_budget", problem);
    }
    if (run.status() == RunStore.Status.ENDED) {
      throw decidedOrEnded(run, about(run, kind, json, key));
    }
    var about = about(run, kind, json, key);
    var by = caller.client() == null ? "operator" : caller.client();
    var content = Tree.write(json).getBytes(StandardCharsets.UTF_8);
    var posted =
        kind.equals("cancel")
            ? runtime.cancel(run.id(), content, by)
            : store.post(run.id(), kind, about, content, by, clock.instant());
    return switch (join(posted)) {
      case Posted.Taken taken ->
          new Reply(202, Tree.object().put("run", run.id()).put("number", taken.number()));
      case Posted.DecidedBefore before -> throw decidedBefore(before.decision());
      case Posted.NoRun _ -> throw decidedOrEnded(run, about);
    };
  }

  /** The matter that is decided: a run has one decision about each. Null for none. */
  private @Nullable String about(Run run, String kind, JsonNode json, @Nullable String key) {
    return switch (kind) {
      case "approve", "resolve" -> step(run, kind, json.path("step").asInt());
      case "pause", "resume" -> pause(run, kind);
      case "cancel" -> kind;
      default -> key == null ? null : kind + ":" + key;
    };
  }

  private String step(Run run, String kind, int number) {
    boolean approve = kind.equals("approve");
    var about = approve ? Integer.toString(number) : "resolve:" + number;
    for (var step : own.load(run).state().steps().all()) {
      if (step.planned().step() == number) {
        if (waits(step, approve)) {
          return about;
        }
        break;
      }
    }
    var first = first(run, about);
    if (first != null) {
      throw decidedBefore(first);
    }
    throw new Refused(
        409,
        "not_waiting",
        "Step %d waits for no %s.".formatted(number, approve ? "approval" : "resolution"));
  }

  private static boolean waits(ToolStep step, boolean approve) {
    return step.ended() == null
        && (approve ? step.askedApproval() && step.approved() == null : step.doubt() != null);
  }

  /** The n-th pause is one matter, and its end another. */
  private String pause(Run run, String kind) {
    var turns =
        messages(run).stream()
            .filter(each -> each.kind().equals("pause") || each.kind().equals("resume"))
            .toList();
    var last = turns.isEmpty() ? null : turns.getLast();
    if (last == null && kind.equals("resume")) {
      throw new Refused(409, "not_paused", "The run is not paused.");
    }
    if (last != null && last.kind().equals(kind)) {
      throw decidedBefore(last);
    }
    return kind + ":" + turns.size();
  }

  private List<Message> messages(Run run) {
    return join(store.messages(run.id(), 0, MOST));
  }

  private @Nullable Message first(Run run, String about) {
    return messages(run).stream()
        .filter(each -> about.equals(each.about()))
        .findFirst()
        .orElse(null);
  }

  static Refused decidedBefore(Message first) {
    return new Refused(
        409,
        "decided_before",
        "%s already decided this at %s.".formatted(first.by(), first.at()),
        decision(first));
  }

  private static ObjectNode decision(Message first) {
    var decided = Tree.object();
    decided.put("kind", first.kind());
    decided.put("by", first.by());
    decided.put("at", first.at().toString());
    var content = first.content();
    decided.set("content", Tree.read(content, 0, content.length));
    return decided;
  }

  private Refused decidedOrEnded(Run run, @Nullable String about) {
    var first = about == null ? null : first(run, about);
    if (first != null) {
      return decidedBefore(first);
    }
    var found = own.find(run.id());
    var status = found == null ? "deleted" : RunJson.status(found);
    return new Refused(
        409,
        "run_ended",
        "The run %s has ended: %s.".formatted(run.id(), status),
        Tree.object().put("status", status));
  }
}
