package dev.mainstay.app.broken;

import com.anthropic.client.AnthropicClient;
import com.anthropic.client.okhttp.AnthropicOkHttpClient;
import com.anthropic.errors.AnthropicServiceException;
import com.anthropic.helpers.MessageAccumulator;
import com.anthropic.models.messages.ContentBlock;
import com.anthropic.models.messages.MessageCreateParams;
import com.anthropic.models.messages.TextBlock;
import com.anthropic.models.messages.ThinkingBlock;
import com.anthropic.models.messages.ToolUseBlock;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.openai.client.OpenAIClient;
import com.openai.client.okhttp.OpenAIOkHttpClient;
import com.openai.errors.OpenAIServiceException;
import com.openai.helpers.ChatCompletionAccumulator;
import com.openai.helpers.ResponseAccumulator;
import com.openai.models.chat.completions.ChatCompletionCreateParams;
import com.openai.models.responses.ResponseCreateParams;
import com.openai.models.responses.ResponseFunctionToolCall;
import com.openai.models.responses.ResponseOutputItem;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;
import tools.jackson.databind.json.JsonMapper;

/**
 * An official SDK as a client: the events as it hands them over, each checked against the SDK's own
 * model of it, and then its accumulator, which programs take the answer from. An error counts as
 * one where the SDK raises what it has for a provider's errors; a connection that broke, an event
 * that it could not read or an accumulator without an answer would be the gateway's fault.
 */
abstract sealed class SdkClient implements Client {
  private static final Duration PATIENCE = Duration.ofMinutes(1);
  private static final JsonMapper JSON = new JsonMapper();

  private final Speaking dialect;

  private SdkClient(Speaking dialect) {
    this.dialect = dialect;
  }

  /** Reads the stream that {@code body} asks for; raises what the SDK raises. */
  abstract Whole read(Hearing hearing, String body) throws JsonProcessingException;

  @Override
  public final Answered ask(String model, String more) throws JsonProcessingException {
    var hearing = new Hearing(dialect);
    var heard = hearing.heard;
    try {
      var whole = read(hearing, dialect.body(model, more));
      if (heard.errors.isEmpty()) {
        whole.faults(heard);
      }
    } catch (OpenAIServiceException e) {
      heard.errors.add(e.getClass().getSimpleName() + ": " + e.body());
    } catch (AnthropicServiceException e) {
      heard.errors.add(e.getClass().getSimpleName() + ": " + e.body());
    } catch (RuntimeException e) {
      heard.fault("the SDK raised " + e);
    }
    return new Answered(heard, hearing.raw + String.join("\n", heard.errors));
  }

  /** What the SDK has handed over so far. */
  private static final class Hearing {
    final Heard heard = new Heard();
    final StringBuilder raw = new StringBuilder();
    private final Speaking dialect;

    Hearing(Speaking dialect) {
      this.dialect = dialect;
    }

    void event(String json) {
      raw.append(json).append('\n');
      heard.something(json);
      var data = JSON.readTree(json);
      Reading.of(dialect, heard, new Heard.Event(data.path("type").asString(""), json), data);
    }
  }

  /**
   * An answer as an accumulator gives it.
   *
   * @param calls each name with its arguments
   */
  private record Whole(
      String id,
      String text,
      String reasoning,
      List<String> calls,
      List<String> callIds,
      String finish,
      boolean usage) {

    /** Says where it is not what the events said. */
    void faults(Heard heard) {
      if (!heard.text.toString().equals(text)) {
        heard.fault("the accumulator says another text: " + text);
      }
      if (!heard.reasoning.toString().equals(reasoning)) {
        heard.fault("the accumulator says another reasoning: " + reasoning);
      }
      if (!heard.calls().equals(calls)) {
        heard.fault("the accumulator says other calls: " + calls);
      }
      if (!heard.finishes.equals(List.of(finish))) {
        heard.fault("the accumulator says another ending: " + finish);
      }
      heard.id(id);
      if (new HashSet<>(callIds).size() < calls.size() || callIds.contains("")) {
        heard.fault("calls with the ids " + callIds);
      }
      if (!usage) {
        heard.fault("no usage");
      }
    }
  }

  private static OpenAIClient openAi(String base) {
    return OpenAIOkHttpClient.builder()
        .baseUrl(base + "/v1")
        .apiKey("any")
        .timeout(PATIENCE)
        .maxRetries(0)
        .responseValidation(true)
        .build();
  }

  static final class OpenAiChat extends SdkClient {
    private static final com.fasterxml.jackson.databind.json.JsonMapper SDK =
        com.openai.core.ObjectMappers.jsonMapper();
    private final OpenAIClient client;

    OpenAiChat(String base) {
      super(Speaking.CHAT);
      client = openAi(base);
    }

