package dev.mainstay.agent.journal;

import dev.mainstay.wire.json.Tree;
import java.util.List;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** What is left of a journal whose bodies are not to be kept: everything but what anyone said. */
public final class Purge {
  private Purge() {}

  /**
   * {@code entry} without prompts, answers, arguments, results and words that may quote them. The
   * run's own answer stays: it is what the run was for.
   */
  public static JournalEntry without(JournalEntry entry) {
    return switch (entry) {
      case JournalEntry.Accepted e ->
          new JournalEntry.Accepted(
              e.definition(), e.definitionHash(), request(e.request()), List.of(), e.at());
      case JournalEntry.SessionJoined e ->
          new JournalEntry.SessionJoined(e.run(), List.of(), e.at());
      case JournalEntry.TurnFailed e ->
          new JournalEntry.TurnFailed(
              e.turn(),
              e.attempt(),
              new CallFailure(
                  e.failure().callId(), e.failure().failureClass(), e.failure().kind(), ""),
              e.used(),
              e.broke(),
              e.restarts(),
              "",
              e.at());
      case JournalEntry.TurnEnded e ->
          new JournalEntry.TurnEnded(
              e.turn(),
              e.callId(),
              Tree.object().put("role", "assistant").put("content", ""),
              e.ending(),
              e.used(),
              e.at());
      case JournalEntry.StepPlanned e ->
          new JournalEntry.StepPlanned(e.step(), e.turn(), e.toolCall(), e.tool(), "{}", e.key());
      case JournalEntry.StepFailed e ->
          new JournalEntry.StepFailed(e.step(), e.attempt(), e.kind(), "", e.happened(), e.at());
      case JournalEntry.StepEnded e ->
          new JournalEntry.StepEnded(e.step(), e.ok(), "", e.costNanos(), e.at());
      case JournalEntry.ResultPart e -> new JournalEntry.ResultPart(e.step(), e.offset(), "");
      case JournalEntry.InDoubt e -> new JournalEntry.InDoubt(e.step(), "", e.at());
      case JournalEntry.Decided e ->
          new JournalEntry.Decided(
              e.number(), e.kind(), e.about(), decision(e.content()), e.by(), e.at());
      case JournalEntry.Nudged e -> new JournalEntry.Nudged(e.why(), "", e.at());
      case JournalEntry.Compacted e ->
          new JournalEntry.Compacted(e.bytesBefore(), e.bytesAfter(), List.of(), e.at());
      case JournalEntry.Forked e ->
          new JournalEntry.Forked(
              e.run(), e.step(), e.effectsLive(), e.temperature(), List.of(), e.at());
      case JournalEntry.Ended e when e.reason().equals("output-schema") ->
          new JournalEntry.Ended(
              e.status(), e.reason(), "the answer does not fit", e.output(), e.at());
      default -> entry;
    };
  }

  private static JournalEntry.RunRequest request(JournalEntry.RunRequest from) {
    var plan =
        from.plan().stream()
            .map(
                step ->
                    new JournalEntry.PlanStep(
                        step.id(), step.tool(), step.agent(), null, step.needs()))
            .toList();
    return new JournalEntry.RunRequest(
        from.agent(),
        from.input() == null ? null : "",
        plan,
        from.client(),
        from.session(),
        from.priority(),
        from.labels(),
        from.notifyUrl());
  }

  private static JsonNode decision(JsonNode content) {
    if (content instanceof ObjectNode object) {
      return object.deepCopy().remove(List.of("text", "result"));
    }
    return Tree.object();
  }
}
