package dev.mainstay.wire.repair;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mainstay.wire.Dialect;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The errors are real ones; most are among the failures that the classifier keeps. */
final class ParameterRepairTest {

  @ParameterizedTest
  @CsvSource(
      delimiter = '!',
      quoteCharacter = '~',
      value = {
        // OpenAI
        "OPENAI_CHAT ! {\"error\":{\"message\":\"Unsupported parameter: 'max_tokens' is not"
            + " supported with this model. Use 'max_completion_tokens'"
            + " instead.\",\"type\":\"invalid_request_error\",\"param\":\"max_tokens\",\"code\":\"unsupported_parameter\"}}"
            + " ! {\"model\":\"o1\", \"max_tokens\" : 5} ! {\"model\":\"o1\","
            + " \"max_completion_tokens\" : 5} ! renamed max_tokens to max_completion_tokens",
        "OPENAI_CHAT ! litellm.BadRequestError: OpenAIException - Unsupported parameter: 'stop' is"
            + " not supported with this model. ! {\"stop\":[\"x\"],\"model\":\"m\"} !"
            + " {\"model\":\"m\"} ! dropped stop",
        "OPENAI_CHAT ! {\"error\":{\"message\":\"Unsupported value: 'temperature' does not support"
            + " 0.16 with this model. Only the default (1) value is"
            + " supported.\",\"param\":\"temperature\",\"code\":\"unsupported_value\"}} !"
            + " {\"model\":\"m\",\"temperature\":0.16,\"messages\":[]} !"
            + " {\"model\":\"m\",\"messages\":[]} ! dropped temperature",
        "OPENAI_CHAT ! BadRequestError: litellm.BadRequestError: OpenAIException - Unrecognized"
            + " request argument supplied: system_prompt !"
            + " {\"model\":\"m\",\"system_prompt\":\"x\"} ! {\"model\":\"m\"} ! dropped"
            + " system_prompt",
        "OPENAI_CHAT ! {\"error\":{\"code\":\"unsupported_value\",\"message\":\"Unsupported value:"
            + " 'messages[0].role' does not support 'developer' with this"
            + " model.\",\"param\":\"messages[0].role\"}} !"
            + " {\"messages\":[{\"role\":\"developer\",\"content\":\"a\"},{\"role\":\"user\",\"content\":\"developer\"}]}"
            + " ! {\"messages\":[{\"role\":\"system\",\"content\":\"a\"},{\"role\":\"user\",\"content\":\"developer\"}]}"
            + " ! sent developer messages as system messages",
        "OPENAI_RESPONSES ! {\"error\":{\"message\":\"Unsupported parameter: 'reasoning.effort' is"
            + " not supported with this model.\",\"param\":\"reasoning.effort\"}} !"
            + " {\"input\":\"x\",\"reasoning\":{\"effort\":\"low\"}} ! {\"input\":\"x\"} ! dropped"
            + " reasoning.effort",
        "OPENAI_RESPONSES ! {\"error\":{\"message\":\"Unsupported parameter:"
            + " 'reasoning.summary'\",\"param\":\"reasoning.summary\"}} !"
            + " {\"reasoning\":{\"effort\":\"low\",\"summary\":\"auto\"}} !"
            + " {\"reasoning\":{\"effort\":\"low\"}} ! dropped reasoning.summary",
        // xAI
        "OPENAI_CHAT ! {\"code\":\"Client specified an invalid argument\",\"error\":\"Argument not"
            + " supported on this model: presencePenalty\"} !"
            + " {\"presence_penalty\":0,\"model\":\"m\"} ! {\"model\":\"m\"} ! dropped"
            + " presence_penalty",
        "OPENAI_CHAT ! {\"error\":\"Model xxx does not support parameter frequencyPenalty.\"} !"
            + " {\"frequency_penalty\":1} ! {} ! dropped frequency_penalty",
        // Mistral, vLLM and others on pydantic
        "MISTRAL !"
            + " {\"object\":\"error\",\"message\":{\"detail\":[{\"type\":\"extra_forbidden\",\"loc\":[\"body\",\"n\"],\"msg\":\"Extra"
            + " inputs are not permitted\",\"input\":1}]}} ! {\"n\":1,\"model\":\"m\"} !"
            + " {\"model\":\"m\"} ! dropped n",
        "MISTRAL !"
            + " {\"detail\":[{\"type\":\"extra_forbidden\",\"loc\":[\"body\",\"messages\",6,\"assistant\",\"tool_calls\",0,\"index\"],\"msg\":\"Extra"
            + " inputs are not permitted\",\"input\":0}]} !"
            + " {\"messages\":[{\"role\":\"assistant\",\"tool_calls\":[{\"id\":\"a\",\"index\":0},{\"index\":1,\"id\":\"b\"}]}]}"
            + " ! {\"messages\":[{\"role\":\"assistant\",\"tool_calls\":[{\"id\":\"a\"},{\"id\":\"b\"}]}]}"
            + " ! dropped messages.index",
        "OPENAI_CHAT ! {\"object\":\"error\",\"message\":\"[{'type': 'extra_forbidden', 'loc':"
            + " ('body', 'max_completion_tokens'), 'msg': 'Extra inputs are not permitted',"
            + " 'input': 800}]\",\"type\":\"BadRequestError\",\"param\":null,\"code\":400} !"
            + " {\"max_completion_tokens\":800} ! {\"max_tokens\":800} ! renamed"
            + " max_completion_tokens to max_tokens",
        "OPENAI_CHAT ! litellm.UnsupportedParamsError: zai does not support parameters:"
            + " ['max_completion_tokens'], for model=glm-5.2. !"
            + " {\"model\":\"glm-5.2\",\"max_completion_tokens\":800,\"max_tokens\":1} !"
            + " {\"model\":\"glm-5.2\",\"max_tokens\":1} ! dropped max_completion_tokens",
        // Groq, Cerebras
        "OPENAI_CHAT ! {\"error\":{\"message\":\"'messages.1' : for 'role:assistant' the following"
            + " must be satisfied[('messages.1' : property 'reasoning_content' is unsupported)]\"}}"
            + " ! {\"messages\":[{\"role\":\"user\"},{\"reasoning_content\":\"x\",\"role\":\"assistant\"}]}"
            + " ! {\"messages\":[{\"role\":\"user\"},{\"role\":\"assistant\"}]} ! dropped"
            + " messages.reasoning_content",
        "OPENAI_CHAT ! {\"error\":{\"message\":\"`messages[3].reasoning`: reasoning is not"
            + " supported with this model\",\"type\":\"invalid_request_error\"}} !"
            + " {\"reasoning\":{\"effort\":\"low\"},\"messages\":[{\"role\":\"assistant\",\"reasoning\":\"x\"}]}"
            + " ! {\"reasoning\":{\"effort\":\"low\"},\"messages\":[{\"role\":\"assistant\"}]} !"
            + " dropped messages.reasoning",
        // Anthropic, and Bedrock's words for the same
        "ANTHROPIC !"
            + " {\"type\":\"error\",\"error\":{\"type\":\"invalid_request_error\",\"message\":\"context_management:"
            + " Extra inputs are not permitted\"}} !"
            + " {\"context_management\":{\"edits\":[]},\"max_tokens\":1} ! {\"max_tokens\":1} !"
            + " dropped context_management",
        "ANTHROPIC ! {\"message\":\"The model returned the following errors: `temperature` is"
            + " deprecated for this model.\"} ! {\"max_tokens\":1,\"temperature\":1} !"
            + " {\"max_tokens\":1} ! dropped temperature",
        "ANTHROPIC ! {\"message\":\"The model returned the following errors: tools.0.custom.strict:"
            + " Extra inputs are not permitted\"} !"
            + " {\"tools\":[{\"name\":\"a\",\"strict\":true,\"input_schema\":{\"properties\":{\"strict\":{}}}},{\"name\":\"b\",\"strict\":true}]}"
            + " ! {\"tools\":[{\"name\":\"a\",\"input_schema\":{\"properties\":{\"strict\":{}}}},{\"name\":\"b\"}]}"
            + " ! dropped tools.strict",
        "ANTHROPIC ! {\"message\":\"messages.0.content.3.text.cache_control.ephemeral.ttl: Extra"
            + " inputs are not permitted\"} !"
            + " {\"messages\":[{\"role\":\"user\",\"content\":[{\"type\":\"text\",\"text\":\"ttl\",\"cache_control\":{\"type\":\"ephemeral\",\"ttl\":\"1h\"}}]}]}"
            + " ! {\"messages\":[{\"role\":\"user\",\"content\":[{\"type\":\"text\",\"text\":\"ttl\",\"cache_control\":{\"type\":\"ephemeral\"}}]}]}"
            + " ! dropped messages.ttl",
        "ANTHROPIC ! {\"error\":{\"message\":\"thinking.disabled.budget_tokens: Extra inputs are"
            + " not permitted\"}} ! {\"thinking\":{\"type\":\"disabled\",\"budget_tokens\":0}} !"
            + " {\"thinking\":{\"type\":\"disabled\"}} ! dropped thinking.budget_tokens",
        "ANTHROPIC ! ValidationException: output_config.effort: Extra inputs are not permitted !"
            + " {\"max_tokens\":1,\"output_config\":{\"effort\":\"low\"}} ! {\"max_tokens\":1} !"
            + " dropped output_config.effort",
        // Gemini
        "GEMINI ! {\"error\":{\"code\":400,\"message\":\"Thinking budget is not supported for this"
            + " model.\",\"status\":\"INVALID_ARGUMENT\"}} !"
            + " {\"generationConfig\":{\"topK\":1,\"thinkingConfig\":{\"thinkingBudget\":0}}} !"
            + " {\"generationConfig\":{\"topK\":1}} ! dropped"
            + " generationConfig.thinkingConfig.thinkingBudget",
        "GEMINI ! {\"error\":{\"code\":400,\"message\":\"Invalid JSON payload received. Unknown"
            + " name \\\"responseLogprobs\\\" at 'generation_config': Cannot find"
            + " field.\",\"status\":\"INVALID_ARGUMENT\"}} !"
            + " {\"generationConfig\":{\"responseLogprobs\":true}} ! {\"generationConfig\":{}} !"
            + " dropped generationConfig.responseLogprobs",
        // DashScope, SiliconFlow, Moonshot, Fireworks
        "OPENAI_CHAT ! {\"error\":{\"message\":\"<400> InternalError.Algo.InvalidParameter: The"
            + " parameters `logprobs` is not supported.\",\"param\":null}} !"
            + " {\"logprobs\":true,\"a\":1} ! {\"a\":1} ! dropped logprobs",
        "OPENAI_CHAT ! {\"code\":20015,\"message\":\"Value error, current model does not support"
            + " parameter `enable_thinking`.\",\"data\":null} ! {\"a\":1,\"enable_thinking\":false}"
            + " ! {\"a\":1} ! dropped enable_thinking",
        "OPENAI_CHAT ! MoonshotException - invalid temperature: only 1 is allowed for this model !"
            + " {\"temperature\":0} ! {} ! dropped temperature",
        "ANTHROPIC ! Error: 400 {\"error\":{\"type\":\"invalid_request_error\",\"message\":\"5"
            + " request validation errors: Extra inputs are not permitted, field:"
            + " 'tools[0].eager_input_streaming', value: True\"},\"type\":\"error\"} !"
            + " {\"tools\":[{\"name\":\"a\",\"eager_input_streaming\":true}]} !"
            + " {\"tools\":[{\"name\":\"a\"}]} ! dropped tools.eager_input_streaming",
      })
  void whatTheErrorNamesIsDropped(
      Dialect dialect, String error, String body, String expected, String what) {
    var edited = ParameterRepair.drop(dialect, BodyEdits.utf8(body), error).orElseThrow();
    assertThat(text(edited.body())).isEqualTo(expected);
    assertThat(edited.what()).isEqualTo(what);
    assertThat(edited.after()).isLessThan(edited.before());
    var learned = edited.learned();
    assertThat(learned).isNotNull();
    if (learned != null) {
      var quirks = new ModelQuirks(() -> 0);
      quirks.learn("p/m", learned);
      assertThat(text(quirks.apply(BodyEdits.utf8(body), dialect, "p/m"))).isEqualTo(expected);
      assertThat(quirks.apply(edited.body(), dialect, "p/m")).isSameAs(edited.body());
    }
    ParameterRepair.drop(dialect, edited.body(), error)
        .ifPresent(again -> assertThat(again.body()).isNotEqualTo(edited.body()));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '!',
      quoteCharacter = '~',
      value = {
        "OPENAI_CHAT ! {\"error\":{\"message\":\"Unsupported parameter:"
            + " 'messages'\",\"param\":\"messages\"}} ! {\"messages\":[]}",
        "OPENAI_CHAT ! gemma:2b does not support tools ! {\"tools\":[{}]}",
        "OPENAI_CHAT ! {\"error\":{\"message\":\"tool_choice is not"
            + " supported\",\"param\":\"tool_choice\"}} ! {\"tool_choice\":\"required\"}",
        "OPENAI_CHAT ! {\"error\":{\"message\":\"'response_format' of type 'json_schema' is not"
            + " supported with this model\"}} ! {\"response_format\":{\"type\":\"json_schema\"}}",
        "OPENAI_CHAT ! Something is wrong for this user, stop. ! {\"user\":\"u\",\"stop\":\"x\"}",
        "MISTRAL ! {\"detail\":[{\"loc\":[\"body\",\"n\"],\"msg\":\"Extra inputs are not"
            + " permitted\"}]} ! {\"n\":2}",
        "ANTHROPIC ! {\"error\":{\"message\":\"max_tokens: Extra inputs are not permitted\"}} !"
            + " {\"max_tokens\":5}",
        "ANTHROPIC ! {\"error\":{\"message\":\"messages.0.content.0.text: Extra inputs are not"
            + " permitted\"}} ! {\"messages\":[{\"content\":[{\"text\":\"x\"}]}],\"text\":1}",
        "GEMINI ! {\"error\":{\"message\":\"JSON mode is not enabled for models/gemma\"}} !"
            + " {\"generationConfig\":{\"responseMimeType\":\"application/json\"}}",
        "OPENAI_CHAT ! {\"error\":{\"message\":\"The parameter `response_format.type` specified in"
            + " the request are not valid: `json_object` is not supported by this"
            + " model.\",\"param\":\"response_format.type\"}} !"
            + " {\"response_format\":{\"type\":\"json_object\"}}",
        "OPENAI_RESPONSES ! {\"error\":{\"message\":\"no\",\"param\":\"text.format.type\"}} !"
            + " {\"text\":{\"format\":{\"type\":\"json_object\"}}}",
        "OPENAI_CHAT ! '' ! {\"temperature\":1}",
        "OPENAI_CHAT ! temperature ! [1]",
      })
  void whatTheClientMeansStays(Dialect dialect, String error, String body) {
    assertThat(ParameterRepair.drop(dialect, BodyEdits.utf8(body), error)).isEmpty();
  }

