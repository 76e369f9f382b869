package dev.mainstay.wire.anthropic;

import dev.mainstay.wire.json.Json;
import dev.mainstay.wire.stream.Answer;
import dev.mainstay.wire.stream.Answer.Outcome;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;

/** A whole answer of Messages, or a token count. */
public final class MessageAnswerReader {
  private final AnthropicUsage usage = new AnthropicUsage();
  private boolean error;
  private boolean says;
  private @Nullable String finish;
  private @Nullable String id;
  private @Nullable String model;

  private MessageAnswerReader() {}

  /**
   * Reads {@code body}.
   *
   * @param generates whether there must be something in it
   */
  public static Answer read(byte[] body, boolean generates) {
    var reader = new MessageAnswerReader();
    try (var p = Json.parser(body)) {
      if (p.nextToken() != JsonToken.START_OBJECT) {
        return Answer.malformed();
      }
      Json.fields(p, reader::field);
    } catch (JacksonException e) {
      return Answer.malformed();
    }
    boolean empty = generates && !reader.says && !reader.stopped();
    var outcome = reader.error ? Outcome.ERROR : empty ? Outcome.EMPTY : Outcome.ANSWERED;
    return new Answer(outcome, reader.usage.usage(), reader.finish, reader.id, reader.model);
  }

  private boolean stopped() {
    // Anthropic documents end_turn without content as an answer of its own, but after tool results
    // only; the caller cannot do anything with it, so another attempt is worth it.
    return finish != null && !finish.equals("end_turn") && !finish.equals("tool_use");
  }

  private void field(String name, JsonParser p) {
    switch (name) {
      case "type" -> error |= "error".equals(Json.string(p));
      case "error" -> error |= Json.says(p);
      case "id" -> id = Json.string(p);
      case "model" -> model = Json.string(p);
      case "usage" -> usage.read(p);
      case "stop_reason" -> finish = Json.string(p);
      case "content" -> Json.elements(p, block -> Json.fields(block, this::blockField));
      default -> {}
    }
  }

  private void blockField(String name, JsonParser p) {
    switch (name) {
      case "type" -> {
        var type = Json.string(p);
        says |= type != null && !type.equals("text") && !type.contains("thinking");
      }
      case "text" -> says |= Json.says(p);
      default -> {}
    }
  }
}
