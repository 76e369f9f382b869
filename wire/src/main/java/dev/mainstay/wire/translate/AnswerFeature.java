package dev.mainstay.wire.translate;

import dev.mainstay.wire.Dialect;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * What an answer can say, and where each dialect says it: the source of the table in {@code
 * docs/translation.md} and of the test that holds every cell against what the readers and writers
 * do.
 */
public enum AnswerFeature {
  TEXT(
      "`message.content`",
      "`message.content`",
      "`output_text` parts",
      "`text` blocks",
      "`text` parts",
      ""),
  REFUSAL(
      "`message.refusal`",
      "as text",
      "`refusal` parts",
      "as text, `stop_reason: refusal`",
      "as text",
      "the text stays; the mark as a refusal may be lost"),
  REASONING(
      "`reasoning_content`; `reasoning` and `reasoning_details` are read too",
      "`thinking` blocks of the content",
      "`reasoning` items, as a summary",
      "`thinking` blocks",
      "parts with `thought`",
      ""),
  REASONING_SIGNATURE(
      "`reasoning_details`",
      "`signature` of a `thinking` block",
      "`encrypted_content`",
      "`signature`, `redacted_thinking`",
      "`thoughtSignature`",
      "kept for the dialect that created it: the client's dialect carries it in its own place, and"
          + " Mainstay restores it when the conversation returns"),
  TOOL_CALLS(
      "`tool_calls`, of custom tools too",
      "`tool_calls`, each whole",
      "`function_call`, `custom_tool_call` items",
      "`tool_use` blocks",
      "`functionCall` parts, each whole",
      "Mainstay adapts ids to the client's characters, and creates a stable id if there is none. A"
          + " call of a custom tool stays a custom call, whichever model makes it"),
  TOOL_CALL_SIGNATURE(
      "`extra_content.google.thought_signature`",
      "a `thinking` block",
      "a `reasoning` item before the call",
      "a `redacted_thinking` block before the call",
      "`thoughtSignature`",
      "only Gemini signs calls"),
  INVALID_ARGUMENTS(
      "as they came",
      "as they came",
      "as they came",
      "as they came; in a whole answer under `invalid_arguments`",
      "no call, `finishReason: MALFORMED_FUNCTION_CALL`",
      "arguments that are not a JSON object, if the configuration accepts them"),
  CITATIONS(
      "`annotations`",
      null,
      "`annotations`",
      "`citations`",
      "`groundingMetadata`, at the end",
      "web pages only; other citations stay with their dialect. Gemini's come at the end: after"
          + " tool calls they are lost for Anthropic and Responses"),
  LOGPROBS("`logprobs`", null, "`logprobs`", null, "`logprobsResult`", ""),
  IMAGES(
      "`images`, as OpenRouter sends them",
      "`image_url` blocks of the content",
      "`image_generation_call` items",
      null,
      "`inlineData` parts",
      "other media than images reach only Gemini's clients"),
  PROVIDER_TOOLS(
      "`audio`",
      "unknown blocks",
      "items of built-in tools",
      "`server_tool_use` and results",
      "`executableCode` and the like",
      "only for clients of the dialect itself"),
  CHOICES(
      "`choices`",
      "`choices`",
      null,
      null,
      "`candidates`",
      "clients of a dialect with one answer receive only the first"),
  STOP_SEQUENCE(
      "`stop_reason` beside `finish_reason`, as vLLM sends it",
      null,
      null,
      "`stop_sequence`",
      null,
      "the sequence that ended the answer; the client always receives the ending itself"),
  ENDINGS(
      "`stop`, `tool_calls`, `length`, `content_filter`",
      "the same and `model_length`",
      "`completed`; `incomplete` for `max_output_tokens`, `content_filter`",
      "`end_turn`, `tool_use`, `max_tokens`, `stop_sequence`, `refusal`, `pause_turn`,"
          + " `model_context_window_exceeded`",
      "`STOP`, `MAX_TOKENS`, `SAFETY` and Gemini's other words",
      "the nearest value; a shortened answer never has a normal ending"),
  USAGE(
      "`usage`, in a stream if asked for",
      "`usage`",
      "`usage`",
      "`usage`",
      "`usageMetadata`",
      "counts cached and reasoning tokens as each dialect does, inside or beside the totals; tokens"
          + " written to a cache are input for Gemini's clients");

  private final @Nullable String chat;
  private final @Nullable String mistral;
  private final @Nullable String responses;
  private final @Nullable String anthropic;
  private final @Nullable String gemini;
  private final String note;

  AnswerFeature(
      @Nullable String chat,
      @Nullable String mistral,
      @Nullable String responses,
      @Nullable String anthropic,
      @Nullable String gemini,
      String note) {
    this.chat = chat;
    this.mistral = mistral;
    this.responses = responses;
    this.anthropic = anthropic;
    this.gemini = gemini;
    this.note = note;
  }

  /**
   * Its name in {@code x-mainstay-degraded} where an answer has it and the client's dialect not.
   */
  public String label() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /** Where {@code dialect} says it, in Markdown; null where it cannot. */
  public @Nullable String in(Dialect dialect) {
    return switch (dialect) {
      case OPENAI_CHAT -> chat;
      case MISTRAL -> mistral;
      case OPENAI_RESPONSES -> responses;
      case ANTHROPIC -> anthropic;
      case GEMINI -> gemini;
    };
  }

  /** The table of all rows, in Markdown. */
  public static String table() {
    var out =
        new StringBuilder(
            "| name | OpenAI Chat | Mistral | OpenAI Responses | Anthropic | Gemini | what to know"
                + " |\n"
                + "|---|---|---|---|---|---|---|\n");
    var columns =
        new Dialect[] {
          Dialect.OPENAI_CHAT,
          Dialect.MISTRAL,
          Dialect.OPENAI_RESPONSES,
          Dialect.ANTHROPIC,
          Dialect.GEMINI
        };
    for (var row : values()) {
      out.append("| `").append(row.label()).append("` |");
      for (var dialect : columns) {
        var cell = row.in(dialect);
        out.append(' ').append(cell == null ? "—" : cell).append(" |");
      }
      out.append(' ').append(row.note).append(" |\n");
    }
    return out.toString();
  }
}
