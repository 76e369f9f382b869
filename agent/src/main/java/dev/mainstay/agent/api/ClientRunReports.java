package dev.mainstay.agent.api;

import static dev.mainstay.agent.api.Reply.join;

import dev.mainstay.agent.api.Reply.Refused;
import dev.mainstay.ledger.Redactor;
import dev.mainstay.ledger.run.CallRun;
import dev.mainstay.ledger.run.RunReports;
import dev.mainstay.ledger.run.RunReports.Added;
import dev.mainstay.ledger.run.RunReports.Report;
import dev.mainstay.wire.json.Tree;
import java.nio.charset.StandardCharsets;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.function.Predicate;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * What agents outside Mainstay report of their runs: tools, memory, notes and ends. Blocks on the
 * ledger. Thread-safe.
 */
final class ClientRunReports {
  private static final int MOST_BYTES = 1 << 20;

  /** How an agent may report that its run ended. */
  static final Set<String> ENDS = Set.of("completed", "failed", "cancelled");

  private final RunReports reports;
  private final Redactor redactor;
  private final InstantSource clock;

  /**
   * @param redactor what is taken out of reports before they are kept
   */
  ClientRunReports(RunReports reports, Redactor redactor, InstantSource clock) {
    this.reports = reports;
    this.redactor = redactor;
    this.clock = clock;
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

  private List<RunReports.Stored> reports(CallRun.Id run) {
    return join(reports.read(run, 0, RunReports.MOST));
  }

  /** What the agent reported of its tool calls, in order. */
  List<JsonNode> tools(CallRun.Id run) {
    var tools = new ArrayList<JsonNode>();
    for (var stored : reports(run)) {
      if (stored.report().type().equals("tool")) {
        tools.add(content(stored));
      }
    }
    return tools;
  }

  /** Keeps what an agent reports, once by its id. */
  Reply report(CallRun.Id run, byte[] body) {
    if (body.length > MOST_BYTES) {
      throw new Refused(
          413, "event_too_large", "An event may have at most %d bytes.".formatted(MOST_BYTES));
    }
    var json = Reply.object(body);
    var type = Tree.text(json, "type");
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
    if (type.equals("tool")) {
      given(json, "name", JsonNode::isString, "a text");
      given(json, "tool_call", JsonNode::isString, "a text");
      given(json, "ok", JsonNode::isBoolean, "true or false");
    } else if (type.equals("end")) {
      given(json, "status", JsonNode::isString, "a text");
      given(json, "reason", JsonNode::isString, "a text");
    }
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
  }

  /** Refuses a field of one type of event that is there, and is not what it must be. */
  private static void given(
      ObjectNode json, String name, Predicate<JsonNode> fits, String expected) {
    var value = json.path(name);
    if (!value.isMissingNode() && !value.isNull() && !fits.test(value)) {
      throw new Refused(400, "invalid_" + name, "The field %s is not %s.".formatted(name, expected))
          .allowing(List.of(expected));
    }
  }

  /** Snapshots of the run's memory in their order. */
  List<ObjectNode> memory(CallRun.Id run) {
    var list = new ArrayList<ObjectNode>();
    for (var stored : reports(run)) {
      if (stored.report().type().equals("memory")) {
        var snapshot =
            Tree.object().put("id", stored.report().id()).put("at", stored.at().toString());
        snapshot.set("memory", content(stored).path("memory"));
        list.add(snapshot);
      }
    }
    return list;
  }
}
