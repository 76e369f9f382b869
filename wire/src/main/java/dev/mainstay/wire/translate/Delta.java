package dev.mainstay.wire.translate;

import dev.mainstay.wire.Dialect;
import dev.mainstay.wire.money.Usage;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * A piece of an answer, in no dialect: what a stream's event brings, or a part of a whole answer,
 * which is the same pieces at once. {@code choice} counts the answers that were asked for, from 0.
 * Immutable.
 */
public sealed interface Delta {

  /** The answer begins. */
  record Start(@Nullable String id, @Nullable String model) implements Delta {}

  /** More of the text; never cut inside a code point. */
  record Text(int choice, String text) implements Delta {}

  /** More of a refusal that the model put in words. */
  record Refusal(int choice, String text) implements Delta {}

  /** More of the reasoning, or of its summary. */
  record Reasoning(int choice, String text) implements Delta {}

  /**
   * What proves or carries the reasoning before it and means something to its own dialect alone: a
   * signature, redacted or encrypted thinking.
   *
   * @param of the dialect that made it
   * @param value as that dialect has it: Anthropic's signature as a string, its redacted thinking
   *     as the block; Gemini's thought signature as a string; Responses' encrypted content as a
   *     string; Chat's element of {@code reasoning_details}
   */
  record ReasoningSeal(int choice, Dialect of, JsonNode value) implements Delta {}

  /**
   * A tool call begins.
   *
   * @param call its place among the choice's calls, from 0
   * @param id the provider's id for it, or null where its dialect has none
   * @param seal a signature that goes back with the call, or null; means something to {@code of}
   *     alone
   * @param custom whether the model made it as the call of one of OpenAI's custom tools; its
   *     arguments are then as {@link CustomInput} has them
   */
  record ToolCall(
      int choice,
      int call,
      @Nullable String id,
      String name,
      @Nullable ReasoningSeal seal,
      boolean custom)
      implements Delta {
    public ToolCall(
        int choice, int call, @Nullable String id, String name, @Nullable ReasoningSeal seal) {
      this(choice, call, id, name, seal, false);
    }
  }

  /** More of a tool call's arguments, as JSON text. */
  record Arguments(int choice, int call, String json) implements Delta {}

  /**
   * A citation of the text before it.
   *
   * @param value the citation or annotation, as {@code of} has it
   */
  record Citation(int choice, Dialect of, JsonNode value) implements Delta {}

  /**
   * Log probabilities of the text before it.
   *
   * @param value a list of entries as OpenAI has them: {@code token}, {@code logprob}, {@code
   *     bytes}, {@code top_logprobs}
   */
  record Logprobs(int choice, JsonNode value) implements Delta {}

  /** An image or a sound that the model made, in base64. */
  record Media(int choice, String mimeType, String base64) implements Delta {}

  /**
   * What only its own dialect has a word for, such as a built-in tool's call and result.
   *
   * @param value the block, part or item, as that dialect has it
   */
  record Native(int choice, Dialect of, JsonNode value) implements Delta {}

  /**
   * A choice ends.
   *
   * @param word the provider's own word
   * @param stopSequence the stop sequence that was met, where it was told
   */
  record Finished(int choice, Ending ending, String word, @Nullable String stopSequence)
      implements Delta {}

  /** Tokens used so far by the whole answer; replaces what was told before. */
  record Used(Usage usage) implements Delta {}

  /** The protocol's own ending: nothing follows. */
  record End() implements Delta {}

  /** Why a choice ended. */
  enum Ending {
    /** The model was done. */
    STOP,
    STOP_SEQUENCE,
    TOOL_CALLS,
    /** The limit of tokens was reached. */
    LENGTH,
    /** The context was full. */
    CONTEXT,
    CONTENT_FILTER,
    REFUSAL,
    /** The turn is to be gone on with by sending it back. */
    PAUSE,
    OTHER
  }

  /** The choice that it is about, or -1 where it is about the whole answer. */
  default int ofChoice() {
    return switch (this) {
      case Text d -> d.choice();
      case Refusal d -> d.choice();
      case Reasoning d -> d.choice();
      case ReasoningSeal d -> d.choice();
      case ToolCall d -> d.choice();
      case Arguments d -> d.choice();
      case Citation d -> d.choice();
      case Logprobs d -> d.choice();
      case Media d -> d.choice();
      case Native d -> d.choice();
      case Finished d -> d.choice();
      case Start d -> -1;
      case Used d -> -1;
      case End d -> -1;
    };
  }
}
