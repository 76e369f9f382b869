package dev.mainstay.agent.api;

import static dev.mainstay.agent.api.Reply.join;

import dev.mainstay.agent.api.Reply.Refused;
import dev.mainstay.agent.record.ClientRun;
import dev.mainstay.agent.record.Conversation;
import dev.mainstay.agent.record.RunStep;
import dev.mainstay.ledger.CallQuery;
import dev.mainstay.ledger.CallRecord;
import dev.mainstay.ledger.LedgerReader;
import dev.mainstay.ledger.Redactor;
import dev.mainstay.ledger.run.CallRun;
import dev.mainstay.ledger.run.RunReports;
import dev.mainstay.ledger.run.RunReports.Added;
import dev.mainstay.ledger.run.RunReports.Report;
import dev.mainstay.wire.json.Tree;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Runs of agents outside Mainstay: the calls of one client that share {@code x-mainstay-run}, and
 * what the agent reports beside them. Blocks on the ledger. Thread-safe.
 */
final class ClientRuns {
  /** A run whose agent has been silent for so long has ended. INTERFACE.md section 7. */
  static final Duration SILENCE = Duration.ofMinutes(30);

  /** Calls of one run that are read; those before them are left out, and the run says so. */
  private static final int MOST_CALLS = 1000;

  private static final int MOST_BYTES = 1 << 20;
  private static final Set<String> TYPES = Set.of("tool", "memory", "note", "end");
  private static final Set<String> ENDS = Set.of("completed", "failed", "cancelled");

  private final LedgerReader reader;
  private final RunReports reports;
  private final Redactor redactor;
  private final InstantSource clock;

  /**
   * @param redactor what is taken out of reports before they are kept
   */
  ClientRuns(LedgerReader reader, RunReports reports, Redactor redactor, InstantSource clock) {
    this.reader = reader;
    this.reports = reports;
    this.redactor = redactor;
    this.clock = clock;
  }

  /** A page of runs, the newest first. */
  List<CallRun> list(CallRun.Query query) {
    return reader.callRuns(query);
  }

  /** The run of that name that {@code client} may see (null: all), or null: the newest of them. */
  @Nullable CallRun find(String run, @Nullable String client) {
    var found = reader.callRuns(CallRun.Query.of(run, client));
    return found.isEmpty() ? null : found.getFirst();
  }

  /** The reports of how {@code runs} ended. */
  Map<CallRun.Id, JsonNode> ends(Collection<CallRun.Id> runs) {
    var ends = new HashMap<CallRun.Id, JsonNode>();
    for (var end : join(reports.ends(runs))) {
      ends.put(end.run(), content(end).put("at", end.at().toString()));
    }
    return ends;
  }

  private static ObjectNode content(RunReports.Stored stored) {
    var content = stored.report().content();
    return (ObjectNode) Tree.read(content, 0, content.length);
  }

  // ---- show

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
    var end = ends(List.of(run.id())).get(run.id());
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
    var conversations = new ArrayList<Conversation>();
    for (var call : calls(run.id())) {
      var stored = reader.call(call.id());
      if (stored != null) {
        conversations.add(Conversation.of(reader, stored));
      }
    }
    var tools = new ArrayList<JsonNode>();
    for (var stored : reports(run.id())) {
      if (stored.report().type().equals("tool")) {
        tools.add(content(stored));
      }
    }
    return ClientRun.of(conversations, tools);
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

  private List<RunReports.Stored> reports(CallRun.Id run) {
    return join(reports.read(run, 0, RunReports.MOST));
  }

  // ---- reports

  /** Keeps what an agent reports, once by its id. */
  Reply report(CallRun.Id run, byte[] body) {
    if (body.length > MOST_BYTES) {
      throw new Refused(
          413, "event_too_large", "An event may have at most %d bytes.".formatted(MOST_BYTES));
    }
    var json = Reply.object(body);
    var type = Tree.text(json, "type");
    if (!TYPES.contains(type)) {
      throw new Refused(
          400,
          "invalid_type",
          "The field type must be tool, memory, note or end, not '" + type + "'.");
    }
    check(json, type);
    var id = json.path("id").stringValue(null);
    var kept = redactor.body(Tree.write(json).getBytes(StandardCharsets.UTF_8));
    var report = new Report(id == null ? UUID.randomUUID().toString() : id, type, kept);
    return switch (join(reports.add(run, report, clock.instant()))) {
      case Added.Taken _ -> new Reply(202, told(run, report));
      case Added.Known _ -> new Reply(200, told(run, report));
      case Added.Conflict conflict ->
          throw new Refused(
              409,
              conflict.before().report().id().equals(report.id()) ? "id_reused" : "run_ended",
              "This event was already reported at " + conflict.before().at() + ".",
              content(conflict.before()));
      case Added.Full _ ->
          throw new Refused(
              429,
              "too_many_events",
              "A run may have at most %d events.".formatted(RunReports.MOST));
    };
  }

  private static ObjectNode told(CallRun.Id run, Report report) {
    return Tree.object().put("run", run.run()).put("id", report.id());
  }

  private static void check(ObjectNode json, String type) {
    if (type.equals("end") && !ENDS.contains(json.path("status").asString("completed"))) {
      throw new Refused(
              400, "invalid_status", "The field status must be completed, failed or cancelled.")
          .allowing(List.of("completed", "failed", "cancelled"));
    }
    if (type.equals("tool")
        && !json.path("name").isString()
        && !json.path("tool_call").isString()) {
      throw new Refused(
          400,
          "missing_name",
          "A tool event needs the field name, or tool_call with the model's id of the call.");
    }
    if (type.equals("memory") && !json.has("memory")) {
      throw new Refused(400, "missing_memory", "The field memory is missing: any JSON.");
    }
    for (var name : List.of("started_at", "ended_at")) {
      if (json.has(name)) {
        try {
          Instant.parse(json.path(name).asString(""));
        } catch (DateTimeParseException e) {
          throw new Refused(
              400,
              "invalid_time",
              "The field " + name + " is a time such as 2026-11-21T12:00:00Z.");
        }
      }
    }
  }

  /** Snapshots of the run's memory in their order. */
  Reply memory(CallRun.Id run) {
    var json = Tree.object().put("run", run.run());
    var list = json.putArray("memory");
    for (var stored : reports(run)) {
      if (stored.report().type().equals("memory")) {
        var content = content(stored);
        list.addObject()
            .put("id", stored.report().id())
            .put("at", stored.at().toString())
            .set("memory", content.path("memory"));
      }
    }
    return new Reply(200, json);
  }
}
