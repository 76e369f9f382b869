package dev.mainstay.wire.translate.request;

import dev.mainstay.wire.Dialect;
import dev.mainstay.wire.translate.request.Field.Type;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The table of what maps to what: a row for everything a request can say, a column for each
 * dialect. Settings (rows with a type) are read and written by this table alone; the other rows are
 * the work of the dialects' own readers and writers, and say what these do. {@code
 * docs/translation.md} is generated from it.
 *
 * <p>A setting is a {@link Field}. The other rows hold, for each dialect in the order Chat,
 * Mistral, Responses, Anthropic, Gemini, the words for it, and null where the dialect has none.
 */
public enum Feature {
  // What is said
  SYSTEM(
      "`system`, `developer` messages",
      "`system` messages",
      "`instructions`, `system` items",
      "`system`",
      "`systemInstruction`",
      "nothing; several become one if the target has one place"),
  SYSTEM_POSITION(
      "anywhere",
      "at the beginning",
      "anywhere",
      "at the beginning",
      "at the beginning",
      "a system message in the middle moves to the beginning; if the conversation has nothing else,"
          + " it becomes the user's"),
  FIRST_TURN(
      "any",
      "any",
      "any",
      "the user's",
      "the user's",
      "the order: if the assistant begins the conversation, Mainstay adds a short user turn before"
          + " it"),
  TURN_ORDER(
      "any",
      "the assistant's after a tool's",
      "any",
      "any",
      "any",
      "the order: for Mistral, Mainstay adds a short assistant message between a tool's message and"
          + " a user's"),
  TEXT(
      "`content`, `text` parts",
      "same",
      "`input_text`, `output_text`",
      "`text` blocks",
      "`text` parts",
      "nothing; Mainstay leaves out empty texts for Anthropic and Gemini, and empty assistant"
          + " messages for Mistral, which refuse them. It refuses the request if nothing is left"),
  IMAGE(
      "`image_url`",
      "`image_url`",
      "`input_image`",
      "`image`",
      "`inlineData`, `fileData`",
      "nothing; Mainstay refuses an image that the dialect cannot express"),
  IMAGE_DETAIL(
      "`image_url.detail`",
      "`image_url.detail`",
      "`input_image.detail`",
      null,
      null,
      "how closely to look"),
  DOCUMENT(
      "`file`",
      "`document_url`",
      "`input_file`",
      "`document`",
      "`inlineData`, `fileData`",
      "nothing; Mainstay refuses a document that the dialect cannot express"),
  DOCUMENT_NAME(
      "`file.filename`", "`document_name`", "`filename`", "`title`", null, "the document's name"),
  PLAIN_DOCUMENT(
      "text",
      "text",
      "text",
      "`document` with `source.type: text`",
      "text",
      "the boundaries of the document: its title and text become a text part"),
  AUDIO(
      "`input_audio`",
      "`input_audio`",
      null,
      null,
      "`inlineData`",
      Policy.REFUSE,
      "refused if the dialect has no sound"),
  VIDEO(
      null,
      null,
      null,
      null,
      "`inlineData`, `fileData`",
      Policy.REFUSE,
      "refused if the dialect has no video"),
  PROVIDER_FILE(
      "`file_id`",
      "`file_id`",
      "`file_id`",
      "`source.file_id`",
      "`fileData` of its Files API",
      Policy.REFUSE,
      "always refused: only its provider has the file"),
  PARTICIPANT_NAME("`messages[].name`", null, null, null, null, "who of several users spoke"),
  REFUSAL("`refusal`", "text", "`refusal`", "text", "text", "an earlier refusal becomes text"),
  CITATIONS(
      "`annotations`",
      "`reference` chunks",
      "`annotations`",
      "`citations`",
      "`groundingMetadata`",
      "citations in earlier answers; their text stays"),
  PREFILL(
      "last assistant message",
      "`prefix`",
      "last assistant item",
      "last assistant message",
      "last `model` turn",
      "nothing; only Mistral has a field for it, which Mainstay sets if the conversation ends with"
          + " the assistant"),
  NATIVE_CONTENT(
      "`audio` of an earlier answer",
      null,
      "items of built-in tools",
      "blocks of server tools",
      "`executableCode`, `toolCall`, …",
      "calls and results of the provider's own tools in earlier turns"),

