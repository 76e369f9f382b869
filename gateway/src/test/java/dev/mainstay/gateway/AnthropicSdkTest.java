package dev.mainstay.gateway;

import static dev.mainstay.gateway.ScriptedProvider.cutAfter;
import static dev.mainstay.gateway.ScriptedProvider.json;
import static dev.mainstay.gateway.ScriptedProvider.sse;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.anthropic.client.AnthropicClient;
import com.anthropic.client.okhttp.AnthropicOkHttpClient;
import com.anthropic.errors.AnthropicException;
import com.anthropic.errors.BadRequestException;
import com.anthropic.errors.RateLimitException;
import com.anthropic.errors.UnauthorizedException;
import com.anthropic.models.messages.MessageCountTokensParams;
import com.anthropic.models.messages.MessageCreateParams;
import com.anthropic.models.messages.StopReason;
import com.anthropic.models.messages.Tool;
import dev.mainstay.http.Exchange;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The official SDK as it comes, with its own retries on: nothing but its base URL is changed. */
@Timeout(180)
final class AnthropicSdkTest {
  private static final String START =
      event(
          "message_start",
          "\"message\":{\"id\":\"msg_1\",\"type\":\"message\",\"role\":\"assistant\",\"model\":\"a\","
              + "\"content\":[],\"stop_reason\":null,\"stop_sequence\":null,"
              + "\"usage\":{\"input_tokens\":5,\"output_tokens\":1}}");
  private static final List<String> EVENTS =
      List.of(
          START,
          event(
              "content_block_start",
              "\"index\":0,\"content_block\":{\"type\":\"text\",\"text\":\"\"}"),
          text("Hel"),
          text("lo"),
          event("content_block_stop", "\"index\":0"),
          event(
              "message_delta",
              "\"delta\":{\"stop_reason\":\"end_turn\",\"stop_sequence\":null},"
                  + "\"usage\":{\"output_tokens\":2}"),
          "event: message_stop\ndata: {\"type\":\"message_stop\"}\n\n");

  private final Harness h =
      new Harness(
          "  smart: { targets: [claude/a, claude/b] }\n"
              + "  brittle: { targets: [claude/a], recovery: { mid-stream: error } }\n");
  private AnthropicClient client;

  private static String event(String type, String fields) {
    return "event: " + type + "\ndata: {\"type\":\"" + type + "\"," + fields + "}\n\n";
  }

  private static String text(String words) {
    return event(
        "content_block_delta",
        "\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\"" + words + "\"}");
  }

  private static Consumer<Exchange> answer(String content, String stop) {
    return json(
        200,
        "{\"id\":\"msg_1\",\"type\":\"message\",\"role\":\"assistant\",\"model\":\"a\",\"content\":["
            + content
            + "],\"stop_reason\":\""
            + stop
            + "\",\"stop_sequence\":null,\"usage\":{\"input_tokens\":5,\"output_tokens\":2}}");
  }

  private static Consumer<Exchange> error(int status, String type, String words, String... head) {
    return json(
        status,
        "{\"type\":\"error\",\"error\":{\"type\":\"" + type + "\",\"message\":\"" + words + "\"}}",
        head);
  }

  @BeforeEach
  void connect() {
    client = AnthropicOkHttpClient.builder().baseUrl(h.url()).apiKey("sk-client-own-key").build();
  }

  @AfterEach
  void close() {
    client.close();
    h.close();
  }

  private static MessageCreateParams.Builder ask(String model) {
    return MessageCreateParams.builder().model(model).maxTokens(64).addUserMessage("Hello");
  }

  private String streamed(String model) {
    var text = new StringBuilder();
    try (var stream = client.messages().createStreaming(ask(model).build())) {
      stream.stream()
          .flatMap(event -> event.contentBlockDelta().stream())
          .flatMap(delta -> delta.delta().text().stream())
          .forEach(delta -> text.append(delta.text()));
    }
    return text.toString();
  }