  @Test
  void aRefusalOfACombinationIsNotRemembered() {
    var error =
        """
        {"type":"error","error":{"type":"invalid_request_error","message":"`temperature` may only \
        be set to 1 when thinking is enabled. Please consult our documentation"}}\
        """;
    var body = BodyEdits.utf8("{\"thinking\":{\"type\":\"enabled\"},\"temperature\":0.5}");
    var edited = ParameterRepair.drop(Dialect.ANTHROPIC, body, error).orElseThrow();
    assertThat(text(edited.body())).isEqualTo("{\"thinking\":{\"type\":\"enabled\"}}");
    assertThat(edited.learned()).isNull();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '!',
      quoteCharacter = '~',
      value = {
        "ANTHROPIC !"
            + " {\"type\":\"error\",\"error\":{\"type\":\"invalid_request_error\",\"message\":\"max_tokens:"
            + " 128001 > 64000, which is the maximum allowed number of output tokens for"
            + " claude-opus-4-5-20251101\"}} ! 128001 ! 64000",
        "OPENAI_CHAT ! 400 max_tokens is too large: 6000. This model supports at most 4096"
            + " completion tokens, whereas you provided 6000. ! 6000 ! 4096",
        "OPENAI_CHAT ! 400 max_tokens must be less than or equal to 16384, the maximum value for"
            + " max_tokens is less than the context_window for this model ! 20000 ! 16384",
        "OPENAI_CHAT ! {\"message\":\"`max_completion_tokens` must be less than or equal to"
            + " `16384`, the maximum value for\"} ! 20000 ! 16384",
        "OPENAI_CHAT ! max_tokens for `llama-3.1-8b-instant` must be less than or equal to 8000 !"
            + " 9000 ! 8000",
        "OPENAI_CHAT ! Invalid max_tokens value, the valid range of max_tokens is [1, 8192] ! 10000"
            + " ! 8192",
        "OPENAI_CHAT ! 400: <400> InternalError.Algo.InvalidParameter: Range of max_tokens should"
            + " be [1, 131072]. ! 200000 ! 131072",
        "OPENAI_CHAT ! The maximum tokens you requested exceed the model limit of 4096. Try again"
            + " with a maximum tokens value lower than 4096. ! 5000 ! 4096",
        "OPENAI_CHAT ! {\"error\":{\"code\":\"InvalidParameter\",\"message\":\"The parameter"
            + " max_tokens is invalid: integer above maximum value, expected a value <= 150, but"
            + " got 256 instead.\",\"param\":\"max_tokens\"}} ! 256 ! 150",
        "GEMINI ! Unable to submit request because it has a maxOutputTokens value of 100000 but the"
            + " supported range is from 1 (inclusive) to 65537 (exclusive). Update the value and"
            + " try again. ! 100000 ! 65536",
        "OPENAI_CHAT ! {\"error\":{\"message\":\"This model's maximum context length is 8192"
            + " tokens. However, you requested 10000 tokens (2000 in the messages, 8000 in the"
            + " completion). Please reduce the length of the messages or completion.\"}} ! 8000 !"
            + " 6192",
        "ANTHROPIC ! {\"error\":{\"message\":\"input length and `max_tokens` exceed context limit:"
            + " 190000 + 20000 > 200000, decrease input length or `max_tokens` and try again\"}} !"
            + " 20000 ! 10000",
        "OPENAI_CHAT ! 'max_tokens' or 'max_completion_tokens' is too large: 5000. This model's"
            + " maximum context length is 4096 tokens and your request has 100 input tokens (5000 >"
            + " 4096 - 100). ! 5000 ! 3996",
        "OPENAI_CHAT ! This endpoint's maximum context length is 131072 tokens. However, you"
            + " requested about 140000 tokens (11072 of text input, 128000 in the output). ! 128000"
            + " ! 120000",
      })
  void theLimitIsLoweredToWhatTheErrorNames(
      Dialect dialect, String error, long asked, long allowed) {
    var template =
        dialect == Dialect.GEMINI
            ? "{\"contents\":[],\"generationConfig\":{\"maxOutputTokens\":%d,\"topK\":1}}"
            : "{\"max_tokens\" : %d, \"model\":\"m\"}";
    var edited =
        MaxTokensRepair.lower(dialect, BodyEdits.utf8(template.formatted(asked)), error)
            .orElseThrow();
    assertThat(text(edited.body())).isEqualTo(template.formatted(allowed));
    assertThat(edited.before()).isEqualTo(asked);
    assertThat(edited.after()).isEqualTo(allowed);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '!',
      value = {
        "max_tokens must be at least 1, got -186.",
        "`max_tokens` must be greater than `thinking.budget_tokens`. Please consult our"
            + " documentation",
        "max_tokens is too large",
        "''",
        "rate limit of 100 requests",
      })
  void aLimitThatIsNotNamedIsNotGuessed(String error) {
    var body = BodyEdits.utf8("{\"max_tokens\":4000}");
    assertThat(MaxTokensRepair.lower(Dialect.OPENAI_CHAT, body, error)).isEmpty();
    assertThat(
            MaxTokensRepair.lower(
                Dialect.OPENAI_CHAT, BodyEdits.utf8("{\"model\":\"m\"}"), "at most 4096 tokens"))
        .isEmpty();
  }