  // Tools
  TOOLS(
      "`tools[].function`",
      "`tools[].function`",
      "`tools[]` of type `function`",
      "`tools[]` with `input_schema`",
      "`tools[].functionDeclarations`",
      "nothing"),
  TOOL_STRICT(
      "`function.strict`",
      "`function.strict`",
      "`strict`",
      "`strict`",
      null,
      "that arguments must fit the schema"),
  TOOL_NAME(
      "`a-zA-Z0-9_-`, 64",
      "`a-zA-Z0-9_-`, 64",
      "`a-zA-Z0-9_-`, 64",
      "`a-zA-Z0-9_-`, 128",
      "also dots and colons, 128",
      Policy.REFUSE,
      "refused if the target does not accept the name"),
  BUILT_IN_TOOLS(
      "`web_search_options`",
      null,
      "`web_search`, `file_search`, `mcp`, …",
      "`web_search_20250305`, …",
      "`googleSearch`, `codeExecution`, …",
      "the provider's own tools; refused if the model must call one"),
  CUSTOM_TOOLS(
      "`tools[]`, `tool_calls[]` of type `custom`",
      "a function of one text, `input`",
      "`custom` tools, `custom_tool_call` items",
      "a tool of one text, `input`",
      "a function of one text, `input`",
      "that the input must fit a grammar, which goes into the description; OpenAI before GPT-5 and"
          + " models of relays get a function too; calls come back to the client as custom ones"),
  LEGACY_FUNCTIONS(
      "`functions`, `function_call`",
      null,
      null,
      null,
      null,
      Policy.REFUSE,
      "always refused: their clients do not read `tool_calls`"),
  TOOL_CHOICE(
      "`tool_choice`",
      "`tool_choice`",
      "`tool_choice`",
      "`tool_choice`",
      "`toolConfig.functionCallingConfig`",
      "nothing; if the dialect cannot restrict the choice to some tools, Mainstay offers only"
          + " these"),
  PARALLEL_TOOLS(
      Field.of(Type.BOOLEAN)
          .chat("parallel_tool_calls")
          .mistral("parallel_tool_calls")
          .responses("parallel_tool_calls")
          .anthropic("tool_choice.disable_parallel_tool_use")
          .neutral("true"),
      "at most one call at a time"),
  TOOL_CALLS(
      "`tool_calls`",
      "`tool_calls`",
      "`function_call` items",
      "`tool_use` blocks",
      "`functionCall` parts",
      "nothing; Mainstay adapts ids to the dialect and restores them"),
  TOOL_ARGUMENTS(
      "JSON text",
      "JSON text or object",
      "JSON text",
      "object",
      "object",
      "arguments of an earlier call that are no JSON object are put into one as `invalid_json`"),
  TOOL_RESULTS(
      "`tool` messages",
      "`tool` messages",
      "`function_call_output` items",
      "`tool_result` blocks",
      "`functionResponse` parts",
      "nothing"),
  TOOL_RESULT_ERROR(
      null, null, null, "`is_error`", "`response.error`", "that the tool failed; its words stay"),
  TOOL_RESULT_MEDIA(
      "a user message after it",
      "in the `tool` message",
      "in `output`",
      "in `content`",
      "`functionResponse.parts`",
      "OpenAI Chat: images and files follow in a user message; Gemini before 3: as parts beside"
          + " it"),

