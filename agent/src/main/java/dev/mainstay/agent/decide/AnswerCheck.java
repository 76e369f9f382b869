package dev.mainstay.agent.decide;

import dev.mainstay.agent.journal.JournalEntry;
import dev.mainstay.agent.journal.JournalEntry.Nudged.Why;
import dev.mainstay.agent.journal.RunState;
import dev.mainstay.wire.json.Tree;
import dev.mainstay.wire.repair.SchemaFit;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.StringNode;

/** Whether the model's last message ends the run. */
final class AnswerCheck {
  /** Poor answers in a row that the model is told about. */
  private static final int MOST_POOR = 2;

  private AnswerCheck() {}

  /** What follows from the answer; null where the last message is none. */
  static @Nullable NextAction of(RunState state, long now) {
    var transcript = state.transcript();
    var turn = state.lastTurn();
    if (turn == null || transcript.isEmpty()) {
      return null;
    }
    var message = transcript.getLast();
    if (!message.role().equals("assistant")) {
      return null;
    }
    if (turn.ending().equals("REFUSED")) {
      var said = message.json().path("refusal").stringValue("");
      var words =
          "The model refused in call %s%s".formatted(turn.callId(), said.isEmpty() ? "." : ": ");
      return end("failed", "refused", words + said, null, now);
    }
    var text = message.text();
    var poor = poor(text, turn.ending());
    if (poor != null) {
      return state.answers().poor() < MOST_POOR
          ? nudge(Why.EMPTY_ANSWER, poor.told(), now)
          : end(
              "failed",
              "empty-answer",
              "%s, %d times in a row.".formatted(poor.words(), state.answers().poor() + 1),
              null,
              now);
    }
    var output = state.definition().output();
    if (output == null) {
      return end("completed", "answered", "The model answered.", StringNode.valueOf(text), now);
    }
    return fitting(state, output.schema(), output.retries(), text, now);
  }

  private record Unacceptable(String words, String told) {}

  private static @Nullable Unacceptable poor(String text, String ending) {
    if (text.isBlank()) {
      return new Unacceptable(
          "The model answered nothing",
          "Your answer was empty. Give your answer in words, or call a tool.");
    }
    if (Repetition.isEndless(text)) {
      return new Unacceptable(
          "The model repeated itself without end",
          "Your answer repeated itself without end. Answer again, briefly.");
    }
    if (ending.equals("LENGTH")) {
      return new Unacceptable(
          "The answer was cut off at the limit of tokens",
          "Your answer was too long and was cut off. Answer again, shorter.");
    }
    return null;
  }

  private static NextAction fitting(
      RunState state, JsonNode schema, int retries, String text, long now) {
    String misfit;
    try {
      var answer = Tree.read(MarkdownFence.without(text));
      misfit = SchemaFit.misfit(schema, answer);
      if (misfit == null) {
        return end("completed", "answered", "The model answered.", answer, now);
      }
    } catch (JacksonException e) {
      misfit = "it is not valid JSON";
    }
    if (state.answers().misfits() < retries && !state.answers().isLast()) {
      return nudge(
          Why.OUTPUT_SCHEMA,
          "Your answer does not fit the schema: %s. Answer with the corrected JSON alone."
              .formatted(misfit),
          now);
    }
    return end(
        "failed",
        "output-schema",
        "the answer does not fit, after %d of %d corrections: %s"
            .formatted(state.answers().misfits(), retries, misfit),
        StringNode.valueOf(text),
        now);
  }

  private static NextAction nudge(Why why, String text, long now) {
    return new NextAction.Append(new JournalEntry.Nudged(why, text, now));
  }

  private static NextAction end(
      String status, String reason, String words, @Nullable JsonNode output, long now) {
    return new NextAction.End(new JournalEntry.Ended(status, reason, words, output, now));
  }
}