  @Test
  void theBudgetForThinkingIsLoweredWithTheLimit() {
    var body =
        BodyEdits.utf8(
            "{\"max_tokens\":100000,\"thinking\":{\"type\":\"enabled\",\"budget_tokens\":90000}}");
    var edited =
        MaxTokensRepair.lower(
                Dialect.ANTHROPIC, body, "max_tokens: 100000 > 8192, which is the maximum allowed")
            .orElseThrow();
    assertThat(text(edited.body()))
        .isEqualTo(
            "{\"max_tokens\":8192,\"thinking\":{\"type\":\"enabled\",\"budget_tokens\":6144}}");
  }

  /** Bedrock, Vertex and Anthropic alike. */
  @Test
  void aBudgetForThinkingGoesBelowTheLimit() {
    var body =
        BodyEdits.utf8(
            "{\"max_tokens\":4000,\"thinking\":{\"type\":\"enabled\",\"budget_tokens\":10000}}");
    var error =
        "{\"error\":{\"message\":\"`max_tokens` must be greater than `thinking.budget_tokens`.\"}}";
    var edited = MaxTokensRepair.lower(Dialect.ANTHROPIC, body, error).orElseThrow();
    assertThat(text(edited.body())).contains("\"budget_tokens\":3000").contains(":4000,");
    var dropped =
        ParameterRepair.drop(Dialect.ANTHROPIC, body, "thinking.budget_tokens: not supported")
            .orElseThrow();
    assertThat(text(dropped.body())).isEqualTo("{\"max_tokens\":4000}");
    assertThat(dropped.lost()).containsExactly("thinking");
  }

