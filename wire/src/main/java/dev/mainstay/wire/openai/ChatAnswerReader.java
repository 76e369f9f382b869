package dev.mainstay.wire.openai;

import dev.mainstay.wire.json.Json;
import dev.mainstay.wire.money.Usage;
import dev.mainstay.wire.stream.Answer;
import dev.mainstay.wire.stream.Answer.Outcome;
import dev.mainstay.wire.stream.Finish;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;

/** A whole answer of Chat, or of embeddings. */
public final class ChatAnswerReader {
  private final boolean generates;
  private boolean error;
  private boolean says;
  private @Nullable String finish;
  private @Nullable String id;
  private @Nullable String model;
  private @Nullable Usage usage;

  private ChatAnswerReader(boolean generates) {
    this.generates = generates;
  }

  /**
   * Reads {@code body}.
   *
   * @param generates whether there must be something in it
   */
  public static Answer read(byte[] body, boolean generates) {
    var reader = new ChatAnswerReader(generates);
    try (var p = Json.parser(body)) {
      if (p.nextToken() != JsonToken.START_OBJECT) {
        return Answer.malformed();
      }
      Json.fields(p, reader::field);
    } catch (JacksonException e) {
      return Answer.malformed();
    }
    return reader.answer();
  }

  private void field(String name, JsonParser p) {
    switch (name) {
      case "error" -> error |= Json.says(p);
      case "object" -> error |= "error".equals(Json.string(p));
      case "id" -> id = Json.string(p);
      case "model" -> model = Json.string(p);
      case "usage" -> {
        if (p.currentToken() == JsonToken.START_OBJECT) {
          usage = OpenAiUsage.read(p);
        }
      }
      case "choices" -> Json.elements(p, choice -> Json.fields(choice, this::choiceField));
      case "data" -> says |= Json.says(p);
      default -> {}
    }
  }

  private void choiceField(String name, JsonParser p) {
    switch (name) {
      case "finish_reason" -> {
        var reason = Json.string(p);
        finish = reason == null ? finish : reason;
        error |= reason != null && Finish.failed(reason);
      }
      case "error" -> error |= Json.says(p);
      case "message" -> Json.fields(p, this::messageField);
      case "text" -> says |= Json.says(p);
      default -> {}
    }
  }

  private void messageField(String name, JsonParser p) {
    switch (name) {
      case "content", "refusal", "tool_calls", "function_call", "audio", "images" ->
          says |= Json.says(p);
      default -> {}
    }
  }

  private Answer answer() {
    Outcome outcome;
    if (error) {
      // Also with half an answer beside it: a relay that lost its upstream.
      outcome = Outcome.ERROR;
    } else if (generates && !says && !stopped()) {
      outcome = Outcome.EMPTY;
    } else {
      outcome = Outcome.ANSWERED;
    }
    return new Answer(outcome, usage, finish, id, model);
  }

  private boolean stopped() {
    return finish != null && !finish.equals("stop") && !finish.equals("tool_calls");
  }
}
