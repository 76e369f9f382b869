package dev.mainstay.wire;

import dev.mainstay.wire.anthropic.MessageAnswerReader;
import dev.mainstay.wire.anthropic.MessageStreamReader;
import dev.mainstay.wire.gemini.GeminiReader;
import dev.mainstay.wire.openai.ChatAnswerReader;
import dev.mainstay.wire.openai.ChatStreamReader;
import dev.mainstay.wire.openai.ResponsesReader;
import dev.mainstay.wire.stream.Answer;
import dev.mainstay.wire.stream.StreamReader;

/** Who reads which dialect's answers. */
public final class Readers {
  private Readers() {}

  /** A reader for one stream of {@code dialect}. */
  public static StreamReader stream(Dialect dialect) {
    return switch (dialect) {
      case OPENAI_CHAT, MISTRAL -> new ChatStreamReader();
      case OPENAI_RESPONSES -> new ResponsesReader();
      case ANTHROPIC -> new MessageStreamReader();
      case GEMINI -> new GeminiReader();
    };
  }

  /** Reads the whole answer to {@code operation}. */
  public static Answer answer(Operation operation, byte[] body) {
    return switch (operation.dialect()) {
      case OPENAI_CHAT, MISTRAL -> ChatAnswerReader.read(body, operation.generates());
      case OPENAI_RESPONSES -> ResponsesReader.read(body);
      case ANTHROPIC -> MessageAnswerReader.read(body, operation.generates());
      case GEMINI -> GeminiReader.read(body, operation.generates());
    };
  }
}
