package dev.mainstay.agent.record;

import dev.mainstay.agent.journal.JournalEntry;
import dev.mainstay.agent.journal.JournalEntry.Used;
import dev.mainstay.agent.record.RunStep.Content;
import dev.mainstay.agent.record.RunStep.Kind;
import dev.mainstay.agent.record.RunStep.Use;
import dev.mainstay.wire.json.Tree;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.StringNode;

/** The steps that a journal tells of. */
public final class JournalSteps {
  private final TreeMap<Integer, RunStep> steps = new TreeMap<>();
  private int openTurn;
  private String model = "";

  private JournalSteps() {}

  /** The steps of {@code entries}, in the order of their numbers. */
  public static List<RunStep> of(List<JournalEntry> entries) {
    var all = new JournalSteps();
    entries.forEach(all::add);
    return new ArrayList<>(all.steps.values());
  }

  private void add(JournalEntry entry) {
    switch (entry) {
      case JournalEntry.Accepted accepted -> model = accepted.definition().model();
      case JournalEntry.TurnStarted start -> {
        openTurn = start.step();
        steps.put(
            start.step(),
            new RunStep(
                start.step(),
                Kind.MODEL,
                model,
                "running",
                new Content(start.turn(), null, null, null, null, null),
                new Use(0, 0, 0L, Instant.ofEpochMilli(start.at()), null)));
      }
      case JournalEntry.TurnEnded end ->
          model("completed", end.callId(), end.message(), null, end.used(), end.at());
      case JournalEntry.TurnFailed failed ->
          model(
              "failed",
              failed.failure().callId(),
              null,
              failed.failure().failureClass()
                  + "/"
                  + failed.failure().kind()
                  + ": "
                  + failed.failure().message(),
              failed.used(),
              failed.at());
      case JournalEntry.StepPlanned planned ->
          steps.put(
              planned.step(),
              new RunStep(
                  planned.step(),
                  Kind.TOOL,
                  planned.tool(),
                  "waiting",
                  new Content(
                      planned.turn(),
                      null,
                      planned.toolCall(),
                      json(planned.arguments()),
                      null,
                      null),
                  Use.NOTHING));
      case JournalEntry.StepStarted start -> {
        var step = steps.get(start.step());
        if (step != null) {
          var began = step.use().startedAt();
          tool(
              step,
              "running",
              null,
              new Use(
                  start.attempt(),
                  0,
                  0L,
                  began == null ? Instant.ofEpochMilli(start.at()) : began,
                  null));
        }
      }
      case JournalEntry.StepEnded end -> {
        var step = steps.get(end.step());
        if (step != null) {
          tool(
              step,
              end.ok() ? "completed" : "failed",
              end.result(),
              new Use(
                  step.use().attempts(),
                  0,
                  end.costNanos() == null ? (Long) 0L : end.costNanos(),
                  step.use().startedAt(),
                  Instant.ofEpochMilli(end.at())));
        }
      }
      case JournalEntry.StepSkipped skip -> {
        var step = steps.get(skip.step());
        if (step != null) {
          tool(step, "skipped", "it needs " + skip.because(), step.use());
        }
      }
      case JournalEntry.ChildStarted child -> {
        var step = steps.get(child.step());
        if (step != null) {
          var began = Instant.ofEpochMilli(child.at());
          tool(step, "running", null, new Use(1, 0, 0L, began, null));
        }
      }
      case JournalEntry.InDoubt doubt -> {
        var step = steps.get(doubt.step());
        if (step != null) {
          tool(step, "in_doubt", doubt.evidence(), step.use());
        }
      }
      default -> {}
    }
  }

  private void model(
      String status,
      @Nullable String call,
      @Nullable JsonNode message,
      @Nullable String error,
      Used used,
      long at) {
    var open = steps.get(openTurn);
    if (open != null) {
      steps.put(
          openTurn,
          new RunStep(
              open.step(),
              Kind.MODEL,
              open.name(),
              status,
              new Content(open.content().turn(), call, null, null, message, error),
              new Use(
                  used.attempts(),
                  used.tokens(),
                  used.costNanos(),
                  open.use().startedAt(),
                  Instant.ofEpochMilli(at))));
    }
  }

  private void tool(RunStep step, String status, @Nullable String result, Use use) {
    steps.put(step.step(), step.with(status, result, use));
  }

  /** Arguments as a tree; text that is no JSON stays text. */
  static JsonNode json(String text) {
    try {
      return Tree.read(text);
    } catch (JacksonException e) {
      return StringNode.valueOf(text);
    }
  }
}
