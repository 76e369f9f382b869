package dev.mainstay.wire.continuation;

import dev.mainstay.wire.Dialect;
import dev.mainstay.wire.translate.Delta;
import dev.mainstay.wire.translate.Delta.Ending;
import org.jspecify.annotations.Nullable;

/** Whether an answer that broke may be finished by another attempt. */
public sealed interface Continuable {

  /** It may be gone on with from where it stopped. */
  record Yes() implements Continuable {}

  /**
   * No text was delivered: the same request again, and of the new answer everything but its
   * reasoning is delivered where reasoning was delivered before.
   */
  record Restart() implements Continuable {}

  /**
   * The answer is whole and nothing but its ending is missing; no attempt is needed.
   *
   * @param finished why it ended, to be written where it was not delivered
   * @param delivered whether the client has that already
   */
  record Complete(Delta.Finished finished, boolean delivered) implements Continuable {}

  /**
   * It may not.
   *
   * @param reason one sentence for a person, without anything of the answer in it
   */
  record No(String reason) implements Continuable {}

  /**
   * Judges the answer to {@code body}.
   *
   * @param dialect the client's, which {@code body} is in
   * @throws IllegalArgumentException if the body is not a JSON object
   */
  static Continuable judge(byte[] body, Dialect dialect, Delivered delivered) {
    var asked = RequestShape.of(RequestShape.tree(body), dialect);
    if (!delivered.finishes().isEmpty() && delivered.finishes().size() >= asked.choices()) {
      return new Complete(delivered.finishes().getFirst(), true);
    }
    var no = refusal(asked, dialect, delivered);
    if (no != null) {
      return new No(no);
    }
    if (delivered.nothingButReasoning()) {
      return new Restart();
    }
    if (asked.json() && JsonSeam.isWhole(delivered.text()) && closes(delivered.text())) {
      return complete(Ending.STOP, dialect);
    }
    var usage = delivered.usage();
    var max = asked.maxTokens();
    if (usage != null
        && max != null
        && !usage.estimated()
        && usage.output() + usage.reasoning() >= max) {
      return complete(Ending.LENGTH, dialect);
    }
    return new Yes();
  }

  private static @Nullable String refusal(
      RequestShape asked, Dialect dialect, Delivered delivered) {
    if (delivered.has(Delivered.Content.TOOL_CALL)) {
      return "A tool call had reached the client and is never delivered twice.";
    }
    if (asked.choices() > 1 || delivered.choices() > 1) {
      return "Several answers were asked for at once.";
    }
    if (delivered.has(Delivered.Content.UNSEALED_REASONING) && dialect == Dialect.ANTHROPIC) {
      return "Thinking had reached the client without its signature.";
    }
    if (asked.kept() != null) {
      return "The answer cannot be gone on with: " + asked.kept() + ".";
    }
    if (delivered.nothingButReasoning()) {
      return null;
    }
    if (delivered.builtIn() && (dialect == Dialect.OPENAI_CHAT || dialect == Dialect.MISTRAL)) {
      return "A call of a built-in tool had reached the client and cannot be taken up.";
    }
    if (delivered.has(Delivered.Content.MEDIA) || asked.media()) {
      return "An image or a sound cannot be gone on with.";
    }
    if (delivered.has(Delivered.Content.REFUSAL)) {
      return "The model had begun to refuse.";
    }
    if (asked.logprobs() || delivered.has(Delivered.Content.LOGPROBS)) {
      return "Log probabilities were asked for and would not be one answer's.";
    }
    if (delivered.tooLong()) {
      return "More than " + Delivered.MAX_TEXT + " characters had reached the client.";
    }
    return null;
  }

  /** A number could go on. */
  private static boolean closes(String text) {
    char last = text.stripTrailing().charAt(text.stripTrailing().length() - 1);
    return last == '}' || last == ']';
  }

  private static Complete complete(Ending ending, Dialect dialect) {
    boolean stop = ending == Ending.STOP;
    String word =
        switch (dialect) {
          case OPENAI_CHAT, MISTRAL -> stop ? "stop" : "length";
          case OPENAI_RESPONSES -> stop ? "completed" : "max_output_tokens";
          case ANTHROPIC -> stop ? "end_turn" : "max_tokens";
          case GEMINI -> stop ? "STOP" : "MAX_TOKENS";
        };
    return new Complete(new Delta.Finished(0, ending, word, null), false);
  }
}
