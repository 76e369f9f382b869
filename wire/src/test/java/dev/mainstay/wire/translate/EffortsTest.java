package dev.mainstay.wire.translate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mainstay.wire.Dialect;
import dev.mainstay.wire.translate.request.Body;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Each way to say how much to reason, as each model takes it. */
final class EffortsTest {
  private static String asked(Dialect from, String effort) {
    return switch (from) {
      case ANTHROPIC -> {
        var adaptive = "\"thinking\":{\"type\":\"adaptive\"}";
        yield "{\"max_tokens\":9000,\"messages\":[{\"role\":\"user\",\"content\":\"hi\"}],"
            + (effort.equals("adaptive")
                ? adaptive
                : effort.equals("disabled")
                    ? "\"thinking\":{\"type\":\"disabled\"}"
                    : adaptive + ",\"output_config\":{\"effort\":\"" + effort + "\"}")
            + "}";
      }
      case GEMINI ->
          "{\"contents\":[{\"parts\":[{\"text\":\"hi\"}]}],\"generationConfig\":{\"thinkingConfig\":{"
              + (Character.isLetter(effort.charAt(0))
                  ? "\"thinkingLevel\":\"" + effort + "\""
                  : "\"thinkingBudget\":" + effort)
              + "}}}";
      case OPENAI_RESPONSES -> "{\"input\":\"hi\",\"reasoning\":{\"effort\":\"" + effort + "\"}}";
      default ->
          "{\"messages\":[{\"role\":\"user\",\"content\":\"hi\"}],"
              + (effort.equals("prompt_mode")
                  ? "\"prompt_mode\":\"reasoning\"}"
                  : "\"reasoning_effort\":\"" + effort + "\"}");
    };
  }

  private static String pointer(Dialect to, String model) {
    return switch (to) {
      case ANTHROPIC -> "/output_config/effort";
      case GEMINI ->
          "/generationConfig/thinkingConfig/"
              + (model.contains("2.5") ? "thinkingBudget" : "thinkingLevel");
      case OPENAI_RESPONSES -> "/reasoning/effort";
      default -> "/reasoning_effort";
    };
  }

  @ParameterizedTest
  @CsvSource({
    "ANTHROPIC, adaptive, OPENAI_CHAT, gpt-5.6, medium",
    "ANTHROPIC, adaptive, OPENAI_CHAT, gpt-5, ''",
    "ANTHROPIC, adaptive, OPENAI_RESPONSES, gpt-5.1, medium",
    "ANTHROPIC, adaptive, OPENAI_CHAT, gpt-4o, ''",
    "ANTHROPIC, adaptive, GEMINI, gemini-3-flash, ''",
    "ANTHROPIC, adaptive, GEMINI, gemini-2.5-flash, -1",
    "ANTHROPIC, adaptive, MISTRAL, mistral-small-latest, high",
    "ANTHROPIC, adaptive, MISTRAL, magistral-medium-latest, ''",
    "ANTHROPIC, max, OPENAI_CHAT, gpt-5.6, max",
    "ANTHROPIC, max, OPENAI_CHAT, gpt-5.2, xhigh",
    "ANTHROPIC, max, OPENAI_CHAT, gpt-5, high",
    "ANTHROPIC, max, OPENAI_CHAT, o3, high",
    "ANTHROPIC, xhigh, OPENAI_RESPONSES, gpt-5.1, high",
    "ANTHROPIC, xhigh, OPENAI_RESPONSES, gpt-5.1-codex-max, xhigh",
    "ANTHROPIC, low, MISTRAL, mistral-medium-latest, high",
    "ANTHROPIC, disabled, MISTRAL, mistral-medium-latest, none",
    "ANTHROPIC, disabled, OPENAI_CHAT, gpt-5.1, none",
    "ANTHROPIC, disabled, OPENAI_CHAT, gpt-5, minimal",
    "ANTHROPIC, disabled, OPENAI_CHAT, o4-mini, low",
    "ANTHROPIC, disabled, OPENAI_CHAT, gpt-4o, ''",
    "ANTHROPIC, disabled, GEMINI, gemini-3-flash, MINIMAL",
    "ANTHROPIC, disabled, GEMINI, gemini-3.1-pro, LOW",
    "ANTHROPIC, disabled, GEMINI, gemini-2.5-flash, 0",
    "OPENAI_CHAT, minimal, ANTHROPIC, claude-opus-4-8, low",
    "OPENAI_CHAT, xhigh, ANTHROPIC, claude-opus-4-8, xhigh",
    "OPENAI_CHAT, xhigh, ANTHROPIC, claude-opus-4-6, high",
    "OPENAI_CHAT, max, ANTHROPIC, claude-opus-4-6, max",
    "OPENAI_CHAT, max, ANTHROPIC, claude-sonnet-4-6, high",
    "OPENAI_CHAT, none, ANTHROPIC, claude-opus-4-8, ''",
    "OPENAI_CHAT, xhigh, GEMINI, gemini-3-flash, HIGH",
    "OPENAI_CHAT, minimal, GEMINI, gemini-3-pro, LOW",
    "OPENAI_CHAT, medium, GEMINI, gemini-3-pro, LOW",
    "OPENAI_CHAT, medium, GEMINI, gemini-3.1-pro, MEDIUM",
    "OPENAI_CHAT, minimal, MISTRAL, mistral-small-latest, high",
    "OPENAI_CHAT, high, MISTRAL, mistral-large-latest, ''",
    "OPENAI_CHAT, minimal, OPENAI_RESPONSES, gpt-5.1, low",
    "OPENAI_RESPONSES, none, OPENAI_CHAT, gpt-5-pro, high",
    "GEMINI, MINIMAL, OPENAI_CHAT, gpt-5.1, low",
    "GEMINI, HIGH, ANTHROPIC, claude-opus-4-8, high",
    "GEMINI, -1, OPENAI_CHAT, gpt-5.6, medium",
    "GEMINI, 0, OPENAI_CHAT, gpt-5.6, none",
    "GEMINI, 2000, OPENAI_CHAT, gpt-5.6, medium",
    "MISTRAL, prompt_mode, OPENAI_CHAT, gpt-5.6, medium",
    "MISTRAL, high, ANTHROPIC, claude-opus-4-8, high"
  })
  void fitsTheModel(Dialect from, String effort, Dialect to, String model, String sent) {
    var made =
        Requests.translate(
            asked(from, effort).getBytes(StandardCharsets.UTF_8),
            from,
            to,
            model,
            false,
            OnLoss.DROP);
    assertThat(Body.read(made.body()).at(pointer(to, model)).asString("")).isEqualTo(sent);
  }

  /** Where a model cannot but reason, or cannot reason, that is said. */
  @ParameterizedTest
  @CsvSource({
    "ANTHROPIC, disabled, OPENAI_CHAT, o3",
    "ANTHROPIC, disabled, GEMINI, gemini-3-flash",
    "ANTHROPIC, high, OPENAI_CHAT, gpt-4o",
    "OPENAI_CHAT, high, MISTRAL, mistral-large-latest"
  })
  void whatCannotBeIsSaid(Dialect from, String effort, Dialect to, String model) {
    var made =
        Requests.translate(
            asked(from, effort).getBytes(StandardCharsets.UTF_8),
            from,
            to,
            model,
            false,
            OnLoss.DROP);
    assertThat(made.degraded()).containsExactly("reasoning-effort");
  }
}
