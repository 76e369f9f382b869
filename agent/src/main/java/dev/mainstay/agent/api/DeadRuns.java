package dev.mainstay.agent.api;

import static dev.mainstay.agent.api.Reply.join;

import dev.mainstay.agent.AgentRuntime;
import dev.mainstay.agent.Submitted;
import dev.mainstay.agent.api.Reply.Refused;
import dev.mainstay.agent.record.JournalSteps;
import dev.mainstay.agent.replay.Fork;
import dev.mainstay.http.Exchange;
import dev.mainstay.http.Routes;
import dev.mainstay.ledger.run.RunStore;
import dev.mainstay.ledger.run.RunStore.Message;
import dev.mainstay.ledger.run.RunStore.Posted;
import dev.mainstay.ledger.run.RunStore.Run;
import dev.mainstay.wire.json.Tree;
import java.nio.charset.StandardCharsets;
import java.time.InstantSource;
import java.util.List;
import java.util.Objects;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * {@code /api/dead-letters/run_…}: runs that were given up on, with their evidence; each is
 * redriven or discarded once. A redriven run goes on from the journal, with the keys that its tools
 * had. Thread-safe.
 */
public final class DeadRuns implements Routes {
  private static final Pattern PATHS =
      Pattern.compile("/api/dead-letters/(run_[^/]+)(?:/(redrive|discard))?");

  private final AgentRuntime runtime;
  private final RunStore store;
  private final RunReader own;
  private final InstantSource clock;

  public DeadRuns(AgentRuntime runtime, RunStore store, InstantSource clock) {
    this.runtime = runtime;
    this.store = store;
    this.clock = clock;
    own = new RunReader(store);
  }

  @Override
  public List<Described> described() {
    var one = "/api/dead-letters/{id}";
    return List.of(
        new Described(
                "GET", one, "showDeadRun", "A run that Mainstay gave up on, with its evidence")
            .gives(200, RunShapes.DeadRun.class),
        new Described("POST", one + "/redrive", "redriveDeadRun", "Continues the run, once")
            .gives(202, RunShapes.RedrivenRun.class),
        new Described("POST", one + "/discard", "discardDeadRun", "Discards the run for good")
            .gives(200, RunShapes.DiscardedRun.class));
  }

  @Override
  public boolean covers(String path) {
    return PATHS.matcher(path).matches();
  }

  @Override
  public void handle(Exchange exchange, Caller caller) {
    var parts = PATHS.matcher(exchange.path());
    exchange
        .loop()
        .blocking(
            () ->
                parts.matches()
                    ? reply(parts.group(1), parts.group(2), caller)
                    : RunsApi.nothingHere(),
            (reply, thrown) ->
                RunsApi.respond(
                    exchange, reply == null ? RunsApi.failed(exchange, thrown) : reply));
  }

  private Reply reply(String id, @Nullable String action, Caller caller) {
    var run = own.find(id);
    if (run == null
        || !"dead_letter".equals(run.outcome())
        || (caller.client() != null && !caller.client().equals(run.origin().client()))) {
      throw new Refused(404, "unknown_dead_letter", "There is no dead letter " + id + ".");
    }
    return switch (action) {
      case null -> new Reply(200, whole(run));
      case "redrive" -> redrive(run, caller);
      default -> {
        if (settle(run, "discard", Tree.object(), caller)
            instanceof Posted.DecidedBefore(Message first)) {
          throw RunDecisions.decidedBefore(first);
        }
        runtime.settled(id);
        yield new Reply(200, Tree.object().put("dead_letter", id).put("state", "discarded"));
      }
    };
  }

  private ObjectNode whole(Run run) {
    var loaded = own.load(run);
    var json = RunJson.whole(loaded);
    var settled = settled(run);
    json.put("id", run.id());
    var failure = json.path("failure");
    json.put(
        "verdict",
        failure.has("class")
            ? failure.path("class").asString() + "/" + failure.path("kind").asString()
            : null);
    json.put(
        "state",
        settled == null ? "dead" : settled.kind().equals("redrive") ? "redriven" : "discarded");
    json.set("redriven_as", settled == null ? null : content(settled).get("run"));
    var steps = json.putArray("evidence");
    JournalSteps.of(loaded.entries()).forEach(step -> steps.add(step.json()));
    return json;
  }

  private @Nullable Message settled(Run run) {
    return join(store.settled(List.of(run.id()))).get(run.id());
  }

  private static JsonNode content(Message message) {
    var bytes = message.content();
    return Tree.read(bytes, 0, bytes.length);
  }

  /** The new run's id is a part of the decision: whoever decides again finds that run. */
  private Reply redrive(Run run, Caller caller) {
    var loaded = own.load(run);
    var id = runtime.newId();
    var settled = settle(run, "redrive", Tree.object().put("run", id), caller);
    var before = settled instanceof Posted.DecidedBefore decided ? decided.decision() : null;
    if (before != null) {
      id = content(before).path("run").asString("");
      if (!before.kind().equals("redrive") || id.isEmpty() || own.find(id) != null) {
        throw RunDecisions.decidedBefore(before);
      }
      // The process that redrove it died before the new run was accepted, or is about to accept it.
    }
    var submitted =
        join(
            runtime.submit(
                id,
                (newRun, now) -> Fork.goOn(run.id(), loaded.entries(), now),
                "redrive " + run.id(),
                run.id()));
    return switch (submitted) {
      case Submitted.Accepted accepted -> {
        if (!accepted.fresh()) {
          // Another caller of the same moment had it accepted: that one is told so.
          throw RunDecisions.decidedBefore(
              before != null ? before : Objects.requireNonNull(settled(run)));
        }
        runtime.settled(run.id());
        yield new Reply(202, Tree.object().put("dead_letter", run.id()).put("run", accepted.run()));
      }
      case Submitted.Full full -> throw RunStarts.full(full.queued());
      default -> throw RunStarts.otherRequest();
    };
  }

  private Posted settle(Run run, String kind, ObjectNode content, Caller caller) {
    var by = caller.client() == null ? "operator" : caller.client();
    var bytes = Tree.write(content).getBytes(StandardCharsets.UTF_8);
    var posted = join(store.settle(run.id(), kind, bytes, by, clock.instant()));
    if (posted instanceof Posted.NoRun) {
      throw new Refused(404, "unknown_dead_letter", "There is no dead letter " + run.id() + ".");
    }
    return posted;
  }
}
