package dev.mainstay.agent.api;

import static dev.mainstay.agent.api.Reply.join;

import dev.mainstay.agent.AgentRuntime;
import dev.mainstay.agent.Submitted;
import dev.mainstay.agent.api.Reply.Refused;
import dev.mainstay.agent.api.RunReader.Loaded;
import dev.mainstay.agent.journal.Digests;
import dev.mainstay.agent.record.RecordedConversation;
import dev.mainstay.agent.replay.Changes;
import dev.mainstay.agent.replay.Fork;
import dev.mainstay.agent.replay.Verification;
import dev.mainstay.ledger.Body;
import dev.mainstay.ledger.LedgerReader;
import dev.mainstay.wire.json.Tree;
import java.util.ArrayList;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** {@code POST /api/runs/ID/replay}. Blocks on the stores. Thread-safe. */
final class RunReplays {
  private static final int MOST_SAMPLES = 20;

  private final AgentRuntime runtime;
  private final RunReader own;
  private final LedgerReader reader;

  RunReplays(AgentRuntime runtime, RunReader own, LedgerReader reader) {
    this.runtime = runtime;
    this.own = own;
    this.reader = reader;
  }

  /**
   * @param key the idempotency key, or null: under one key the same runs are given again
   */
  Reply replay(Loaded run, byte[] body, @Nullable String key) {
    if (run.state().isPurged()) {
      throw new Refused(
          409,
          "purged",
          "Mainstay cannot replay this run: it purged the run's journal at its end, because"
              + " recording.bodies is false or recording.redact is set.");
    }
    var json = Reply.object(body);
    try {
      var changes = Changes.read(json.path("set"));
      return Tree.text(json, "mode").equals("verify")
          ? verify(run, changes)
          : fork(run, json, changes, key, Digests.sha256(body));
    } catch (IllegalArgumentException e) {
      throw new Refused(400, "invalid_replay", String.valueOf(e.getMessage()));
    }
  }

  private Reply verify(Loaded run, Changes changes) {
    var verified = Verification.of(run.run().id(), run.entries(), changes, this::sent);
    var json = Tree.object();
    json.put("run", run.run().id());
    json.put("mode", "verify");
    json.put("equal", verified.divergence() == null);
    json.put("requests", verified.checked());
    var divergence = verified.divergence();
    if (divergence == null) {
      json.putNull("divergence");
    } else {
      json.putObject("divergence")
          .put("step", divergence.step())
          .put("turn", divergence.turn())
          .put("recorded_hash", divergence.recorded())
          .put("built_hash", divergence.built())
          .put("diff", divergence.diff());
    }
    return new Reply(200, json);
  }

  /** The request that a call sent, or null where it is not kept. */
  private byte @Nullable [] sent(String call) {
    var stored = reader.call(call);
    return stored == null ? null : RecordedConversation.bytes(reader, stored, Body.Part.REQUEST);
  }

  private Reply fork(
      Loaded run, ObjectNode json, Changes changes, @Nullable String key, String bodyHash) {
    int step = number(json, "from_step", 1, Integer.MAX_VALUE);
    int samples = number(json, "samples", 1, MOST_SAMPLES);
    boolean live = Tree.text(json, "effects").equals("live");
    var runs = new ArrayList<String>();
    boolean fresh = false;
    for (int i = 1; i <= samples; i++) {
      var submitted =
          join(
              runtime.submit(
                  (id, now) -> Fork.of(id, run.run().id(), run.entries(), step, changes, live, now),
                  key == null ? null : key + "#" + i,
                  bodyHash));
      switch (submitted) {
        case Submitted.Accepted accepted -> {
          runs.add(accepted.run());
          fresh |= accepted.fresh();
        }
        case Submitted.OtherRequest _ -> throw RunStarts.otherRequest();
        case Submitted.Full full -> throw RunStarts.full(full.queued());
        case Submitted.NoAgent _ -> throw new IllegalStateException("a fork cannot name an agent");
        case Submitted.NoPlan _ ->
            throw new IllegalStateException("a fork cannot have its own plan");
      }
    }
    var first = own.find(runs.getFirst());
    var answer =
        Tree.object()
            .put("run", runs.getFirst())
            .put("status", first == null ? "queued" : RunJson.status(first));
    var all = answer.putArray("runs");
    runs.forEach(all::add);
    answer.put("mode", "fork").put("replay_of", run.run().id()).put("from_step", step);
    return new Reply(fresh ? 202 : 200, answer);
  }

  private static int number(JsonNode json, String name, int otherwise, int most) {
    var value = json.path(name);
    if (value.isMissingNode() || value.isNull()) {
      return otherwise;
    }
    if (value.asInt() < 1 || value.asInt() > most) {
      throw new IllegalArgumentException(
          "%s is %d, not a whole number from 1%s."
              .formatted(name, value.asInt(), most > 1000 ? "" : " to " + most));
    }
    return value.asInt();
  }
}