  // Reasoning
  REASONING_EFFORT(
      "`reasoning_effort`",
      "`reasoning_effort`, `prompt_mode`",
      "`reasoning.effort`",
      "`thinking`, `output_config.effort`",
      "`thinkingConfig`",
      "the target gets the nearest effort that its model takes; effort and budget are turned into"
          + " each other by Google's table (1,024, 8,192, 24,576 tokens); left out where the model"
          + " does not reason, must call a tool (Anthropic) or has unsigned tool calls in its"
          + " history (Anthropic before 4.6)"),
  REASONING_SHOWN(
      null,
      null,
      "`reasoning.summary`",
      "`thinking.display`",
      "`includeThoughts`",
      "whether reasoning is wanted in the answer"),
  REASONING_HISTORY(
      "`reasoning_details`, `extra_content`",
      "`thinking` chunks",
      "`reasoning` items",
      "`thinking`, `redacted_thinking`",
      "`thought`, `thoughtSignature`",
      Policy.SILENT,
      "reasoning of earlier answers goes back only to the dialect that signed it, also when it"
          + " travelled through a client of another; never as text"),

  // What the answer must be
  JSON_SCHEMA(
      "`response_format.json_schema`",
      "`response_format.json_schema`",
      "`text.format`",
      "`output_config.format`",
      "`responseJsonSchema`",
      "nothing; Mainstay adds a name if the dialect requires one"),
  JSON_MODE(
      "`response_format: json_object`",
      "`response_format: json_object`",
      "`text.format: json_object`",
      null,
      "`responseMimeType`",
      "that the answer must be JSON"),
  SCHEMA_RULES(
      "all",
      "all",
      "all",
      "no ranges, lengths, patterns of keys; `additionalProperties: false`",
      "no `pattern`, lengths, `allOf`, `not`, …",
      "rules in a schema that the target does not know"),
  MODALITIES(
      Field.of(Type.RAW)
          .chat("modalities")
          .gemini("generationConfig.responseModalities")
          .neutral("[\"text\"]"),
      Policy.REFUSE,
      "refused unless the client wants only text: Mainstay cannot return sound and images in"
          + " answers"),
  AUDIO_OUTPUT(
      Field.of(Type.RAW).chat("audio").gemini("generationConfig.speechConfig"),
      "voice and format of the sound in answers"),

  // Settings
  MAX_TOKENS(
      Field.of(Type.INTEGER)
          .chat("max_completion_tokens|max_tokens")
          .mistral("max_tokens")
          .responses("max_output_tokens")
          .anthropic("max_tokens")
          .gemini("generationConfig.maxOutputTokens"),
      "nothing; Anthropic requires a limit: without one from the client, the most that the model"
          + " writes (4,096 to 64,000), or 8,192 for unknown models"),
  TEMPERATURE(
      Field.of(Type.NUMBER)
          .chat("temperature")
          .mistral("temperature")
          .responses("temperature")
          .anthropic("temperature")
          .gemini("generationConfig.temperature"),
      "values above 1, which become 1 for Anthropic; the whole field for Claude 4.7 and later,"
          + " which refuse it, and when Claude thinks"),
  TOP_P(
      Field.of(Type.NUMBER)
          .chat("top_p")
          .mistral("top_p")
          .responses("top_p")
          .anthropic("top_p")
          .gemini("generationConfig.topP"),
      "as temperature; left out for Claude 4.1 to 4.6 if both are set"),
  TOP_K(
      Field.of(Type.INTEGER).mistral("top_k").anthropic("top_k").gemini("generationConfig.topK"),
      "the limit of candidate tokens"),
  PRESENCE_PENALTY(
      Field.of(Type.NUMBER)
          .chat("presence_penalty")
          .mistral("presence_penalty")
          .gemini("generationConfig.presencePenalty")
          .neutral("0"),
      "the penalty"),
  FREQUENCY_PENALTY(
      Field.of(Type.NUMBER)
          .chat("frequency_penalty")
          .mistral("frequency_penalty")
          .gemini("generationConfig.frequencyPenalty")
          .neutral("0"),
      "the penalty"),
  LOGIT_BIAS(Field.of(Type.RAW).chat("logit_bias").neutral("{}"), "the bias"),
  SEED(
      Field.of(Type.INTEGER).chat("seed").mistral("random_seed").gemini("generationConfig.seed"),
      "repeatable sampling"),
  STOP(
      Field.of(Type.STRINGS)
          .chat("stop")
          .mistral("stop")
          .anthropic("stop_sequences")
          .gemini("generationConfig.stopSequences")
          .neutral("[]"),
      "stop sequences; also those of nothing but white space for Anthropic, and those beyond 4"
          + " (OpenAI) or 5 (Gemini)"),
  CHOICES(
      Field.of(Type.INTEGER)
          .chat("n")
          .mistral("n")
          .gemini("generationConfig.candidateCount")
          .neutral("1"),
      Policy.REFUSE,
      "refused: the target cannot give more than one answer"),
  LOGPROBS(
      Field.of(Type.BOOLEAN)
          .chat("logprobs")
          .mistral("logprobs")
          .responses("include")
          .gemini("generationConfig.responseLogprobs")
          .neutral("false"),
      "log probabilities"),
  TOP_LOGPROBS(
      Field.of(Type.INTEGER)
          .chat("top_logprobs")
          .mistral("top_logprobs")
          .responses("top_logprobs")
          .gemini("generationConfig.logprobs")
          .neutral("0"),
      "log probabilities of other tokens"),
  VERBOSITY(
      Field.of(Type.STRING).chat("verbosity").responses("text.verbosity").neutral("\"medium\""),
      "how many words"),
  PREDICTION(Field.of(Type.RAW).chat("prediction").mistral("prediction"), "speed only"),
  TRUNCATION(
      Field.of(Type.STRING).responses("truncation").neutral("\"disabled\""),
      "that the provider cuts a conversation that is too long"),
  MAX_TOOL_CALLS(
      Field.of(Type.INTEGER).responses("max_tool_calls"), "the limit of calls of built-in tools"),