  @Test
  void whatIsLearntIsBoundedAndForgotten() {
    long[] now = {0};
    var quirks = new ModelQuirks(() -> now[0]);
    for (int i = 0; i < ModelQuirks.MAX_TARGETS + 10; i++) {
      quirks.learn("p/m" + i, new Quirk.MaxTokens(i));
    }
    assertThat(quirks.of("p/m0")).isEmpty();
    assertThat(quirks.of("p/m1009")).containsExactly(new Quirk.MaxTokens(1009));
    for (int i = 0; i < 100; i++) {
      quirks.learn("p/x", new Quirk.Drops("d" + i));
    }
    assertThat(quirks.of("p/x")).hasSize(ModelQuirks.MAX_QUIRKS);
    quirks.learn("p/y", new Quirk.MaxTokens(10));
    quirks.learn("p/y", new Quirk.MaxTokens(20));
    assertThat(quirks.of("p/y")).containsExactly(new Quirk.MaxTokens(20));
    quirks.learn("p/z", new Quirk.Renames("a", "b"));
    quirks.learn("p/z", new Quirk.Renames("b", "a"));
    assertThat(quirks.of("p/z")).containsExactly(new Quirk.Renames("b", "a"));
    now[0] = 24L * 3600 * 1_000_000_000;
    assertThat(quirks.of("p/x")).isEmpty();
  }

  private static String text(byte[] body) {
    return new String(body, StandardCharsets.UTF_8);
  }
}
