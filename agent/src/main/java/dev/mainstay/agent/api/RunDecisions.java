package dev.mainstay.agent.api;

import static dev.mainstay.agent.api.Reply.join;

import dev.mainstay.agent.api.Reply.Refused;
import dev.mainstay.http.Routes.Caller;
import dev.mainstay.ledger.run.RunStore;
import dev.mainstay.ledger.run.RunStore.Posted;
import dev.mainstay.wire.json.Tree;
import java.nio.charset.StandardCharsets;
import java.time.InstantSource;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** What a person says to a run; each is taken once. Blocks on the store. Thread-safe. */
final class RunDecisions {
  private static final Set<String> KINDS =
      Set.of("cancel", "approve", "resolve", "pause", "resume", "extend", "message");

  private final RunStore store;
  private final InstantSource clock;

  RunDecisions(RunStore store, InstantSource clock) {
    this.store = store;
    this.clock = clock;
  }

  boolean takes(String kind) {
    return KINDS.contains(kind);
  }

  Reply decide(String run, String kind, byte[] body, Caller caller) {
    var json = body.length == 0 ? Tree.object() : Reply.object(body);
    var about = about(kind, json);
    var by = caller.client() == null ? "operator" : caller.client();
    var content = Tree.write(json).getBytes(StandardCharsets.UTF_8);
    return switch (join(store.post(run, kind, about, content, by, clock.instant()))) {
      case Posted.Taken taken -> new Reply(202, Tree.object().put("number", taken.number()));
      case Posted.DecidedBefore before -> throw decidedBefore(before.decision());
      case Posted.NoRun _ -> throw ended(run);
    };
  }

  private static Refused decidedBefore(RunStore.Message first) {
    var content = new String(first.content(), StandardCharsets.UTF_8);
    var decided = Tree.object();
    decided.put("kind", first.kind());
    decided.put("by", first.by());
    decided.put("at", first.at().toString());
    decided.set("content", Tree.read(content));
    return new Refused(
        409,
        "decided_before",
        "%s decided this before, at %s: %s".formatted(first.by(), first.at(), content),
        decided);
  }

  private Refused ended(String run) {
    var found = join(store.find(run));
    var outcome = found.isEmpty() ? null : found.getFirst().outcome();
    return new Refused(
        409,
        "run_ended",
        "The run %s has ended%s.".formatted(run, outcome == null ? "" : ": " + outcome),
        Tree.object().put("status", outcome));
  }

  /** A run has one decision about each matter. */
  private static @Nullable String about(String kind, JsonNode json) {
    return switch (kind) {
      case "approve", "resolve" -> {
        var step = json.path("step");
        if (!step.isInt()) {
          throw new Refused(400, "missing_step", "The field step is missing: the step's number.");
        }
        var needed = kind.equals("approve") ? "approved" : "happened";
        if (!json.path(needed).isBoolean()) {
          throw new Refused(
              400, "missing_" + needed, "The field " + needed + " is missing: true or false.");
        }
        yield kind.equals("approve") ? step.asString() : kind + ":" + step.asString();
      }
      case "cancel" -> kind;
      default -> null;
    };
  }
}