  // Who and how
  USER(
      Field.of(Type.STRING)
          .chat("user")
          .responses("user")
          .anthropic("metadata.user_id")
          .neutral("\"\""),
      "the user's id"),
  SAFETY_IDENTIFIER(
      Field.of(Type.STRING)
          .chat("safety_identifier")
          .responses("safety_identifier")
          .neutral("\"\""),
      "the user's id; it becomes `metadata.user_id` of Anthropic where there is no `user`"),
  METADATA(
      Field.of(Type.RAW).chat("metadata").mistral("metadata").responses("metadata").neutral("{}"),
      "the client's own labels"),
  LABELS(Field.of(Type.RAW).gemini("labels").neutral("{}"), "the client's own labels"),
  SERVICE_TIER(
      Field.of(Type.STRING)
          .chat("service_tier")
          .responses("service_tier")
          .anthropic("service_tier")
          .gemini("serviceTier")
          .neutral("\"auto\""),
      "the tier where the dialect has none of its kind: `default` is Anthropic's `standard_only`"
          + " and Gemini's `standard`"),
  CACHE_CONTROL(
      "`prompt_cache_breakpoint`",
      null,
      "`prompt_cache_breakpoint`",
      "`cache_control`",
      null,
      "where the reusable part of the prompt ends; said to OpenAI from GPT-5.6 on, cached there"
          + " without being told before"),
  PROMPT_CACHE_KEY(
      Field.of(Type.STRING).chat("prompt_cache_key").responses("prompt_cache_key"),
      "which requests share a cache"),
  PROMPT_CACHE_OPTIONS(
      Field.of(Type.RAW).chat("prompt_cache_options").responses("prompt_cache_options"),
      "how long the cache is kept"),
  PROMPT_CACHE_RETENTION(
      Field.of(Type.STRING).chat("prompt_cache_retention").responses("prompt_cache_retention"),
      "how long the cache is kept"),
  MODERATION(
      Field.of(Type.RAW).chat("moderation").responses("moderation"), "the provider's own filter"),
  SAFETY_SETTINGS(
      Field.of(Type.RAW).gemini("safetySettings").neutral("[]"), "the provider's own filter"),
  GUARDRAILS(Field.of(Type.RAW).mistral("guardrails"), "the provider's own filter"),
  SAFE_PROMPT(
      Field.of(Type.BOOLEAN).mistral("safe_prompt").neutral("false"), "the provider's own filter"),
  INFERENCE_REGION(
      Field.of(Type.STRING).anthropic("inference_geo"),
      Policy.REFUSE,
      "refused: the place of the inference is a requirement"),
  SPEED(Field.of(Type.STRING).anthropic("speed").neutral("\"standard\""), "speed only"),
  COMPACTION(
      Field.of(Type.RAW).responses("context_management").neutral("[]"),
      "that the provider shortens the conversation by itself"),
  CONTEXT_EDITING(
      Field.of(Type.RAW).anthropic("context_management").neutral("{}"),
      "that the provider leaves old results out by itself"),
  STORE(
      Field.of(Type.BOOLEAN).chat("store").responses("store").gemini("store").neutral("false"),
      "that the provider keeps the answer; Responses targets get `store: false`"),
  STREAM(
      "`stream`, `stream_options`",
      "`stream`",
      "`stream`",
      "`stream`",
      "in the path",
      "nothing; Mainstay always requests the usage of a stream"),

