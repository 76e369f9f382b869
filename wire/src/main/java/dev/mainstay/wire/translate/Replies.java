package dev.mainstay.wire.translate;

import dev.mainstay.wire.Dialect;
import dev.mainstay.wire.translate.anthropic.MessageReplyReader;
import dev.mainstay.wire.translate.anthropic.MessageReplyWriter;
import dev.mainstay.wire.translate.chat.ChatReplyReader;
import dev.mainstay.wire.translate.chat.ChatReplyWriter;
import dev.mainstay.wire.translate.chat.MistralReplyWriter;
import dev.mainstay.wire.translate.gemini.GeminiReplyReader;
import dev.mainstay.wire.translate.gemini.GeminiReplyWriter;
import dev.mainstay.wire.translate.responses.ResponsesReplyReader;
import dev.mainstay.wire.translate.responses.ResponsesReplyWriter;

/** Who reads and writes which dialect's answers. */
public final class Replies {
  private Replies() {}

  /** A reader for one answer of {@code dialect}. */
  public static ReplyReader reader(Dialect dialect) {
    return switch (dialect) {
      case OPENAI_CHAT, MISTRAL -> new ChatReplyReader(dialect);
      case ANTHROPIC -> new MessageReplyReader();
      case GEMINI -> new GeminiReplyReader();
      case OPENAI_RESPONSES -> new ResponsesReplyReader();
    };
  }

  /** A writer for one answer of {@code dialect}. */
  public static ReplyWriter writer(Dialect dialect, WriterOptions options) {
    return switch (dialect) {
      case OPENAI_CHAT -> new ChatReplyWriter(options);
      case ANTHROPIC -> new MessageReplyWriter(options);
      case MISTRAL -> new MistralReplyWriter(options);
      case GEMINI -> new GeminiReplyWriter(options);
      case OPENAI_RESPONSES -> new ResponsesReplyWriter(options);
    };
  }
}