  @Test
  void oneAnswerThroughThreeFailures() {
    h.one.then(
        error(529, "overloaded_error", "Overloaded"),
        error(429, "rate_limit_error", "This would exceed your rate limit.", "retry-after", "0.02"),
        error(500, "api_error", "Internal server error"),
        answer("{\"type\":\"text\",\"text\":\"Hi\"}", "end_turn"));
    var message = client.messages().create(ask("smart").build());
    assertThat(message.content().getFirst().asText().text()).isEqualTo("Hi");
    assertThat(h.one.asked).hasSize(4);
    assertThat(h.kept.next().call().attempts()).isEqualTo(4);
  }

  @Test
  void aStreamOfOneAnswerThoughTheFirstWasCut() {
    h.one.then(cutAfter(EVENTS.subList(0, 2)), sse(EVENTS));
    assertThat(streamed("smart")).isEqualTo("Hello");
  }

  @Test
  void aStreamThatCannotBeFinishedRaises() {
    h.one.then(cutAfter(EVENTS.subList(0, 3)));
    assertThatThrownBy(() -> streamed("brittle")).isInstanceOf(AnthropicException.class);
  }

  @Test
  void aToolCallArrivesWhole() {
    h.one.then(
        answer(
            "{\"type\":\"tool_use\",\"id\":\"toolu_1\",\"name\":\"weather\",\"input\":{\"city\":\"Oslo\"}}",
            "tool_use"));
    var tool =
        Tool.builder().name("weather").inputSchema(Tool.InputSchema.builder().build()).build();
    var message = client.messages().create(ask("smart").addTool(tool).build());
    assertThat(message.stopReason()).contains(StopReason.TOOL_USE);
    assertThat(message.content().getFirst().asToolUse().name()).isEqualTo("weather");
    assertThat(h.one.asked.getFirst().headers()).containsKey("anthropic-version");
  }

  @Test
  void aPermanentErrorIsTheTypedOneAndAskedForOnce() {
    h.one.then(error(400, "invalid_request_error", "messages.0.content: Field required"));
    assertThatThrownBy(() -> client.messages().create(ask("smart").build()))
        .isInstanceOf(BadRequestException.class)
        .hasMessageContaining("messages.0.content: Field required");
    assertThat(h.one.asked).hasSize(1);
  }

  @Test
  void noCreditIsTheProvidersOwnErrorAndNotRetriedByTheSdk() {
    h.one.then(
        error(400, "invalid_request_error", "Your credit balance is too low to access the API."));
    assertThatThrownBy(() -> client.messages().create(ask("claude/a").build()))
        .isInstanceOf(BadRequestException.class);
    assertThat(h.one.asked).hasSize(1);
  }

  @Test
  void aRefusedKeyIsTheTypedErrorAndNotRetriedByTheSdk() {
    h.one.then(error(401, "authentication_error", "invalid x-api-key"));
    assertThatThrownBy(() -> client.messages().create(ask("claude/a").build()))
        .isInstanceOf(UnauthorizedException.class);
    assertThat(h.one.asked).hasSize(1);
  }

  @Test
  void aLimitNobodyCanWaitForIsTheTypedErrorAtOnce() {
    h.one.then(error(429, "rate_limit_error", "Too many requests.", "retry-after", "1800"));
    assertThatThrownBy(() -> client.messages().create(ask("claude/a").build()))
        .isInstanceOf(RateLimitException.class);
    assertThat(h.one.asked).hasSize(1);
  }

  @Test
  void modelsAndTokenCounts() {
    var names = new ArrayList<String>();
    client.models().list().autoPager().forEach(model -> names.add(model.id()));
    assertThat(names).contains("smart");
    h.one.then(json(200, "{\"input_tokens\":14}"));
    var params = MessageCountTokensParams.builder().model("smart").addUserMessage("x").build();
    assertThat(client.messages().countTokens(params).inputTokens()).isEqualTo(14);
  }
}
