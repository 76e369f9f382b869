package dev.mainstay.agent.api;

import dev.mainstay.agent.record.ClientRun;
import dev.mainstay.agent.record.RecordedConversation;
import dev.mainstay.agent.record.RunStep;
import dev.mainstay.ledger.CallQuery;
import dev.mainstay.ledger.CallRecord;
import dev.mainstay.ledger.LedgerReader;
import dev.mainstay.ledger.run.CallRun;
import dev.mainstay.wire.json.Tree;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Runs of agents outside Mainstay: the calls of one client that share {@code x-mainstay-run}, and
 * what the agent reports beside them. Blocks on the ledger. Thread-safe.
 */
final class ClientRuns {
  /** A run whose agent has been silent for so long has ended. */
  static final Duration SILENCE = Duration.ofMinutes(30);

  /** Calls of one run that are read; those before them are left out, and the run says so. */
  private static final int MOST_CALLS = 1000;

  private final LedgerReader reader;
  private final ClientRunReports reports;
  private final InstantSource clock;

  ClientRuns(LedgerReader reader, ClientRunReports reports, InstantSource clock) {
    this.reader = reader;
    this.reports = reports;
    this.clock = clock;
  }

  /** A page of runs, the newest first. */
  List<CallRun> list(CallRun.Query query) {
    return reader.callRuns(query);
  }

  /** Those of {@code runs} that have a call with all of these values; client null for anybody's. */
  Set<String> runsWith(
      @Nullable String client, Collection<String> runs, Map<CallQuery.Field, String> call) {
    return reader.runsWith(client, runs, call);
  }

  /** The run of that name that {@code client} may see (null: all), or null: the newest of them. */
  @Nullable CallRun find(String run, @Nullable String client) {
    var found = reader.callRuns(CallRun.Query.of(run, client));
    return found.isEmpty() ? null : found.getFirst();
  }

  // ---- show

  /** Whether such a run can be of this status: under way, or ended as its agent may report it. */
  static boolean canBe(@Nullable String status) {
    return status == null || status.equals("running") || ClientRunReports.ENDS.contains(status);
  }

  /** How a run stands: as its agent told, or ended by silence, or under way. */
  private record Stand(String status, @Nullable String reason, @Nullable Instant endedAt) {}

  private Stand stand(CallRun run, @Nullable JsonNode end) {
    if (end != null) {
      var status = end.path("status").asString("completed");
      var reason = end.path("reason").stringValue(null);
      return new Stand(
          status,
          reason == null
              ? (status.equals("completed") ? "answered: reported by its agent" : null)
              : reason,
          Instant.parse(end.path("at").asString()));
    }
    if (run.lastAt().plus(SILENCE).isAfter(clock.instant())) {
      return new Stand("running", null, null);
    }
    return run.lastFailed()
        ? new Stand(
            "failed", "stalled: its last call failed, and no other call followed", run.lastAt())
        : new Stand("completed", "answered: no call followed its last answer", run.lastAt());
  }

  /** The run as a list shows it. */
  ObjectNode summary(CallRun run, @Nullable JsonNode end) {
    var stand = stand(run, end);
    var sums = run.sums();
    var json = Tree.object();
    json.put("run", run.id().run());
    json.put("kind", "client");
    json.putNull("agent");
    json.put("client", run.id().client().isEmpty() ? null : run.id().client());
    json.put("parent", run.parent());
    json.putNull("session");
    json.put("priority", 0);
    json.putObject("labels");
    json.put("status", stand.status());
    json.put("reason", stand.reason());
    json.putNull("definition_hash");
    json.putNull("replay_of");
    json.put("accepted_at", run.firstAt().toString());
    json.put("ended_at", stand.endedAt() == null ? null : stand.endedAt().toString());
    json.put("turns", sums.calls() - sums.failed());
    json.put("steps", sums.calls());
    json.put("attempts", sums.attempts());
    json.put("tokens", sums.tokens().total());
    json.put("cost_usd", RunStep.usd(sums.unpriced() > 0 ? null : (Long) sums.costNanos()));
    json.put("total_ms", RunJson.totalMs(run.firstAt(), stand.endedAt()));
    return json;
  }

  /** The run with its transcript and its tool calls. */
  ObjectNode whole(CallRun run) {
    var end = reports.ends(List.of(run.id())).get(run.id());
    var read = read(run);
    var json = summary(run, end);
    json.put("turns", read.turns());
    json.put("steps", read.steps().size());
    json.put("input", read.input());
    var told = end == null ? null : end.get("output");
    if (told == null) {
      json.put("output", read.output());
    } else {
      json.set("output", told);
    }
    json.set("failure", failure(json, read));
    json.putArray("waits_for");
    json.put("paused", false);
    var transcript = json.putArray("transcript");
    read.transcript().forEach(transcript::add);
    var tools = json.putArray("tool_calls");
    for (var step : read.steps()) {
      if (step.kind() == RunStep.Kind.TOOL) {
        tools.add(step.json());
      }
    }
    json.put("bodies_missing", read.bodiesMissing());
    return json;
  }

  private static @Nullable ObjectNode failure(ObjectNode run, ClientRun read) {
    if (!run.path("status").asString().equals("failed")) {
      return null;
    }
    for (var step : read.steps().reversed()) {
      if (step.status().equals("failed")) {
        return Tree.object()
            .put("step", step.step())
            .put("call", step.content().call())
            .put("message", step.content().result());
      }
    }
    return null;
  }

  /** Its calls and reports put together. */
  ClientRun read(CallRun run) {
    var conversations = new ArrayList<RecordedConversation>();
    for (var call : calls(run.id())) {
      var stored = reader.call(call.id());
      if (stored != null) {
        conversations.add(RecordedConversation.of(reader, stored));
      }
    }
    return ClientRun.of(conversations, reports.tools(run.id()));
  }

  /** The newest calls of a run, in the order in which they began. */
  private List<CallRecord> calls(CallRun.Id run) {
    var where =
        run.client().isEmpty()
            ? Map.of(CallQuery.Field.RUN, run.run())
            : Map.of(CallQuery.Field.RUN, run.run(), CallQuery.Field.CLIENT, run.client());
    var page =
        reader.calls(
            new CallQuery(MOST_CALLS, null, where, Map.of(), null, null, null, null, false));
    return page.calls().stream()
        .filter(call -> (call.client() == null ? "" : call.client()).equals(run.client()))
        .sorted((a, b) -> a.startedAt().compareTo(b.startedAt()))
        .toList();
  }
}
