package dev.mainstay.wire.anthropic;

import dev.mainstay.wire.json.JsonWalk;
import dev.mainstay.wire.stream.Answer;
import dev.mainstay.wire.stream.Answer.Outcome;
import org.jspecify.annotations.Nullable;

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
    try {
      var walk = new JsonWalk(body);
      if (walk.kind() != JsonWalk.Kind.OBJECT) {
        return Answer.malformed();
      }
      for (walk.object(); walk.field(); ) {
        reader.field(walk);
      }
    } catch (JsonWalk.Malformed e) {
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

  private void field(JsonWalk walk) {
    switch (walk.name()) {
      case "type" -> error |= walk.is("error");
      case "error" -> error |= walk.says();
      case "id" -> id = walk.string();
      case "model" -> model = walk.oftenString();
      case "usage" -> usage.read(walk);
      case "stop_reason" -> finish = walk.oftenString();
      case "content" -> {
        for (walk.array(); walk.element(); ) {
          block(walk);
        }
      }
      default -> {}
    }
  }

  private void block(JsonWalk walk) {
    for (walk.object(); walk.field(); ) {
      switch (walk.name()) {
        case "type" -> {
          var type = walk.oftenString();
          says |= type != null && !type.equals("text") && !type.contains("thinking");
        }
        case "text" -> says |= walk.says();
        default -> {}
      }
    }
  }
}
