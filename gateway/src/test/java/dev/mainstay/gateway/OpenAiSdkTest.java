package dev.mainstay.gateway;

import static dev.mainstay.gateway.ScriptedProvider.answerEvents;
import static dev.mainstay.gateway.ScriptedProvider.cutAfter;
import static dev.mainstay.gateway.ScriptedProvider.error;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.openai.client.OpenAIClient;
import com.openai.client.okhttp.OpenAIOkHttpClient;
import com.openai.errors.BadRequestException;
import com.openai.errors.NotFoundException;
import com.openai.errors.OpenAIException;
import com.openai.errors.RateLimitException;
import com.openai.models.chat.completions.ChatCompletionCreateParams;
import com.openai.models.embeddings.EmbeddingCreateParams;
import java.util.ArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The official SDK as it comes, with its own retries on: nothing but its base URL is changed. */
@Timeout(180)
final class OpenAiSdkTest {
  private final Harness h = new Harness();
  private OpenAIClient client;

  @BeforeEach
  void connect() {
    client =
        OpenAIOkHttpClient.builder().baseUrl(h.url() + "/v1").apiKey("sk-client-own-key").build();
  }

  @AfterEach
  void close() {
    client.close();
    h.close();
  }

  private static ChatCompletionCreateParams ask(String model) {
    return ChatCompletionCreateParams.builder().model(model).addUserMessage("Hello").build();
  }

  @Test
  void oneAnswerThroughThreeFailures() {
    h.one.then(
        error(429, "requests", "rate_limit_exceeded", "Slow down.", "retry-after-ms", "20"),
        error(429, "insufficient_quota", "insufficient_quota", "You exceeded your current quota."));
    h.two.then(error(503, "server_error", "", "The engine is overloaded."));
    var answer = client.chat().completions().create(ask("assistant"));
    assertThat(answer.choices().getFirst().message().content()).contains("Hi");
    assertThat(h.kept.next().decisions()).containsExactly("retry", "fallback", "retry", "proceed");
  }

  @Test
  void aStreamOfOneAnswerThoughTheFirstWasCut() {
    h.one.then(cutAfter(answerEvents().subList(0, 1)));
    assertThat(streamed()).isEqualTo("Hello");
  }

  @Test
  void aStreamThatBreaksInTheMiddleIsOneAnswer() {
    h.one.then(cutAfter(answerEvents().subList(0, 2)));
    assertThat(streamed()).isEqualTo("Hello");
  }

  @Test
  void aStreamThatCannotBeFinishedRaises() {
    h.one.then(
        cutAfter(answerEvents().subList(0, 2)), error(400, "invalid_request_error", "", "no"));
    assertThatThrownBy(this::streamed).isInstanceOf(OpenAIException.class);
  }

  private String streamed() {
    var text = new StringBuilder();
    try (var stream = client.chat().completions().createStreaming(ask("one/m"))) {
      stream.stream()
          .flatMap(chunk -> chunk.choices().stream())
          .forEach(choice -> choice.delta().content().ifPresent(text::append));
    }
    return text.toString();
  }

  @Test
  void aPermanentErrorIsTheTypedOneAndAskedForOnce() {
    h.one.then(error(400, "invalid_request_error", "invalid_value", "Invalid value: 'x'."));
    assertThatThrownBy(() -> client.chat().completions().create(ask("assistant")))
        .isInstanceOf(BadRequestException.class)
        .hasMessageContaining("Invalid value: 'x'.");
    assertThat(h.one.asked).hasSize(1);
    assertThat(h.kept.next().call().attempts()).isEqualTo(1);
  }

  @Test
  void aSpentQuotaIsTheTypedErrorAndNotRetriedByTheSdk() {
    h.one.then(
        error(429, "insufficient_quota", "insufficient_quota", "You exceeded your current quota."));
    assertThatThrownBy(() -> client.chat().completions().create(ask("one/m")))
        .isInstanceOf(RateLimitException.class);
    assertThat(h.one.asked).hasSize(1);
  }

  @Test
  void anUnknownModelOfTheProviderIsItsOwnError() {
    h.one.then(error(404, "invalid_request_error", "model_not_found", "The model does not exist."));
    assertThatThrownBy(() -> client.chat().completions().create(ask("one/nope")))
        .isInstanceOf(NotFoundException.class);
  }

  @Test
  void modelsAndEmbeddings() {
    var names = new ArrayList<String>();
    client.models().list().autoPager().forEach(model -> names.add(model.id()));
    assertThat(names).containsExactly("assistant");
    h.one.then(
        ScriptedProvider.json(
            200,
            "{\"object\":\"list\",\"data\":[{\"object\":\"embedding\",\"index\":0,\"embedding\":[0.5]}],"
                + "\"model\":\"e\",\"usage\":{\"prompt_tokens\":3,\"total_tokens\":3}}"));
    var params = EmbeddingCreateParams.builder().model("one/e").input("x").build();
    assertThat(client.embeddings().create(params).data()).hasSize(1);
    assertThat(h.kept.next().call().tokens()).isNotNull().matches(tokens -> tokens.input() == 3);
  }
}