  // What a provider keeps
  PREVIOUS_RESPONSE(
      Field.of(Type.STRING).responses("previous_response_id"),
      Policy.REFUSE,
      "refused: only the provider that created it has it"),
  CONVERSATION(
      Field.of(Type.RAW).responses("conversation"),
      Policy.REFUSE,
      "refused: only its provider has it"),
  STORED_PROMPT(
      Field.of(Type.RAW).responses("prompt"), Policy.REFUSE, "refused: only its provider has it"),
  ITEM_REFERENCE(
      null,
      null,
      "`item_reference`",
      null,
      null,
      Policy.REFUSE,
      "refused: only its provider has the item"),
  BACKGROUND(
      Field.of(Type.BOOLEAN).responses("background").neutral("false"),
      Policy.REFUSE,
      "refused: only its provider could answer later"),
  CONTAINER(
      Field.of(Type.RAW).anthropic("container"),
      Policy.REFUSE,
      "refused: only its provider has it"),
  CACHED_CONTENT(
      Field.of(Type.STRING).gemini("cachedContent"),
      Policy.REFUSE,
      "refused: only its provider has it"),
  MCP_SERVERS(
      Field.of(Type.RAW).anthropic("mcp_servers").neutral("[]"),
      Policy.REFUSE,
      "refused: only its own provider calls these servers"),

  UNKNOWN_FIELD("any", "any", "any", "any", "any", "fields that this table does not name");

  /** What happens where the target has no word for it. */
  public enum Policy {
    /** Left out and said, or refused if the setting is so. */
    DROP,
    /** Refused whatever the setting. */
    REFUSE,
    /** Left out without a word. */
    SILENT
  }

  private final Field field;
  private final Policy policy;
  private final String lost;
  private final String label = name().toLowerCase(Locale.ROOT).replace('_', '-');

  Feature(Field field, Policy policy, String lost) {
    this.field = field;
    this.policy = policy;
    this.lost = lost;
  }

  Feature(Field field, String lost) {
    this(field, Policy.DROP, lost);
  }

  Feature(
      @Nullable String chat,
      @Nullable String mistral,
      @Nullable String responses,
      @Nullable String anthropic,
      @Nullable String gemini,
      Policy policy,
      String lost) {
    this(new Field(null, chat, mistral, responses, anthropic, gemini, null), policy, lost);
  }

  Feature(
      @Nullable String chat,
      @Nullable String mistral,
      @Nullable String responses,
      @Nullable String anthropic,
      @Nullable String gemini,
      String lost) {
    this(chat, mistral, responses, anthropic, gemini, Policy.DROP, lost);
  }

  /** The short stable name in {@code x-mainstay-degraded}. */
  public String label() {
    return label;
  }

  /** The type of a setting, or null for a row that is more than one. */
  public @Nullable Type type() {
    return field.type();
  }

  /** What {@code dialect} calls it, or null where it has no word for it. */
  public @Nullable String column(Dialect dialect) {
    return field.path(dialect);
  }

  /** The value that says nothing, as JSON, or null where every value says something. */
  public @Nullable String neutral() {
    return field.neutral();
  }

  public Policy policy() {
    return policy;
  }

  /** What is lost where the target has no word for it. */
  public String lost() {
    return lost;
  }
}
