package dev.mainstay.agent.api;

import dev.mainstay.agent.journal.JournalEntry;
import dev.mainstay.http.Routes.Described;
import java.util.ArrayList;
import java.util.List;

/** What {@code /api/runs} can do, as {@code /api/openapi.json} describes it. */
final class RunOperations {
  private RunOperations() {}

  /** The operations under {@code runs}, for the API's description. */
  static List<Described> all(String runs) {
    var all = new ArrayList<Described>();
    var list = new Described("GET", runs, "listRuns", "Runs of both kinds, newest first");
    for (var each : RunQuery.PARAMETERS.entrySet()) {
      var type =
          each.getKey().equals("limit")
              ? "integer"
              : each.getKey().matches(".*_(min|max)") ? "number" : "string";
      list = list.with(each.getKey(), type, each.getValue());
    }
    all.add(list.gives(200, RunShapes.RunPage.class));
    all.add(
        new Described("POST", runs, "startRun", "Starts a run; an Idempotency-Key starts it once")
            .takes(RunShapes.NewRun.class)
            .gives(202, RunShapes.StartedRun.class)
            .gives(200, RunShapes.StartedRun.class));
    var one = runs + "/{run}";
    all.add(
        new Described(
                "GET", one, "showRun", "A run with its transcript, tool calls, counts and cost")
            .gives(200, RunShapes.WholeRun.class));
    all.add(
        new Described("GET", one + "/steps", "listSteps", "Model calls and tool calls")
            .with("limit", "integer", RunPages.LIMIT)
            .with("cursor", "string", RunPages.CURSOR)
            .gives(200, RunShapes.Steps.class));
    all.add(
        new Described(
                "GET", one + "/events", "streamEvents", "Server-sent events; Last-Event-ID resumes")
            .streams(JournalEntry.class)
            .gives(204, null, ""));
    all.add(
        new Described(
                "POST",
                one + "/events",
                "reportEvent",
                "Events that an agent outside Mainstay reports")
            .takes(RunShapes.Report.class)
            .gives(202, RunShapes.ReportTaken.class)
            .gives(200, RunShapes.ReportTaken.class));
    all.add(
        new Described("GET", one + "/memory", "showMemory", "Snapshots of the run's memory")
            .with("limit", "integer", RunPages.LIMIT)
            .with("cursor", "string", RunPages.CURSOR)
            .gives(200, RunShapes.Memory.class));
    all.add(
        new Described("GET", one + "/diff/{other}", "diffRuns", "Compares two runs")
            .gives(200, RunShapes.Difference.class));
    all.add(
        new Described(
                "POST", one + "/replay", "replayRun", "Verifies a run, or forks it from a step")
            .takes(RunShapes.NewReplay.class)
            .gives(202, RunShapes.ForkedRun.class)
            .gives(200, RunShapes.ForkedRun.class)
            .gives(200, RunShapes.VerifiedRun.class));
    for (var kind : RunDecisions.KINDS.stream().sorted().toList()) {
      var decision =
          new Described(
                  "POST",
                  one + "/" + kind,
                  kind + "Run",
                  "A person's decision, taken once: " + kind)
              .gives(202, RunShapes.Taken.class);
      all.add(
          switch (kind) {
            case "approve" -> decision.takes(RunShapes.Approval.class);
            case "resolve" -> decision.takes(RunShapes.Resolution.class);
            case "extend" -> decision.takes(RunShapes.Extension.class);
            case "message" -> decision.takes(RunShapes.PersonsMessage.class);
            default -> decision.takes(RunShapes.Remark.class);
          });
    }
    return all;
  }
}
