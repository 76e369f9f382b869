package dev.mainstay.agent;

import dev.mainstay.agent.journal.JournalEntry;
import dev.mainstay.agent.journal.RunState;
import dev.mainstay.config.Alerts;
import java.util.Locale;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Says what was decided for a run: a line of the log each, and alerts. Nothing of a prompt. */
final class RunNotifier {
  private static final Logger LOG = LoggerFactory.getLogger(RunNotifier.class);

  private final String run;
  private final RunAlerts alerts;

  RunNotifier(String run, RunAlerts alerts) {
    this.run = run;
    this.alerts = alerts;
  }

  /** {@code entry} is on disk, and {@code state} is what it led to. */
  void written(JournalEntry entry, RunState state) {
    switch (entry) {
      case JournalEntry.TurnStarted turn when turn.why() != null ->
          LOG.warn("{} turn {}: Mainstay repeats the model call: {}", run, turn.turn(), turn.why());
      case JournalEntry.TurnFailed turn -> failed(turn);
      case JournalEntry.Compacted compacted ->
          LOG.info(
              "{} compaction {} of {}: the conversation went from {} to {} bytes",
              run,
              state.attempts().compactions(),
              state.definition().recovery().policy().bounds().compactions(),
              compacted.bytesBefore(),
              compacted.bytesAfter());
      case JournalEntry.Nudged nudge ->
          LOG.info(
              "{} told the model: {}",
              run,
              nudge.why().name().toLowerCase(Locale.ROOT).replace('_', '-'));
      case JournalEntry.ToolsTaken taken ->
          LOG.warn("{} is in a loop; Mainstay removes these tools: {}", run, taken.tools());
      case JournalEntry.Woken _ ->
          LOG.warn(
              "{} wrote nothing for too long; Mainstay repeats step {}", run, state.lastStep());
      case JournalEntry.Warned warning -> warned(warning, state);
      case JournalEntry.ApprovalAsked asked ->
          person(Alerts.Topic.APPROVAL, asked.step(), "waits for a person's approval", state);
      case JournalEntry.InDoubt doubt ->
          person(
              Alerts.Topic.IN_DOUBT, doubt.step(), "is in doubt until a person resolves it", state);
      case JournalEntry.Decided decided ->
          LOG.info("{} takes {} from {}", run, decided.kind(), decided.by());
      case JournalEntry.Ended end -> ended(end, state);
      default -> {}
    }
  }

  private void failed(JournalEntry.TurnFailed turn) {
    var failure = turn.failure();
    LOG.warn(
        "{} turn {} attempt {} failed: {}/{} in call {}",
        run,
        turn.turn(),
        turn.attempt(),
        failure.failureClass(),
        failure.kind(),
        failure.callId());
  }

  private void warned(JournalEntry.Warned warning, RunState state) {
    LOG.warn("{} {} at {} %: {}", run, warning.what(), warning.percent(), warning.words());
    alerts.raise(
        Alerts.Topic.BUDGET,
        "run " + run + " " + warning.what() + " " + warning.percent(),
        "%s of agent %s is at %d %% of its %s: %s"
            .formatted(
                run,
                state.definition().name(),
                warning.percent(),
                warning.what(),
                warning.words()));
  }

  private void person(Alerts.Topic topic, int step, String words, RunState state) {
    LOG.warn("{} step {} {}", run, step, words);
    alerts.raise(
        topic,
        "run " + run + " " + topic + " " + step,
        "step %d of %s of agent %s %s".formatted(step, run, state.definition().name(), words));
  }

  private void ended(JournalEntry.Ended end, RunState state) {
    if (end.status().equals("completed")) {
      LOG.info("{} completed: {}", run, end.reason());
      return;
    }
    LOG.warn("{} {}: {}", run, end.status(), end.reason());
    if (end.status().equals("dead_letter")) {
      alerts.raise(
          Alerts.Topic.DEAD_LETTER,
          "dead letter " + run,
          "Mainstay gave up on %s of agent %s: %s"
              .formatted(run, state.definition().name(), end.reason()));
    }
  }
}
