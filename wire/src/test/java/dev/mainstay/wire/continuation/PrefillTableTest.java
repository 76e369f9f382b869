package dev.mainstay.wire.continuation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mainstay.wire.Api;
import dev.mainstay.wire.Dialect;
import dev.mainstay.wire.translate.Delta;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class PrefillTableTest {
  private static final Destination OLD_CLAUDE = claude("claude-sonnet-4-5");
  private static final Delivered LONG =
      Delivered.of(List.of(new Delta.Text(0, "The harbour was quiet that morning")));
  private static final Delivered BRIEF = Delivered.of(List.of(new Delta.Text(0, "The")));

  private final PrefillTable table = new PrefillTable();

  @ParameterizedTest
  @CsvSource({
    "ANTHROPIC,ANTHROPIC,https://api.anthropic.com,claude-sonnet-4-5-20250929,LAST_MESSAGE",
    "ANTHROPIC,ANTHROPIC,https://api.anthropic.com,claude-opus-4-1,LAST_MESSAGE",
    "ANTHROPIC,ANTHROPIC,https://api.anthropic.com,claude-sonnet-4-20250514,LAST_MESSAGE",
    "ANTHROPIC,ANTHROPIC,https://api.anthropic.com,claude-3-5-haiku-latest,LAST_MESSAGE",
    "ANTHROPIC,ANTHROPIC,https://api.anthropic.com,claude-opus-4-6,NONE",
    "ANTHROPIC,ANTHROPIC,https://api.anthropic.com,claude-sonnet-4-6,NONE",
    "ANTHROPIC,ANTHROPIC,https://api.anthropic.com,claude-opus-5,NONE",
    "ANTHROPIC,ANTHROPIC,https://api.anthropic.com,claude-fable-5,NONE",
    "GEMINI,GEMINI,https://generativelanguage.googleapis.com,gemini-2.5-flash,LAST_MESSAGE",
    "GEMINI,GEMINI,https://generativelanguage.googleapis.com,gemini-3-pro-preview,LAST_MESSAGE",
    "GEMINI,GEMINI,https://generativelanguage.googleapis.com,gemini-3.5-flash-lite,NONE",
    "GEMINI,GEMINI,https://generativelanguage.googleapis.com,gemini-3.6-flash,NONE",
    "MISTRAL,MISTRAL,https://api.mistral.ai,mistral-large-latest,PREFIX_FLAG",
    "OPENAI,OPENAI_CHAT,https://api.deepseek.com/beta,deepseek-chat,PREFIX_FLAG",
    "OPENAI,OPENAI_CHAT,https://api.deepseek.com,deepseek-chat,NONE",
    "OPENAI,OPENAI_CHAT,https://dashscope-intl.aliyuncs.com/compatible-mode/v1,qwen3-max,PARTIAL_FLAG",
    "OPENAI,OPENAI_CHAT,https://dashscope.aliyuncs.com/compatible-mode/v1,qwq-plus,NONE",
    "OPENAI,OPENAI_CHAT,https://dashscope.aliyuncs.com/compatible-mode/v1,qwen3-30b-a3b-thinking-2507,NONE",
    "OPENAI,OPENAI_CHAT,https://api.moonshot.ai/v1,kimi-k2.5,PARTIAL_FLAG",
    "OPENAI,OPENAI_CHAT,https://api.moonshot.cn/v1,kimi-k2-thinking,NONE",
    "OPENAI,OPENAI_CHAT,http://127.0.0.1:8000/v1,qwen3-32b,NONE",
    "OPENAI,OPENAI_CHAT,https://api.groq.com/openai/v1,llama-3.3-70b-versatile,LAST_MESSAGE",
    "OPENAI,OPENAI_CHAT,https://api.groq.com/openai/v1,openai/gpt-oss-120b,NONE",
    "OPENAI,OPENAI_CHAT,https://openrouter.ai/api/v1,anthropic/claude-sonnet-4.5,LAST_MESSAGE",
    "OPENAI,OPENAI_CHAT,https://openrouter.ai/api/v1,anthropic/claude-3.5-haiku:beta,LAST_MESSAGE",
    "OPENAI,OPENAI_CHAT,https://openrouter.ai/api/v1,anthropic/claude-opus-4,LAST_MESSAGE",
    "OPENAI,OPENAI_CHAT,https://openrouter.ai/api/v1,anthropic/claude-sonnet-4:thinking,NONE",
    "OPENAI,OPENAI_CHAT,https://openrouter.ai/api/v1,anthropic/claude-sonnet-4.6,NONE",
    "OPENAI,OPENAI_CHAT,https://openrouter.ai/api/v1,anthropic/claude-opus-5,NONE",
    "OPENAI,OPENAI_CHAT,https://openrouter.ai/api/v1,openai/gpt-4o,NONE",
    "OPENAI,OPENAI_CHAT,https://openrouter.ai/api/v1,meta-llama/llama-3.3-70b-instruct,NONE",
    "OPENAI,OPENAI_CHAT,https://api.openai.com/v1,gpt-4o,NONE",
    "OPENAI,OPENAI_RESPONSES,https://api.openai.com/v1,gpt-5,NONE",
  })
  void knowsWhoTakesABegunAnswer(
      Api api, Dialect dialect, String baseUrl, String model, Prefill expected) {
    assertThat(table.of(new Destination(api, dialect, baseUrl, model))).isEqualTo(expected);
  }

  @Test
  void learnsFromARefusal() {
    String words =
        "This model does not support assistant message prefill. The conversation must end with a"
            + " user message.";
    assertThat(table.refused(OLD_CLAUDE, 529, words)).isFalse();
    assertThat(table.refused(OLD_CLAUDE, 400, "max_tokens: 9 > 8")).isFalse();
    assertThat(table.of(OLD_CLAUDE)).isEqualTo(Prefill.LAST_MESSAGE);
    assertThat(table.refused(OLD_CLAUDE, 400, words)).isTrue();
    assertThat(table.of(OLD_CLAUDE)).isEqualTo(Prefill.NONE);
    assertThat(table.of(claude("claude-opus-4-1"))).isEqualTo(Prefill.LAST_MESSAGE);
    for (int i = 0; i < PrefillTable.MEMORY; i++) {
      table.refused(claude("claude-2." + i), 400, words);
    }
    assertThat(table.of(OLD_CLAUDE)).as("forgotten").isEqualTo(Prefill.LAST_MESSAGE);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '!',
      quoteCharacter = '~',
      value = {
        // As vLLM, SGLang and llama.cpp stream.
        "{\"id\":\"chatcmpl-84\",\"choices\":[{\"index\":0,\"delta\":{\"content\":\"a\"},\"logprobs\":null,\"finish_reason\":null,\"token_ids\":null}]}"
            + " ! CONTINUE_FLAG",
        "{\"id\":\"8f\",\"choices\":[{\"index\":0,\"delta\":{\"content\":\"a\"},\"logprobs\":null,\"finish_reason\":null,\"matched_stop\":null}]}"
            + " ! CONTINUE_FLAG",
        "{\"choices\":[{\"delta\":{\"content\":\"a\"}}],\"system_fingerprint\":\"b6123-1782cdfe\"}"
            + " ! LAST_MESSAGE",
        "{\"choices\":[{\"delta\":{\"content\":\"a\"}}],\"system_fingerprint\":\"b4798-1782cdfe\"}"
            + " ! NONE",
        "{\"choices\":[{\"delta\":{\"content\":\"a\"}}],\"system_fingerprint\":\"fp_b6123\"} !"
            + " NONE",
        // As Ollama and TGI do.
        "{\"id\":\"chatcmpl-1\",\"system_fingerprint\":\"fp_ollama\",\"choices\":[{\"delta\":{\"content\":\"a\"}}]}"
            + " ! LAST_MESSAGE",
        "{\"id\":\"\",\"system_fingerprint\":\"3.0.1-sha-bb9095a\",\"choices\":[{\"delta\":{\"content\":\"a\"}}]}"
            + " ! CONTINUE_FLAG",
        "{\"id\":\"\",\"system_fingerprint\":\"3.2.1-native\",\"choices\":[]} ! CONTINUE_FLAG",
        "{\"id\":\"\",\"system_fingerprint\":\"2.0.4-sha-bb9095a\",\"choices\":[]} ! NONE",
        "{\"id\":\"\",\"system_fingerprint\":\"3.2.1-other\",\"choices\":[]} ! NONE",
        "{\"choices\":[{\"delta\":{\"content\":\"\\\"matched_stop\\\":null\"}}]} ! NONE",
      })
  void learnsFromAnAnswerWhatServerItIs(String chunk, Prefill expected) {
    var own =
        new Destination(Api.OPENAI, Dialect.OPENAI_CHAT, "http://127.0.0.1:8000/v1", "qwen3-32b");
    table.answered(own, ("data: " + chunk + "\n\n").getBytes(StandardCharsets.UTF_8));
    assertThat(table.of(own)).isEqualTo(expected);
    assertThat(table.refused(own, 400, "assistant prefill is not supported")).isTrue();
    table.answered(own, ("data: " + chunk + "\n\n").getBytes(StandardCharsets.UTF_8));
    assertThat(table.of(own)).as("what it refused counts").isEqualTo(Prefill.NONE);
  }

  /** vLLM's readers of reasoning take what goes on for reasoning, which would be left out. */
  @Test
  void aServerOfManyModelsIsNotPrefilledAfterReasoning() {
    var own = new Destination(Api.OPENAI, Dialect.OPENAI_CHAT, "http://vllm:8000/v1", "qwen3-32b");
    table.answered(own, "data: {\"matched_stop\":null}\n\n".getBytes(StandardCharsets.UTF_8));
    assertThat(order(own, LONG)).containsExactly(Mode.PREFILL, Mode.INSTRUCTION, Mode.RESTART);
    var thought =
        Delivered.of(
            List.of(
                new Delta.Reasoning(0, "hm"),
                new Delta.Text(0, "The harbour was quiet that morning")));
    assertThat(order(own, thought)).containsExactly(Mode.INSTRUCTION, Mode.RESTART);
  }

  @Test
  void goesThroughTheWaysToAsk() {
    var gpt =
        new Destination(Api.OPENAI, Dialect.OPENAI_CHAT, "https://api.openai.com/v1", "gpt-4o");
    assertThat(order(OLD_CLAUDE, LONG))
        .containsExactly(Mode.PREFILL, Mode.INSTRUCTION, Mode.RESTART);
    assertThat(order(OLD_CLAUDE, BRIEF))
        .containsExactly(Mode.PREFILL, Mode.RESTART, Mode.INSTRUCTION);
    assertThat(order(gpt, LONG)).containsExactly(Mode.INSTRUCTION, Mode.RESTART);
    assertThat(order(gpt, BRIEF)).containsExactly(Mode.RESTART, Mode.INSTRUCTION);
    assertThat(order(gpt, Delivered.of(List.of()))).containsExactly(Mode.RESTART);
  }

  private List<Mode> order(Destination to, Delivered delivered) {
    var tried = EnumSet.noneOf(Mode.class);
    var order = new ArrayList<Mode>();
    for (var mode = table.mode(to, delivered, tried);
        mode != null;
        mode = table.mode(to, delivered, tried)) {
      tried.add(mode);
      order.add(mode);
    }
    return order;
  }

  private static Destination claude(String model) {
    return new Destination(Api.ANTHROPIC, Dialect.ANTHROPIC, "https://api.anthropic.com", model);
  }
}
