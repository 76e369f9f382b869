package dev.mainstay.wire.openai;

import dev.mainstay.wire.json.JsonWalk;
import dev.mainstay.wire.money.Usage;
import dev.mainstay.wire.stream.Answer;
import dev.mainstay.wire.stream.Answer.Outcome;
import dev.mainstay.wire.stream.Finish;
import org.jspecify.annotations.Nullable;

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
    return reader.answer();
  }

  private void field(JsonWalk walk) {
    switch (walk.name()) {
      case "error" -> error |= walk.says();
      case "object" -> error |= walk.is("error");
      case "id" -> id = walk.string();
      case "model" -> model = walk.oftenString();
      case "usage" -> {
        if (walk.kind() == JsonWalk.Kind.OBJECT) {
          usage = OpenAiUsage.read(walk);
        }
      }
      case "choices" -> {
        for (walk.array(); walk.element(); ) {
          choice(walk);
        }
      }
      case "data" -> says |= walk.says();
      default -> {}
    }
  }

  private void choice(JsonWalk walk) {
    for (walk.object(); walk.field(); ) {
      switch (walk.name()) {
        case "finish_reason" -> {
          var reason = walk.oftenString();
          finish = reason == null ? finish : reason;
          error |= reason != null && Finish.failed(reason);
        }
        case "error" -> error |= walk.says();
        case "message" -> message(walk);
        case "text" -> says |= walk.says();
        default -> {}
      }
    }
  }

  private void message(JsonWalk walk) {
    for (walk.object(); walk.field(); ) {
      switch (walk.name()) {
        case "content", "refusal", "tool_calls", "function_call", "audio", "images" ->
            says |= walk.says();
        default -> {}
      }
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