    @Override
    Whole read(Hearing hearing, String body) throws JsonProcessingException {
      var asked = SDK.readValue(body, ChatCompletionCreateParams.Body.class);
      var accumulator = ChatCompletionAccumulator.create();
      try (var stream =
          client
              .chat()
              .completions()
              .createStreaming(ChatCompletionCreateParams.builder().body(asked).build())) {
        for (var chunks = stream.stream().iterator(); chunks.hasNext(); ) {
          hearing.event(SDK.writeValueAsString(accumulator.accumulate(chunks.next())));
        }
      }
      hearing.heard.end();
      var answer = accumulator.chatCompletion();
      var choice = answer.choices().getFirst();
      var calls =
          choice.message().toolCalls().orElse(List.of()).stream()
              .map(call -> call.function().orElseThrow())
              .toList();
      return new Whole(
          answer.id(),
          choice.message().content().orElse(""),
          // Its accumulator leaves out what is not OpenAI's own.
          hearing.heard.reasoning.toString(),
          calls.stream().map(c -> c.function().name() + c.function().arguments()).toList(),
          calls.stream().map(call -> call.id()).toList(),
          choice.finishReason().asString(),
          answer.usage().isPresent());
    }

    @Override
    public void close() {
      client.close();
    }
  }

  static final class OpenAiResponses extends SdkClient {
    private static final com.fasterxml.jackson.databind.json.JsonMapper SDK =
        com.openai.core.ObjectMappers.jsonMapper();
    private final OpenAIClient client;

    OpenAiResponses(String base) {
      super(Speaking.RESPONSES);
      client = openAi(base);
    }

    @Override
    Whole read(Hearing hearing, String body) throws JsonProcessingException {
      var asked = SDK.readValue(body, ResponseCreateParams.Body.class);
      var accumulator = ResponseAccumulator.create();
      try (var stream =
          client.responses().createStreaming(ResponseCreateParams.builder().body(asked).build())) {
        for (var events = stream.stream().iterator(); events.hasNext(); ) {
          hearing.event(SDK.writeValueAsString(accumulator.accumulate(events.next())));
        }
      }
      var answer = accumulator.response();
      var calls = some(answer.output(), ResponseOutputItem::functionCall);
      return new Whole(
          answer.id(),
          some(answer.output(), ResponseOutputItem::message).stream()
              .flatMap(message -> message.content().stream())
              .map(part -> part.asOutputText().text())
              .collect(Collectors.joining()),
          some(answer.output(), ResponseOutputItem::reasoning).stream()
              .flatMap(reasoning -> reasoning.summary().stream())
              .map(part -> part.text())
              .collect(Collectors.joining()),
          calls.stream().map(call -> call.name() + call.arguments()).toList(),
          calls.stream().map(ResponseFunctionToolCall::callId).toList(),
          answer.status().orElseThrow().asString(),
          answer.usage().isPresent());
    }

    @Override
    public void close() {
      client.close();
    }
  }

  static final class AnthropicMessages extends SdkClient {
    private static final com.fasterxml.jackson.databind.json.JsonMapper SDK =
        com.anthropic.core.ObjectMappers.jsonMapper();
    private final AnthropicClient client;

    AnthropicMessages(String base) {
      super(Speaking.ANTHROPIC);
      client =
          AnthropicOkHttpClient.builder()
              .baseUrl(base)
              .apiKey("any")
              .timeout(PATIENCE)
              .maxRetries(0)
              .responseValidation(true)
              .build();
    }

    @Override
    Whole read(Hearing hearing, String body) throws JsonProcessingException {
      var asked = SDK.readValue(body, MessageCreateParams.Body.class);
      var accumulator = MessageAccumulator.create();
      try (var stream =
          client.messages().createStreaming(MessageCreateParams.builder().body(asked).build())) {
        for (var events = stream.stream().iterator(); events.hasNext(); ) {
          hearing.event(SDK.writeValueAsString(accumulator.accumulate(events.next())));
        }
      }
      var answer = accumulator.message();
      var calls = some(answer.content(), ContentBlock::toolUse);
      return new Whole(
          answer.id(),
          some(answer.content(), ContentBlock::text).stream()
              .map(TextBlock::text)
              .collect(Collectors.joining()),
          some(answer.content(), ContentBlock::thinking).stream()
              .map(ThinkingBlock::thinking)
              .collect(Collectors.joining()),
          calls.stream().map(call -> call.name() + json(call)).toList(),
          calls.stream().map(ToolUseBlock::id).toList(),
          answer.stopReason().orElseThrow().asString(),
          answer.usage().outputTokens() > 0);
    }

    private static String json(ToolUseBlock call) {
      try {
        return SDK.writeValueAsString(call._input());
      } catch (JsonProcessingException e) {
        throw new IllegalStateException(e);
      }
    }

    @Override
    public void close() {
      client.close();
    }
  }

  private static <A, B> List<B> some(List<A> all, Function<A, Optional<B>> kind) {
    return all.stream().map(kind).flatMap(Optional::stream).toList();
  }
}
